//! The error of an attribute that an argument of a hook does not have.

use cellrate::scenario::suggest::{listed, nearest};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Makes an error that names the type of the object, the attribute with the nearest name, and all
/// attributes.
pub fn unknown_attribute(kind: &Bound<'_, PyType>, wanted: &str) -> PyErr {
    match message(kind, wanted) {
        Ok(message) => PyAttributeError::new_err(message),
        Err(error) => error,
    }
}

fn message(kind: &Bound<'_, PyType>, wanted: &str) -> PyResult<String> {
    let name = kind.name()?.to_string().to_lowercase();
    let known: Vec<String> = (kind.dir()?.iter())
        .map(|one| one.extract())
        .collect::<PyResult<_>>()?;
    let known: Vec<&str> = (known.iter().map(String::as_str))
        .filter(|one| !one.starts_with('_'))
        .collect();
    let meant = nearest(wanted, known.iter().copied());
    let hint = meant.map_or(";".into(), |one| format!(", did you mean `{one}`?"));
    Ok(format!(
        "{name}.{wanted}: there is no such attribute{hint} allowed: {}",
        listed(&known)
    ))
}
