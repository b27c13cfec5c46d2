//! Checks of sources with a Smith predictor, and of switches that report the free space of their
//! queues to such sources.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::endsystem::SourceRules;
use cellrate_engine::kernel::Ps;

use crate::scenario::graph::{Graph, Instance};
use crate::scenario::problem::{Problem, place};
use crate::scenario::types::Scenario;

/// Problems of the Smith predictor along the path of a flow: only the source uses it, only a switch
/// does, or their time constants differ.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let first = graph.flows.iter().filter(|flow| flow.index == 1);
    first
        .filter_map(|instance| of_flow(scenario, graph, instance))
        .collect()
}

fn of_flow(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Option<Problem> {
    let flow = &scenario.flows[instance.group];
    if flow.service != ServiceClass::Abr {
        return None;
    }
    let at = instance.group;
    let predicts = flow.abr.rules == SourceRules::SmithPredictor;
    let told: Vec<(&str, Ps)> = instance
        .forward
        .iter()
        .filter_map(|link| teller(graph, *link))
        .collect();
    match told.first() {
        None if predicts => {
            let message = format!(
                "no switch on the route of `{}` sends it the free queue space that its Smith predictor needs",
                flow.name
            );
            let help = "set `control.scheme = \"smith-predictor\"` at a switch on the route";
            Some(Problem::warning(
                place!["flow", at, "abr", "rules"],
                message,
                help,
            ))
        }
        Some((switch, _)) if !predicts => {
            let message = format!(
                "`{switch}` sends `{}` the free space of its queue, but the source does not subtract its cells on the way",
                flow.name
            );
            Some(Problem::warning(
                place!["flow", at, "abr", "rules"],
                message,
                "set `rules = \"smith-predictor\"` in `abr`",
            ))
        }
        _ => {
            let own = flow.abr.time_constant?;
            let (switch, other) = told.into_iter().find(|(_, other)| *other != own)?;
            let message = format!(
                "`time_constant` is {own} at the source, but {other} at `{switch}`: the source would misread the free queue space"
            );
            let help = "set the same `time_constant` at source and switch";
            Some(Problem::warning(
                place!["flow", at, "abr", "time_constant"],
                message,
                help,
            ))
        }
    }
}

/// Name and time constant of the switch that feeds `link`; `None` if this switch does not report
/// the free space of its queues.
fn teller(graph: &Graph, link: usize) -> Option<(&str, Ps)> {
    let node = &graph.nodes[graph.links[link].from];
    let time_constant = node.switch.as_ref()?.control.predictor_time_constant()?;
    Some((&node.name, time_constant))
}
