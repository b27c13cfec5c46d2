//! Packet captures.

use std::path::PathBuf;

use cellrate::capture::{CaptureError, Tap};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::Cancelled;
use crate::jobs::{check_span, job, told};

/// Runs a scenario in the plain engine and writes everything that passes some places into files.
///
/// Args:
///     text: The scenario.
///     path: Its name in diagnostics.
///     overrides: ``path=value`` settings, applied in order.
///     seed: Replaces the scenario's seed.
///     taps: Places and formats, as ``POINT:FORMAT,FORMAT``.
///     from_seconds: Begin of the captured span.
///     to_seconds: Its end.
///     directory: Directory for the files, which must exist and contain none of them.
///     progress: Called with now and end in simulated seconds about ten times a second; stops the
///         run by returning False.
///
/// Returns:
///     Description of the captured files, as one JSON object.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
///     ValueError: The span is invalid, the place of a tap does not exist, or a flow's headers
///         cannot be written.
///     OSError: A file cannot be written.
///     Cancelled: The progress function stopped the run.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for one what Python passes")]
pub fn capture(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
    taps: Vec<String>,
    from_seconds: f64,
    to_seconds: f64,
    directory: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    check_span(from_seconds, to_seconds)?;
    let taps = taps
        .iter()
        .map(|tap| tap.parse())
        .collect::<Result<Vec<Tap>, String>>()
        .map_err(PyValueError::new_err)?;
    let job = job(py, text, path, &overrides, seed)?;
    let result = told(py, progress.as_ref(), |tell| {
        job.capture(
            &taps,
            from_seconds,
            to_seconds,
            &directory,
            &mut |now, end| tell(now.as_secs_f64(), end.as_secs_f64()),
        )
    })?;
    let taken = result.map_err(|error| refused(&error))?;
    serde_json::to_string(&taken).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

fn refused(error: &CaptureError) -> PyErr {
    match error {
        CaptureError::Cancelled => Cancelled::new_err(error.to_string()),
        CaptureError::File(path, cause) => match cause.raw_os_error() {
            Some(number) => PyOSError::new_err((number, named(cause), path.clone())),
            None => PyOSError::new_err(error.to_string()),
        },
        CaptureError::Request(_) | CaptureError::Plan(_) => {
            PyValueError::new_err(error.to_string())
        }
    }
}

/// The error without its number.
fn named(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().into()
}
