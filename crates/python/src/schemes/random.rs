//! Random numbers of a component in Python.

use pyo3::prelude::*;

/// A random generator of Python's standard library, made when first used.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    made: Option<Py<PyAny>>,
}

impl Random {
    /// Prepares the generator of a component; its seed depends on the run and on the place of the
    /// component.
    pub fn new(seed: u64) -> Random {
        Random { seed, made: None }
    }
    /// The Python object of the generator.
    pub fn get(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.made.is_none() {
            let made = py.import("random")?.call_method1("Random", (self.seed,))?;
            self.made = Some(made.unbind());
        }
        Ok(self
            .made
            .as_ref()
            .map_or_else(|| py.None(), |it| it.clone_ref(py)))
    }
}
