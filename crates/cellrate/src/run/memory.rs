//! An upper bound of the memory that a run will need, computed before it starts.

mod exhausted;
mod free;
mod needs;
mod queues;
mod room;

use std::cmp::Reverse;

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::event::Event;
use cellrate_engine::atm::plan::{FlowPlan, LinkPlan, NodeKind, Plan};
use cellrate_engine::kernel::trace::{Point, Trace};
use cellrate_engine::kernel::{Ps, Rate, Summary};
use cellrate_engine::tcp::blocks::MOST_OPTION_BYTES;

use crate::scenario::{Scenario, TraceKind};

pub use exhausted::{Exhausted, named};
pub use free::available_bytes;
pub use needs::{Need, Share};
pub use room::Room;

/// Upper bounds of the memory that a run will need, and the memory available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Bytes that the run will need at most.
    pub memory_bytes: u64,
    /// Free memory in bytes; `None` if the system does not report it.
    pub available_bytes: Option<u64>,
    /// Most cells on links and in queues at once.
    pub cells_in_flight: u64,
    /// Every need with the memory that it takes, the largest first.
    pub shares: Vec<Share>,
}

impl Estimate {
    /// True if the run fits into memory, or the free memory is unknown.
    pub fn fits(&self) -> bool {
        self.available_bytes
            .is_none_or(|available| self.memory_bytes <= available)
    }

    /// The needs that take more than a fifth of the estimated memory, the largest first; at least one.
    pub fn causes(&self) -> &[Share] {
        let large = |share: &&Share| share.bytes > self.memory_bytes / 5;
        let causes = self.shares.iter().take_while(large).count();
        &self.shares[..causes.max(1).min(self.shares.len())]
    }
}

/// Bytes of a cell, in ring buffers that may be half empty. They include the fields of RM cells and
/// of last cells of PDUs, averaged over all cells.
const BYTES_PER_CELL: u64 = 64;
/// Bytes of a cell that also carries the time at which it was sent; otherwise as
/// [`BYTES_PER_CELL`].
const BYTES_PER_STAMPED_CELL: u64 = 128;
/// Bytes of an out-of-rate RM cell with all its fields, which are not averaged over data cells.
const BYTES_PER_RM_CELL: u64 = 512;
/// Bytes of a flow in the plan and at both its ends: histograms of delays, TCP, ABR, queues of a
/// few PDUs.
const BYTES_PER_FLOW: u64 = 64 * 1024;
/// Bytes of a flow without TCP and ABR whose cells carry no time, in the plan and at both ends.
/// These are two hosts with their counters at both ends of the measuring window, the hosts' names,
/// and the measures as text.
const BYTES_PER_BARE_FLOW: u64 = 12 * 1024;
/// Bytes of a port with its control scheme.
const BYTES_PER_PORT: u64 = 2 * 1024;
/// Bytes of a link that no channel crosses.
const BYTES_PER_UNUSED_LINK: u64 = 512;
/// Number of cells of one channel that may queue at a port although the channel's rate is below the
/// line rate. The histogram of the queue has a bin for each of these lengths.
const CELLS_TOGETHER: u64 = 64;
/// Bytes of a channel at each port that it crosses.
const BYTES_PER_CROSSING: u64 = 256;

/// Estimates the memory of the run of `plan`, which was built from `scenario`. The estimate
/// includes the plan itself, so `available_bytes` must be the memory that was free before the plan
/// was built.
pub fn estimate(scenario: &Scenario, plan: &Plan, available_bytes: Option<u64>) -> Estimate {
    let cells = cells_in_flight(plan, scenario.run.duration);
    let per_cell = if plan.measure.cell_delay {
        BYTES_PER_STAMPED_CELL
    } else {
        BYTES_PER_CELL
    };
    let of_cells = cells.map(|(need, cells)| {
        let bytes = if need == Need::Probes {
            BYTES_PER_RM_CELL
        } else {
            per_cell
        };
        share(need, cells, cells.saturating_mul(bytes))
    });
    let (events, traces) = (events(plan), traces(scenario, plan));
    let others = [
        share(
            Need::Flows,
            plan.flows.len() as u64,
            flows(plan, scenario.run.duration),
        ),
        share(
            Need::Events,
            events,
            events.saturating_mul(2 * size_of::<Event>() as u64),
        ),
        share(
            Need::Traces,
            traces,
            traces.saturating_mul(trace_bytes(scenario)),
        ),
    ];
    let mut shares: Vec<Share> = of_cells.into_iter().chain(others).collect();
    shares.sort_by_key(|share| Reverse(share.bytes));
    Estimate {
        memory_bytes: sum(shares.iter().map(|share| share.bytes)),
        available_bytes,
        cells_in_flight: sum(cells.iter().map(|(_, cells)| *cells)),
        shares,
    }
}

fn share(need: Need, amount: u64, bytes: u64) -> Share {
    Share {
        need,
        amount,
        bytes,
    }
}

fn sum(of: impl Iterator<Item = u64>) -> u64 {
    of.fold(0, u64::saturating_add)
}

/// Bytes of all flows, of all ports, and of the channels at each port that they cross.
fn flows(plan: &Plan, duration: Ps) -> u64 {
    let crossings: usize = plan
        .flows
        .iter()
        .map(|flow| flow.forward.len() + flow.backward.len())
        .sum();
    let ends = plan.flows.iter().map(|flow| {
        if flow.source.over_tcp() || flow.service == ServiceClass::Abr || plan.measure.cell_delay {
            BYTES_PER_FLOW
        } else {
            BYTES_PER_BARE_FLOW
        }
    });
    sum(ends) + sum(ports(plan, duration)) + crossings as u64 * BYTES_PER_CROSSING
}

/// Bytes of the port that feeds each link, with the histograms of its sampled queues.
fn ports(plan: &Plan, duration: Ps) -> impl Iterator<Item = u64> {
    let mut longest: Vec<Option<u64>> = vec![None; plan.links.len()];
    for flow in &plan.flows {
        let cells = window_cells(flow, plan, duration).saturating_add(CELLS_TOGETHER);
        for link in flow.forward.iter().chain(&flow.backward) {
            let queue = &mut longest[*link];
            *queue = Some(queue.unwrap_or(0).saturating_add(cells));
        }
    }
    for (link, cells) in queues::most_by_link(plan, duration) {
        longest[link] = longest[link].map(|queue| queue.saturating_add(cells));
    }
    let links = plan.links.iter().zip(longest);
    links.map(
        |(link, longest)| match (longest, &plan.nodes[link.from].kind) {
            (None, _) => BYTES_PER_UNUSED_LINK,
            (Some(_), NodeKind::Host) => BYTES_PER_PORT,
            (Some(longest), NodeKind::Switch(switch)) => {
                let queues = switch.priority.len().max(1) as u64;
                BYTES_PER_PORT + queues * Summary::most_bytes(longest.min(switch.buffer.0)) as u64
            }
        },
    )
}

/// Bytes of the event log. Each node may fill its own log before the logs are merged.
fn events(plan: &Plan) -> u64 {
    let kinds = plan.measure.events;
    let wanted = kinds.loss || kinds.timeout || kinds.retransmission || kinds.mark;
    let logs = if wanted {
        plan.nodes.len().min(16) as u64
    } else {
        0
    };
    logs * plan.measure.event_limit as u64
}

/// Number of traces that the scenario records.
pub(super) fn traces(scenario: &Scenario, plan: &Plan) -> u64 {
    let ports = || {
        plan.links
            .iter()
            .filter_map(|link| match &plan.nodes[link.from].kind {
                NodeKind::Switch(switch) => Some(switch),
                NodeKind::Host => None,
            })
    };
    let of = |kind: &TraceKind| match kind {
        // One more trace for the queues of channels in front of virtual sources.
        TraceKind::Queue => ports().map(|switch| switch.priority.len() as u64 + 1).sum(),
        TraceKind::Utilisation => ports().count() as u64,
        TraceKind::Acr => plan
            .flows
            .iter()
            .map(|flow| plan.loops(flow).count() as u64)
            .sum(),
        TraceKind::Cwnd | TraceKind::Sequence | TraceKind::SourceQueue => plan.flows.len() as u64,
    };
    scenario.measure.traces.iter().map(of).sum()
}

/// Most points of one trace.
pub(super) fn trace_points(scenario: &Scenario) -> u64 {
    let samples = scenario.run.duration.0 / scenario.sample().0 + 2;
    let points = (scenario.measure.trace_points as usize).max(Trace::LEAST_BOUND) as u64;
    points.min(samples)
}

/// Bytes of a trace, once while it is recorded and once more as columns of the result.
fn trace_bytes(scenario: &Scenario) -> u64 {
    3 * size_of::<Point>() as u64 * trace_points(scenario)
}

/// Most cells on links and in queues at once, by the cause that lets them be there. The causes are
/// the delays of links, TCP windows, finite buffers, and sources that send more than the line
/// rates.
fn cells_in_flight(plan: &Plan, duration: Ps) -> [(Need, u64); 4] {
    let on_links =
        sum(used_links(plan).map(|link| cells_in(link.rate, link.delay.min(duration)) + 1));
    let windows = sum(plan
        .flows
        .iter()
        .map(|flow| window_cells(flow, plan, duration)));
    [
        (Need::Links, on_links),
        (Need::Windows, windows),
        (Need::Queues, queues::most_cells(plan, duration)),
        (Need::Probes, queues::most_probes(plan, duration)),
    ]
}

fn used_links(plan: &Plan) -> impl Iterator<Item = &LinkPlan> {
    let mut used = vec![false; plan.links.len()];
    plan.flows
        .iter()
        .flat_map(|flow| flow.forward.iter().chain(&flow.backward))
        .for_each(|link| used[*link] = true);
    plan.links
        .iter()
        .zip(used)
        .filter(|(_, used)| *used)
        .map(|(link, _)| link)
}

fn cells_in(rate: Rate, time: Ps) -> u64 {
    (rate.cells_per_second() * time.as_secs_f64()).ceil() as u64
}

/// Cells of all data that TCP may have outstanding, with the acknowledgements; 0 without TCP. A
/// window grows by no more than was acknowledged, so a short run does not fill a huge window.
fn window_cells(flow: &FlowPlan, plan: &Plan, duration: Ps) -> u64 {
    if !flow.source.over_tcp() {
        return 0;
    }
    let header = u64::from(flow.tcp.data_header_bytes() + flow.encapsulation.bytes());
    let segments = flow.tcp.window.0.div_ceil(flow.tcp.mss.0.max(1));
    let blocks = if flow.tcp.recovery.is_selective() {
        MOST_OPTION_BYTES
    } else {
        0
    };
    let acknowledgement = u64::from(cells_for(header + u64::from(blocks)));
    let per_segment = u64::from(cells_for(flow.tcp.mss.0 + header)) + acknowledgement;
    let carried = flow
        .forward
        .first()
        .map_or(0, |link| cells_in(plan.links[*link].rate, duration));
    let reached = u64::from(flow.tcp.initial_window)
        .saturating_mul(per_segment)
        .saturating_add(2 * carried);
    segments.saturating_mul(per_segment).min(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_more_than_a_fifth_is_a_cause() {
        let estimate = |bytes: [u64; 3]| Estimate {
            memory_bytes: bytes.iter().sum(),
            available_bytes: None,
            cells_in_flight: 0,
            shares: [Need::Windows, Need::Traces, Need::Flows]
                .into_iter()
                .zip(bytes)
                .map(|(need, bytes)| share(need, 1, bytes))
                .collect(),
        };
        let causes = |bytes| {
            let found = estimate(bytes);
            found
                .causes()
                .iter()
                .map(|one| one.need)
                .collect::<Vec<_>>()
        };
        assert_eq!(causes([90, 9, 1]), [Need::Windows]);
        assert_eq!(causes([60, 30, 10]), [Need::Windows, Need::Traces]);
        assert_eq!(causes([0, 0, 0]), [Need::Windows]);
    }

    #[test]
    fn a_run_of_unknown_room_is_not_refused() {
        let estimate = |available_bytes| Estimate {
            memory_bytes: u64::MAX,
            available_bytes,
            cells_in_flight: 0,
            shares: vec![],
        };
        assert!(estimate(None).fits());
        assert!(!estimate(Some(1)).fits());
    }
}
