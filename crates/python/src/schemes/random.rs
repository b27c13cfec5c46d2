//! Random numbers of a component in Python.

use pyo3::prelude::*;

/// A generator of Python's standard library, made when it is first used.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    made: Option<Py<PyAny>>,
}

impl Random {
    /// The generator of a component, with a seed that depends on the run and on the place of the
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
