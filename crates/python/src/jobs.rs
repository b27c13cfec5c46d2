//! Reads, checks and runs scenarios.

use cellrate::run::Job;
use cellrate::scenario::{self, Scenario};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{diagnostics, failed, refused, unlocked};
use crate::outcome::Outcome;

/// A checked scenario.
///
/// # Errors
/// If the scenario is wrong.
pub fn job(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: &[String],
    seed: Option<u64>,
) -> PyResult<Job> {
    unlocked(py, || Job::new(text, path, overrides, seed))?.map_err(|refusal| refused(py, &refusal))
}

/// The scenario with every default written out, as TOML.
///
/// Args:
///     text: The scenario.
///     path: Its name in diagnostics.
///     overrides: ``path=value`` settings, applied in order.
///     seed: Replaces the scenario's seed.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
#[pyfunction]
pub fn resolve(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
) -> PyResult<String> {
    job(py, text, path, &overrides, seed).map(|job| job.resolved().to_string())
}

/// Warnings about a scenario that can be run.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
#[pyfunction]
pub fn check<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    diagnostics(py, job(py, text, path, &overrides, seed)?.warnings())
}

/// The network that a scenario describes, in plain numbers, as one JSON object: seed, duration,
/// nodes with the settings of switches, directed links, flows with their routes and end systems.
/// Every quantity is a number under a key that states its unit; null stands for no limit, or for an
/// absent part.
///
/// Args:
///     text: The scenario.
///     path: Its name in diagnostics.
///     overrides: ``path=value`` settings, applied in order.
///     seed: Replaces the scenario's seed.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
#[pyfunction]
pub fn describe(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
) -> PyResult<String> {
    let checked = unlocked(py, || Scenario::parse(text, path, &overrides, seed))?;
    let checked = checked.map_err(|refusal| refused(py, &refusal))?;
    let network = unlocked(py, || serde_json::to_string(&scenario::describe(&checked)))?;
    network.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Upper bounds of the memory that a run will need, and the free memory.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
#[pyfunction]
pub fn estimate<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let job = job(py, text, path, &overrides, seed)?;
    let estimate = unlocked(py, || job.estimate())?.map_err(|refusal| refused(py, &refusal))?;
    let dict = PyDict::new(py);
    dict.set_item("memory_bytes", estimate.memory_bytes)?;
    dict.set_item("available_bytes", estimate.available_bytes)?;
    dict.set_item("cells_in_flight", estimate.cells_in_flight)?;
    Ok(dict)
}

/// Runs a scenario, with the interpreter's lock released.
///
/// Args:
///     text: The scenario.
///     path: Its name in diagnostics.
///     overrides: ``path=value`` settings, applied in order.
///     seed: Replaces the scenario's seed.
///     progress: Called with now and end in simulated seconds about ten times a second; stops the
///         run by returning False.
///
/// Raises:
///     ScenarioError: The scenario is wrong, or needs more memory than is available.
///     Cancelled: The progress function stopped the run.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let job = job(py, text, path, &overrides, seed)?;
    let outcome = told(py, progress.as_ref(), |tell| {
        job.run(&mut |now, end| tell(now.as_secs_f64(), end.as_secs_f64()))
    })?;
    outcome
        .map(Outcome::from)
        .map_err(|failure| failed(py, &failure))
}

/// The cells on every link between two times: link, vc, kind, cell, left_seconds, arrived_seconds,
/// and the number of further cells.
///
/// Args:
///     text: The scenario.
///     path: Its name in diagnostics.
///     overrides: ``path=value`` settings, applied in order.
///     seed: Replaces the scenario's seed.
///     from_seconds: Begin of the span.
///     to_seconds: Its end.
///     most: Largest number of passages; further ones are only counted.
///
/// Raises:
///     ScenarioError: The scenario is wrong.
///     ValueError: The span is invalid.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for one what Python passes")]
pub fn passages<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<String>,
    seed: Option<u64>,
    from_seconds: f64,
    to_seconds: f64,
    most: usize,
) -> PyResult<Bound<'py, PyDict>> {
    check_span(from_seconds, to_seconds)?;
    if to_seconds.is_infinite() {
        return Err(PyValueError::new_err(
            "a span to inf s: passages are of a span with an end",
        ));
    }
    let job = job(py, text, path, &overrides, seed)?;
    let found = unlocked(py, || job.passages(from_seconds, to_seconds, most))?
        .map_err(|refusal| refused(py, &refusal))?;
    let dict = PyDict::new(py);
    dict.set_item("link", found.link)?;
    dict.set_item("vc", found.vc)?;
    dict.set_item("kind", found.kind)?;
    dict.set_item("cell", found.cell)?;
    dict.set_item("left_seconds", found.left_seconds)?;
    dict.set_item("arrived_seconds", found.arrived_seconds)?;
    dict.set_item("omitted", found.omitted)?;
    Ok(dict)
}

/// Refuses a span that ends before it begins, or begins before the run.
pub fn check_span(from_seconds: f64, to_seconds: f64) -> PyResult<()> {
    if from_seconds >= 0.0 && to_seconds >= from_seconds {
        return Ok(());
    }
    let message = format!(
        "a span from {from_seconds} s to {to_seconds} s: it begins at 0 s or later, and ends no earlier"
    );
    Err(PyValueError::new_err(message))
}

/// Does `work` without the interpreter's lock. `work` receives a function that it must call with
/// the present and the final time, and must stop if that returns false. If `progress` raised an
/// exception it is raised here.
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

/// Reports the progress; returns true if the run continues. Also handles signals, so Ctrl-C stops a
/// run in the main thread.
fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, now: f64, end: f64) -> PyResult<bool> {
    py.check_signals()?;
    let Some(progress) = progress else {
        return Ok(true);
    };
    let answer = progress.bind(py).call1((now, end))?;
    Ok(answer.is_none() || answer.is_truthy()?)
}

/// The key under which the result of a resolved scenario is kept: a hash of version and scenario.
#[pyfunction]
pub fn key(resolved: &str) -> String {
    cellrate::store::key(resolved)
}
