//! Files that only Python can read.

use std::path::Path;

use pyo3::prelude::*;

/// Registers a function that reads Parquet files: from a path, it returns the text of a CSV table.
///
/// Args:
///     reader: The function; its exceptions are reported as faults of the file. Only the first
///         registered function is used.
#[pyfunction]
pub fn read_parquet_with(reader: Py<PyAny>) {
    cellrate::traffic_files::read_parquet_with(Box::new(move |path: &Path| {
        Python::attach(|py| {
            let text = reader
                .bind(py)
                .call1((path,))
                .and_then(|text| text.extract::<String>());
            text.map_err(|error| error.value(py).to_string())
        })
    }));
}
