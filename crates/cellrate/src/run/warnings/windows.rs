//! Windows of TCP that cannot fill a path, or wait for the receiver's clock.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::kernel::Rate;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::traffic::{Load, SourceConfig};

use super::groups::told_of;
use super::{Warning, first_of_each_group};

/// Share of a link below which the windows of its flows are said not to fill it.
const FILLED: f64 = 0.9;
/// Octets of data in a cell, then octets of LLC/SNAP and the AAL5 trailer that each segment adds.
const PAYLOAD: u64 = 48;
const AAL5: u64 = 16;

/// Warns of windows that wait for the receiver's clock, and of windows that cannot fill a path.
pub fn check(plan: &Plan, warnings: &mut Vec<Warning>) {
    for flow in first_of_each_group(plan) {
        warnings.extend(waits(flow));
    }
    warnings.extend(unfilled(plan));
}

/// Warns of a window that holds one segment. The receiver acknowledges it only when its clock of
/// delayed acknowledgements ticks; every second segment would be acknowledged at once (RFC 5681
/// 4.2).
fn waits(flow: &FlowPlan) -> Option<Warning> {
    let tcp = &flow.tcp;
    if !is_greedy(flow) || !tcp.delayed_ack || tcp.window.0 >= 2 * tcp.mss.0 {
        return None;
    }
    let interval = tcp.delayed_ack_interval.as_secs_f64();
    let rate = Rate::from_bps((8.0 * tcp.mss.0 as f64 / interval) as u64);
    let message = format!(
        "flow group {}: a window of {} holds one segment of {}, so each segment waits for its delayed acknowledgement, \
         up to {}: at most {rate} a flow; a `tcp.window` of {} or more, or `tcp.delayed_ack = false`, does not wait",
        flow.group,
        tcp.window,
        tcp.mss,
        tcp.delayed_ack_interval.told(),
        Bytes(2 * tcp.mss.0),
    );
    Some(Warning::new("delayed-ack-waits", message))
}

/// Ports that all their flows together cannot fill, since the windows of greedy flows hold less
/// than their paths. Each port is named once, with the first group that has it as its slowest.
fn unfilled(plan: &Plan) -> Vec<Warning> {
    let mut most = vec![0.0; plan.links.len()];
    for flow in &plan.flows {
        let rate = most_cells_per_second(plan, flow);
        flow.forward.iter().for_each(|link| most[*link] += rate);
    }
    let filled = |link: usize| most[link] / plan.links[link].rate.cells_per_second();
    let mut told: BTreeMap<usize, &FlowPlan> = BTreeMap::new();
    for flow in first_of_each_group(plan).filter(|flow| is_bound_by_its_window(plan, flow)) {
        // Of the slowest ports on the way the one that the flows fill most.
        let ports =
            flow.forward.iter().copied().filter(|link| {
                matches!(plan.nodes[plan.links[*link].from].kind, NodeKind::Switch(_))
            });
        let slowest = ports.clone().map(|link| plan.links[link].rate).min();
        let slow = ports.filter(|link| Some(plan.links[*link].rate) == slowest);
        if let Some(link) = slow.max_by(|a, b| filled(*a).total_cmp(&filled(*b))) {
            told.entry(link).or_insert(flow);
        }
    }
    let below = |(link, flow): (usize, &FlowPlan)| {
        let line = &plan.links[link];
        let share = filled(link);
        (share < FILLED).then(|| {
            let members = plan.flows.iter().filter(|other| other.group == flow.group);
            let count = members.count();
            let needed = (flow.tcp.window.0 as f64 / share).ceil();
            let enough = if needed <= f64::from(u32::MAX) {
                format!("; a `tcp.window` of {} would fill it", Bytes(needed as u64))
            } else {
                String::new()
            };
            let message = format!(
                "windows bound {} to {:.1} % of {} ({}): {} in a round trip of {}{enough}",
                told_of(&flow.group, &flow.name, count, count),
                100.0 * share,
                line.name,
                line.rate,
                flow.tcp.window,
                plan.round_trip(flow).told(),
            );
            Warning::new("window-below-path", message)
        })
    };
    told.into_iter().filter_map(below).collect()
}

fn is_greedy(flow: &FlowPlan) -> bool {
    matches!(flow.source, SourceConfig::Greedy(_))
}

/// True if neither the lines nor PCR bound a flow closer than its window.
fn is_bound_by_its_window(plan: &Plan, flow: &FlowPlan) -> bool {
    let lines = flow.forward.iter().map(|link| plan.links[*link].rate);
    let line = lines.min().map_or(f64::INFINITY, Rate::cells_per_second);
    let pcr = match flow.service {
        ServiceClass::Abr => flow.abr.pcr.map_or(line, Rate::cells_per_second),
        _ => line,
    };
    is_greedy(flow) && most_cells_per_second(plan, flow) < FILLED * line.min(pcr)
}

/// The most that a flow can send on average, in cells/s; infinite if nothing bounds it here.
fn most_cells_per_second(plan: &Plan, flow: &FlowPlan) -> f64 {
    if !flow.source.over_tcp() {
        return match flow.source.load() {
            Load::Own { mean, .. } => mean,
            Load::Elastic => f64::INFINITY,
        };
    }
    let tcp = &flow.tcp;
    let cells = (tcp.mss.0 + u64::from(tcp.data_header_bytes()) + AAL5).div_ceil(PAYLOAD);
    let segments = if is_greedy(flow) {
        (tcp.window.0 / tcp.mss.0) as f64
    } else {
        tcp.window.0 as f64 / tcp.mss.0 as f64
    };
    segments * cells as f64 / plan.round_trip(flow).as_secs_f64()
}
