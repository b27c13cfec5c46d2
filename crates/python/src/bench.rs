//! The Python function that runs the bench.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::Cancelled;
use crate::progress::told;

/// Measures the computing time of the engine, and of bare loops as lower bounds, on one core: ns per
/// cell-hop, as JSON.
///
/// Args:
///     workloads: Names of the measurements; all by default.
///     progress: Called with the share done and 1 after each measurement; stops the bench by
///         returning False.
///
/// Raises:
///     ValueError: A measurement does not exist.
///     Cancelled: The progress function stopped the bench.
#[pyfunction]
pub fn bench(
    py: Python<'_>,
    workloads: Option<Vec<String>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let known = cellrate_machine::bench::names();
    if let Some(unknown) = workloads
        .iter()
        .flatten()
        .find(|name| !known.contains(name))
    {
        return Err(PyValueError::new_err(format!(
            "no workload `{unknown}`; there are {}",
            known.join(", ")
        )));
    }
    let result = told(py, progress.as_ref(), |tell| {
        cellrate_machine::bench::run(workloads.as_deref(), &mut |share| tell(share, 1.0))
    })?;
    let bench = result.ok_or_else(|| Cancelled::new_err("the bench was stopped"))?;
    serde_json::to_string(&bench)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}
