//! An upper bound of the memory that a run will need, computed before it starts.

mod free;
mod queues;

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::kernel::trace::{Point, Trace};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::event::Event;
use cellrate_engine::network::plan::{FlowPlan, LinkPlan, NodeKind, Plan};
use cellrate_engine::tcp::blocks::MOST_OPTION_BYTES;

use crate::scenario::{Scenario, TraceKind};

pub use free::available_bytes;

/// Upper bounds of the resources that a run will need, and the memory available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Bytes that the run will need at most.
    pub memory_bytes: u64,
    /// Free memory in bytes; `None` if the system does not report it.
    pub available_bytes: Option<u64>,
    /// Most cells on links and in queues at once.
    pub cells_in_flight: u64,
    /// The need with the largest share.
    pub mostly: Need,
}

/// Kinds of memory use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Cells on links.
    Links,
    /// Data that TCP has outstanding.
    Windows,
    /// Cells of other sources in queues.
    Queues,
    /// Flows and the ports that they cross.
    Flows,
    /// Traces.
    Traces,
    /// The event log.
    Events,
}

impl Need {
    /// The scenario keys that determine this need.
    pub fn key(self) -> &'static [&'static str] {
        match self {
            Need::Links => &["topology"],
            Need::Windows => &["tcp", "window"],
            Need::Queues => &["switch", "buffer"],
            Need::Flows => &["flow"],
            Need::Traces => &["measure", "trace_points"],
            Need::Events => &["measure", "event_limit"],
        }
    }
    /// Changes that would reduce this need.
    pub fn less(self) -> &'static str {
        match self {
            Need::Links => "shorter or slower links hold fewer cells",
            Need::Windows => {
                "smaller windows, fewer flows or a shorter run keep fewer bytes outstanding"
            }
            Need::Queues => "a finite buffer, slower sources or a shorter run let fewer cells wait",
            Need::Flows => "fewer flows need less",
            Need::Traces => "fewer traces or trace_points need less",
            Need::Events => "a smaller event_limit needs less",
        }
    }
}

impl Estimate {
    /// True if the run fits into memory, or the free memory is unknown.
    pub fn fits(&self) -> bool {
        self.available_bytes
            .is_none_or(|available| self.memory_bytes <= available)
    }
}

/// A cell, its share of the bodies of RM cells and ends of PDUs, and rings that may be half empty.
const BYTES_PER_CELL: u64 = 64;
/// The same if every cell carries the time at which it was sent.
const BYTES_PER_STAMPED_CELL: u64 = 128;
/// Both ends of a flow: histograms of delays, TCP, ABR, queues of a few PDUs.
const BYTES_PER_FLOW: u64 = 64 * 1024;
/// A port with its scheme and the histogram of its sampled queues.
const BYTES_PER_PORT: u64 = 16 * 1024;
/// A channel at a port.
const BYTES_PER_CROSSING: u64 = 256;

/// Estimates the run of `plan`, which was built from `scenario`.
pub fn estimate(scenario: &Scenario, plan: &Plan) -> Estimate {
    let cells = cells_in_flight(plan, scenario.run.duration);
    let per_cell = if plan.measure.cell_delay {
        BYTES_PER_STAMPED_CELL
    } else {
        BYTES_PER_CELL
    };
    let crossings: usize = plan
        .flows
        .iter()
        .map(|flow| flow.forward.len() + flow.backward.len())
        .sum();
    let parts = [
        (Need::Flows, plan.flows.len() as u64, BYTES_PER_FLOW),
        (Need::Flows, plan.links.len() as u64, BYTES_PER_PORT),
        (Need::Flows, crossings as u64, BYTES_PER_CROSSING),
        (Need::Events, events(plan), 2 * size_of::<Event>() as u64),
        (Need::Traces, traces(scenario, plan), trace_bytes(scenario)),
    ];
    let cells_parts = cells.map(|(need, cells)| (need, cells, per_cell));
    let all = || {
        cells_parts
            .iter()
            .chain(&parts)
            .map(|(need, n, bytes)| (*need, n.saturating_mul(*bytes)))
    };
    Estimate {
        memory_bytes: all().map(|(_, bytes)| bytes).fold(0, u64::saturating_add),
        available_bytes: available_bytes(),
        cells_in_flight: cells
            .iter()
            .map(|(_, cells)| *cells)
            .fold(0, u64::saturating_add),
        mostly: all()
            .max_by_key(|(_, bytes)| *bytes)
            .map_or(Need::Flows, |(need, _)| need),
    }
}

/// Each node may fill a log of its own before the logs are merged.
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

fn traces(scenario: &Scenario, plan: &Plan) -> u64 {
    let ports = || {
        plan.links
            .iter()
            .filter_map(|link| match &plan.nodes[link.from].kind {
                NodeKind::Switch(switch) => Some(switch),
                NodeKind::Host => None,
            })
    };
    let of = |kind: &TraceKind| match kind {
        // One more for the queues of channels in front of virtual sources.
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

/// Bytes of a trace: while it is recorded, and again as columns.
fn trace_bytes(scenario: &Scenario) -> u64 {
    let samples = scenario.run.duration.0 / scenario.sample().0 + 2;
    let points = (scenario.measure.trace_points as usize).max(Trace::LEAST_BOUND) as u64;
    3 * size_of::<Point>() as u64 * points.min(samples)
}

/// Most cells at once on links and in queues: the cells that links hold, and those that windows,
/// finite buffers and the excess of unpaced sources over the line rates allow to wait.
fn cells_in_flight(plan: &Plan, duration: Ps) -> [(Need, u64); 3] {
    let sum = |cells: &mut dyn Iterator<Item = u64>| cells.fold(0, u64::saturating_add);
    let on_links =
        sum(&mut used_links(plan).map(|link| cells_in(link.rate, link.delay.min(duration)) + 1));
    let windows = sum(&mut plan
        .flows
        .iter()
        .map(|flow| window_cells(flow, plan, duration)));
    [
        (Need::Links, on_links),
        (Need::Windows, windows),
        (Need::Queues, queues::most_cells(plan, duration)),
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

/// Cells of everything that TCP may have outstanding, acknowledgements included; 0 without TCP. A
/// window grows by no more than was acknowledged, so a short run does not fill a huge window.
fn window_cells(flow: &FlowPlan, plan: &Plan, duration: Ps) -> u64 {
    if !flow.source.over_tcp() {
        return 0;
    }
    let header = u64::from(flow.tcp.header_bytes + flow.encapsulation.bytes());
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

    /// A case that the tests of messages do not cover: only millions of flows need more than a
    /// large machine has.
    #[test]
    fn every_need_names_a_key_and_what_would_need_less() {
        let needs = [
            Need::Links,
            Need::Windows,
            Need::Queues,
            Need::Flows,
            Need::Traces,
            Need::Events,
        ];
        let told = needs.map(|need| format!("{}: {}", need.key().join("."), need.less()));
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn a_run_of_unknown_room_is_not_refused() {
        let estimate = Estimate {
            memory_bytes: u64::MAX,
            available_bytes: None,
            cells_in_flight: 0,
            mostly: Need::Flows,
        };
        assert!(estimate.fits());
        assert!(
            !Estimate {
                available_bytes: Some(1),
                ..estimate
            }
            .fits()
        );
    }
}
