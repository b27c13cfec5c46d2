//! Control schemes that are not in the registry: found by whoever reads the scenario, checked
//! against a schema of their own, and written out with every default.

use std::collections::HashSet;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock};

use cellrate_engine::control::{
    Boxed, ControlConfig, CustomConfig, CustomControl, CustomScheme, PortFacts, SchemeParameters,
    SwitchControl, SwitchFacts, schemes,
};
use cellrate_engine::kernel::Finding;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

use super::diagnostic::Fault;
use super::document::{Item, Table, Value};
use super::problem::{Place, Problem, Step, place};
use super::topology::{GraphNode, GraphSwitch, Topology};
use super::types::Scenario;

/// Finds the schemes that a scenario names and the registry does not have.
pub trait Schemes: Send + Sync {
    /// The scheme that `name` names in the scenario of the file `path`; `None` if it is no such
    /// name.
    ///
    /// # Errors
    /// The reason why there is no such scheme, or why it may not be used.
    fn find(&self, name: &str, path: &str) -> Result<Option<Arc<dyn SchemeClass>>, NotFound>;
    /// True if a scenario is only described: schemes that are not found are taken as they are
    /// written, and cannot run.
    fn describes_only(&self) -> bool {
        false
    }
}

/// Reason why a scheme was not found, and what helps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotFound {
    /// The reason.
    pub message: String,
    /// Advice; may be empty.
    pub help: String,
}

/// A kind of scheme: its parameters are still open.
pub trait SchemeClass: Debug + Send + Sync {
    /// JSON schema of the table of parameters. It may refer to definitions of the schema of
    /// scenarios, such as `#/$defs/Time`; others stand under its own `$defs`.
    fn schema(&self) -> Json;
    /// Fingerprint of its source, which becomes part of the scenario and so of the key of its
    /// results; `None` for a scheme that belongs to the program.
    fn fingerprint(&self) -> Option<String> {
        None
    }
    /// The scheme with these parameters, which fit the schema.
    ///
    /// # Errors
    /// If it refuses them.
    fn configure(&self, parameters: Map<String, Json>) -> Result<Configured, Refused>;
}

/// A scheme with its parameters.
#[derive(Debug)]
pub struct Configured {
    /// All parameters, with their defaults.
    pub parameters: Map<String, Json>,
    /// The scheme.
    pub scheme: Arc<dyn CustomScheme>,
}

/// Parameters that a scheme refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The key; empty if it is none alone.
    pub key: String,
    /// The reason.
    pub why: String,
}

/// No schemes but those of the registry.
#[derive(Clone, Copy, Debug)]
pub struct RegistryAlone;

impl Schemes for RegistryAlone {
    fn find(&self, _: &str, _: &str) -> Result<Option<Arc<dyn SchemeClass>>, NotFound> {
        Ok(None)
    }
}

/// Schemes in Rust by their names, for a program that uses this crate.
#[derive(Clone, Debug, Default)]
pub struct RustSchemes(Vec<(&'static str, Arc<dyn SchemeClass>)>);

impl RustSchemes {
    /// The same schemes and one more: `name` in scenarios, its parameters, and the function that
    /// makes the scheme at a port.
    #[must_use]
    pub fn with<C, S>(mut self, name: &'static str, new: fn(&C, PortFacts) -> S) -> RustSchemes
    where
        C: SchemeParameters + JsonSchema + Serialize + DeserializeOwned,
        C: Debug + Send + Sync + 'static,
        S: SwitchControl + Clone + Debug + Send + 'static,
    {
        let state = PhantomData;
        self.0.push((name, Arc::new(InRust { name, new, state })));
        self
    }
}

impl Schemes for RustSchemes {
    fn find(&self, name: &str, _: &str) -> Result<Option<Arc<dyn SchemeClass>>, NotFound> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        Ok(found.map(|(_, class)| class.clone()))
    }
}

/// A scheme in Rust with parameters of type `C`.
#[derive(Debug)]
struct InRust<C, S> {
    name: &'static str,
    new: fn(&C, PortFacts) -> S,
    state: PhantomData<fn() -> S>,
}

/// The same with its parameters.
#[derive(Debug)]
struct InRustWith<C, S> {
    name: &'static str,
    new: fn(&C, PortFacts) -> S,
    config: C,
}

impl<C, S> SchemeClass for InRust<C, S>
where
    C: SchemeParameters + JsonSchema + Serialize + DeserializeOwned + Debug + Send + Sync + 'static,
    S: SwitchControl + Clone + Debug + Send + 'static,
{
    fn schema(&self) -> Json {
        super::schema::of::<C>(self.name)
    }
    fn configure(&self, parameters: Map<String, Json>) -> Result<Configured, Refused> {
        let error = |error: serde_json::Error| Refused {
            key: String::new(),
            why: error.to_string(),
        };
        let config: C = serde_json::from_value(Json::Object(parameters)).map_err(error)?;
        let (name, new) = (self.name, self.new);
        let complete = match serde_json::to_value(config.in_force()).map_err(error)? {
            Json::Object(complete) => complete,
            _ => Map::new(),
        };
        let complete = complete.into_iter().filter(|(_, value)| !value.is_null());
        Ok(Configured {
            parameters: complete.collect(),
            scheme: Arc::new(InRustWith { name, new, config }),
        })
    }
}

impl<C, S> CustomScheme for InRustWith<C, S>
where
    C: SchemeParameters + Debug + Send + Sync,
    S: SwitchControl + Clone + Debug + Send + 'static,
{
    fn name(&self) -> &'static str {
        self.name
    }
    fn build(&self, facts: PortFacts) -> Box<dyn CustomControl> {
        Box::new(Boxed {
            name: self.name,
            scheme: (self.new)(&self.config, facts),
        })
    }
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        self.config.check(facts)
    }
    fn follows_order(&self) -> bool {
        S::FOLLOWS_ORDER
    }
}

/// A scheme of which only the keys are known that a scenario has.
#[derive(Debug)]
struct Written(Vec<String>);

impl SchemeClass for Written {
    fn schema(&self) -> Json {
        let keys = self.0.iter().filter(|key| *key != "scheme");
        // Values of any kind.
        let properties = keys.map(|key| (key.clone(), json!({ "anyOf": [] })));
        json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() })
    }
    fn configure(&self, parameters: Map<String, Json>) -> Result<Configured, Refused> {
        Ok(Configured {
            parameters,
            scheme: Arc::new(Unknown),
        })
    }
}

/// A scheme that cannot run.
#[derive(Debug)]
struct Unknown;

impl CustomScheme for Unknown {
    fn name(&self) -> &'static str {
        "unknown"
    }
    fn build(&self, _: PortFacts) -> Box<dyn CustomControl> {
        panic!("a scenario that is only described does not run")
    }
}

/// `text` for ever: names of schemes and of their keys are few.
pub fn interned(text: &str) -> &'static str {
    static TEXTS: OnceLock<Mutex<HashSet<&'static str>>> = OnceLock::new();
    let texts = TEXTS.get_or_init(Mutex::default);
    let mut texts = texts
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = texts.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.into());
    texts.insert(kept);
    kept
}

/// Key of the fingerprint in a table of a scheme.
const SOURCE: &str = "source";

/// The schemes from outside the registry that a document names.
#[derive(Default)]
pub(super) struct Found(Vec<(String, Arc<dyn SchemeClass>)>);

impl Found {
    /// Finds the schemes of a document.
    pub fn of(root: &Table, path: &str, finder: &dyn Schemes) -> Result<Found, Vec<Fault>> {
        let mut named = Vec::new();
        named_schemes(root, &mut named);
        let (mut found, mut faults) = (Found::default(), Vec::new());
        for (name, item, table) in named {
            if found.class(name).is_some() {
                continue;
            }
            if finder.describes_only() {
                let keys = table
                    .entries
                    .iter()
                    .map(|entry| entry.key.clone())
                    .collect();
                found.0.push((name.into(), Arc::new(Written(keys))));
                continue;
            }
            match finder.find(name, path) {
                Ok(Some(class)) => found.0.push((name.into(), class)),
                Ok(None) => {}
                Err(NotFound { message, help }) => {
                    faults.push(Fault::error(item.span, message).help(help));
                }
            }
        }
        if faults.is_empty() {
            Ok(found)
        } else {
            Err(faults)
        }
    }

    fn class(&self, name: &str) -> Option<&Arc<dyn SchemeClass>> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, class)| class)
    }

    /// The schema of scenarios that may name these schemes; `None` if there are none.
    pub fn schema(&self) -> Option<Json> {
        if self.0.is_empty() {
            return None;
        }
        let mut schema = super::schema().clone();
        for (name, class) in &self.0 {
            let mut variant = class.schema();
            if let Json::Object(own) = variant["$defs"].take() {
                for (key, definition) in own {
                    let known = schema["$defs"].get(&key).is_some();
                    if !known {
                        schema["$defs"][key] = definition;
                    }
                }
            }
            let properties = &mut variant["properties"];
            if !properties.is_object() {
                *properties = json!({});
            }
            properties["scheme"] = json!({ "type": "string", "const": name });
            if class.fingerprint().is_some() {
                properties[SOURCE] = json!({
                    "type": "string",
                    "description": "Fingerprint of the class's source. Written into results; a \
                                    scenario that states another than the class has is refused.",
                });
            }
            variant["additionalProperties"] = json!(false);
            let variants = &mut schema["$defs"]["ControlConfig"]["oneOf"];
            if let Some(variants) = variants.as_array_mut() {
                variants.push(variant);
            }
        }
        Some(schema)
    }

    /// Puts the schemes into the configurations that name them.
    pub fn attach(&self, scenario: &mut Scenario) -> Vec<Problem> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut problems = self.complete(&mut scenario.switch.control, &place!["switch"]);
        if let Topology::Graph(graph) = &mut scenario.topology {
            for (index, node) in graph.nodes.iter_mut().enumerate() {
                if let GraphNode::Switch(GraphSwitch {
                    control: Some(control),
                    ..
                }) = node
                {
                    let at = place!["topology", "node", index];
                    problems.extend(self.complete(control, &at));
                }
            }
        }
        problems
    }

    /// Completes a configuration; the problem, if there is one, is at a key of its table, which
    /// stands in the table at `at`.
    fn complete(&self, control: &mut ControlConfig, at: &Place) -> Vec<Problem> {
        let ControlConfig::Custom(config) = control else {
            return Vec::new();
        };
        let Some(class) = self.class(&config.name) else {
            return Vec::new();
        };
        let problem = |key: &str, message: String, help: &str| {
            let steps = ["control", key].map(Step::from);
            let place = at.iter().cloned().chain(steps).collect();
            vec![Problem::error(place, message, help)]
        };
        let mut parameters = config.parameters.clone();
        let fingerprint = class.fingerprint();
        let stated = fingerprint
            .is_some()
            .then(|| parameters.remove(SOURCE))
            .flatten();
        if let (Some(stated), Some(actual)) = (&stated, &fingerprint)
            && stated != actual
        {
            let message = format!("`{}` has changed: its source is now {actual}", config.name);
            return problem(
                SOURCE,
                message,
                "leave `source` out to use the class as it is",
            );
        }
        let name = config.name.clone();
        let configured = class.configure(parameters);
        let Configured {
            parameters: mut complete,
            scheme,
        } = match configured {
            Ok(configured) => configured,
            Err(Refused { key, why }) => {
                let key = if key.is_empty() { "scheme" } else { &key };
                return problem(key, format!("`{name}` refuses its parameters: {why}"), "");
            }
        };
        if let Some(fingerprint) = fingerprint {
            complete.insert(SOURCE.into(), fingerprint.into());
        }
        *config = CustomConfig::new(name, scheme, complete);
        Vec::new()
    }
}

/// The values of all keys `scheme` that are no names of the registry.
fn named_schemes<'t>(table: &'t Table, named: &mut Vec<(&'t str, &'t Item, &'t Table)>) {
    for entry in &table.entries {
        match &entry.item.value {
            Value::String(name)
                if entry.key == "scheme" && schemes().iter().all(|one| one.name != name) =>
            {
                named.push((name, &entry.item, table));
            }
            Value::Table(inner) => named_schemes(inner, named),
            Value::Array(items) => {
                for item in items {
                    if let Value::Table(inner) = &item.value {
                        named_schemes(inner, named);
                    }
                }
            }
            _ => {}
        }
    }
}
