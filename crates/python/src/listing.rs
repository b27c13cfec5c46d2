//! What there is: schema, schemes, policies, sources, templates.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// JSON Schema of the scenario file.
#[pyfunction]
pub fn schema() -> String {
    format!("{:#}", schemars::schema_for!(cellrate::scenario::Scenario).to_value())
}

/// Everything that a scenario can name, each with ``name`` and ``about``, as JSON.
#[pyfunction]
pub fn registry() -> String {
    use cellrate_engine::{control, discard, tcp::recovery, traffic};
    let named = |pairs: &[(&str, &str)]| -> Vec<Value> {
        pairs.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect()
    };
    let registry = json!({
        "schemes": named(control::schemes()),
        "policies": named(discard::policies()),
        "sources": named(traffic::sources()),
        "recoveries": named(recovery::names()),
        "templates": named(&[]),
    });
    registry.to_string()
}

/// A commented scenario to start from.
///
/// Raises:
///     ValueError: There is no template of that name.
#[pyfunction]
pub fn template(name: &str) -> PyResult<String> {
    Err(PyValueError::new_err(format!("there is no template `{name}`")))
}
