//! Trimming in switches, and selective resend: settings that contradict them, and settings without effect.

use cellrate_engine::ether::roce::{Resend, RoceConfig};

use super::flow::Flow;
use super::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// Problems of `switch.trim_priority` and of `resend` of flows over RoCE.
pub fn check(scenario: &Scenario) -> Vec<Problem> {
    let flows = scenario.flows.iter().enumerate();
    let over_roce = flows.filter_map(|(group, flow)| Some((group, flow, flow.roce.as_ref()?)));
    let over_roce: Vec<(usize, &Flow, &RoceConfig)> = over_roce.collect();
    let mut problems = Vec::new();
    if let Some(priority) = scenario.switch.trim_priority {
        problems.extend(of_priority(scenario, priority, &over_roce));
    }
    for (group, flow, roce) in &over_roce {
        if roce.resend != Resend::Selective {
            continue;
        }
        let place = place!["flow", *group, "roce", "resend"];
        if roce.control.credits().is_some() {
            let message = "`selective` is not available under ExpressPass, whose credits acknowledge packets in order";
            problems.push(Problem::error(place, message, "allowed: `go-back-n`"));
        } else if scenario.switch.trim_priority.is_none() {
            let message = format!(
                "flow group `{}` sends again what switches have trimmed (`selective`), but no switch trims: every loss waits \
                 for `timeout`",
                flow.name
            );
            problems.push(Problem::warning(place, message, ""));
        }
    }
    problems
}

/// Problems of the priority of trimmed packets: its queue, flow control that trimming contradicts, and flows that
/// cannot use it.
fn of_priority(
    scenario: &Scenario,
    priority: u8,
    over_roce: &[(usize, &Flow, &RoceConfig)],
) -> Vec<Problem> {
    let place = || place!["switch", "trim_priority"];
    let mut problems = Vec::new();
    if priority > 7 {
        let message = format!("{priority} is not a priority");
        return vec![Problem::error(place(), message, "allowed: 0 to 7")];
    }
    let lossless = [
        ("fcvc", scenario.fcvc.is_some()),
        ("pfc", scenario.pfc.is_some()),
        ("cbfc", scenario.cbfc.is_some()),
    ];
    for (table, _) in lossless.into_iter().filter(|(_, is_set)| *is_set) {
        let message =
            format!("`trim_priority` is not available beside `{table}`, which loses no packet");
        let help = format!("remove the key or `[{table}]`");
        problems.push(Problem::error(place(), message, help));
    }
    let queue = |priority: u8| {
        let queues = &scenario.switch.queues;
        let listed = queues.iter().position(|queue| queue.contains(&priority));
        listed.unwrap_or(queues.len().saturating_sub(1))
    };
    for (_, flow, roce) in over_roce {
        let name = &flow.name;
        if roce.control.credits().is_some() {
            let message = format!(
                "`trim_priority` is not available beside flow group `{name}` under ExpressPass, which learns of losses by credits"
            );
            problems.push(Problem::error(place(), message, "remove the key"));
        } else if queue(flow.priority) == queue(priority) {
            let message = format!(
                "trimmed packets would wait in the queue of flow group `{name}` (priority {}), which is full then",
                flow.priority
            );
            let help = "list the priority in a queue of its own, for instance `queues = [[7], [0]]` with `trim_priority = 7`";
            problems.push(Problem::error(place(), message, help));
        }
    }
    if over_roce.is_empty() {
        let message = "`trim_priority` has no effect: switches trim packets over RoCE, and no flow has `roce`";
        problems.push(Problem::warning(place(), message, ""));
    }
    problems
}
