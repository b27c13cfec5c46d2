//! Study files: their check against the schema, and the positions of faults that Python finds in
//! them.

use cellrate::scenario::problem::Step;
use cellrate::study as studies;
use pyo3::prelude::*;

use crate::errors::refused;

/// Reads a study file as JSON, with every default written out. Factors, derived parameters and
/// measures are lists of name and value in the order of the file.
///
/// Args:
///     text: The study, as TOML.
///     path: Name of the study in diagnostics.
///
/// Raises:
///     ScenarioError: The text does not have the shape of a study.
#[pyfunction]
pub fn study(py: Python<'_>, text: &str, path: &str) -> PyResult<String> {
    studies::read(text, path)
        .map(|study| study.to_string())
        .map_err(|refusal| refused(py, &refusal))
}

/// The JSON Schema of a study file.
#[pyfunction]
pub fn study_schema() -> String {
    studies::schema().to_string()
}

/// One step on the path to a key of a document.
#[derive(FromPyObject)]
pub enum Place {
    /// An element of a list.
    Index(usize),
    /// A key of a table.
    Key(String),
}

/// Refuses a study for a reason that its schema does not cover.
///
/// Args:
///     text: The study, as TOML.
///     path: Name of the study in diagnostics.
///     place: Keys and indices that lead to the fault.
///     message: Description of the fault, with the value found.
///     advice: Allowed values, or advice.
///
/// Raises:
///     ScenarioError: Always.
#[pyfunction]
pub fn refuse_study(
    py: Python<'_>,
    text: &str,
    path: &str,
    place: Vec<Place>,
    message: &str,
    advice: &str,
) -> PyResult<()> {
    let step = |into: Place| match into {
        Place::Index(index) => Step::Index(index),
        Place::Key(key) => Step::Key(key),
    };
    let place: Vec<Step> = place.into_iter().map(step).collect();
    Err(refused(
        py,
        &studies::refusal(text, path, &place, message, advice),
    ))
}
