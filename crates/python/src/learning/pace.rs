//! The intervals of a run, and the run up to the end of each.

use std::sync::{Arc, Mutex};

use cellrate::run::{Live, RunError};
use cellrate_engine::kernel::Ps;
use cellrate_engine::network::{Plan, Simulation};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{scheme_failed, unlocked};
use crate::scenario::Scenario;
use crate::schemes::Failure;

/// A run in progress, in intervals.
pub struct Pace {
    /// Locked for nobody: it lets threads share what holds it.
    live: Mutex<Live>,
    failure: Arc<Failure>,
    interval: Ps,
    duration: Ps,
    now: Ps,
}

impl Pace {
    /// The run of a scenario whose plan `edit` changes, in intervals of `interval`.
    pub fn new(scenario: &Scenario, interval: Ps, edit: impl FnOnce(&mut Plan)) -> PyResult<Pace> {
        scenario.refuse_without_code()?;
        let failure = scenario.failure();
        failure.clear();
        let live = Live::with(scenario.checked(), edit);
        if let Some(error) = raised(&failure) {
            return Err(error);
        }
        let live = live.map_err(|error: RunError| PyValueError::new_err(error.to_string()))?;
        Ok(Pace {
            live: Mutex::new(live),
            failure,
            interval,
            duration: scenario.checked().scenario().run.duration,
            now: Ps::ZERO,
        })
    }
    /// The same run, which has not begun, in other intervals.
    pub fn with_interval(self, interval: Ps) -> Pace {
        Pace { interval, ..self }
    }
    /// Length of an interval; the last one of a run may be shorter.
    pub fn interval(&self) -> Ps {
        self.interval
    }
    /// Simulated time at the end of the run.
    pub fn duration(&self) -> Ps {
        self.duration
    }
    /// Simulated time.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// True at the end of the run.
    pub fn has_ended(&self) -> bool {
        self.now >= self.duration
    }
    /// The simulation as it is now.
    pub fn simulation(&mut self) -> &mut Simulation {
        self.live().simulation()
    }
    /// Runs to the end of the next interval, or of the run. Everything before that instant has
    /// happened then, and nothing at it.
    pub fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.has_ended() {
            return Err(PyRuntimeError::new_err(
                "the episode has ended: reset() begins another",
            ));
        }
        let until = self.now.saturating_add(self.interval).min(self.duration);
        unlocked(py, || self.live().run_until(until))?;
        if let Some(error) = raised(&self.failure) {
            return Err(error);
        }
        self.now = until;
        Ok(())
    }
    /// The summary of the whole run as JSON, as a run's result has it.
    pub fn summary(&mut self, py: Python<'_>) -> PyResult<String> {
        if !self.has_ended() {
            return Err(PyRuntimeError::new_err("the episode has not ended"));
        }
        unlocked(py, || self.live().summary(0.0))
    }

    fn live(&mut self) -> &mut Live {
        self.live
            .get_mut()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The error that a class in Python has raised, if the scenario names one.
fn raised(failure: &Failure) -> Option<PyErr> {
    let (error, place) = failure.take()?;
    Some(Python::attach(|py| scheme_failed(py, error, &place)))
}

/// An interval of `seconds`.
pub fn interval_of(seconds: f64) -> PyResult<Ps> {
    let interval = Ps::from_secs_f64(seconds.clamp(0.0, 1e6));
    if interval == Ps::ZERO || !seconds.is_finite() {
        let message = format!("an interval of {seconds} s: at least 1e-12 s");
        return Err(PyValueError::new_err(message));
    }
    Ok(interval)
}

/// A share between 0 and `most`, or an error that says what is wrong with it.
pub fn share_of(what: &str, share: f64, most: f64) -> PyResult<f64> {
    if share >= 0.0 && share <= most {
        return Ok(share);
    }
    let message = format!("{what} of {share}: a share from 0 to {most}");
    Err(PyValueError::new_err(message))
}
