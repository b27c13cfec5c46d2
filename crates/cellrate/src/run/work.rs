//! Cells, time and bytes of files of a run, estimated before the run starts.

mod demand;
mod shares;

use cellrate_engine::atm::plan::{FlowPlan, Plan};
use cellrate_engine::credit::FcvcConfig;

use self::demand::{Demand, demand};
use self::shares::max_min;
use super::memory::{trace_points, traces};
use crate::scenario::Scenario;

/// Estimated amounts of a run. The amounts called `most` are never exceeded. The other amounts
/// assume that every flow has its max-min fair share from its start on. Without loss they are
/// within a factor of three of the run; where TCP loses cells and waits for its timer, they are
/// many times too large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Cells that end systems send.
    pub cells: f64,
    /// Number of times that a cell crosses a link.
    pub cell_hops: f64,
    /// Number of times that a cell would cross a link if every link were always busy.
    pub most_cell_hops: f64,
    /// Computing time of the run in seconds, on a machine that takes [`NANOSECONDS_PER_HOP`] for each
    /// cell-hop.
    pub seconds: f64,
    /// Upper bound of the bytes of the traces, before compression.
    pub most_trace_bytes: u64,
    /// Upper bound of the bytes of the event log, before compression.
    pub most_event_bytes: u64,
    /// Bytes of a capture of all cells on all links.
    pub capture_bytes: f64,
}

/// Computing time of a cell-hop in nanoseconds, within a factor of two for each template of `cellrate
/// new`, on an idle core of a server of 2023.
pub const NANOSECONDS_PER_HOP: f64 = 50.0;

/// Bytes of a point of a trace: its time, its least and its greatest value, each with eight bytes.
const BYTES_PER_POINT: u64 = 24;
/// Bytes of an event in nine columns: five numbers, and four indices into lists of names.
const BYTES_PER_EVENT: u64 = 72;
/// Bytes of a captured cell in the file: the header of its record, and the cell's 53 octets or
/// nearly so.
const BYTES_PER_RECORD: f64 = 70.0;

/// Estimates the amounts of the run of `plan`, which was built from `scenario`.
pub fn work(scenario: &Scenario, plan: &Plan) -> Work {
    let (seconds, kinds) = (scenario.run.duration.as_secs_f64(), plan.measure.events);
    let mut work = Work {
        cells: 0.0,
        cell_hops: 0.0,
        most_cell_hops: most_cell_hops(plan, seconds),
        seconds: 0.0,
        most_trace_bytes: traces(scenario, plan)
            .saturating_mul(trace_points(scenario))
            .saturating_mul(BYTES_PER_POINT),
        most_event_bytes: event_bytes(
            kinds.loss || kinds.timeout || kinds.retransmission || kinds.mark,
            plan.measure.event_limit,
        ),
        capture_bytes: 0.0,
    };
    for (flow, Cells { there, first, back }) in plan.flows.iter().zip(cells_of(plan, seconds)) {
        work.cells += there + first + back;
        work.cell_hops += hops(flow, plan, there, back) + first;
    }
    work.cell_hops = work.cell_hops.min(work.most_cell_hops);
    work.seconds = work.cell_hops * NANOSECONDS_PER_HOP * 1e-9;
    work.capture_bytes = work.cell_hops * BYTES_PER_RECORD;
    work
}

/// Numbers of cells that a flow sends in a run.
pub struct Cells {
    /// Cells of the flow's forward channel that the network carries.
    pub there: f64,
    /// Further cells of the forward channel, which cross only the first link and are then lost.
    pub first: f64,
    /// Cells of the flow's backward channel.
    pub back: f64,
}

/// Cells of every flow in a run of `seconds` of simulated time.
pub fn cells_of(plan: &Plan, seconds: f64) -> Vec<Cells> {
    let demands: Vec<Demand> = plan.flows.iter().map(|flow| demand(flow, plan)).collect();
    let rates = max_min(plan, &demands);
    let flows = plan.flows.iter().zip(&demands).zip(rates);
    let cells = |((flow, demand), rate): ((&FlowPlan, &Demand), f64)| {
        let active = (seconds - flow.start.as_secs_f64()).max(0.0);
        let there = (rate * active).min(demand.most_cells);
        // A source that does not yield to the network loses its excess behind the first link, not
        // before it.
        let first = flow
            .forward
            .first()
            .filter(|_| !demand.yields)
            .map_or(0.0, |link| {
                let line = plan.links[*link].rate.cells_per_second();
                (demand.rate.min(line) * active - there).max(0.0)
            });
        Cells {
            there,
            first,
            back: there * demand.back,
        }
    };
    flows.map(cells).collect()
}

/// Number of cell-hops of a flow, including the cell-hops of the credit cells that its data cells
/// cause.
fn hops(flow: &FlowPlan, plan: &Plan, there: f64, back: f64) -> f64 {
    let credit = plan.fcvc.as_ref().map_or(0.0, |credit| {
        if FcvcConfig::covers(flow.service) {
            1.0 / credit.n2.0.max(1) as f64
        } else {
            0.0
        }
    });
    (there * flow.forward.len() as f64 + back * flow.backward.len() as f64) * (1.0 + credit)
}

/// Most cells that the links of all flows carry in `seconds` of simulated time, summed over the links. With credit
/// control any link may carry credit cells.
fn most_cell_hops(plan: &Plan, seconds: f64) -> f64 {
    let mut used = vec![plan.fcvc.is_some(); plan.links.len()];
    for flow in &plan.flows {
        flow.forward
            .iter()
            .chain(&flow.backward)
            .for_each(|link| used[*link] = true);
    }
    let used = plan.links.iter().zip(used).filter(|(_, used)| *used);
    used.map(|(link, _)| (link.rate.cells_per_second() * seconds).ceil() + 1.0)
        .sum()
}

/// Upper bound of the bytes of a log with at most `limit` events; 0 if the scenario asks for no
/// events.
pub fn event_bytes(wanted: bool, limit: usize) -> u64 {
    u64::from(wanted) * (limit as u64).saturating_mul(BYTES_PER_EVENT)
}

#[cfg(test)]
mod tests;
