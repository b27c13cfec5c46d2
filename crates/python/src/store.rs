//! Results kept by content.

use std::io;
use std::path::PathBuf;

use cellrate::store;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::unlocked;

fn failed(error: io::Error) -> PyErr {
    match error.kind() {
        io::ErrorKind::InvalidInput => PyValueError::new_err(error.to_string()),
        _ => error.into(),
    }
}

/// A directory of results, safe for several threads and processes at once.
#[pyclass(frozen, module = "cellrate._core")]
pub struct Store(store::Store);

#[pymethods]
impl Store {
    /// Opens the store, which is made if it is not there.
    ///
    /// Raises:
    ///     OSError: The directory can be neither made nor read.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        unlocked(py, || store::Store::open(path))?.map(Store).map_err(failed)
    }
    /// The bytes kept under a key; None if there are none or they are damaged.
    ///
    /// Raises:
    ///     ValueError: The key is none.
    ///     OSError: The entry is there and cannot be read.
    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = unlocked(py, || self.0.get(key))?.map_err(failed)?;
        Ok(found.map(|bytes| PyBytes::new(py, &bytes)))
    }
    /// Keeps bytes under a key, whole or not at all.
    ///
    /// Raises:
    ///     ValueError: The key is none.
    ///     OSError: The entry cannot be written.
    fn put(&self, py: Python<'_>, key: &str, data: &[u8]) -> PyResult<()> {
        unlocked(py, || self.0.put(key, data))?.map_err(failed)
    }
    /// Whether ``get`` would find something.
    fn contains(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
        unlocked(py, || self.0.contains(key))?.map_err(failed)
    }
    /// All keys, in order.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        unlocked(py, || self.0.keys())?.map_err(failed)
    }
    /// Damaged entries met so far, each told once.
    fn problems(&self) -> Vec<String> {
        let tell = |problem: &store::Problem| format!("{}: {}", problem.path.display(), problem.message);
        self.0.problems().iter().map(tell).collect()
    }
}
