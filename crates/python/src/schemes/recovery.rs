//! A loss recovery in Python at one TCP connection.

use std::sync::Arc;

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::recovery::{
    Ack, CustomPolicy, CustomRecovery, Facts, Loss, RecoveryPolicy, Resend,
};
use cellrate_engine::tcp::window::Window;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::class::Definition;
use super::connection::Connection;
use super::failure::{Failure, nothing};
use super::random::Random;

/// A loss recovery: a class in Python with its parameters.
#[derive(Debug)]
pub struct PyRecovery {
    pub definition: Arc<Definition>,
    pub failure: Arc<Failure>,
    pub values: Py<PyDict>,
}

impl CustomRecovery for PyRecovery {
    fn name(&self) -> &'static str {
        self.definition.name
    }
    fn build(&self, facts: &Facts) -> Box<dyn CustomPolicy> {
        Box::new(PyPolicy {
            failure: self.failure.clone(),
            made: self.failure.made(|py| self.make(py, facts)),
        })
    }
}

impl PyRecovery {
    fn make(&self, py: Python<'_>, facts: &Facts) -> PyResult<Made> {
        let class = self.definition.class.bind(py);
        let object = class.call((), Some(self.values.bind(py)))?;
        let connection = Connection {
            window: facts.window,
            random: Random::new(facts.stream.clone().bits()),
            now: Ps::ZERO,
            acked: 0,
            flight: 0,
        };
        let connection = Bound::new(py, connection)?;
        if self.definition.has("on_start") {
            self.failure.step();
            let started = object.call_method1("on_start", (&connection,));
            self.failure.step();
            nothing(&started?)?;
        }
        let hook = |name: &str| -> PyResult<Option<Py<PyAny>>> {
            let has = self.definition.has(name);
            has.then(|| Ok(object.getattr(name)?.unbind())).transpose()
        };
        Ok(Made {
            on_new_ack: hook("on_new_ack")?,
            on_third_duplicate: hook("on_third_duplicate")?,
            on_further_duplicate: hook("on_further_duplicate")?,
            on_recovered: hook("on_recovered")?,
            on_timeout: hook("on_timeout")?,
            arguments: PyTuple::new(py, [&connection])?.unbind(),
            connection: connection.unbind(),
        })
    }
}

/// The instance of the user's class, and the arguments of its hooks.
#[derive(Debug)]
struct Made {
    connection: Py<Connection>,
    arguments: Py<PyTuple>,
    on_new_ack: Option<Py<PyAny>>,
    on_third_duplicate: Option<Py<PyAny>>,
    on_further_duplicate: Option<Py<PyAny>>,
    on_recovered: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
}

/// The state of the recovery at a connection. After the first error of a run its hooks are not
/// called any more.
#[derive(Debug)]
struct PyPolicy {
    failure: Arc<Failure>,
    /// The instance of the user's class; `None` if it could not be made.
    made: Option<Made>,
}

/// An event of a connection: its time, the bytes acknowledged, and the bytes outstanding.
type Told = (Ps, u64, u64);

impl PyPolicy {
    /// Calls a hook, which may set the window. Returns false if the class has no such hook.
    fn call(
        &self,
        (name, hook): (&str, impl Fn(&Made) -> &Option<Py<PyAny>>),
        window: &mut Window,
        told: Option<Told>,
        answer: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>,
    ) -> bool {
        let Some((made, function)) = self.made.as_ref().and_then(|made| {
            let function = hook(made).as_ref()?;
            Some((made, function))
        }) else {
            return false;
        };
        if self.failure.has_failed() {
            return true;
        }
        Python::attach(|py| {
            let now = {
                let mut connection = made.connection.borrow_mut(py);
                connection.window = *window;
                if let Some((now, acked, flight)) = told {
                    (connection.now, connection.acked, connection.flight) = (now, acked, flight);
                }
                connection.now
            };
            self.failure.step();
            let result = function.bind(py).call1(made.arguments.bind(py).clone());
            self.failure.step();
            if let Err(error) = result.and_then(|found| answer(&found)) {
                self.failure.set(error, name, Some(now));
            }
            *window = made.connection.borrow(py).window;
        });
        true
    }
}

impl RecoveryPolicy for PyPolicy {
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        let told = Some((loss.now, 0, loss.flight));
        let called = self.call(
            ("on_timeout", |made| &made.on_timeout),
            window,
            told,
            nothing,
        );
        if !called {
            window.ssthresh = window.half(); // RFC 2001 section 2, step 3
            window.cwnd = window.mss; // RFC 2001 section 2, step 3; RFC 5681 3.1
        }
    }
    fn on_third_dup_ack(&mut self, window: &mut Window, loss: &Loss) -> Option<Resend> {
        let mut resend = None;
        self.call(
            ("on_third_duplicate", |made| &made.on_third_duplicate),
            window,
            Some((loss.now, 0, loss.flight)),
            |answer| {
                resend = resend_of(answer)?;
                Ok(())
            },
        );
        resend
    }
    fn on_further_dup_ack(&mut self, window: &mut Window) {
        self.call(
            ("on_further_duplicate", |made| &made.on_further_duplicate),
            window,
            None,
            nothing,
        );
    }
    fn on_recovered(&mut self, window: &mut Window, ack: &Ack) {
        self.call(
            ("on_recovered", |made| &made.on_recovered),
            window,
            Some((ack.now, ack.acked, ack.flight())),
            nothing,
        );
    }
    fn grow(&mut self, window: &mut Window, ack: &Ack) {
        self.call(
            ("on_new_ack", |made| &made.on_new_ack),
            window,
            Some((ack.now, ack.acked, ack.flight())),
            nothing,
        );
    }
}

/// The segments to send again, from the answer of `on_third_duplicate`.
fn resend_of(answer: &Bound<'_, PyAny>) -> PyResult<Option<Resend>> {
    if answer.is_none() {
        return Ok(None);
    }
    match answer.extract::<String>().as_deref() {
        Ok("oldest") => Ok(Some(Resend::Oldest)),
        Ok("all") => Ok(Some(Resend::GoBack)),
        _ => Err(PyValueError::new_err(format!(
            "on_third_duplicate returns {}; allowed: None, \"oldest\", \"all\"",
            answer.repr()?
        ))),
    }
}

impl CustomPolicy for PyPolicy {
    fn boxed_clone(&self) -> Box<dyn CustomPolicy> {
        panic!("the state of a recovery in Python cannot be copied")
    }
    fn policy(&mut self) -> &mut dyn RecoveryPolicy {
        self
    }
}
