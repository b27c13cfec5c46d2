//! Runs of ATM networks: their traces, events and warnings.

use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::atm::{Node, Part, Plan, Report, Simulation, SwitchPort};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::{ChannelId, Place, Stopwatch};

use super::driver::{Driver, RunError};
use super::events::{Events, Odometer};
use super::memory::{Exhausted, Room, named};
use super::records::{Divisible, Records};
use super::summary;
use super::timeline::{Timeline, slice};
use super::traces::{Recorder, Series};
use super::warnings::{self, Seen, Warning};
use crate::scenario::{Scenario, TraceKind};

/// The traces of a run, and an [`Odometer`] with which a lost cell's number modulo 2^20 becomes its
/// number on the channel.
pub struct CellRecords {
    pub recorder: Recorder,
    odometer: Option<Odometer>,
    /// Channels whose sent cells the odometer counts.
    channels: Vec<ChannelId>,
}

impl Driver<CellRecords> {
    /// Prepares a run at time zero.
    ///
    /// # Errors
    /// If the network cannot be simulated.
    pub fn new(scenario: &Scenario, plan: Plan) -> Result<Driver<CellRecords>, RunError> {
        let timeline = Timeline::new(
            scenario.window(),
            scenario.run.duration,
            scenario.sample(),
            slice(&plan),
        );
        let simulation = Simulation::new(plan).map_err(RunError::Plan)?;
        let points = scenario.measure.trace_points as usize;
        let records = CellRecords::new(&simulation, &scenario.measure.traces, points);
        Ok(Driver::of(simulation, records, timeline))
    }
}

impl CellRecords {
    /// Traces of all quantities of `kinds`, each with at most `points` points.
    pub fn new(simulation: &Simulation, kinds: &[TraceKind], points: usize) -> CellRecords {
        let plan = simulation.plan();
        CellRecords {
            recorder: Recorder::new(simulation, kinds, points),
            odometer: plan.measure.events.loss.then(Odometer::default),
            channels: plan.channels().collect(),
        }
    }
}

impl Records for CellRecords {
    type Simulation = Simulation;
    type Report = Report;

    fn now(simulation: &Simulation) -> Ps {
        simulation.now()
    }
    fn run_timed(simulation: &mut Simulation, until: Ps, stopwatch: &mut impl Stopwatch) {
        simulation.run_timed(until, stopwatch);
    }
    fn begin_window(simulation: &mut Simulation) {
        simulation.begin_window();
    }
    fn sample(simulation: &mut Simulation) {
        simulation.sample();
    }
    fn end_window(simulation: &mut Simulation) {
        simulation.end_window();
    }
    fn report(simulation: &mut Simulation) -> Report {
        simulation.report()
    }
    fn check_memory(room: &mut Room, simulation: &Simulation) -> Result<(), Exhausted> {
        Exhausted::check::<CellRecords>(room, simulation)
    }

    fn add_points(&mut self, simulation: &mut Simulation) {
        self.recorder.sample(simulation);
    }
    fn read(&mut self, simulation: &mut Simulation) {
        if let Some(odometer) = &mut self.odometer {
            odometer.read(simulation, &self.channels);
        }
    }

    fn series(&self) -> Vec<Series> {
        self.recorder.series()
    }

    fn events(&self, simulation: &Simulation, limit: usize) -> (Events, u64) {
        let (events, omitted) = simulation.events(limit);
        let none = Odometer::default();
        let odometer = self.odometer.as_ref().unwrap_or(&none);
        (Events::new(&events, simulation, odometer), omitted)
    }

    fn warnings_after(simulation: &mut Simulation, report: &Report, omitted: u64) -> Vec<Warning> {
        let seen = Seen {
            report,
            ports: drops(simulation),
            omitted,
        };
        warnings::after(simulation.plan(), &seen)
    }

    fn json(report: Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String {
        summary::json(report, seed, wall_seconds, warnings)
    }
}

impl Divisible for CellRecords {
    type Node = Node<LazyServer>;
    const UNITS: &'static str = "cells";

    fn name(simulation: &Simulation, place: Place) -> String {
        let plan = simulation.plan();
        let (links, flows) = (&plan.links, &plan.flows);
        named(place, |link| &links[link].name, |flow| &flows[flow].name)
    }

    fn divide(
        &mut self,
        simulation: &Simulation,
        parts: &[usize],
        count: usize,
    ) -> Vec<CellRecords> {
        let plan = simulation.plan();
        let mut channels = vec![Vec::new(); count];
        for channel in plan.channels() {
            channels[parts[begin(plan, channel)]].push(channel);
        }
        let recorders = self.recorder.divide(simulation, parts, count).into_iter();
        let of_part = |(recorder, channels)| CellRecords {
            recorder,
            odometer: self.odometer.as_ref().map(|_| Odometer::default()),
            channels,
        };
        recorders.zip(channels).map(of_part).collect()
    }

    fn join(&mut self, parts: Vec<CellRecords>) {
        let mut recorders = Vec::new();
        for part in parts {
            recorders.push(part.recorder);
            if let Some((all, own)) = self.odometer.as_mut().zip(part.odometer) {
                all.append(own);
            }
        }
        self.recorder.join(recorders);
    }

    fn make_due_change(simulation: &mut Simulation) -> Ps {
        simulation.make_due_change()
    }
    fn sample_part(part: &mut Part) {
        part.sample();
    }
}

/// The output ports of all switches, each with the number of cells that it has dropped.
fn drops(simulation: &mut Simulation) -> Vec<(SwitchPort, u64)> {
    let states = simulation.port_states();
    let dropped = states.iter().map(|state| state.dropped);
    simulation.switch_ports().into_iter().zip(dropped).collect()
}

/// The node at which a channel begins.
fn begin(plan: &Plan, channel: ChannelId) -> usize {
    let links = &plan.flows[channel.flow()].forward;
    let ends = links.first().zip(links.last());
    let (first, last) = ends.expect("a flow has a path, which its plan is checked for");
    if channel.is_forward() {
        plan.links[*first].from
    } else {
        plan.links[*last].to
    }
}
