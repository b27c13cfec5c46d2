//! Runs of networks with routers: traces, events and warnings of both link layers.

use cellrate_engine::joined::{Joined, JoinedReport};
use cellrate_engine::kernel::{CELL_BITS, Ps};
use cellrate_engine::net::Stopwatch;

use super::Job;
use super::driver::slice;
use super::joined::AtmPort;
use super::recorder::Recorder;
use super::summary;
use super::types::TraceKind;
use super::warnings;
use crate::run::cells::CellRecords;
use crate::run::memory::Room;
use crate::run::timeline::Timeline;
use crate::run::warnings::seen::{events_omitted, lost_outside};
use crate::run::{Driver, Events, Exhausted, Records, Series, Warning};
use crate::scenario;

/// Prefix of the kinds of traces that come from the ATM part.
const OF_ATM: &str = "atm-";

/// The recorded traces and events of both link layers, ATM and Ethernet.
pub struct JoinedRecords {
    kinds: Vec<TraceKind>,
    cells: CellRecords,
    frames: Recorder,
}

impl Driver<JoinedRecords> {
    /// A run of a checked scenario with routers at time zero.
    pub fn through_routers(job: &Job) -> Driver<JoinedRecords> {
        let (scenario, graph) = (job.scenario(), job.graph());
        #[expect(clippy::expect_used, reason = "the check of a scenario builds it")]
        let simulation = Joined::new(&job.joined_plan()).expect("a checked plan");
        let measure = &scenario.measure;
        let (kinds, points) = (measure.traces.clone(), measure.trace_points as usize);
        let over_atm: Vec<_> = kinds.iter().copied().filter_map(over_atm).collect();
        let limit = measure.event_limit as usize;
        let records = JoinedRecords {
            cells: CellRecords::new(simulation.atm(), &over_atm, points),
            frames: Recorder::new(simulation.ethernet(), &kinds, points, limit),
            kinds,
        };
        let (end, sample) = (scenario.run.duration, scenario.sample());
        let timeline = Timeline::new(scenario.window(), end, sample, slice(scenario, graph));
        Driver::of(simulation, records, timeline)
    }
}

/// The kind of trace over ATM for a kind of trace over Ethernet; `None` if ATM has no such trace.
fn over_atm(kind: TraceKind) -> Option<scenario::TraceKind> {
    match kind {
        TraceKind::Queue => Some(scenario::TraceKind::Queue),
        TraceKind::Cwnd => Some(scenario::TraceKind::Cwnd),
        TraceKind::Sequence => Some(scenario::TraceKind::Sequence),
        TraceKind::Utilisation => Some(scenario::TraceKind::Utilisation),
        TraceKind::Acr => Some(scenario::TraceKind::Acr),
        TraceKind::SourceQueue => Some(scenario::TraceKind::SourceQueue),
        TraceKind::Rate => None,
    }
}

/// Renames a trace of the ATM part for the result, and converts cell rates into bit/s. Traces of TCP
/// keep their names, since TCP belongs to no link layer.
fn named_by_layer(mut series: Series) -> Series {
    if ["cwnd", "sequence"].contains(&series.kind.as_str()) {
        return series;
    }
    series.kind.insert_str(0, OF_ATM);
    if series.unit == "cells/s" {
        series.unit = "bit/s".into();
        let values = series.low.iter_mut().chain(&mut series.high);
        values.for_each(|rate| *rate *= CELL_BITS as f64);
    }
    series
}

impl Records for JoinedRecords {
    type Simulation = Joined;
    type Report = JoinedReport;

    fn now(simulation: &Joined) -> Ps {
        simulation.now()
    }
    /// The stopwatch is not used: it books time by node index, and a node of the ATM part may have
    /// the same index as a node of the Ethernet part.
    fn run_timed(simulation: &mut Joined, until: Ps, _: &mut impl Stopwatch) {
        simulation.run_until(until);
    }
    fn begin_window(simulation: &mut Joined) {
        simulation.begin_window();
    }
    fn sample(simulation: &mut Joined) {
        simulation.sample();
    }
    fn end_window(simulation: &mut Joined) {
        simulation.end_window();
    }
    fn report(simulation: &mut Joined) -> JoinedReport {
        simulation.report()
    }
    fn check_memory(room: &mut Room, simulation: &Joined) -> Result<(), Exhausted> {
        Exhausted::check::<Recorder>(room, simulation.ethernet())?;
        Exhausted::check::<CellRecords>(room, simulation.atm())
    }

    fn add_points(&mut self, simulation: &mut Joined) {
        let (cells, frames) = simulation.parts_mut();
        self.cells.add_points(cells);
        self.frames.add_points(frames);
    }
    fn read(&mut self, simulation: &mut Joined) {
        let (cells, frames) = simulation.parts_mut();
        self.cells.read(cells);
        self.frames.read(frames);
    }

    /// The traces of both link layers, in the order of `measure.traces`.
    fn series(&self) -> Vec<Series> {
        let over_atm = self.cells.series().into_iter();
        let over_atm = over_atm.filter(|one| !one.seconds.is_empty());
        let mut series = self.frames.series();
        series.extend(over_atm.map(named_by_layer));
        let place = |one: &Series| {
            let kind = one.kind.strip_prefix(OF_ATM).unwrap_or(&one.kind);
            self.kinds.iter().position(|wanted| wanted.name() == kind)
        };
        series.sort_by_key(place);
        series
    }
    fn events(&self, simulation: &Joined, limit: usize) -> (Events, u64) {
        let (cells, of_cells) = self.cells.events(simulation.atm(), limit);
        let (mut events, of_frames) = self.frames.events(simulation.ethernet(), limit);
        let beyond = events.merge(cells, limit);
        (events, of_cells + of_frames + beyond as u64)
    }
    fn warnings_after(
        simulation: &mut Joined,
        report: &JoinedReport,
        omitted: u64,
    ) -> Vec<Warning> {
        let (cells, frames) = simulation.parts_mut();
        let states = cells.port_states();
        let dropped = states.iter().map(|state| state.dropped).sum();
        let queues = report.atm.ports.iter().flat_map(|port| &port.queues);
        let in_window = queues.map(|queue| queue.cells_dropped).sum();
        let mut found: Vec<Warning> = Vec::new();
        found.extend(lost_outside(dropped, in_window, "cells"));
        let ports = report.whole.ports.iter().flat_map(|port| &port.queues);
        let in_window = ports.map(|queue| queue.packets_dropped).sum();
        found.extend(lost_outside(
            frames.drops().iter().map(|(_, all, _)| all).sum(),
            in_window,
            "packets",
        ));
        found.extend(warnings::without_throughput(&report.whole));
        found.extend(events_omitted(omitted));
        found
    }
    fn json(report: JoinedReport, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String {
        let ports = report.atm.ports.into_iter().map(AtmPort::from).collect();
        summary::json(report.whole, ports, seed, wall_seconds, warnings)
    }
}
