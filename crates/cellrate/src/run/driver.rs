//! The run itself: the simulation in slices, sampled, measured, and stopped when asked to.

use std::fmt;
use std::time::{Duration, Instant};

use cellrate_engine::kernel::Ps;
use cellrate_engine::network::{Plan, PlanError, Report, Simulation};

use super::events::{Events, Odometer};
use super::memory::{self, Estimate};
use super::outcome::Outcome;
use super::timeline::{Timeline, slice};
use super::traces::Recorder;
use super::warnings::{self, Seen, Warning};
use super::{estimate, summary};
use crate::build;
use crate::scenario::{Checked, Scenario};

/// Receives the current and the final simulated time, about ten times a second; returning false
/// stops the run.
pub type Progress<'a> = &'a mut dyn FnMut(Ps, Ps) -> bool;

/// Least time between two calls of a [`Progress`].
pub(crate) const TOLD_EVERY: Duration = Duration::from_millis(100);

/// Reason why a run has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// It was stopped.
    Cancelled,
    /// It would need more memory than is available.
    Memory(Estimate),
    /// The network cannot be simulated.
    Plan(PlanError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Cancelled => f.write_str("the run was stopped"),
            RunError::Memory(estimate) => {
                let mib = |bytes: u64| bytes.div_ceil(1 << 20);
                let available = estimate.available_bytes.unwrap_or(0);
                write!(
                    f,
                    "the run may need {} MiB of memory, of which {} MiB are available: up to {} cells wait or travel at once",
                    mib(estimate.memory_bytes),
                    mib(available),
                    estimate.cells_in_flight
                )
            }
            RunError::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

/// Runs a scenario, whose form with every default written out is `resolved`.
///
/// # Errors
/// If it needs more memory than is available, if the network cannot be simulated, or if `progress`
/// stops it.
pub fn simulate(
    checked: &Checked,
    resolved: &str,
    progress: Progress<'_>,
) -> Result<Outcome, RunError> {
    let (scenario, plan) = (checked.scenario(), build::plan(checked));
    let estimate = estimate(scenario, &plan);
    if !estimate.fits() {
        return Err(RunError::Memory(estimate));
    }
    let began = Instant::now();
    let mut warnings: Vec<Warning> = checked
        .warnings()
        .iter()
        .map(|found| Warning::new("scenario", &found.message))
        .chain(warnings::before(scenario, &plan))
        .collect();
    let mut driver = Driver::new(scenario, plan)?;
    let report = driver.run(progress)?;
    let (events, omitted) = driver.events(scenario.measure.event_limit as usize);
    let seen = Seen {
        report: &report,
        ports: driver.drops(),
        omitted,
    };
    warnings.extend(warnings::after(driver.simulation.plan(), &seen));
    Ok(Outcome {
        summary: summary::json(
            report,
            scenario.run.seed,
            began.elapsed().as_secs_f64(),
            warnings,
        ),
        resolved: resolved.into(),
        series: driver.recorder.series(),
        events,
    })
}

/// A simulation and the data that is recorded of it.
pub(super) struct Driver {
    pub simulation: Simulation,
    pub recorder: Recorder,
    timeline: Timeline,
    odometer: Option<Odometer>,
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
        })
    }

    /// Runs to the end and reports.
    pub fn run(&mut self, progress: Progress<'_>) -> Result<Report, RunError> {
        let mut told = Instant::now();
        for stop in self.timeline.clone() {
            self.simulation.run_until(stop.at);
            if stop.begins {
                self.simulation.begin_window();
            }
            if stop.samples {
                self.simulation.sample();
                self.recorder.sample(&mut self.simulation);
            }
            if stop.ends {
                self.simulation.end_window();
            }
            if let Some(odometer) = &mut self.odometer {
                odometer.read(&self.simulation);
            }
            if told.elapsed() >= TOLD_EVERY {
                told = Instant::now();
                if !progress(stop.at, self.timeline.end) {
                    return Err(RunError::Cancelled);
                }
            }
        }
        Ok(self.simulation.report())
    }

    fn events(&self, limit: usize) -> (Events, u64) {
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

    fn drops(&mut self) -> Vec<(cellrate_engine::network::SwitchPort, u64)> {
        let states = self.simulation.port_states();
        self.simulation
            .switch_ports()
            .into_iter()
            .zip(states.iter().map(|state| state.dropped))
            .collect()
    }
}

/// Resources that the run of a scenario will need.
pub fn estimate_of(checked: &Checked) -> Estimate {
    memory::estimate(checked.scenario(), &build::plan(checked))
}
