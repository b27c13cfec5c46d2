//! A store of results by content, as Python uses it.

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

/// A directory of results, safe for several threads and processes at once.
///
/// A result can be read as soon as ``put`` has returned, even if the process is then killed. A
/// power failure may lose the results of about the last second. A context manager closes the store.
#[pyclass(frozen, module = "cellrate._core")]
pub struct Store(store::Store);

#[pymethods]
impl Store {
    /// Opens the store, which is made if it does not exist.
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
    /// The bytes kept under a key; None if there are none or they are damaged.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: They exist and cannot be read.
    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = unlocked(py, || self.0.get(key))?.map_err(failed)?;
        Ok(found.map(|bytes| PyBytes::new(py, &bytes)))
    }
    /// Keeps bytes under a key. If it fails, the previous state remains.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: They cannot be written, or earlier ones could not be synced to the disk.
    fn put(&self, py: Python<'_>, key: &str, data: &[u8]) -> PyResult<()> {
        unlocked(py, || self.0.put(key, data))?.map_err(failed)
    }
    /// Sets aside the bytes under a key, which are undamaged but of no use;
    /// ``problems`` then reports why.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: The directory cannot be read.
    fn reject(&self, py: Python<'_>, key: &str, why: &str) -> PyResult<()> {
        unlocked(py, || self.0.reject(key, why))?.map_err(failed)
    }
    /// True if there is a record under a key; damage is only noticed when it is read.
    ///
    /// Raises:
    ///     ValueError: The key is invalid.
    ///     OSError: The directory cannot be read.
    fn contains(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
        unlocked(py, || self.0.contains(key))?.map_err(failed)
    }
    /// All keys, in order.
    ///
    /// Raises:
    ///     OSError: The directory cannot be read.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        unlocked(py, || self.0.keys())?.map_err(failed)
    }
    /// All damage found and set aside so far, with file and byte, each only once.
    fn problems(&self) -> Vec<String> {
        let tell =
            |p: &store::Problem| format!("{}: byte {}: {}", p.path.display(), p.offset, p.message);
        self.0.problems().iter().map(tell).collect()
    }
    /// Syncs all results to the disk, where they survive a power failure.
    ///
    /// Raises:
    ///     OSError: The sync fails.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        unlocked(py, || self.0.sync())?.map_err(failed)
    }
    /// Syncs all results to the disk and ends the segment that was written. The store can still be
    /// used; the next result begins another segment.
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
