//! Functions for Python that list what scenarios can name: schema, schemes, policies, sources,
//! measures and templates.

use cellrate::scenario::{self, Quantity};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// JSON Schema of the scenario file, for an ATM or an Ethernet network.
#[pyfunction]
#[pyo3(signature = (ethernet = false))]
pub fn schema(ethernet: bool) -> String {
    let schema = if ethernet {
        cellrate::ethernet::schema()
    } else {
        scenario::schema()
    };
    format!("{schema:#}")
}

/// Everything that a scenario can name, each with ``name`` and ``about``, as JSON.
#[pyfunction]
pub fn registry() -> PyResult<String> {
    serde_json::to_string(&scenario::registry())
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Every measure of a run, as JSON: tables with ``table``, ``about`` and ``measures``, each of them
/// with ``key``, ``kind``, ``definition``, ``unit``, ``formula`` and ``source``.
#[pyfunction]
#[pyo3(signature = (ethernet = false))]
pub fn measures(ethernet: bool) -> PyResult<String> {
    let tables = if ethernet {
        cellrate::run::measures_over_ethernet()
    } else {
        cellrate::run::measures()
    };
    serde_json::to_string(&tables).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A commented scenario to start from.
///
/// Raises:
///     ValueError: No template has that name.
#[pyfunction]
pub fn template(name: &str) -> PyResult<&'static str> {
    scenario::template(name).ok_or_else(|| {
        let known: Vec<&str> = scenario::templates::all()
            .map(|(known, ..)| *known)
            .collect();
        PyValueError::new_err(format!(
            "there is no template `{name}`; there are {}",
            known.join(", ")
        ))
    })
}

/// Value of a quantity in the notation of scenarios, such as ``"5 ms"`` or ``"155.52 Mbit/s"``.
///
/// Args:
///     text: The quantity with its unit.
///     kind: ``time`` or ``delay`` (in seconds), ``rate`` (bit/s), ``bytes``, ``buffer`` or
///         ``cells`` (cells; infinity for a buffer without limit), ``queuelength`` (packets or
///         bytes, as the text has it).
///
/// Raises:
///     ValueError: The text is not such a quantity, and the message states the allowed values; or
///         the kind does not exist.
#[pyfunction]
pub fn quantity(text: &str, kind: &str) -> PyResult<f64> {
    let all = [&Quantity::ALL[..], &[Quantity::QueueLength]].concat();
    let names: Vec<String> = (all.iter())
        .map(|quantity| format!("{quantity:?}").to_lowercase())
        .collect();
    let Some(index) = names.iter().position(|name| name == kind) else {
        return Err(PyValueError::new_err(format!(
            "there is no quantity `{kind}`; there are {}",
            names.join(", ")
        )));
    };
    all[index].read(text).map_err(PyValueError::new_err)
}

/// Converts a TOML document to JSON, by the rules for scenarios and studies: TOML 1.1, with or
/// without a byte order mark. Numbers that are not finite become null, dates become text.
///
/// Raises:
///     ValueError: The text is not TOML.
#[pyfunction]
pub fn toml_as_json(text: &str) -> PyResult<String> {
    let document = cellrate::scenario::as_json(text).map_err(PyValueError::new_err)?;
    Ok(document.to_string())
}
