//! A class in Python that a scenario names as a scheme, policy, recovery or law.

use std::fmt;
use std::sync::Arc;

use cellrate::scenario::Quantity;
use cellrate::scenario::custom::{Configured, Kind, Made, Refused, SchemeClass, interned};
use cellrate_engine::control::{CustomControl, CustomScheme, PortFacts};
use cellrate_engine::kernel::Rate;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::{Map, Value};

use super::control::PyControl;
use super::discard::PyDiscard;
use super::failure::{Failure, nothing};
use super::law::PyLaw;
use super::recovery::PyRecovery;

/// The hooks that a class has; also whether the class reads the queue length, and whether it needs
/// the length at every cell.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    pub start: bool,
    pub forward_rm: bool,
    pub backward_rm: bool,
    pub interval: bool,
    pub change: bool,
    pub cell: bool,
    pub dequeue: bool,
    pub reads_queue: bool,
    pub queue_at_every_cell: bool,
}

/// A class in Python, as the package `cellrate.schemes` describes it.
pub struct Definition {
    /// Name of the class in scenarios.
    pub name: &'static str,
    pub class: Py<PyAny>,
    pub hooks: Hooks,
    /// Names of the class's methods that are hooks.
    names: Vec<String>,
    /// Names of the statistics of the class.
    pub statistics: Vec<&'static str>,
    schema: Value,
    fingerprint: String,
    /// Object that notes the state which the code of the class keeps outside its instances.
    state: Py<PyAny>,
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl Definition {
    /// Reads the description that Python's finder returned for the class `name`.
    pub fn read(name: &str, found: &Bound<'_, PyAny>) -> PyResult<Definition> {
        let has = |hook: &str| -> PyResult<bool> { found.getattr("hooks")?.contains(hook) };
        let flag = |name: &str| -> PyResult<bool> { found.getattr(name)?.extract() };
        let schema: String = found.getattr("schema")?.extract()?;
        let statistics: Vec<String> = found.getattr("statistics")?.extract()?;
        Ok(Definition {
            name: interned(name),
            class: found.getattr("factory")?.unbind(),
            hooks: Hooks {
                start: has("on_start")?,
                forward_rm: has("on_forward_rm")?,
                backward_rm: has("on_backward_rm")?,
                interval: has("on_interval")?,
                change: has("on_change")?,
                cell: has("on_cell")?,
                dequeue: has("on_dequeue")?,
                reads_queue: flag("reads_queue")?,
                queue_at_every_cell: flag("queue_at_every_cell")?,
            },
            statistics: statistics.iter().map(|name| interned(name)).collect(),
            names: found.getattr("hooks")?.extract::<Vec<String>>()?,
            schema: serde_json::from_str(&schema).unwrap_or_default(),
            fingerprint: found.getattr("fingerprint")?.extract()?,
            state: found.getattr("state")?.unbind(),
        })
    }
}

impl Definition {
    /// Notes the state of a class before a run.
    pub fn begin(&self, py: Python<'_>) -> PyResult<()> {
        self.state.call_method0(py, "begin").map(drop)
    }
    /// The error if a run has changed the state that the class keeps outside its instances.
    pub fn change_of_state(&self, py: Python<'_>) -> Option<PyErr> {
        match self.state.bind(py).call_method0("change") {
            Ok(none) if none.is_none() => None,
            Ok(error) => Some(PyErr::from_value(error)),
            Err(error) => Some(error),
        }
    }
    /// True if the class has a hook of this name.
    pub fn has(&self, hook: &str) -> bool {
        self.names.iter().any(|name| name == hook)
    }
}

/// A class in Python, and the object that keeps the first error of its hooks.
#[derive(Debug)]
pub struct PyClass {
    pub kind: Kind,
    pub definition: Arc<Definition>,
    pub failure: Arc<Failure>,
}

impl SchemeClass for PyClass {
    fn schema(&self) -> Value {
        self.definition.schema.clone()
    }
    fn fingerprint(&self) -> Option<String> {
        Some(self.definition.fingerprint.clone())
    }
    fn fixed(&self) -> Option<String> {
        (!self.definition.hooks.change).then(|| {
            format!(
                "`{}` has no hook `on_change`, which is called once its attributes have the new values",
                self.definition.name
            )
        })
    }
    fn configure(&self, mut given: Map<String, Value>) -> Result<Configured, Refused> {
        let properties = self.definition.schema["properties"].as_object();
        let mut complete = Map::new();
        let values = Python::attach(|py| -> Result<Py<PyDict>, Refused> {
            let values = PyDict::new(py);
            for (key, property) in properties.into_iter().flatten() {
                let written = given
                    .remove(key)
                    .unwrap_or_else(|| property["default"].clone());
                if written.is_null() {
                    continue;
                }
                let written = canonical(property, written);
                set_value(&values, key, (property, 1.0), &written).map_err(|error| Refused {
                    key: key.clone(),
                    why: error.value(py).to_string(),
                })?;
                complete.insert(key.clone(), written);
            }
            // The class may refuse the parameters: it checks them when an instance is made.
            let made = self.definition.class.bind(py).call((), Some(&values));
            made.map_err(|error| {
                let kind = error.get_type(py).name().map(|name| name.to_string());
                let told = error.value(py).to_string();
                Refused {
                    key: String::new(),
                    why: format!("{}: {told}", kind.unwrap_or_default()),
                }
            })?;
            Ok(values.unbind())
        })?;
        let (definition, failure) = (self.definition.clone(), self.failure.clone());
        let made = match self.kind {
            Kind::Control => Made::Control(Arc::new(PyScheme {
                definition,
                failure,
                values,
            })),
            Kind::Discard => Made::Discard(Arc::new(PyDiscard {
                definition,
                failure,
                values,
            })),
            Kind::Recovery => Made::Recovery(Arc::new(PyRecovery {
                definition,
                failure,
                values,
            })),
            Kind::Law => Made::Law(Arc::new(PyLaw {
                definition,
                failure,
                values,
            })),
        };
        Ok(Configured {
            parameters: complete,
            made,
        })
    }
}

fn quantity(property: &Value) -> Option<Quantity> {
    let name = property["$ref"].as_str()?.strip_prefix("#/$defs/")?;
    Quantity::named(name)
}

/// A quantity in the form in which results contain it; equal quantities have equal texts.
fn canonical(property: &Value, written: Value) -> Value {
    match (quantity(property), written.as_str()) {
        (Some(quantity), Some(text)) => quantity.canonical(text).map_or(written, Value::from),
        // An integer may be written for any number, and is then stored as a float.
        (None, None) if property["type"] == "number" => {
            written.as_f64().map_or(written, Value::from)
        }
        _ => written,
    }
}

/// Sets a parameter of an instance: a quantity as a number of seconds, cells, bytes or cells/s, any
/// other value as it is written. Rates are multiplied by the number of units of service in a cell.
fn set_value(
    values: &Bound<'_, PyDict>,
    key: &str,
    (property, units_of_cell): (&Value, f64),
    written: &Value,
) -> PyResult<()> {
    if let (Some(quantity), Some(text)) = (quantity(property), written.as_str()) {
        let value = quantity.value(text).unwrap_or(f64::NAN);
        return match quantity {
            Quantity::Time | Quantity::Delay => values.set_item(key, value),
            Quantity::Rate => {
                let rate: Option<Rate> = text.parse().ok();
                let cells = rate.map_or(f64::NAN, Rate::cells_per_second);
                values.set_item(key, cells * units_of_cell)
            }
            Quantity::Buffer if value.is_infinite() => values.set_item(key, value),
            Quantity::Bytes | Quantity::Buffer | Quantity::Cells => {
                values.set_item(key, value as u64)
            }
            Quantity::QueueLength => values.set_item(key, text),
        };
    }
    match written {
        Value::Bool(truth) => values.set_item(key, truth),
        Value::Number(number) if number.is_f64() => values.set_item(key, number.as_f64()),
        Value::Number(number) => values.set_item(key, number.as_i64()),
        Value::String(text) => values.set_item(key, text),
        other => values.set_item(key, other.to_string()),
    }
}

/// Parameters of an instance with rates in units of service per second: cells/s, or bytes/s at ports that carry frames.
pub fn in_units<'py>(
    definition: &Definition,
    values: &Bound<'py, PyDict>,
    units_of_cell: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let found = values.copy()?;
    for (key, property) in definition.schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        if matches!(quantity(property), Some(Quantity::Rate))
            && let Some(cells) = found.get_item(key)?
        {
            found.set_item(key, cells.extract::<f64>()? * units_of_cell)?;
        }
    }
    Ok(found)
}

/// Sets those parameters of an instance that differ from `values`, updates `values`, and calls the
/// hook of the instance if there are any.
pub fn change(
    (definition, units_of_cell): (&Definition, f64),
    object: &Bound<'_, PyAny>,
    (values, parameters): (&Bound<'_, PyDict>, &Map<String, Value>),
    arguments: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    let properties = definition.schema["properties"].as_object();
    let mut has_changed = false;
    for (key, property) in properties.into_iter().flatten() {
        let Some(written) = parameters.get(key) else {
            continue;
        };
        let before = values.get_item(key)?;
        set_value(values, key, (property, units_of_cell), written)?;
        let Some(after) = values.get_item(key)? else {
            continue;
        };
        if !before.is_some_and(|before| before.eq(&after).unwrap_or(false)) {
            object.setattr(key.as_str(), after)?;
            has_changed = true;
        }
    }
    if !has_changed {
        return Ok(());
    }
    nothing(&object.call_method1("on_change", arguments)?)
}

/// A class in Python with the parameters of one scenario, from which ports get their objects.
struct PyScheme {
    definition: Arc<Definition>,
    failure: Arc<Failure>,
    values: Py<PyDict>,
}

impl fmt::Debug for PyScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.definition.fmt(f)
    }
}

impl CustomScheme for PyScheme {
    fn name(&self) -> &'static str {
        self.definition.name
    }
    fn build(&self, facts: PortFacts) -> Box<dyn CustomControl> {
        let (definition, failure) = (self.definition.clone(), self.failure.clone());
        Box::new(PyControl::new(definition, &self.values, failure, facts))
    }
    fn marks_at_dequeue(&self) -> bool {
        self.definition.hooks.dequeue
    }
}
