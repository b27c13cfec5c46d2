//! A control scheme in Python at one output port.

use std::sync::Arc;

use cellrate_engine::atm::cell::CELL_UNITS;
use cellrate_engine::control::{CustomControl, PortFacts, QueueReading};
use cellrate_engine::kernel::{CELL_BITS, Ps, Rate};
use cellrate_engine::passing::{Contents, Passing, RateRecord};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::{Map, Value};

use super::class::{Definition, Hooks, change, in_units};
use super::failure::{Failure, nothing};
use super::meter::Meter;
use super::port::Port;
use super::random::Random;
use super::rm_cell::{DataCell, RmCell};

/// The state of a scheme in Python at a port. After the first error of a run its hooks are not
/// called any more, and the run ends.
#[derive(Debug)]
pub struct PyControl {
    definition: Arc<Definition>,
    failure: Arc<Failure>,
    hooks: Hooks,
    meter: Meter,
    /// Number of units of service, cells or bytes, that a rate of a cell counts.
    units_of_cell: f64,
    /// The instance of the user's class; `None` if it could not be made.
    made: Option<Made>,
}

/// The instance of the user's class, and the arguments of its hooks.
#[derive(Debug)]
struct Made {
    object: Py<PyAny>,
    values: Py<PyDict>,
    port: Py<Port>,
    rm: Py<RmCell>,
    cell: Py<DataCell>,
    with_port: Py<PyTuple>,
    with_rm: Py<PyTuple>,
    with_cell: Py<PyTuple>,
    on_forward_rm: Option<Py<PyAny>>,
    on_backward_rm: Option<Py<PyAny>>,
    on_interval: Option<Py<PyAny>>,
    on_cell: Option<Py<PyAny>>,
    on_dequeue: Option<Py<PyAny>>,
}

impl PyControl {
    /// State of the scheme with the parameters `values`, at a port with these `facts`.
    pub fn new(
        definition: Arc<Definition>,
        values: &Py<PyDict>,
        failure: Arc<Failure>,
        facts: PortFacts,
    ) -> PyControl {
        let mut control = PyControl {
            hooks: definition.hooks,
            definition,
            failure,
            meter: Meter::new(facts),
            units_of_cell: facts.rate.in_units(Rate::from_bps(CELL_BITS)),
            made: None,
        };
        let failure = control.failure.clone();
        control.made = failure.made(|py| control.make(py, values, facts));
        control
    }

    fn make(&mut self, py: Python<'_>, values: &Py<PyDict>, facts: PortFacts) -> PyResult<Made> {
        let class = self.definition.class.bind(py);
        let values = in_units(&self.definition, values.bind(py), self.units_of_cell)?;
        let object = class.call((), Some(&values))?;
        let port = Port {
            rate: facts.rate.units_per_second(),
            now: Ps::ZERO,
            queue: Some(0),
            meter: self.meter.clone(),
            random: Random::new(facts.seed),
        };
        let port = Bound::new(py, port)?;
        let rm = Bound::new(py, RmCell::empty())?;
        let channel = -1;
        let passing = Passing::new(Contents::Data, CELL_UNITS, false);
        let cell = Bound::new(
            py,
            DataCell {
                channel,
                passing,
                is_here: false,
            },
        )?;
        if self.hooks.start {
            self.failure.step();
            let started = object.call_method1("on_start", (&port,));
            self.failure.step();
            nothing(&started?)?;
        }
        self.meter = port.borrow().meter.clone();
        let hook = |has: bool, name: &str| -> PyResult<Option<Py<PyAny>>> {
            has.then(|| Ok(object.getattr(name)?.unbind())).transpose()
        };
        let hooks = self.hooks;
        Ok(Made {
            on_forward_rm: hook(hooks.forward_rm, "on_forward_rm")?,
            on_backward_rm: hook(hooks.backward_rm, "on_backward_rm")?,
            on_interval: hook(hooks.interval, "on_interval")?,
            on_cell: hook(hooks.cell, "on_cell")?,
            on_dequeue: hook(hooks.dequeue, "on_dequeue")?,
            with_port: PyTuple::new(py, [&port])?.unbind(),
            with_rm: (&port, &rm).into_pyobject(py)?.unbind(),
            with_cell: (&port, &cell).into_pyobject(py)?.unbind(),
            object: object.unbind(),
            values: values.unbind(),
            port: port.unbind(),
            rm: rm.unbind(),
            cell: cell.unbind(),
        })
    }

    /// Calls a hook with the state `now` of the port; an error ends the run. `give` copies the cell
    /// that passes the port into the hook's argument, `take` copies it back.
    fn call(
        &mut self,
        hook: Hook,
        (now, queue): (Ps, Option<u64>),
        give: impl FnOnce(Python<'_>, &Made),
        take: impl FnOnce(Python<'_>, &Made),
    ) {
        if self.failure.has_failed() {
            return;
        }
        let PyControl {
            made: Some(made),
            meter,
            failure,
            ..
        } = self
        else {
            return;
        };
        let (function, arguments) = match hook {
            Hook::ForwardRm => (&made.on_forward_rm, &made.with_rm),
            Hook::BackwardRm => (&made.on_backward_rm, &made.with_rm),
            Hook::Interval => (&made.on_interval, &made.with_port),
            Hook::Cell => (&made.on_cell, &made.with_cell),
            Hook::Dequeue => (&made.on_dequeue, &made.with_cell),
        };
        let Some(function) = function else {
            return;
        };
        Python::attach(|py| {
            {
                let mut port = made.port.borrow_mut(py);
                (port.now, port.queue) = (now, queue);
                std::mem::swap(&mut port.meter, meter);
            }
            give(py, made);
            failure.step();
            let result = function.call1(py, arguments.bind(py).clone());
            failure.step();
            if let Err(error) = result.and_then(|found| nothing(found.bind(py))) {
                failure.set(error, hook.name(), Some(now));
            }
            take(py, made);
            std::mem::swap(&mut made.port.borrow_mut(py).meter, meter);
        });
    }

    fn interval(&mut self, now: Ps, queue: Option<u64>) {
        self.meter.end(now);
        self.call(Hook::Interval, (now, queue), |_, _| (), |_, _| ());
    }

    fn with_rm(&mut self, hook: Hook, now: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
        let given = *rm;
        self.call(
            hook,
            (now, Some(queue)),
            |py, made| {
                let mut place = made.rm.borrow_mut(py);
                (place.channel, place.cell, place.is_here) = (slot, given, true);
            },
            |py, made| {
                let mut place = made.rm.borrow_mut(py);
                (*rm, place.is_here) = (place.cell, false);
            },
        );
    }

    fn with_cell(&mut self, hook: Hook, now: Ps, channel: i64, passing: &mut Passing, queue: u64) {
        let given = *passing;
        self.call(
            hook,
            (now, Some(queue)),
            |py, made| {
                let mut place = made.cell.borrow_mut(py);
                (place.channel, place.passing, place.is_here) = (channel, given, true);
            },
            |py, made| {
                let mut place = made.cell.borrow_mut(py);
                (*passing, place.is_here) = (place.passing, false);
            },
        );
    }

    /// The statistics that the instance of the user's class returns.
    fn asked(&self, py: Python<'_>, made: &Made) -> PyResult<Vec<(&'static str, f64)>> {
        let answer = made.object.bind(py).call_method0("statistics")?;
        let answer = answer.cast_into::<PyDict>().map_err(|_| {
            PyTypeError::new_err("statistics() must return a dictionary of names and numbers")
        })?;
        let pairs = answer.iter().map(|(name, value)| {
            let name: String = name.extract()?;
            let known = self.definition.statistics.iter().find(|one| **one == name);
            let known = known.ok_or_else(|| {
                PyValueError::new_err(format!(
                    "statistics() returns `{name}`, which STATISTICS lacks"
                ))
            })?;
            Ok((*known, value.extract()?))
        });
        pairs.collect()
    }
}

/// A hook of a control scheme in Python, by which calls and errors name the method.
#[derive(Clone, Copy)]
enum Hook {
    ForwardRm,
    BackwardRm,
    Interval,
    Cell,
    Dequeue,
}

impl Hook {
    fn name(self) -> &'static str {
        match self {
            Hook::ForwardRm => "on_forward_rm",
            Hook::BackwardRm => "on_backward_rm",
            Hook::Interval => "on_interval",
            Hook::Cell => "on_cell",
            Hook::Dequeue => "on_dequeue",
        }
    }
}

impl CustomControl for PyControl {
    fn name(&self) -> &'static str {
        self.definition.name
    }
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    ) {
        if self.meter.count(now, slot, passing.units) {
            let known = self.hooks.queue_at_every_cell.then_some(queue);
            self.interval(now, known);
        }
        if self.hooks.cell {
            self.with_cell(Hook::Cell, now, i64::from(slot), passing, queue);
        }
        if let Some(rm) = rm
            && passing.contents == Contents::Forward
        {
            self.with_rm(Hook::ForwardRm, now, slot, rm, queue);
        }
    }
    fn on_background(&mut self, _: Ps, units: u64) {
        self.meter.count_background(units);
    }
    fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
        self.with_rm(Hook::BackwardRm, now, slot, rm, queue);
    }
    fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64) {
        self.with_cell(Hook::Dequeue, now, -1, passing, queue);
    }
    fn marks_at_dequeue(&self) -> bool {
        self.hooks.dequeue
    }
    fn reads_queue(&self) -> QueueReading {
        if self.hooks.cell || self.hooks.queue_at_every_cell {
            QueueReading::AtEveryCell
        } else if self.hooks.reads_queue {
            QueueReading::AtRmCells
        } else {
            QueueReading::Never
        }
    }
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        let Some(made) = &self.made else {
            return Vec::new();
        };
        if self.definition.statistics.is_empty() || self.failure.has_failed() {
            return Vec::new();
        }
        let found = Python::attach(|py| self.asked(py, made));
        found.unwrap_or_else(|error| {
            self.failure.set(error, "statistics", None);
            Vec::new()
        })
    }
    fn wake_at(&self) -> Ps {
        self.meter.due()
    }
    fn wake(&mut self, now: Ps, queue: u64, _: u64) {
        if self.meter.has_begun(now) {
            self.interval(now, Some(queue));
        }
    }
    fn change(&mut self, now: Ps, parameters: &Map<String, Value>, queue: u64) {
        let PyControl {
            made: Some(made),
            meter,
            failure,
            definition,
            units_of_cell,
            ..
        } = self
        else {
            return;
        };
        if failure.has_failed() {
            return;
        }
        Python::attach(|py| {
            {
                let mut port = made.port.borrow_mut(py);
                (port.now, port.queue) = (now, Some(queue));
                std::mem::swap(&mut port.meter, meter);
            }
            failure.step();
            let changed = change(
                (definition, *units_of_cell),
                made.object.bind(py),
                (made.values.bind(py), parameters),
                made.with_port.bind(py),
            );
            failure.step();
            if let Err(error) = changed {
                failure.set(error, "on_change", Some(now));
            }
            std::mem::swap(&mut made.port.borrow_mut(py).meter, meter);
        });
    }
    fn boxed_clone(&self) -> Box<dyn CustomControl> {
        unimplemented_copy()
    }
}

/// Only the lab copies simulations, and the lab has no Python.
#[cold]
fn unimplemented_copy() -> ! {
    panic!("the state of a scheme in Python cannot be copied")
}
