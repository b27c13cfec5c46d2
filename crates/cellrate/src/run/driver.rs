//! Drives a simulation from pause to pause: it is sampled and measured in the pauses, and can be
//! stopped there.

use std::fmt;
use std::time::{Duration, Instant};

use cellrate_engine::atm::PlanError;
use cellrate_engine::kernel::Ps;

use super::amounts::size;
use super::memory::{Estimate, Exhausted, Room, Share};
use super::outcome::Outcome;
use super::profile::{Task, Watch};
use super::records::{Divisible, Records};
use super::threads;
use super::timeline::Timeline;
use super::warnings::Warning;

/// Receives the current and the final simulated time, at intervals of [`PROGRESS_INTERVAL`]. If it
/// returns false, the run is stopped.
pub type Progress<'a> = &'a mut dyn FnMut(Ps, Ps) -> bool;

/// Least computing time (wall clock) between two calls of a [`Progress`].
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Reason why a run has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// The run was stopped.
    Cancelled,
    /// The run would need more memory than is available.
    Memory(Estimate),
    /// The run was ended because it was about to fill the memory.
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

/// A simulation with the traces, events and samples that are recorded during the run.
pub struct Driver<R: Records> {
    pub simulation: R::Simulation,
    pub records: R,
    pub timeline: Timeline,
    pub room: Room,
}

impl<R: Records> Driver<R> {
    /// Prepares a run at time zero, which pauses at the stops of `timeline`.
    pub fn of(simulation: R::Simulation, records: R, timeline: Timeline) -> Driver<R> {
        Driver {
            simulation,
            records,
            timeline,
            room: Room::here(),
        }
    }

    /// Runs the simulation to its end and returns the report.
    ///
    /// # Errors
    /// If `progress` stops the run, or if the run is about to fill the memory.
    pub fn run(
        &mut self,
        progress: Progress<'_>,
        watch: &mut impl Watch,
    ) -> Result<R::Report, RunError> {
        let mut last_report = Instant::now();
        while let Some(at) = self.step_watched(watch) {
            R::check_memory(&mut self.room, &self.simulation).map_err(RunError::Exhausted)?;
            if last_report.elapsed() >= PROGRESS_INTERVAL {
                last_report = Instant::now();
                if !progress(at, self.timeline.end) {
                    return Err(RunError::Cancelled);
                }
            }
        }
        let report = R::report(&mut self.simulation);
        watch.done(Task::Report);
        Ok(report)
    }

    /// Runs the simulation to the next stop, the next instant at which the run pauses, and returns
    /// its time; `None` at the end of the run.
    pub fn step(&mut self) -> Option<Ps> {
        self.step_watched(&mut ())
    }

    fn step_watched(&mut self, watch: &mut impl Watch) -> Option<Ps> {
        let stop = self.timeline.next()?;
        let simulation = &mut self.simulation;
        R::run_timed(simulation, stop.at, watch);
        watch.done(Task::Pauses);
        if stop.begins {
            R::begin_window(simulation);
            watch.done(Task::Report);
        }
        if stop.samples {
            R::sample(simulation);
            watch.done(Task::Samples);
            self.records.add_points(simulation);
            watch.done(Task::Traces);
        }
        if stop.ends {
            R::end_window(simulation);
            watch.done(Task::Report);
        }
        self.records.read(simulation);
        Some(stop.at)
    }

    /// Time of the next stop, the next instant at which the run pauses; `None` at the end of the
    /// run.
    pub fn next_stop(&self) -> Option<Ps> {
        self.timeline.peek()
    }

    /// The outcome of a finished run: its report, with the facts that are known before the run.
    pub fn outcome(self, report: R::Report, facts: RunFacts) -> Outcome {
        let (mut simulation, records) = (self.simulation, self.records);
        let (events, omitted) = records.events(&simulation, facts.event_limit);
        let mut warnings = facts.warnings;
        warnings.extend(R::warnings_after(&mut simulation, &report, omitted));
        // The text of the report takes as much memory for a host as the network, which is not needed any more.
        drop(simulation);
        let seconds = facts.began.elapsed().as_secs_f64();
        Outcome {
            summary: R::json(report, facts.seed, seconds, warnings),
            resolved: facts.resolved,
            series: records.series(),
            events,
        }
    }
}

impl<R: Divisible> Driver<R> {
    /// Runs to the end and returns the report. `parts` has the number of the part that each node
    /// belongs to; each part runs on a thread of its own.
    ///
    /// # Errors
    /// If `progress` stops the run, or if the run is about to fill the memory.
    pub fn run_in_parts(
        &mut self,
        parts: &[usize],
        progress: Progress<'_>,
        watch: &mut impl Watch,
    ) -> Result<R::Report, RunError> {
        if parts.iter().any(|part| *part > 0) {
            threads::run(self, parts, progress)?;
        }
        self.run(progress, watch)
    }
}

/// Facts of an outcome that are known before the run.
pub struct RunFacts {
    pub seed: u64,
    pub resolved: String,
    /// Largest number of events that are kept.
    pub event_limit: usize,
    /// Warnings that are known before the run.
    pub warnings: Vec<Warning>,
    pub began: Instant,
}
