//! User-defined components in a configuration. Each has a name and its parameters as written. After the parser of
//! the scenario has found the component, there is also the component itself.

use alloc::string::String;
use alloc::sync::Arc;
use core::any::Any;
use core::fmt;

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::component::Component;

/// A kind of component that a user may define.
pub trait FromOutside {
    /// Key under which a table names the component.
    const TAG: &'static str;
    /// The components of the registry, whose names no user-defined component may have.
    fn registered() -> &'static [Component];
}

/// A user-defined component of the kind `S`, by name, with its parameters.
pub struct Custom<S: ?Sized> {
    /// Name of the component in scenarios.
    pub name: String,
    /// Parameters of the component by key, as written in the scenario.
    pub parameters: Map<String, Value>,
    found: Option<Arc<S>>,
}

impl<S: ?Sized> Custom<S> {
    /// A component of which only the name is known, before the parser of the scenario has found it.
    pub fn named(name: &str) -> Custom<S> {
        Custom {
            name: name.into(),
            parameters: Map::new(),
            found: None,
        }
    }
    /// A component that has been found, with its `parameters` as written in the scenario.
    pub fn new(name: String, found: Arc<S>, parameters: Map<String, Value>) -> Custom<S> {
        Custom {
            name,
            parameters,
            found: Some(found),
        }
    }
    /// The component itself; `None` until the parser of the scenario has found it.
    pub fn found(&self) -> Option<&S> {
        self.found.as_deref()
    }
    /// The component itself.
    ///
    /// # Panics
    /// If the component has not been found. The parser of scenarios refuses names of components that it cannot
    /// find.
    pub fn get(&self) -> &S {
        self.found()
            .expect("a component from outside is found before it is used")
    }
}

impl<S: ?Sized> Clone for Custom<S> {
    fn clone(&self) -> Custom<S> {
        Custom {
            name: self.name.clone(),
            parameters: self.parameters.clone(),
            found: self.found.clone(),
        }
    }
}

impl<S: ?Sized> fmt::Debug for Custom<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.parameters)
    }
}

/// Components are equal if their names and parameters are equal.
impl<S: ?Sized> PartialEq for Custom<S> {
    fn eq(&self, other: &Custom<S>) -> bool {
        (&self.name, &self.parameters) == (&other.name, &other.parameters)
    }
}

/// Writes a table with the name of the component, under the key of its kind, and the parameters.
impl<S: FromOutside + ?Sized> Serialize for Custom<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.parameters.len()))?;
        map.serialize_entry(S::TAG, &self.name)?;
        for (key, value) in &self.parameters {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, S: FromOutside + ?Sized> Deserialize<'de> for Custom<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Custom<S>, D::Error> {
        let mut parameters = Map::deserialize(deserializer)?;
        match parameters.remove(S::TAG) {
            Some(Value::String(name)) if S::registered().iter().all(|one| one.name != name) => {
                Ok(Custom {
                    name,
                    parameters,
                    found: None,
                })
            }
            _ => Err(D::Error::custom(format_args!(
                "no `{}` from outside",
                S::TAG
            ))),
        }
    }
}

/// Replaces the schema by the schema of the registry's components. A user-defined component has a schema of its
/// own.
pub(crate) fn of_the_registry(schema: &mut schemars::Schema) {
    if let Some(variants) = schema.remove("anyOf") {
        schema.insert("oneOf".into(), variants);
    }
}

/// A switch port with a user-defined control scheme, at one instant. The counters count from the start of the
/// run.
pub struct PortFromOutside<'s> {
    /// State of the user-defined control scheme.
    pub scheme: &'s mut dyn Any,
    /// Length of the controlled queue at this instant, the same value that a measuring interval of the scheme would
    /// read. This length and the counters are in units of service: cells, or bytes on the line.
    pub queue: u64,
    /// Number of units of all queues that have left the port.
    pub departed: u64,
    /// Number of units of all queues that the port has dropped.
    pub dropped: u64,
}
