//! Random numbers of a component in Python.

use pyo3::prelude::*;

/// A generator of Python's standard library, made when it is first asked for.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    made: Option<Py<PyAny>>,
}

impl Random {
    /// The generator of a component whose seed follows from the run and its place.
    pub fn new(seed: u64) -> Random {
        Random { seed, made: None }
    }
    /// The generator.
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
