//! Checks of flows that need no topology: names, numbers, service classes and sources.

use cellrate_engine::atm::Refuses;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::schedule::channels::WeightsFrom;

use super::switches::own_switches;
use crate::scenario::flow::Flow;
use crate::scenario::problem::{Problem, Step, place};
use crate::scenario::types::Scenario;

/// Largest number of flows of a scenario.
const MOST_FLOWS: u64 = 1_000_000;

/// True if the scenario has at most [`MOST_FLOWS`] flows, so that a graph can be built for them.
pub fn are_countable(scenario: &Scenario) -> bool {
    scenario
        .flows
        .iter()
        .map(|flow| u64::from(flow.count))
        .sum::<u64>()
        <= MOST_FLOWS
}

/// Problems of flows that do not depend on the topology.
pub fn check(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !are_countable(scenario) {
        let message = format!("there are more than {MOST_FLOWS} flows");
        problems.push(Problem::error(
            place!["flow", 0, "count"],
            message,
            format!("allowed: at most {MOST_FLOWS}"),
        ));
    }
    for (index, flow) in scenario.flows.iter().enumerate() {
        problems.extend(source(index, flow));
        problems.extend(forward_abr(index, flow));
        problems.extend(without_effect(index, flow, scenario));
    }
    problems
}

fn source(index: usize, flow: &Flow) -> Option<Problem> {
    let (field, message) = flow.source.check()?;
    Some(Problem::error(
        place!["flow", index, "source", field],
        message,
        "",
    ))
}

/// Problem of a flow whose backward channel is ABR while its forward channel is not: only an ABR
/// forward channel has RM cells.
fn forward_abr(index: usize, flow: &Flow) -> Option<Problem> {
    (flow.service != ServiceClass::Abr && flow.ack_service() == ServiceClass::Abr).then(|| {
        let help = "RM cells of an ABR channel return on the channel in the other direction: set `service = \"abr\"`, or another `ack_service`";
        Problem::error(place!["flow", index, "ack_service"], "`ack_service` is ABR, but `service` is not", help)
    })
}

/// True if a switch serves channels by the weights of their flows.
fn serves_by_weight(scenario: &Scenario) -> bool {
    let own = own_switches(scenario).map(|(_, own)| own.schedule.as_ref());
    let mut schedules = own.chain([scenario.switch.schedule.as_ref()]).flatten();
    schedules.any(|schedule| schedule.weights_from() == WeightsFrom::Flow)
}

/// Problems of settings of a flow that have no effect.
fn without_effect(index: usize, flow: &Flow, scenario: &Scenario) -> Vec<Problem> {
    let unused = [
        (
            "tcp",
            !flow.source.over_tcp() && flow.tcp != scenario.tcp,
            "the flows do not use TCP",
        ),
        (
            "abr",
            flow.service != ServiceClass::Abr && flow.abr != scenario.abr,
            "`service` is not `abr`",
        ),
        (
            "ack_service",
            !flow.needs_backward() && flow.ack_service.is_some(),
            "nothing is sent from the destination to the source",
        ),
        (
            "ack_service",
            !flow.source.over_tcp() && flow.splits_classes(),
            "the destination sends only RM cells back, which are ABR",
        ),
        (
            "source_queue_refuses",
            !flow.source.over_tcp() && flow.source_queue_refuses != Refuses::default(),
            "the flows do not use TCP",
        ),
        (
            "source_queue_refuses",
            flow.source.over_tcp()
                && flow.source_queue.is_infinite()
                && flow.source_queue_refuses != Refuses::default(),
            "its source queue has no limit",
        ),
        (
            "return_route",
            !flow.needs_backward() && flow.return_route.is_some(),
            "nothing is sent from the destination to the source",
        ),
        (
            "weight",
            flow.weight != 1 && !serves_by_weight(scenario),
            "no switch has a `schedule` with the weights of flows",
        ),
        (
            "stagger",
            flow.count == 1 && flow.stagger.0 > 0,
            "the group has one flow",
        ),
    ];
    let problem = |(key, _, why): (&str, bool, &str)| {
        let place = vec![Step::from("flow"), Step::from(index), Step::from(key)];
        Problem::warning(
            place,
            format!("`{key}` of flow group `{}` has no effect: {why}", flow.name),
            "",
        )
    };
    unused
        .into_iter()
        .filter(|(_, is_unused, _)| *is_unused)
        .map(problem)
        .collect()
}
