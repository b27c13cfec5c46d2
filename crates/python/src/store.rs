//! A store of results, as Python uses it.

use std::io;
use std::path::PathBuf;

use cellrate_machine::store;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::errors::unlocked;

fn failed(error: io::Error) -> PyErr {
    match error.kind() {
        io::ErrorKind::InvalidInput => PyValueError::new_err(error.to_string()),
        _ => error.into(),
    }
}

/// A directory of results, which several threads and processes may use at once.
///
/// A result can be read as soon as ``put`` has returned, even if the process is then killed. A
/// power failure may lose the results of about the last second. A context manager closes the store.
#[pyclass(frozen, module = "cellrate._core")]
pub struct Store(store::Store);

#[pymethods]
impl Store {
    /// Opens the store; its directory is made if it does not exist.
    ///
    /// Raises:
    ///     OSError: The directory can be neither made nor read, or contains something else, or a
    ///         store of a newer format.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        unlocked(py, || store::Store::open(path))?
            .map(Store)
            .map_err(failed)
    }
    /// The bytes stored under a key; None if there are none or if they are damaged.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: The bytes exist and cannot be read.
    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = unlocked(py, || self.0.get(key))?.map_err(failed)?;
        Ok(found.map(|bytes| PyBytes::new(py, &bytes)))
    }
    /// Stores bytes under a key. If this fails, the store stays as it was before.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: The bytes cannot be written, or earlier results could not be synced to the disk.
    fn put(&self, py: Python<'_>, key: &str, data: &[u8]) -> PyResult<()> {
        unlocked(py, || self.0.put(key, data))?.map_err(failed)
    }
    /// Ignores from now on the bytes under a key, because they are undamaged but not usable;
    /// ``problems`` then reports the reason `why`.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: The directory cannot be read.
    fn reject(&self, py: Python<'_>, key: &str, why: &str) -> PyResult<()> {
        unlocked(py, || self.0.reject(key, why))?.map_err(failed)
    }
    /// True if there is a result under a key; its damage is noticed only when it is read.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: The directory cannot be read.
    fn contains(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
        unlocked(py, || self.0.contains(key))?.map_err(failed)
    }
    /// Keys of all results, in order.
    ///
    /// Raises:
    ///     OSError: The directory cannot be read.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        unlocked(py, || self.0.keys())?.map_err(failed)
    }
    /// All damage found so far, with file and byte; each damage is reported once.
    fn problems(&self) -> Vec<String> {
        let tell = |problem: &store::Problem| {
            let at = problem.offset;
            let at = at.map_or_else(String::new, |byte| format!("byte {byte}: "));
            format!("{}: {at}{}", problem.path.display(), problem.message)
        };
        self.0.problems().iter().map(tell).collect()
    }
    /// Syncs all results to the disk, where they survive a power failure.
    ///
    /// Raises:
    ///     OSError: The sync fails.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        unlocked(py, || self.0.sync())?.map_err(failed)
    }
    /// Syncs all results to the disk and closes the segment (file of results) that this process
    /// writes. The store can still be used; the next result begins another segment.
    ///
    /// Raises:
    ///     OSError: The sync fails.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        unlocked(py, || self.0.close())?.map_err(failed)
    }
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}
