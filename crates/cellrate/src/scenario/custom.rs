//! Control schemes, discard policies, TCP recoveries and laws of ABR sources that are not in the
//! registry. The reader of the scenario finds each component, checks its parameters against the
//! component's own schema, and writes out every default.

mod in_rust;

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, OnceLock};

use cellrate_engine::control::{ControlConfig, CustomControl, CustomScheme, PortFacts, schemes};
use cellrate_engine::custom::Custom;
use cellrate_engine::discard::{self, CustomDiscard, DiscardConfig, policies};
use cellrate_engine::endsystem::{AbrConfig, CustomLaw, LawState, SourceFacts};
use cellrate_engine::tcp::Recovery;
use cellrate_engine::tcp::recovery::{self, CustomPolicy, CustomRecovery, Facts};
use serde_json::{Map, Value as Json, json};

use super::diagnostic::Fault;
use super::document::{Item, Table, Value};
use super::problem::{Place, Problem, Step, place};
use super::topology::{GraphNode, GraphSwitch, Topology};
use super::types::Scenario;

pub use in_rust::{Parameters, RustSchemes};

/// Kind of component that a scenario may take from outside the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Control scheme of a switch.
    Control,
    /// Discard policy of a queue.
    Discard,
    /// Loss recovery and congestion control of TCP.
    Recovery,
    /// Law of the rate of an ABR source.
    Law,
}

impl Kind {
    /// Key whose value names the component in a table of the scenario.
    pub fn tag(self) -> &'static str {
        match self {
            Kind::Control => "scheme",
            Kind::Discard | Kind::Recovery => "policy",
            Kind::Law => "law",
        }
    }
    /// Name of the definition in the schema whose variants are the registry's components of this
    /// kind.
    fn definition(self) -> &'static str {
        match self {
            Kind::Control => "ControlConfig",
            Kind::Discard => "DiscardConfig",
            Kind::Recovery => "Recovery",
            Kind::Law => "Law",
        }
    }
}

/// Finds the components that a scenario names and the registry does not have.
pub trait Schemes: Send + Sync {
    /// Finds the component that `name` names in the scenario of the file `path`; `None` if the text
    /// `name` does not have the form of such a name.
    ///
    /// # Errors
    /// The reason why there is no such component, or why it may not be used.
    fn find(
        &self,
        kind: Kind,
        name: &str,
        path: &str,
    ) -> Result<Option<Arc<dyn SchemeClass>>, NotFound>;
    /// True if the scenario is read for a description only. A component that is not found then
    /// keeps its parameters as written, and the scenario cannot run.
    fn describes_only(&self) -> bool {
        false
    }
}

/// Reason why a scheme was not found, and what helps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotFound {
    /// Reason why the scheme was not found.
    pub message: String,
    /// Advice to the user; may be empty.
    pub help: String,
}

/// A scheme, discard policy, recovery or law before its parameters are set.
pub trait SchemeClass: Debug + Send + Sync {
    /// JSON schema of the table of parameters. It may refer to definitions of the schema of
    /// scenarios, such as `#/$defs/Time`; other definitions are under the table's own `$defs`.
    fn schema(&self) -> Json;
    /// Fingerprint of the component's source code, which becomes part of the scenario and so of the
    /// key of its results; `None` for a component of the program itself.
    fn fingerprint(&self) -> Option<String> {
        None
    }
    /// Reason why the component's parameters cannot change during a run; `None` if they can. Only
    /// parameters of a control scheme or a discard policy may change.
    fn fixed(&self) -> Option<String> {
        Some("it takes its parameters once, when it is made".into())
    }
    /// Makes the component with `parameters`, which fit the schema.
    ///
    /// # Errors
    /// If the component refuses the parameters.
    fn configure(&self, parameters: Map<String, Json>) -> Result<Configured, Refused>;
}

/// A user-defined component, made with the parameters of one scenario.
#[derive(Debug)]
pub struct Configured {
    /// Values of all parameters of the component: as the scenario sets them, and the default of each parameter that
    /// the scenario does not set.
    pub parameters: Map<String, Json>,
    /// The component with these parameters.
    pub made: Made,
}

/// A component of one of the kinds.
#[derive(Clone, Debug)]
pub enum Made {
    /// A control scheme.
    Control(Arc<dyn CustomScheme>),
    /// A discard policy.
    Discard(Arc<dyn CustomDiscard>),
    /// A loss recovery of TCP.
    Recovery(Arc<dyn CustomRecovery>),
    /// A law of the rate of an ABR source.
    Law(Arc<dyn CustomLaw>),
    /// No component, because the scenario is read for a description only.
    Nothing,
}

/// The error of a component that refuses its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Key of the refused parameter; empty if no single parameter is at fault.
    pub key: String,
    /// Reason why the component refuses the parameters.
    pub why: String,
}

/// Finder that finds nothing: only components of the registry can be used.
#[derive(Clone, Copy, Debug)]
pub struct RegistryAlone;

impl Schemes for RegistryAlone {
    fn find(&self, _: Kind, _: &str, _: &str) -> Result<Option<Arc<dyn SchemeClass>>, NotFound> {
        Ok(None)
    }
}

/// The keys that a scenario writes for a component that is not known, and the kind of the
/// component. The scenario is read for a description only.
#[derive(Debug)]
struct Written(Vec<String>, Kind);

impl SchemeClass for Written {
    fn schema(&self) -> Json {
        let keys = self.0.iter().filter(|key| *key != self.1.tag());
        // The schema allows any value for these keys.
        let properties = keys.map(|key| (key.clone(), json!({ "anyOf": [] })));
        json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() })
    }
    fn configure(&self, parameters: Map<String, Json>) -> Result<Configured, Refused> {
        Ok(Configured {
            parameters,
            made: Made::Nothing,
        })
    }
}

/// Stands for a component that is not known. It cannot run; the scenario is read for a description
/// only.
#[derive(Debug)]
struct Unknown;

impl Unknown {
    const NAME: &str = "unknown";

    fn refuse() -> ! {
        panic!("a scenario that is only described does not run")
    }
}

impl CustomScheme for Unknown {
    fn name(&self) -> &'static str {
        Unknown::NAME
    }
    fn build(&self, _: PortFacts) -> Box<dyn CustomControl> {
        Unknown::refuse()
    }
}

impl CustomDiscard for Unknown {
    fn name(&self) -> &'static str {
        Unknown::NAME
    }
    fn build(&self, _: usize, _: u64) -> Box<dyn discard::CustomPolicy> {
        Unknown::refuse()
    }
}

impl CustomRecovery for Unknown {
    fn name(&self) -> &'static str {
        Unknown::NAME
    }
    fn build(&self, _: &Facts) -> Box<dyn CustomPolicy> {
        Unknown::refuse()
    }
}

impl CustomLaw for Unknown {
    fn name(&self) -> &'static str {
        Unknown::NAME
    }
    fn build(&self, _: SourceFacts) -> Box<dyn LawState> {
        Unknown::refuse()
    }
}

/// A copy of `text` that lives until the program ends; equal texts share one copy. Names of schemes
/// and of their keys are few, so the copies take little memory.
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

/// Key of the fingerprint in the table of a component.
const SOURCE: &str = "source";

/// The components from outside the registry that a document names.
#[derive(Default)]
pub(crate) struct Found(Vec<(Kind, String, Arc<dyn SchemeClass>)>);

impl Found {
    /// Finds the components that the document `root` of the file `path` names.
    ///
    /// # Errors
    /// The components that `finder` does not find, each at its place.
    pub fn of(root: &Table, path: &str, finder: &dyn Schemes) -> Result<Found, Vec<Fault>> {
        let mut named = Vec::new();
        named_in(root, &mut named);
        let (mut found, mut faults) = (Found::default(), Vec::new());
        for Named {
            kind,
            name,
            item,
            keys,
        } in named
        {
            if found.class(kind, name).is_some() {
                continue;
            }
            if finder.describes_only() {
                let class = Arc::new(Written(keys, kind));
                found.0.push((kind, name.into(), class));
                continue;
            }
            match finder.find(kind, name, path) {
                Ok(Some(class)) => found.0.push((kind, name.into(), class)),
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

    fn class(&self, kind: Kind, name: &str) -> Option<&Arc<dyn SchemeClass>> {
        let mut found = self.0.iter();
        let found = found.find(|(of, known, _)| *of == kind && known == name);
        found.map(|(_, _, class)| class)
    }

    /// The schema of scenarios that may name these components, made from the schema `registry` of
    /// the registry's components; `None` if no components were found.
    pub fn schema(&self, registry: &Json) -> Option<Json> {
        if self.0.is_empty() {
            return None;
        }
        let mut schema = registry.clone();
        for (kind, name, class) in &self.0 {
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
            if matches!(kind, Kind::Control | Kind::Discard) {
                let can = class.fixed().map_or(Json::Bool(true), Json::String);
                for property in properties.as_object_mut().into_iter().flatten() {
                    property.1["x-change"] = can.clone();
                }
            }
            properties[kind.tag()] = json!({ "type": "string", "const": name });
            if class.fingerprint().is_some() {
                properties[SOURCE] = json!({
                    "type": "string",
                    "description": "Fingerprint of the class's source. Written into results; a \
                                    scenario that states another than the class has is refused.",
                });
            }
            variant["additionalProperties"] = json!(false);
            let about = variant["description"].clone();
            let definition = &mut schema["$defs"][kind.definition()];
            if !definition["oneOf"].is_array() {
                *definition = json!({ "description": definition["description"], "oneOf": [] });
            }
            let variants = &mut definition["oneOf"];
            if let Some(variants) = variants.as_array_mut() {
                if *kind == Kind::Recovery {
                    variants.push(json!({ "type": "string", "const": name, "description": about }));
                }
                variants.push(variant);
            }
        }
        Some(schema)
    }

    /// Puts each component into the configurations of `scenario` that name the component.
    pub fn attach(&self, scenario: &mut Scenario) -> Vec<Problem> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut problems = self.control(&mut scenario.switch.control, place!["switch"]);
        problems.extend(self.discard(&mut scenario.switch.discard, place!["switch"]));
        if let Topology::Graph(graph) = &mut scenario.topology {
            for (index, node) in graph.nodes.iter_mut().enumerate() {
                let GraphNode::Switch(GraphSwitch {
                    control, discard, ..
                }) = node
                else {
                    continue;
                };
                let at = place!["topology", "node", index];
                if let Some(control) = control {
                    problems.extend(self.control(control, at.clone()));
                }
                if let Some(discard) = discard {
                    problems.extend(self.discard(discard, at));
                }
            }
        }
        problems.extend(self.recovery(&mut scenario.tcp.recovery, place!["tcp"]));
        problems.extend(self.law(&mut scenario.abr, place!["abr"]));
        for (index, flow) in scenario.flows.iter_mut().enumerate() {
            let at = place!["flow", index];
            problems.extend(self.recovery(&mut flow.tcp.recovery, with(&at, "tcp")));
            problems.extend(self.law(&mut flow.abr, with(&at, "abr")));
        }
        problems
    }

    /// Puts the scheme that `control` names into `control`; `at` is the place of the switch.
    pub fn control(&self, control: &mut ControlConfig, at: Place) -> Vec<Problem> {
        let ControlConfig::Custom(config) = control else {
            return Vec::new();
        };
        let made = |made| match made {
            Made::Control(scheme) => Some(scheme),
            Made::Nothing => Some(Arc::new(Unknown) as Arc<dyn CustomScheme>),
            _ => None,
        };
        self.complete(Kind::Control, config, made, with(&at, "control"))
    }

    /// Puts the policy that `discard` names into `discard`; `at` is the place of the switch.
    pub fn discard(&self, discard: &mut DiscardConfig, at: Place) -> Vec<Problem> {
        let DiscardConfig::Custom(config) = discard else {
            return Vec::new();
        };
        let made = |made| match made {
            Made::Discard(policy) => Some(policy),
            Made::Nothing => Some(Arc::new(Unknown) as Arc<dyn CustomDiscard>),
            _ => None,
        };
        self.complete(Kind::Discard, config, made, with(&at, "discard"))
    }

    /// Puts the recovery that `recovery` names into `recovery`; `at` is the place of the TCP
    /// parameters.
    pub fn recovery(&self, recovery: &mut Recovery, at: Place) -> Vec<Problem> {
        let Recovery::Custom(config) = recovery else {
            return Vec::new();
        };
        let made = |made| match made {
            Made::Recovery(recovery) => Some(recovery),
            Made::Nothing => Some(Arc::new(Unknown) as Arc<dyn CustomRecovery>),
            _ => None,
        };
        self.complete(Kind::Recovery, config, made, with(&at, "recovery"))
    }

    /// Puts the law that `abr` names into `abr`; `at` is the place of the ABR parameters.
    pub fn law(&self, abr: &mut AbrConfig, at: Place) -> Vec<Problem> {
        let Some(config) = &mut abr.law else {
            return Vec::new();
        };
        let made = |made| match made {
            Made::Law(law) => Some(law),
            Made::Nothing => Some(Arc::new(Unknown) as Arc<dyn CustomLaw>),
            _ => None,
        };
        self.complete(Kind::Law, config, made, with(&at, "law"))
    }

    /// Puts the component and its default parameters into a configuration; `at` is the place of the
    /// configuration's table.
    fn complete<S: ?Sized>(
        &self,
        kind: Kind,
        config: &mut Custom<S>,
        of_kind: impl Fn(Made) -> Option<Arc<S>>,
        at: Place,
    ) -> Vec<Problem> {
        let Some(class) = self.class(kind, &config.name) else {
            return Vec::new();
        };
        let problem = |key: &str, message: String, help: &str| {
            vec![Problem::error(with(&at, key), message, help)]
        };
        let mut parameters = config.parameters.clone();
        let fingerprint = class.fingerprint();
        let states = fingerprint.is_some();
        let stated = states.then(|| parameters.remove(SOURCE)).flatten();
        if let (Some(stated), Some(actual)) = (&stated, &fingerprint)
            && stated != actual
        {
            let message = format!(
                "the source text of `{}` has changed since `source` was written: its fingerprint is now {actual}",
                config.name
            );
            return problem(
                SOURCE,
                message,
                "remove `source` to use the class as it is now",
            );
        }
        let name = config.name.clone();
        let Configured {
            parameters: mut complete,
            made,
        } = match class.configure(parameters) {
            Ok(configured) => configured,
            Err(Refused { key, why }) => {
                let key = if key.is_empty() { kind.tag() } else { &key };
                return problem(
                    key,
                    format!("the class `{name}` refuses its parameters: {why}"),
                    "",
                );
            }
        };
        if let Some(fingerprint) = fingerprint {
            complete.insert(SOURCE.into(), fingerprint.into());
        }
        match of_kind(made) {
            Some(made) => *config = Custom::new(name, made, complete),
            None => config.parameters = complete,
        }
        Vec::new()
    }
}

/// The place of `key` in the table at `at`.
fn with(at: &Place, key: &str) -> Place {
    at.iter().cloned().chain([Step::from(key)]).collect()
}

/// The name of a component, as a document contains it.
struct Named<'t> {
    kind: Kind,
    name: &'t str,
    item: &'t Item,
    /// Keys of the table that contains the name; empty if the name is not in a table.
    keys: Vec<String>,
}

/// Collects the names in `table` that the registry does not have.
fn named_in<'t>(table: &'t Table, named: &mut Vec<Named<'t>>) {
    let keys = || {
        table
            .entries
            .iter()
            .map(|entry| entry.key.clone())
            .collect()
    };
    for entry in &table.entries {
        let item = &entry.item;
        match (entry.key.as_str(), &item.value) {
            ("scheme", Value::String(name)) if schemes().iter().all(|one| one.name != name) => {
                let (kind, keys) = (Kind::Control, keys());
                named.push(Named {
                    kind,
                    name,
                    item,
                    keys,
                });
            }
            ("law", Value::String(name)) => {
                let (kind, keys) = (Kind::Law, keys());
                named.push(Named {
                    kind,
                    name,
                    item,
                    keys,
                });
            }
            ("recovery", Value::String(name)) => {
                named_policy(Kind::Recovery, name, item, Vec::new(), named);
            }
            (key @ ("recovery" | "discard"), Value::Table(inner)) => {
                if let Some(item) = inner.get("policy")
                    && let Value::String(name) = &item.value
                {
                    let keys = inner.entries.iter().map(|entry| entry.key.clone());
                    let kind = match key {
                        "discard" => Kind::Discard,
                        _ => Kind::Recovery,
                    };
                    named_policy(kind, name, item, keys.collect(), named);
                }
            }
            (_, Value::Table(inner)) => named_in(inner, named),
            (_, Value::Array(items)) => {
                for item in items {
                    if let Value::Table(inner) = &item.value {
                        named_in(inner, named);
                    }
                }
            }
            _ => {}
        }
    }
}

fn named_policy<'t>(
    kind: Kind,
    name: &'t str,
    item: &'t Item,
    keys: Vec<String>,
    named: &mut Vec<Named<'t>>,
) {
    let registered = match kind {
        Kind::Discard => policies(),
        _ => recovery::names(),
    };
    if registered.iter().all(|one| one.name != name) {
        named.push(Named {
            kind,
            name,
            item,
            keys,
        });
    }
}
