//! A finished run, as Python uses it.

use std::sync::Arc;

use cellrate::run;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::unlocked;

/// A finished run: its summary, its complete scenario, traces and events.
#[pyclass(frozen, module = "cellrate._core")]
pub struct Outcome(Arc<run::Outcome>);

impl From<run::Outcome> for Outcome {
    fn from(outcome: run::Outcome) -> Outcome {
        Outcome(Arc::new(outcome))
    }
}

fn floats<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    PyBytes::new(py, &bytes)
}

#[pymethods]
impl Outcome {
    /// Every measure, as one JSON object.
    fn summary(&self) -> &str {
        &self.0.summary
    }
    /// The part of the summary that fits on a screen, as one JSON object. Flows are combined to
    /// groups if there are more than `most_flows`. At most `most_queues` queues are listed, the
    /// longest first.
    ///
    /// Raises:
    ///     ValueError: The summary is none of this version.
    fn overview(&self, py: Python<'_>, most_flows: usize, most_queues: usize) -> PyResult<String> {
        py.detach(|| self.0.overview(most_flows, most_queues))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
    /// The scenario with every default written out, as TOML.
    fn resolved(&self) -> &str {
        &self.0.resolved
    }
    /// The key under which stores keep the outcome.
    fn key(&self) -> String {
        self.0.key()
    }
    /// The recorded traces.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let info = |series: &run::Series| {
            let dict = PyDict::new(py);
            dict.set_item("kind", &series.kind)?;
            dict.set_item("entity", &series.entity)?;
            dict.set_item("unit", &series.unit)?;
            dict.set_item("points", series.seconds.len())?;
            Ok(dict)
        };
        self.0.series.iter().map(info).collect()
    }
    /// Seconds, least and greatest values of a series as little-endian doubles.
    ///
    /// Raises:
    ///     IndexError: The series does not exist.
    fn series_data<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<(
        Bound<'py, PyBytes>,
        Bound<'py, PyBytes>,
        Bound<'py, PyBytes>,
    )> {
        let series = self.0.series.get(index).ok_or_else(|| {
            PyIndexError::new_err(format!(
                "there is no series {index}: series are numbered from 0, and the result has {}",
                self.0.series.len()
            ))
        })?;
        Ok((
            floats(py, &series.seconds),
            floats(py, &series.low),
            floats(py, &series.high),
        ))
    }
    /// The event log as columns.
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // The pattern has no `..`, so that the compiler reports a new column that this list lacks.
        let run::Events {
            time_seconds,
            kind,
            vc,
            port,
            pdu,
            cause,
            cell,
            sequence_bytes,
            er_cells_per_second,
        } = &self.0.events;
        let dict = PyDict::new(py);
        dict.set_item("time_seconds", time_seconds)?;
        dict.set_item("kind", kind)?;
        dict.set_item("vc", vc)?;
        dict.set_item("port", port)?;
        dict.set_item("pdu", pdu)?;
        dict.set_item("cause", cause)?;
        dict.set_item("cell", cell)?;
        dict.set_item("sequence_bytes", sequence_bytes)?;
        dict.set_item("er_cells_per_second", er_cells_per_second)?;
        Ok(dict)
    }
    /// The whole outcome as bytes, with a checksum.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let outcome = Arc::clone(&self.0);
        Ok(PyBytes::new(py, &unlocked(py, move || outcome.to_bytes())?))
    }
    /// Reads an outcome from bytes that ``to_bytes`` returned.
    ///
    /// Raises:
    ///     ValueError: They are damaged, or of another version.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Outcome> {
        let outcome = unlocked(py, || run::Outcome::from_bytes(data))?;
        outcome
            .map(Outcome::from)
            .map_err(|damaged| PyValueError::new_err(damaged.to_string()))
    }
}
