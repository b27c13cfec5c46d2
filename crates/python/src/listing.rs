//! What there is: schema, schemes, policies, sources, templates.

use cellrate::scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// JSON Schema of the scenario file.
#[pyfunction]
pub fn schema() -> String {
    format!("{:#}", scenario::schema())
}

/// Everything that a scenario can name, each with ``name`` and ``about``, as JSON.
#[pyfunction]
pub fn registry() -> PyResult<String> {
    serde_json::to_string(&scenario::registry()).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A commented scenario to start from.
///
/// Raises:
///     ValueError: There is no template of that name.
#[pyfunction]
pub fn template(name: &str) -> PyResult<&'static str> {
    scenario::template(name).ok_or_else(|| {
        let known: Vec<&str> = scenario::templates::TEMPLATES.iter().map(|(known, ..)| *known).collect();
        PyValueError::new_err(format!("there is no template `{name}`; there are {}", known.join(", ")))
    })
}
