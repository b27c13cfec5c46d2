//! Divides a run into intervals, and runs to the end of each.

use std::sync::{Arc, Mutex};

use cellrate::ethernet;
use cellrate::run::{Live, RunError};
use cellrate_engine::atm::{Plan, Simulation};
use cellrate_engine::custom::PortFromOutside;
use cellrate_engine::ether;
use cellrate_engine::kernel::Ps;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{scheme_failed, unlocked};
use crate::scenario::Scenario;
use crate::schemes::Failure;

/// A run in progress, over ATM or Ethernet.
enum Running {
    Cells(Box<Live>),
    Frames(Box<ethernet::Live>),
}

/// A run in progress, divided into intervals.
pub struct Pace {
    /// State of the run. No two threads wait for this lock; it only allows threads to share the
    /// episode that contains the `Pace`.
    live: Mutex<Running>,
    failure: Arc<Failure>,
    interval: Ps,
    duration: Ps,
    now: Ps,
}

impl Pace {
    /// The run of a scenario over ATM, after `edit` has changed its plan, in intervals of the
    /// length `interval`.
    pub fn new(scenario: &Scenario, interval: Ps, edit: impl FnOnce(&mut Plan)) -> PyResult<Pace> {
        let checked = scenario.checked()?;
        let duration = checked.scenario().run.duration;
        Pace::of(scenario, (interval, duration), || {
            Ok(Running::Cells(Box::new(Live::with(checked, edit)?)))
        })
    }
    /// The run of a scenario over Ethernet, after `edit` has changed its plan, in intervals of the
    /// length `interval`.
    pub fn over_ethernet(
        scenario: &Scenario,
        job: &ethernet::Job,
        interval: Ps,
        edit: impl FnOnce(&mut ether::plan::Plan),
    ) -> PyResult<Pace> {
        Pace::of(scenario, (interval, job.scenario().run.duration), || {
            Ok(Running::Frames(Box::new(ethernet::Live::with(job, edit))))
        })
    }
    fn of(
        scenario: &Scenario,
        (interval, duration): (Ps, Ps),
        begin: impl FnOnce() -> Result<Running, RunError>,
    ) -> PyResult<Pace> {
        scenario.refuse_without_code()?;
        let failure = scenario.failure();
        failure.clear();
        let live = begin();
        if let Some(error) = raised(&failure) {
            return Err(error);
        }
        let live = live.map_err(|error: RunError| PyValueError::new_err(error.to_string()))?;
        Ok(Pace {
            live: Mutex::new(live),
            failure,
            interval,
            duration,
            now: Ps::ZERO,
        })
    }
    /// The same run in intervals of another length; the run must not have begun.
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
    /// Simulated time that the run has reached.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// True at the end of the run.
    pub fn has_ended(&self) -> bool {
        self.now >= self.duration
    }
    /// The simulation of an ATM network in its present state; `None` over Ethernet.
    pub fn simulation(&mut self) -> Option<&mut Simulation> {
        match self.live() {
            Running::Cells(live) => Some(live.simulation()),
            Running::Frames(_) => None,
        }
    }
    /// The switch port that feeds `link`; `None` if its control scheme is not user-defined.
    pub fn port(&mut self, link: usize) -> Option<PortFromOutside<'_>> {
        match self.live() {
            Running::Cells(live) => live.simulation().port_from_outside(link),
            Running::Frames(live) => live.simulation().port_from_outside(link),
        }
    }
    /// Runs to the end of the next interval, or of the run. All events before that instant are
    /// processed, and none at that instant.
    ///
    /// # Errors
    /// If the run has ended, or if a class in Python that the scenario names has failed.
    pub fn advance(&mut self) -> Result<(), Stopped> {
        if self.has_ended() {
            return Err(Stopped::Ended);
        }
        let until = self.now.saturating_add(self.interval).min(self.duration);
        match self.live() {
            Running::Cells(live) => live.run_until(until),
            Running::Frames(live) => live.run_until(until),
        }
        if let Some((error, place)) = self.failure.take() {
            return Err(Stopped::Failed(error, place));
        }
        self.now = until;
        Ok(())
    }
    /// The summary of the whole run as JSON, with the fields of a run's result.
    pub fn summary(&mut self, py: Python<'_>) -> PyResult<String> {
        if !self.has_ended() {
            return Err(PyRuntimeError::new_err("the episode has not ended"));
        }
        unlocked(py, || match self.live() {
            Running::Cells(live) => live.summary(0.0),
            Running::Frames(live) => live.summary(0.0),
        })
    }

    fn live(&mut self) -> &mut Running {
        self.live
            .get_mut()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Reason why a run does not continue.
pub enum Stopped {
    /// The run has ended.
    Ended,
    /// A class in Python raised this error; the text says where.
    Failed(PyErr, String),
    /// The share is not between 0 and 1: name of the share in messages, and its value.
    Share(&'static str, f64),
    /// The port or source does not use the learner's scheme or law, so nothing can be commanded.
    Unreached(&'static str),
}

impl Stopped {
    /// Makes the Python exception for this reason.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Stopped::Ended => {
                PyRuntimeError::new_err("the episode has ended: reset() begins another")
            }
            Stopped::Failed(error, place) => scheme_failed(py, error, &place),
            Stopped::Share(what, share) => {
                PyValueError::new_err(format!("{what} of {share} is not a share from 0 to 1"))
            }
            Stopped::Unreached(why) => PyValueError::new_err(why),
        }
    }
}

/// The error that a class in Python has raised, if the scenario names one.
fn raised(failure: &Failure) -> Option<PyErr> {
    let (error, place) = failure.take()?;
    Some(Python::attach(|py| scheme_failed(py, error, &place)))
}

/// The length of an interval of `seconds`; an error if it is not above 0.
pub fn interval_of(seconds: f64) -> PyResult<Ps> {
    let interval = Ps::from_secs_f64(seconds.clamp(0.0, 1e6));
    if interval == Ps::ZERO || !seconds.is_finite() {
        let message = format!("an interval must be at least 1e-12 s, but is {seconds} s");
        return Err(PyValueError::new_err(message));
    }
    Ok(interval)
}

/// Checks that `share` is between 0 and 1. The error message calls it `what`.
pub fn share_of(what: &'static str, share: f64) -> Result<f64, Stopped> {
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else {
        Err(Stopped::Share(what, share))
    }
}
