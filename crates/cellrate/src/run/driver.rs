//! The run itself: the simulation in slices, sampled, measured, and stopped when asked to.

use std::fmt;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use cellrate_engine::kernel::Ps;
use cellrate_engine::network::{Plan, PlanError, Report, Simulation};

use super::amounts::size;
use super::events::{Events, Odometer};
use super::memory::{Estimate, Exhausted, Room, Share, available_bytes};
use super::outcome::Outcome;
use super::partition::{Partition, Threads};
use super::profile::{Laps, Profile, Task, Watch};
use super::threads;
use super::timeline::{Timeline, slice};
use super::traces::Recorder;
use super::warnings::{self, Seen, Warning};
use super::work::{self, Work};
use super::{estimate, summary};
use crate::build;
use crate::scenario::{Checked, Scenario};

/// Receives the current and the final simulated time, about ten times a second; returning false
/// stops the run.
pub type Progress<'a> = &'a mut dyn FnMut(Ps, Ps) -> bool;

/// Least time between two calls of a [`Progress`].
pub const TOLD_EVERY: Duration = Duration::from_millis(100);

const ONE_THREAD: Threads = Threads::Number(NonZeroUsize::MIN);

/// Reason why a run has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// It was stopped.
    Cancelled,
    /// It would need more memory than is available.
    Memory(Estimate),
    /// It has been ended, as it would have filled the memory.
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

/// Runs a scenario, whose form with every default written out is `resolved`, in one thread.
///
/// # Errors
/// If it needs more memory than is available, before or while it runs, if the network cannot be
/// simulated, or if `progress` stops it.
pub fn simulate(
    checked: &Checked,
    resolved: &str,
    progress: Progress<'_>,
) -> Result<Outcome, RunError> {
    simulate_in(checked, resolved, ONE_THREAD, progress)
}

/// The same in `threads`, as many of them as pay. The outcome does not depend on their number.
///
/// # Errors
/// Those of [`simulate`].
pub fn simulate_in(
    checked: &Checked,
    resolved: &str,
    threads: Threads,
    progress: Progress<'_>,
) -> Result<Outcome, RunError> {
    simulate_watched(checked, resolved, threads, progress, &mut ())
}

/// The same in one thread, with the time that each task takes.
///
/// # Errors
/// Those of [`simulate`].
pub fn profile(
    checked: &Checked,
    resolved: &str,
    progress: Progress<'_>,
) -> Result<(Outcome, Profile), RunError> {
    let mut laps = Laps::new(&build::plan(checked));
    let outcome = simulate_watched(checked, resolved, ONE_THREAD, progress, &mut laps)?;
    Ok((outcome, laps.finish()))
}

fn simulate_watched(
    checked: &Checked,
    resolved: &str,
    threads: Threads,
    progress: Progress<'_>,
    watch: &mut impl Watch,
) -> Result<Outcome, RunError> {
    let (scenario, plan) = (checked.scenario(), affordable(checked)?);
    let began = Instant::now();
    let mut warnings = warnings_before(checked, &plan);
    let partition = partition(scenario, &plan, threads);
    watch.done(Task::Plan);
    let mut driver = Driver::new(scenario, plan)?;
    watch.done(Task::Network);
    let report = driver.run_in(&partition.of_nodes, progress, watch)?;
    let (events, omitted) = driver.events(scenario.measure.event_limit as usize);
    warnings.extend(driver.warnings_after(&report, omitted));
    let outcome = Outcome {
        summary: summary::json(
            report,
            scenario.run.seed,
            began.elapsed().as_secs_f64(),
            warnings,
        ),
        resolved: resolved.into(),
        series: driver.recorder.series(),
        events,
    };
    watch.done(Task::Results);
    Ok(outcome)
}

/// A simulation and the data that is recorded of it.
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

    /// Runs to the end and reports.
    pub fn run(
        &mut self,
        progress: Progress<'_>,
        watch: &mut impl Watch,
    ) -> Result<Report, RunError> {
        let mut told = Instant::now();
        while let Some(at) = self.step_watched(watch) {
            Exhausted::check(&mut self.room, &self.simulation).map_err(RunError::Exhausted)?;
            if told.elapsed() >= TOLD_EVERY {
                told = Instant::now();
                if !progress(at, self.timeline.end) {
                    return Err(RunError::Cancelled);
                }
            }
        }
        let report = self.simulation.report();
        watch.done(Task::Report);
        Ok(report)
    }

    /// The same on as many threads as `parts`, the part of each node, has numbers.
    pub fn run_in(
        &mut self,
        parts: &[usize],
        progress: Progress<'_>,
        watch: &mut impl Watch,
    ) -> Result<Report, RunError> {
        if parts.iter().any(|part| *part > 0) {
            threads::run(self, parts, progress)?;
        }
        self.run(progress, watch)
    }

    /// Runs to the next stop; `None` at the end of the run.
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

    fn drops(&mut self) -> Vec<(cellrate_engine::network::SwitchPort, u64)> {
        let states = self.simulation.port_states();
        self.simulation
            .switch_ports()
            .into_iter()
            .zip(states.iter().map(|state| state.dropped))
            .collect()
    }
}

/// The parts in which the run of a scenario would be made on this machine.
pub fn partition_of(checked: &Checked, threads: Threads) -> Partition {
    partition(checked.scenario(), &build::plan(checked), threads)
}

fn partition(scenario: &Scenario, plan: &Plan, threads: Threads) -> Partition {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let seconds = scenario.run.duration.as_secs_f64();
    Partition::new(plan, seconds, threads, cores)
}

/// The plan of a scenario whose run fits into memory.
pub(super) fn affordable(checked: &Checked) -> Result<Plan, RunError> {
    let available = available_bytes();
    let plan = build::plan(checked);
    let estimate = if checked.stages().is_empty() {
        estimate(checked.scenario(), &plan, available)
    } else {
        largest_estimate(checked, available)
    };
    if estimate.fits() {
        Ok(plan)
    } else {
        Err(RunError::Memory(estimate))
    }
}

/// Warnings of a run that are known before it: those of the scenario's check come first.
pub(super) fn warnings_before(checked: &Checked, plan: &Plan) -> Vec<Warning> {
    checked
        .warnings()
        .iter()
        .map(|found| Warning::new("scenario", &found.message))
        .chain(warnings::before(checked.scenario(), plan))
        .collect()
}

/// Does all that [`simulate`] does before the first cell, and returns the warnings.
///
/// # Errors
/// Those of [`simulate`].
pub fn check(checked: &Checked) -> Result<Vec<Warning>, RunError> {
    let plan = affordable(checked)?;
    let warnings = warnings_before(checked, &plan);
    Driver::new(checked.scenario(), plan)?;
    Ok(warnings)
}

/// Memory that the run of a scenario will need: in its stage that needs most.
pub fn estimate_of(checked: &Checked) -> Estimate {
    largest_estimate(checked, available_bytes())
}

fn largest_estimate(checked: &Checked, available: Option<u64>) -> Estimate {
    let stages = build::stages(checked);
    stages
        .map(|plan| estimate(checked.scenario(), &plan, available))
        .max_by_key(|estimate| estimate.memory_bytes)
        .expect("a run has a first stage")
}

/// Cells, time and files of the run of a scenario.
pub fn work_of(checked: &Checked) -> Work {
    work::work(checked.scenario(), &build::plan(checked))
}
