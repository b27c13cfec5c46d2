//! Keeps the first error that a user's code raises during a run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cellrate_engine::kernel::Ps;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The first error of a run, and the number of times that hooks were entered and left. From this
/// number a watching thread finds a hook that does not return.
#[derive(Debug, Default)]
pub struct Failure {
    raised: Mutex<Option<(PyErr, String)>>,
    has_failed: AtomicBool,
    steps: AtomicU64,
}

impl Failure {
    /// Clears the error of an earlier run.
    pub fn clear(&self) {
        *self.lock() = None;
        self.has_failed.store(false, Ordering::Relaxed);
    }
    /// Keeps `error` if it is the first. The code `what` raised it, at the simulated time `now`, or
    /// after the run.
    #[cold]
    pub fn set(&self, error: PyErr, what: &str, now: Option<Ps>) {
        let mut raised = self.lock();
        if raised.is_none() {
            let when = now.map_or_else(|| "after the run".into(), |now| format!("at {now}"));
            *raised = Some((error, format!("{what} {when}")));
        }
        self.has_failed.store(true, Ordering::Relaxed);
    }
    /// Makes an object of user code. Returns `None` if the code raises an error, which is kept. Returns `None`
    /// without a call after an earlier error, since no further hook may delay the end of the run.
    pub fn made<T>(&self, make: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.has_failed() {
            return None;
        }
        let made = Python::attach(make);
        made.map_err(|error| self.set(error, "on_start", Some(Ps::ZERO)))
            .ok()
    }
    /// True once user code has failed.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }
    /// Removes the error and returns it with the place where it was raised.
    pub fn take(&self) -> Option<(PyErr, String)> {
        self.lock().take()
    }
    /// Counts that a hook was entered or left.
    #[inline]
    pub fn step(&self) {
        let steps = self.steps.load(Ordering::Relaxed);
        self.steps.store(steps + 1, Ordering::Relaxed);
    }
    /// Number of times that hooks were entered and left: odd inside a hook.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(PyErr, String)>> {
        self.raised
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Checks that a hook has returned nothing: it acts by the attributes of its arguments. A hook that is a
/// generator or a coroutine returns an object, and its code does not run.
pub fn nothing(returned: &Bound<'_, PyAny>) -> PyResult<()> {
    if returned.is_none() {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "the hook returns {}; allowed: nothing, since a hook acts by the attributes that it sets",
        returned.repr()?
    )))
}
