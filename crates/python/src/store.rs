//! Results kept by content.

use std::path::PathBuf;

use cellrate::store;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::unlocked;

/// A directory of results, safe for several threads and processes at once.
#[pyclass(frozen, module = "cellrate._core")]
pub struct Store(store::Store);

#[pymethods]
impl Store {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        Ok(Store(unlocked(py, || store::Store::open(path))??))
    }
    /// The bytes kept under a key; None if there are none or they are damaged.
    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = unlocked(py, || self.0.get(key))??;
        Ok(found.map(|bytes| PyBytes::new(py, &bytes)))
    }
    /// Keeps bytes under a key, whole or not at all.
    fn put(&self, py: Python<'_>, key: &str, data: &[u8]) -> PyResult<()> {
        Ok(unlocked(py, || self.0.put(key, data))??)
    }
    /// Whether `get` would find something.
    fn contains(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
        Ok(unlocked(py, || self.0.contains(key))??)
    }
    /// All keys, in order.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(unlocked(py, || self.0.keys())??)
    }
    /// Damaged entries met so far, each told once.
    fn problems(&self) -> Vec<String> {
        let tell = |problem: &store::Problem| format!("{}: {}", problem.path.display(), problem.message);
        self.0.problems().iter().map(tell).collect()
    }
}
