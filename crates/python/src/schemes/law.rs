//! A law in Python at one ABR source.

use std::sync::Arc;

use cellrate_engine::atm::cell;
use cellrate_engine::endsystem::{CustomLaw, LawState, SourceFacts};
use cellrate_engine::kernel::Ps;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::attributes::unknown_attribute;
use super::class::Definition;
use super::failure::{Failure, nothing};
use super::rm_cell::RmCell;

/// An ABR source, as a law in Python reads and changes it. Rates are in cells/s.
#[pyclass(module = "cellrate._core")]
pub struct Source {
    now: Ps,
    acr: f64,
    decrease: f64,
    facts: SourceFacts,
}

#[pymethods]
impl Source {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Simulated time in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.as_secs_f64()
    }
    /// Allowed cell rate. The source keeps it between MCR and PCR.
    #[getter]
    fn acr(&self) -> f64 {
        self.acr
    }
    #[setter]
    fn set_acr(&mut self, rate: f64) -> PyResult<()> {
        self.acr = rate_of("ACR", rate)?;
        Ok(())
    }
    /// Decrease of ACR in cells/s with every cell that the source sends; at first 0.
    #[getter]
    fn decrease(&self) -> f64 {
        self.decrease
    }
    #[setter]
    fn set_decrease(&mut self, rate: f64) -> PyResult<()> {
        self.decrease = rate_of("the decrease", rate)?;
        Ok(())
    }
    /// Initial cell rate.
    #[getter]
    fn icr(&self) -> f64 {
        self.facts.icr
    }
    /// Minimum cell rate.
    #[getter]
    fn mcr(&self) -> f64 {
        self.facts.mcr
    }
    /// Peak cell rate.
    #[getter]
    fn pcr(&self) -> f64 {
        self.facts.pcr
    }
    /// In-rate cells per forward RM cell.
    #[getter]
    fn nrm(&self) -> u32 {
        self.facts.nrm
    }
}

fn rate_of(what: &str, rate: f64) -> PyResult<f64> {
    if rate.is_nan() || rate < 0.0 {
        let message = format!("{what} cannot be {rate}; allowed: a rate in cells/s, 0 or above");
        return Err(PyValueError::new_err(message));
    }
    Ok(rate)
}

/// A law of an ABR source: a class in Python with its parameters.
#[derive(Debug)]
pub struct PyLaw {
    pub definition: Arc<Definition>,
    pub failure: Arc<Failure>,
    pub values: Py<PyDict>,
}

impl CustomLaw for PyLaw {
    fn name(&self) -> &'static str {
        self.definition.name
    }
    fn build(&self, facts: SourceFacts) -> Box<dyn LawState> {
        let (decrease, made) = self.failure.made(|py| self.make(py, facts)).unzip();
        Box::new(PyLawState {
            failure: self.failure.clone(),
            mcr: facts.mcr,
            decrease: decrease.unwrap_or(0.0),
            made,
        })
    }
}

impl PyLaw {
    fn make(&self, py: Python<'_>, facts: SourceFacts) -> PyResult<(f64, Made)> {
        let class = self.definition.class.bind(py);
        let object = class.call((), Some(self.values.bind(py)))?;
        let source = Source {
            now: Ps::ZERO,
            acr: facts.icr,
            decrease: 0.0,
            facts,
        };
        let source = Bound::new(py, source)?;
        let rm = Bound::new(py, RmCell::empty())?;
        if self.definition.has("on_start") {
            self.failure.step();
            let started = object.call_method1("on_start", (&source,));
            self.failure.step();
            nothing(&started?)?;
        }
        let decrease = source.borrow().decrease;
        Ok((
            decrease,
            Made {
                on_backward_rm: object.getattr("on_backward_rm")?.unbind(),
                arguments: (&source, &rm).into_pyobject(py)?.unbind(),
                source: source.unbind(),
                rm: rm.unbind(),
            },
        ))
    }
}

/// The instance of the user's class, and the argument of its hooks.
#[derive(Debug)]
struct Made {
    on_backward_rm: Py<PyAny>,
    arguments: Py<PyTuple>,
    source: Py<Source>,
    rm: Py<RmCell>,
}

/// The state of the law at a source. After the first error of a run its hooks are not called any
/// more.
#[derive(Debug)]
struct PyLawState {
    failure: Arc<Failure>,
    mcr: f64,
    decrease: f64,
    /// The instance of the user's class; `None` if it could not be made.
    made: Option<Made>,
}

impl LawState for PyLawState {
    fn after_cell(&mut self, _: Ps, acr: f64) -> f64 {
        (acr - self.decrease).max(self.mcr)
    }
    fn after_brm(&mut self, now: Ps, acr: f64, rm: &cell::RmCell) -> f64 {
        let Some(made) = &self.made else {
            return acr;
        };
        if self.failure.has_failed() {
            return acr;
        }
        Python::attach(|py| {
            {
                let mut source = made.source.borrow_mut(py);
                (source.now, source.acr) = (now, acr);
                let mut place = made.rm.borrow_mut(py);
                (place.cell, place.is_here) = (*rm, true);
            }
            self.failure.step();
            let hook = made.on_backward_rm.bind(py);
            let result = hook.call1(made.arguments.bind(py).clone());
            self.failure.step();
            made.rm.borrow_mut(py).is_here = false;
            if let Err(error) = result.and_then(|found| nothing(&found)) {
                self.failure.set(error, "on_backward_rm", Some(now));
                return acr;
            }
            let source = made.source.borrow(py);
            self.decrease = source.decrease;
            source.acr
        })
    }
    fn boxed_clone(&self) -> Box<dyn LawState> {
        panic!("the state of a law in Python cannot be copied")
    }
}
