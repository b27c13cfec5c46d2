//! Exceptions, and the conversion of Rust's errors into them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cellrate::run::Failure;
use cellrate::scenario::{Diagnostic, Refusal, Severity};
use cellrate_machine::capture::CaptureError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

create_exception!(
    cellrate._core,
    ScenarioError,
    PyValueError,
    "A scenario cannot be run.\n\nAttributes:\n    rendered: All diagnostics as annotated plain text.\n    diagnostics: At least one error; warnings too."
);
create_exception!(
    cellrate._core,
    SchemeError,
    PyRuntimeError,
    "Code of a user raised an exception during a run, which is its cause.\n\nAttributes:\n    place: Hook and simulated time."
);
create_exception!(
    cellrate._core,
    Cancelled,
    PyException,
    "A run was stopped by its progress function."
);

/// Gives [`ScenarioError`] the attributes that each instance made by Rust sets.
pub fn declare_attributes(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<ScenarioError>();
    class.setattr("rendered", "")?;
    class.setattr("diagnostics", PyList::empty(py))
}

/// One diagnostic as a dictionary.
pub fn diagnostic<'py>(py: Python<'py>, found: &Diagnostic) -> PyResult<Bound<'py, PyDict>> {
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let dict = PyDict::new(py);
    dict.set_item("severity", severity)?;
    dict.set_item("message", &found.message)?;
    dict.set_item("path", &found.path)?;
    dict.set_item("line", found.line)?;
    dict.set_item("column", found.column)?;
    dict.set_item("label", &found.label)?;
    dict.set_item("help", &found.help)?;
    Ok(dict)
}

/// The diagnostics, each as a dictionary.
pub fn diagnostics<'py>(
    py: Python<'py>,
    found: &[Diagnostic],
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    found.iter().map(|one| diagnostic(py, one)).collect()
}

/// Makes the [`ScenarioError`] for a refusal.
pub fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let message = refusal
        .diagnostics
        .first()
        .map_or("", |first| first.message.as_str());
    let error = ScenarioError::new_err(message.to_string());
    let fill = || {
        let value = error.value(py);
        value.setattr("rendered", &refusal.rendered)?;
        value.setattr("diagnostics", diagnostics(py, &refusal.diagnostics)?)
    };
    fill().err().unwrap_or(error)
}

/// Makes the Python exception for a run that failed.
pub fn failed(py: Python<'_>, failure: &Failure) -> PyErr {
    match failure {
        Failure::Cancelled => Cancelled::new_err("the run was stopped"),
        Failure::Refused(refusal) => refused(py, refusal),
    }
}

/// Makes the [`SchemeError`] for an error that a user's hook raised, with that error as its cause.
/// An exception that Ctrl-C raised is returned unchanged.
pub fn scheme_failed(py: Python<'_>, error: PyErr, place: &str) -> PyErr {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return error;
    }
    let kind = error.get_type(py).name().map(|name| name.to_string());
    let told = error.value(py).to_string();
    let message = format!("{place}: {}: {told}", kind.unwrap_or_default());
    let found = SchemeError::new_err(message);
    if let Err(problem) = found.value(py).setattr("place", place) {
        return problem;
    }
    found.set_cause(py, Some(error));
    found
}

/// The Python exception for the reason why a capture was not made.
pub fn capture_failed(error: &CaptureError) -> PyErr {
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

/// Text of a system error, without the number of the error.
fn named(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().into()
}

/// Calls `work` without the interpreter's lock. A panic, which shows an error in the program,
/// becomes a `RuntimeError`.
pub fn unlocked<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(defect)
}

/// Calls `work` with the interpreter's lock; a panic becomes a `RuntimeError`.
pub fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    caught(work).map_err(defect)
}

/// The result of `work`, or the message of its panic.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Data that a panic leaves half changed are not used again.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message(panic.as_ref()))
}

fn defect(message: String) -> PyErr {
    PyRuntimeError::new_err(format!("a defect of cellrate, please report it: {message}"))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown".into())
}
