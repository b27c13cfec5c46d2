//! Progress of long operations, reported to a Python function.

use pyo3::prelude::*;

use crate::errors::{guarded, unlocked};

/// Calls `work` without the interpreter's lock. `work` receives a function that it calls with the
/// present and the final time, and must stop when this function returns false. If `progress` raises
/// an exception, the call raises it, too.
pub fn told<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(f64, f64) -> bool) -> T + Send,
) -> PyResult<T> {
    let mut raised = None;
    let result = unlocked(py, || {
        work(&mut |now, end| {
            Python::attach(|py| tell(py, progress, now, end)).unwrap_or_else(|error| {
                raised = Some(error);
                false
            })
        })
    })?;
    raised.map_or(Ok(result), Err)
}

/// Calls `work` as [`told`] does, for work that itself calls Python. The interpreter's lock is
/// held, and released for other threads whenever progress is reported.
pub fn told_locked<T>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(f64, f64) -> bool) -> T,
) -> PyResult<T> {
    let mut raised = None;
    let result = guarded(|| {
        work(&mut |now, end| {
            py.detach(|| ());
            tell(py, progress, now, end).unwrap_or_else(|error| {
                raised = Some(error);
                false
            })
        })
    })?;
    raised.map_or(Ok(result), Err)
}

/// Reports the progress to Python; returns true if the run continues. The call also handles
/// signals, so that Ctrl-C stops a run in the main thread.
fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, now: f64, end: f64) -> PyResult<bool> {
    py.check_signals()?;
    let Some(progress) = progress else {
        return Ok(true);
    };
    let answer = progress.bind(py).call1((now, end))?;
    Ok(answer.is_none() || answer.is_truthy()?)
}
