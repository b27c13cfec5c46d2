//! A simulation that runs in slices: sampled, measured, and stopped on request.

use std::fmt;
use std::time::{Duration, Instant};

use cellrate_engine::atm::{Plan, PlanError, Report, Simulation};
use cellrate_engine::kernel::Ps;

use super::amounts::size;
use super::events::{Events, Odometer};
use super::memory::{Estimate, Exhausted, Room, Share};
use super::profile::{Task, Watch};
use super::timeline::{Timeline, slice};
use super::traces::Recorder;
use super::warnings::{self, Seen, Warning};
use crate::scenario::Scenario;

/// Receives the current and the final simulated time, at intervals of [`PROGRESS_INTERVAL`];
/// returning false stops the run.
pub type Progress<'a> = &'a mut dyn FnMut(Ps, Ps) -> bool;

/// Least time between two calls of a [`Progress`].
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Reason why a run has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// The run was stopped.
    Cancelled,
    /// The run would need more memory than is available.
    Memory(Estimate),
    /// The run was ended, as it would have filled the memory.
    Exhausted(Exhausted),
    /// The network cannot be simulated.
    Plan(PlanError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Cancelled => f.write_str("the run was stopped"),
            RunError::Memory(estimate) => {
                let causes: Vec<String> = estimate.causes().iter().map(Share::told).collect();
                write!(
                    f,
                    "the run may need {} of memory, of which {} are available: {}",
                    size(estimate.memory_bytes),
                    size(estimate.available_bytes.unwrap_or(0)),
                    causes.join(", ")
                )
            }
            RunError::Exhausted(exhausted) => exhausted.fmt(f),
            RunError::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

/// A simulation with the traces, events and samples that are recorded of it.
pub(super) struct Driver {
    pub simulation: Simulation,
    pub recorder: Recorder,
    pub timeline: Timeline,
    pub odometer: Option<Odometer>,
    pub room: Room,
}

impl Driver {
    pub fn new(scenario: &Scenario, plan: Plan) -> Result<Driver, RunError> {
        let timeline = Timeline::new(
            scenario.window(),
            scenario.run.duration,
            scenario.sample(),
            slice(&plan),
        );
        let odometer = plan.measure.events.loss.then(Odometer::default);
        let simulation = Simulation::new(plan).map_err(RunError::Plan)?;
        let points = scenario.measure.trace_points as usize;
        let recorder = Recorder::new(&simulation, &scenario.measure.traces, points);
        Ok(Driver {
            simulation,
            recorder,
            timeline,
            odometer,
            room: Room::here(),
        })
    }

    /// Runs the simulation to its end and returns the report.
    pub fn run(
        &mut self,
        progress: Progress<'_>,
        watch: &mut impl Watch,
    ) -> Result<Report, RunError> {
        let mut last_report = Instant::now();
        while let Some(at) = self.step_watched(watch) {
            Exhausted::check(&mut self.room, &self.simulation).map_err(RunError::Exhausted)?;
            if last_report.elapsed() >= PROGRESS_INTERVAL {
                last_report = Instant::now();
                if !progress(at, self.timeline.end) {
                    return Err(RunError::Cancelled);
                }
            }
        }
        let report = self.simulation.report();
        watch.done(Task::Report);
        Ok(report)
    }

    /// Runs the simulation to the next stop, whose time it returns; `None` at the end of the run.
    pub fn step(&mut self) -> Option<Ps> {
        self.step_watched(&mut ())
    }

    fn step_watched(&mut self, watch: &mut impl Watch) -> Option<Ps> {
        let stop = self.timeline.next()?;
        self.simulation.run_timed(stop.at, watch);
        watch.done(Task::Pauses);
        if stop.begins {
            self.simulation.begin_window();
            watch.done(Task::Report);
        }
        if stop.samples {
            self.simulation.sample();
            watch.done(Task::Samples);
            self.recorder.sample(&mut self.simulation);
            watch.done(Task::Traces);
        }
        if stop.ends {
            self.simulation.end_window();
            watch.done(Task::Report);
        }
        if let Some(odometer) = &mut self.odometer {
            odometer.read(&self.simulation);
        }
        Some(stop.at)
    }

    /// Time of the next stop; `None` at the end of the run.
    pub fn next_stop(&self) -> Option<Ps> {
        self.timeline.peek()
    }

    pub fn events(&self, limit: usize) -> (Events, u64) {
        let (events, omitted) = self.simulation.events(limit);
        let none = Odometer::default();
        (
            Events::new(
                &events,
                &self.simulation,
                self.odometer.as_ref().unwrap_or(&none),
            ),
            omitted,
        )
    }

    /// Warnings that follow from what the run has measured.
    pub fn warnings_after(&mut self, report: &Report, omitted: u64) -> Vec<Warning> {
        let seen = Seen {
            report,
            ports: self.drops(),
            omitted,
        };
        warnings::after(self.simulation.plan(), &seen)
    }

    fn drops(&mut self) -> Vec<(cellrate_engine::atm::SwitchPort, u64)> {
        let states = self.simulation.port_states();
        self.simulation
            .switch_ports()
            .into_iter()
            .zip(states.iter().map(|state| state.dropped))
            .collect()
    }
}
