//! A discard policy in Python at one queue.

use std::sync::Arc;

use cellrate_engine::discard::{
    ByPdu, CustomDiscard, CustomPolicy, DiscardPolicy, FirstCell, PduPolicy, Verdict,
};
use cellrate_engine::kernel::Ps;
use cellrate_engine::passing::Passing;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};
use serde_json::{Map, Value};

use super::attributes::unknown_attribute;
use super::class::{Definition, change};
use super::failure::{Failure, nothing};
use super::random::Random;

/// A queue at the first cell of a PDU, as a discard policy in Python reads it. Lengths are in
/// cells.
#[pyclass(module = "cellrate._core")]
pub struct Queue {
    /// Number of channels that share the queue; they are numbered from 0.
    #[pyo3(get)]
    channels: usize,
    now: Ps,
    random: Random,
    /// The first cell of the PDU that begins; `None` before the first PDU.
    first: Option<FirstCell>,
}

impl Queue {
    fn first(&self) -> PyResult<FirstCell> {
        self.first.ok_or_else(|| {
            PyRuntimeError::new_err(
                "only `channels`, `now` and `random` are known before a PDU begins",
            )
        })
    }
}

#[pymethods]
impl Queue {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Simulated time in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.as_secs_f64()
    }
    /// Generator of random numbers, `random.Random`. The seed follows from the seed of the run and the
    /// place of this queue.
    #[getter]
    fn random(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.random.get(py)
    }
    /// Cells in the queue, the one in service included.
    ///
    /// Raises:
    ///     RuntimeError: No PDU has begun yet. The same holds for the other properties below.
    #[getter]
    fn length(&self) -> PyResult<u64> {
        Ok(self.first()?.queue)
    }
    /// Limit of the queue; infinite if it has none.
    #[getter]
    fn buffer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.first()?.buffer {
            u64::MAX => Ok(f64::INFINITY.into_pyobject(py)?.into_any()),
            cells => Ok(cells.into_pyobject(py)?.into_any()),
        }
    }
    /// Number of the channel whose PDU begins.
    #[getter]
    fn channel(&self) -> PyResult<u32> {
        Ok(self.first()?.channel)
    }
    /// Cells of this channel in the queue.
    #[getter]
    fn cells(&self) -> PyResult<u64> {
        Ok(self.first()?.units)
    }
    /// Channels that have cells in the queue.
    #[getter]
    fn active(&self) -> PyResult<u64> {
        Ok(self.first()?.active)
    }
}

/// A discard policy: a class in Python with its parameters.
#[derive(Debug)]
pub struct PyDiscard {
    pub definition: Arc<Definition>,
    pub failure: Arc<Failure>,
    pub values: Py<PyDict>,
}

impl CustomDiscard for PyDiscard {
    fn name(&self) -> &'static str {
        self.definition.name
    }
    fn build(&self, channels: usize, seed: u64) -> Box<dyn CustomPolicy> {
        let decision = Decision {
            definition: self.definition.clone(),
            failure: self.failure.clone(),
            made: self.failure.made(|py| self.make(py, channels, seed)),
        };
        Box::new(PyPolicy(ByPdu::new(decision, channels)))
    }
}

impl PyDiscard {
    fn make(&self, py: Python<'_>, channels: usize, seed: u64) -> PyResult<Made> {
        let class = self.definition.class.bind(py);
        let values = self.values.bind(py);
        let object = class.call((), Some(values))?;
        let queue = Queue {
            channels,
            now: Ps::ZERO,
            random: Random::new(seed),
            first: None,
        };
        let queue = Bound::new(py, queue)?;
        if self.definition.has("on_start") {
            self.failure.step();
            let started = object.call_method1("on_start", (&queue,));
            self.failure.step();
            nothing(&started?)?;
        }
        Ok(Made {
            on_pdu: object.getattr("on_pdu")?.unbind(),
            forwards_end: forwards_end(&object)?,
            arguments: PyTuple::new(py, [&queue])?.unbind(),
            queue: queue.unbind(),
            values: values.copy()?.unbind(),
            object: object.unbind(),
        })
    }
}

/// The attribute `forward_end` of an instance; true if the instance does not have it.
fn forwards_end(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.getattr_opt("forward_end")? {
        Some(value) => value.extract(),
        None => Ok(true),
    }
}

/// The instance of the user's class, and the argument of its hook.
#[derive(Debug)]
struct Made {
    object: Py<PyAny>,
    values: Py<PyDict>,
    on_pdu: Py<PyAny>,
    queue: Py<Queue>,
    arguments: Py<PyTuple>,
    forwards_end: bool,
}

/// Decides on each PDU at a queue. After the first error of a run its hook is not called any more.
#[derive(Debug)]
struct Decision {
    definition: Arc<Definition>,
    failure: Arc<Failure>,
    /// The instance of the user's class; `None` if it could not be made.
    made: Option<Made>,
}

impl PduPolicy for Decision {
    fn admits(&mut self, first: FirstCell) -> bool {
        let Some(made) = &self.made else {
            return true;
        };
        if self.failure.has_failed() {
            return true;
        }
        Python::attach(|py| {
            {
                let mut queue = made.queue.borrow_mut(py);
                (queue.now, queue.first) = (first.now, Some(first));
            }
            self.failure.step();
            let result = made.on_pdu.call1(py, made.arguments.bind(py).clone());
            self.failure.step();
            result
                .and_then(|answer| truth(answer.bind(py)))
                .unwrap_or_else(|error| {
                    self.failure.set(error, "on_pdu", Some(first.now));
                    true
                })
        })
    }
    fn forwards_end(&self) -> bool {
        self.made.as_ref().is_none_or(|made| made.forwards_end)
    }
}

/// Checks that the answer of `on_pdu` is a truth value.
fn truth(answer: &Bound<'_, PyAny>) -> PyResult<bool> {
    match answer.cast::<PyBool>() {
        Ok(truth) => Ok(truth.is_true()),
        Err(_) => Err(PyTypeError::new_err(format!(
            "on_pdu returns {}; allowed: True, False",
            answer.repr()?
        ))),
    }
}

impl Decision {
    fn change(&mut self, now: Ps, parameters: &Map<String, Value>) {
        if self.failure.has_failed() {
            return;
        }
        let Some(made) = &mut self.made else {
            return;
        };
        let changed = Python::attach(|py| -> PyResult<()> {
            {
                let mut queue = made.queue.borrow_mut(py);
                (queue.now, queue.first) = (now, None);
            }
            let object = made.object.bind(py);
            self.failure.step();
            let changed = change(
                (&self.definition, 1.0),
                object,
                (made.values.bind(py), parameters),
                made.arguments.bind(py),
            );
            self.failure.step();
            changed?;
            made.forwards_end = forwards_end(object)?;
            Ok(())
        });
        if let Err(error) = changed {
            self.failure.set(error, "on_change", Some(now));
        }
    }
}

/// A policy of the user's class. `ByPdu` of the engine applies its decisions to the cells of each
/// PDU.
#[derive(Debug)]
struct PyPolicy(ByPdu<Decision>);

impl CustomPolicy for PyPolicy {
    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        self.0.admit(now, slot, passing, queue, buffer)
    }
    fn is_stateless(&self) -> bool {
        false
    }
    fn acts_without_limit(&self) -> bool {
        true
    }
    fn change(&mut self, now: Ps, parameters: &Map<String, Value>) {
        self.0.decision_mut().change(now, parameters);
    }
    fn boxed_clone(&self) -> Box<dyn CustomPolicy> {
        panic!("the state of a discard policy in Python cannot be copied")
    }
}
