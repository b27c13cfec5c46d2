//! Warnings of TCP windows that cannot fill a path, or that wait for the receiver's clock of
//! delayed acknowledgements.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::TcpConfig;
use cellrate_engine::traffic::{Load, SourceConfig};

use super::groups::told_of;
use super::{Warning, first_of_each_group};

/// Share of a link below which the warning says that the windows of its flows do not fill it.
pub const FILLED: f64 = 0.9;
/// Octets of data in a cell. [`AAL5`] has the octets of LLC/SNAP and of the AAL5 trailer, which
/// each segment adds.
const PAYLOAD: u64 = 48;
const AAL5: u64 = 16;

/// Warns of windows that wait for the receiver's clock, and of windows that cannot fill a path.
pub fn check(plan: &Plan, warnings: &mut Vec<Warning>) {
    for flow in first_of_each_group(plan).filter(|flow| is_greedy(flow)) {
        warnings.extend(waits(&flow.group, &flow.tcp));
    }
    warnings.extend(unfilled(plan));
}

/// True if the window of a flow holds one segment and the receiver delays acknowledgements.
pub fn waits_for_clock(tcp: &TcpConfig) -> bool {
    tcp.delayed_ack && tcp.window.0 < 2 * tcp.mss.0
}

/// Warns of a window that holds only one segment. The receiver acknowledges this segment only when
/// its clock of delayed acknowledgements ticks; a second segment would be acknowledged at once (RFC
/// 5681, section 4.2).
pub fn waits(group: &str, tcp: &TcpConfig) -> Option<Warning> {
    if !waits_for_clock(tcp) {
        return None;
    }
    let interval = tcp.delayed_ack_interval.as_secs_f64();
    let rate = Rate::from_bps((8.0 * tcp.mss.0 as f64 / interval) as u64);
    let message = format!(
        "flow group {group}: a window of {} holds one segment of {}, so each segment waits for the next tick of delayed \
         acknowledgements, one in {}: at most {rate} a flow; with a `tcp.window` of {} or more, or with \
         `tcp.delayed_ack = false`, no segment waits",
        tcp.window,
        tcp.mss,
        tcp.delayed_ack_interval.told(),
        Bytes(2 * tcp.mss.0),
    );
    Some(Warning::new("delayed-ack-waits", message))
}

/// A line that TCP windows fill only in part, and the flows with these windows.
pub struct Filled<'a> {
    /// The flows of one group, as the subject of a sentence.
    pub flows: String,
    pub tcp: &'a TcpConfig,
    pub line: &'a str,
    pub rate: Rate,
    /// Share of the line that the windows of all flows through it can fill.
    pub share: f64,
    pub round_trip: Ps,
    pub credit: Credit,
}

/// Limit that credits set to the flows of a line, whatever their windows.
pub enum Credit {
    /// Credits let the flows fill the line, or the flows have no credit control.
    Suffices,
    /// The flows are under credit control with a limit that is not computed here.
    Unknown,
    /// Credits limit all flows together to this rate in bit/s, which does not fill the line.
    Limits(f64),
}

/// Warns if the windows together fill less than [`FILLED`] of the line.
pub fn below_path(filled: &Filled<'_>) -> Option<Warning> {
    let Filled { tcp, share, .. } = filled;
    if *share >= FILLED {
        return None;
    }
    // TCP sends only whole segments.
    let segments = (tcp.window.0 / tcp.mss.0) as f64;
    let needed = (segments / share).ceil() * tcp.mss.0 as f64;
    let enough = Bytes(needed as u64);
    let enough = match filled.credit {
        Credit::Limits(rate) => format!(
            "; no window would fill the link, since credits limit its flows to {:.1} Mbit/s",
            rate / 1e6
        ),
        _ if needed > f64::from(u32::MAX) => String::new(),
        Credit::Suffices => format!("; a `tcp.window` of {enough} would fill the link"),
        Credit::Unknown => {
            format!(
                "; a `tcp.window` of {enough} would fill the link unless credits limit the flows"
            )
        }
    };
    let message = format!(
        "the windows of {} fill at most {:.1} % of {} ({}): {} in each round trip of {}{enough}",
        filled.flows,
        100.0 * share,
        filled.line,
        filled.rate,
        tcp.window,
        filled.round_trip.told(),
    );
    Some(Warning::new("window-below-path", message))
}

/// Warns of ports that their flows cannot fill even together, because the windows of greedy flows
/// are smaller than their paths hold. Each port is named once, with the first group for which it is
/// the slowest port.
fn unfilled(plan: &Plan) -> Vec<Warning> {
    let mut most = vec![0.0; plan.links.len()];
    for flow in &plan.flows {
        let rate = most_cells_per_second(plan, flow);
        flow.forward.iter().for_each(|link| most[*link] += rate);
    }
    let filled = |link: usize| most[link] / plan.links[link].rate.cells_per_second();
    let mut told: BTreeMap<usize, &FlowPlan> = BTreeMap::new();
    let unfilling =
        |flow: &&FlowPlan| is_bound_by_its_window(plan, flow) && !waits_for_clock(&flow.tcp);
    for flow in first_of_each_group(plan).filter(unfilling) {
        // Among equally slow ports on the path, the port that flows fill most.
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
        let members = plan.flows.iter().filter(|other| other.group == flow.group);
        let count = members.count();
        below_path(&Filled {
            flows: told_of(&flow.group, &flow.name, count, count),
            tcp: &flow.tcp,
            line: &line.name,
            rate: line.rate,
            share: filled(link),
            round_trip: plan.round_trip(flow),
            credit: match &plan.fcvc {
                Some(_) if FcvcConfig::covers(flow.service) => Credit::Unknown,
                _ => Credit::Suffices,
            },
        })
    };
    told.into_iter().filter_map(below).collect()
}

fn is_greedy(flow: &FlowPlan) -> bool {
    matches!(flow.source, SourceConfig::Greedy(_))
}

/// True if the window limits a greedy flow to less than [`FILLED`] of what the lines and PCR allow.
fn is_bound_by_its_window(plan: &Plan, flow: &FlowPlan) -> bool {
    let lines = flow.forward.iter().map(|link| plan.links[*link].rate);
    let line = lines.min().map_or(f64::INFINITY, Rate::cells_per_second);
    let pcr = match flow.service {
        ServiceClass::Abr => flow.abr.pcr.map_or(line, Rate::cells_per_second),
        _ => line,
    };
    is_greedy(flow) && most_cells_per_second(plan, flow) < FILLED * line.min(pcr)
}

/// The most that a flow can send on average, in cells/s; infinite if none of its parameters limits
/// the rate.
fn most_cells_per_second(plan: &Plan, flow: &FlowPlan) -> f64 {
    if !flow.source.over_tcp() {
        return match flow.source.load() {
            Load::Own { mean, .. } => mean,
            Load::Elastic => f64::INFINITY,
        };
    }
    let tcp = &flow.tcp;
    let cells = cells_of_segment(tcp);
    let segments = if is_greedy(flow) {
        (tcp.window.0 / tcp.mss.0) as f64
    } else {
        tcp.window.0 as f64 / tcp.mss.0 as f64
    };
    segments * cells as f64 / plan.round_trip(flow).as_secs_f64()
}

/// Number of cells in the PDU of a full segment.
pub fn cells_of_segment(tcp: &TcpConfig) -> u64 {
    (tcp.mss.0 + u64::from(tcp.data_header_bytes()) + AAL5).div_ceil(PAYLOAD)
}
