//! Calls Python to find the classes that a scenario names.

use std::sync::{Arc, Mutex};

use cellrate::scenario::custom::{Kind, NotFound, SchemeClass, Schemes};
use pyo3::prelude::*;

use super::class::{Definition, PyClass};
use super::failure::Failure;

/// The function in Python that finds a class; it is set once, when the package is imported.
static FINDER: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Sets the function that finds the classes that scenarios name.
///
/// Args:
///     finder: Called with the kind of component (``control``, ``discard``, ``recovery`` or
///         ``law``), its name and the path of the scenario; returns a definition or None, or raises an exception with the
///         attribute ``help``.
#[pyfunction]
pub fn set_scheme_finder(finder: Py<PyAny>) {
    *FINDER
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(finder);
}

/// Finds the classes in Python that one scenario names. Their hooks share an object that keeps the
/// first error.
#[derive(Default)]
pub struct Finder {
    describes_only: bool,
    failure: Arc<Failure>,
    found: Mutex<Vec<Arc<Definition>>>,
}

impl Finder {
    /// Prepares to find classes. If the scenario is only described, their parameters are taken as
    /// they are written.
    pub fn new(describes_only: bool) -> Finder {
        Finder {
            describes_only,
            ..Finder::default()
        }
    }
    /// Returns the classes that were found, and the object that keeps the first error of their
    /// hooks.
    pub fn finish(self) -> (Vec<Arc<Definition>>, Arc<Failure>) {
        let found = self.found.into_inner();
        let found = found.unwrap_or_else(|poisoned| poisoned.into_inner());
        (found, self.failure)
    }

    fn ask(
        &self,
        py: Python<'_>,
        kind: Kind,
        name: &str,
        path: &str,
    ) -> PyResult<Option<Definition>> {
        let finder = {
            let set = FINDER
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            set.as_ref().map(|finder| finder.clone_ref(py))
        };
        let Some(finder) = finder else {
            return Ok(None);
        };
        let word = match kind {
            Kind::Control => "control",
            Kind::Discard => "discard",
            Kind::Recovery => "recovery",
            Kind::Law => "law",
        };
        let found = finder.bind(py).call1((word, name, path))?;
        if found.is_none() {
            return Ok(None);
        }
        Definition::read(name, &found).map(Some)
    }
}

impl Schemes for Finder {
    fn describes_only(&self) -> bool {
        self.describes_only
    }
    fn find(
        &self,
        kind: Kind,
        name: &str,
        path: &str,
    ) -> Result<Option<Arc<dyn SchemeClass>>, NotFound> {
        let found = Python::attach(|py| {
            self.ask(py, kind, name, path).map_err(|error| {
                let value = error.value(py);
                let help = value.getattr("help").and_then(|help| help.extract());
                NotFound {
                    message: value.to_string(),
                    help: help.unwrap_or_default(),
                }
            })
        })?;
        Ok(found.map(|definition| {
            let definition = Arc::new(definition);
            if let Ok(found) = &mut self.found.lock() {
                found.push(definition.clone());
            }
            let class = PyClass {
                kind,
                definition,
                failure: self.failure.clone(),
            };
            Arc::new(class) as Arc<dyn SchemeClass>
        }))
    }
}
