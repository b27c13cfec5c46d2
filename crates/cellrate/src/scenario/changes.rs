//! Changes of settings during a run. Each change gives the complete scenario that holds from the
//! time of the change on; this scenario is read and checked like any other. The schema says by the
//! attribute `x-change` which keys may change: `true`, or the reason why a key cannot change. On a
//! table, `x-change` holds for all keys in the table; if it is `true`, only keys with a range
//! (`x-search`) can change.

use std::collections::BTreeMap;

use cellrate_engine::kernel::Ps;
use serde_json::Value as Json;
use toml::Value as Toml;

use super::diagnostic::Fault;
use super::document::{Entry, Item, Table, Value, locate};
use super::graph::Graph;
use super::problem::{Place, Step};
use super::resolve::resolved;
use super::schema::definition;
use super::set;
use super::short_path::variant;
use super::types::{Change, Scenario, Setting};

/// A scenario of a link layer, whose settings may change during a run.
pub trait Changing {
    /// Nodes, links and routes of the scenario.
    type Graph;
    /// Simulated time that the run lasts.
    fn duration(&self) -> Ps;
    /// Changes during the run.
    fn changes(&self) -> &Vec<Change>;
    /// Changes during the run, to be rewritten.
    fn changes_mut(&mut self) -> &mut Vec<Change>;
    /// The scenario with every default written out.
    fn resolved(&self) -> toml::Table;
}

impl Changing for Scenario {
    type Graph = Graph;
    fn duration(&self) -> Ps {
        self.run.duration
    }
    fn changes(&self) -> &Vec<Change> {
        &self.changes
    }
    fn changes_mut(&mut self) -> &mut Vec<Change> {
        &mut self.changes
    }
    fn resolved(&self) -> toml::Table {
        resolved(self)
    }
}

/// A scenario from the time of a change on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage<S: Changing = Scenario> {
    /// Time of the change.
    pub at: Ps,
    /// The scenario with the keys of this change and of all changes before this one.
    pub scenario: S,
    /// Graph of the scenario: nodes, links and routes do not change, settings of switches may.
    pub graph: S::Graph,
}

/// Largest number of changes in a scenario.
const MOST: usize = 1_000;

/// A checked document: its scenario, its graph and its warnings.
pub type Judged<S = Scenario> = (S, <S as Changing>::Graph, Vec<Fault>);

/// Returns the stages of the scenario in `root`, whose document fits `schema`; `read` reads and
/// checks the scenario of each stage. The function adds the warnings of the stages to those of
/// `first`, the scenario before any change. It also rewrites the changes in `first`: every changed
/// key with its value, in the usual form of the value.
pub fn stages<S: Changing>(
    root: &Table,
    schema: &Json,
    first: &mut Judged<S>,
    mut read: impl FnMut(&Table) -> Result<Judged<S>, Vec<Fault>>,
) -> Result<Vec<Stage<S>>, Vec<Fault>> {
    let Some(Value::Array(changes)) = root.get("changes").map(|item| &item.value) else {
        return Ok(Vec::new());
    };
    check_times(&first.0, changes)?;
    let (mut tree, mut stages) = (root.clone(), Vec::<Stage<S>>::new());
    tree.entries.retain(|entry| entry.key != "changes");
    let mut told = Vec::new();
    let times: Vec<Ps> = first.0.changes().iter().map(|change| change.at).collect();
    for (item, at) in changes.iter().zip(times) {
        let old = tree.clone();
        let mut faults = apply(&mut tree, item);
        other_kinds(&old, &tree, &mut faults);
        let after = |mut fault: Fault| {
            fault.message = format!("from {at} on: {}", fault.message);
            fault
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        let known = |fault: &Fault| first.2.contains(fault);
        let (scenario, graph, warnings) = read(&tree).map_err(|faults| {
            let new = faults.into_iter().filter(|fault| !known(fault));
            new.map(after).collect::<Vec<_>>()
        })?;
        told.extend(
            warnings
                .into_iter()
                .filter(|fault| !known(fault))
                .map(after),
        );
        let before = stages.last().map_or(&first.0, |stage| &stage.scenario);
        let differences = Differences::between(schema, (before, &old), (&scenario, &tree))?;
        first.0.changes_mut()[stages.len()].set = differences;
        stages.push(Stage {
            at,
            scenario,
            graph,
        });
    }
    told.sort_by_key(|fault| fault.span);
    told.dedup_by(|a, b| a.span == b.span && tail(&a.message) == tail(&b.message));
    first.2.extend(told);
    Ok(that_change(first, stages))
}

/// Returns the message without its opening words, which state the time of the change.
fn tail(message: &str) -> &str {
    message.split_once(": ").map_or(message, |(_, rest)| rest)
}

/// Returns the stages that change something, and removes changes that change nothing from the
/// scenario `first`.
fn that_change<S: Changing>(first: &mut Judged<S>, stages: Vec<Stage<S>>) -> Vec<Stage<S>> {
    let changes = std::mem::take(first.0.changes_mut());
    let (kept, mut stages): (Vec<Change>, Vec<Stage<S>>) = changes
        .into_iter()
        .zip(stages)
        .filter(|(change, _)| !change.set.is_empty())
        .unzip();
    first.0.changes_mut().clone_from(&kept);
    for stage in &mut stages {
        stage.scenario.changes_mut().clone_from(&kept);
    }
    stages
}

/// Checks that the times of the changes increase and lie within the run.
fn check_times(scenario: &impl Changing, changes: &[Item]) -> Result<(), Vec<Fault>> {
    if changes.len() > MOST {
        let message = format!("the scenario has {} changes", changes.len());
        let help = format!("allowed: at most {MOST}");
        return Err(vec![Fault::error(changes[MOST].span, message).help(help)]);
    }
    let mut faults = Vec::new();
    let (mut before, end) = (Ps::ZERO, scenario.duration());
    for (item, Change { at, .. }) in changes.iter().zip(scenario.changes()) {
        let span = match &item.value {
            Value::Table(table) => locate(table, &[Step::from("at")]),
            _ => item.span,
        };
        if *at >= end {
            let message = format!("a change at {at} comes too late: the run ends at {end}");
            let help = "allowed: before the end of the run";
            faults.push(Fault::error(span, message).help(help));
        } else if *at <= before {
            let message = match before {
                Ps::ZERO => format!("a change at {at} is too early"),
                before => format!("the change at {at} is listed after the change at {before}"),
            };
            let help = "changes come after 0 s, in the order of their times; keys that change \
                        together belong into one `set`";
            faults.push(Fault::error(span, message).help(help));
        }
        before = before.max(*at);
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

/// Sets the keys of a change in a document.
fn apply(tree: &mut Table, change: &Item) -> Vec<Fault> {
    let Value::Table(change) = &change.value else {
        return Vec::new();
    };
    let Some(Value::Table(keys)) = change.get("set").map(|item| &item.value) else {
        return Vec::new();
    };
    let apply = |entry| set::put_each(tree, entry).err();
    keys.entries.iter().filter_map(apply).collect()
}

/// Keys whose value selects the kind of a table, and so the other keys that the table may have.
const KINDS: [&str; 6] = [
    "scheme",
    "policy",
    "kind",
    "template",
    "algorithm",
    "discipline",
];

/// Reports tables whose kind a change replaces: their other keys would be unknown keys of the new
/// kind.
fn other_kinds(before: &Table, after: &Table, faults: &mut Vec<Fault>) {
    for Entry { key, item, .. } in &after.entries {
        match (before.get(key).map(|item| &item.value), &item.value) {
            (Some(Value::Table(before)), Value::Table(after)) => other_kinds(before, after, faults),
            (Some(Value::Array(before)), Value::Array(after)) => {
                for pair in before.iter().zip(after) {
                    if let (Value::Table(before), Value::Table(after)) =
                        (&pair.0.value, &pair.1.value)
                    {
                        other_kinds(before, after, faults);
                    }
                }
            }
            (Some(Value::String(before)), Value::String(after))
                if before != after && KINDS.contains(&key.as_str()) =>
            {
                let message = format!("`{key}` cannot change during a run");
                let fault = Fault::error(item.span, message).label("fixed from start to end");
                faults.push(fault.help(another_kind(key)));
            }
            _ => {}
        }
    }
}

fn another_kind(key: &str) -> String {
    format!("another `{key}` has other state, so it needs a run of its own")
}

/// Keys that differ between the documents before and after a change.
struct Differences<'t> {
    definitions: &'t Json,
    /// The documents before and after the change.
    trees: (&'t Table, &'t Table),
    place: Place,
    /// Path of the table under comparison, as `--set` writes the path.
    path: Vec<String>,
    found: BTreeMap<String, Setting>,
    /// Faults of keys that cannot change: in `faults`, of keys that the change sets; in
    /// `consequences`, of keys whose values follow from such keys.
    faults: Vec<Fault>,
    consequences: Vec<Fault>,
}

/// The rule that says which keys of a table can change.
#[derive(Clone, Copy)]
enum Rule<'s> {
    /// Keys with a search range (`x-search`) can change.
    Ranges,
    /// No key can change, for this reason.
    Fixed(&'s str),
}

/// Reason why a key cannot change if the key has no range, although other keys of its table can
/// change.
const NO_RANGE: &str = "the key selects a variant; only numeric parameters can change during a run";

impl<'s> Rule<'s> {
    /// The rule for the keys inside `property`, a table.
    fn within(self, property: &'s Json) -> Rule<'s> {
        match &property["x-change"] {
            Json::Bool(true) => Rule::Ranges,
            Json::String(reason) => Rule::Fixed(reason),
            _ => self,
        }
    }
    /// The reason why a property cannot change; `None` if it can.
    fn reason(self, property: &'s Json) -> Option<&'s str> {
        match (&property["x-change"], self) {
            (Json::Bool(true), _) => None,
            (Json::String(reason), _) => Some(reason),
            (_, Rule::Ranges) if property["x-search"].is_object() => None,
            (_, Rule::Ranges) => Some(property["x-not-searched"].as_str().unwrap_or(NO_RANGE)),
            (_, Rule::Fixed(reason)) => Some(reason),
        }
    }
}

impl<'t> Differences<'t> {
    /// The keys whose values differ between the documents `before` and `after`, each with its path.
    fn between<S: Changing>(
        schema: &'t Json,
        (before, old): (&S, &'t Table),
        (after, new): (&S, &'t Table),
    ) -> Result<BTreeMap<String, Setting>, Vec<Fault>> {
        let mut differences = Differences {
            definitions: &schema["$defs"],
            trees: (old, new),
            place: Vec::new(),
            path: Vec::new(),
            found: BTreeMap::new(),
            faults: Vec::new(),
            consequences: Vec::new(),
        };
        let (mut before, after) = (before.resolved(), after.resolved());
        before.remove("changes");
        differences.tables(schema, Rule::Fixed(""), &before, &after);
        let Differences {
            found,
            faults,
            consequences,
            ..
        } = differences;
        if faults.is_empty() && consequences.is_empty() {
            Ok(found)
        } else if faults.is_empty() {
            Err(consequences)
        } else {
            Err(faults)
        }
    }

    fn tables(
        &mut self,
        schema: &'t Json,
        rule: Rule<'t>,
        before: &toml::Table,
        after: &toml::Table,
    ) {
        let schema = variant(definition(self.definitions, schema).0, |key| {
            after.get(key).and_then(Toml::as_str)
        });
        let tag = tag(schema).filter(|tag| before.get(*tag) != after.get(*tag));
        if let Some(tag) = tag {
            return self.at(tag.into(), tag, |all| all.refuse(&another_kind(tag)));
        }
        for (key, value) in after {
            let property = &schema["properties"][key];
            let old = before.get(key);
            if old != Some(value) {
                self.at(key.as_str().into(), key, |all| {
                    all.values(property, rule, old, value)
                });
            }
        }
        for (key, old) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
            let property = &schema["properties"][key];
            let is_of_one_flow = self.is_of_one_flow(key);
            self.at(key.as_str().into(), key, |all| match property["default"] {
                // A truth value that the document does not write has its default.
                Json::Bool(default) => all.values(property, rule, Some(old), &default.into()),
                // If a flow's own value has become equal to the value of all flows, the document
                // no longer writes it.
                _ if is_of_one_flow => {}
                _ => all.refuse("a change cannot remove a key; a key that a table or list in `set` leaves out counts as removed"),
            });
        }
    }

    /// True for a key of the TCP or ABR parameters of a single flow, and for the table of these
    /// parameters.
    fn is_of_one_flow(&self, key: &str) -> bool {
        let path = self.path.iter().map(String::as_str).chain([key]);
        let path: Vec<&str> = path.collect();
        matches!(path[..], ["flow", _, "abr" | "tcp", ..])
    }

    /// Calls `act` for the table or element one `step` further down, with the path extended by
    /// `name`.
    fn at(&mut self, step: Step, name: &str, act: impl FnOnce(&mut Self)) {
        self.place.push(step);
        self.path.push(name.into());
        act(self);
        self.place.pop();
        self.path.pop();
    }

    fn values(&mut self, property: &'t Json, rule: Rule<'t>, before: Option<&Toml>, after: &Toml) {
        let (within, none) = (rule.within(property), toml::Table::new());
        match (before, after) {
            (Some(Toml::Table(before)), Toml::Table(after)) => {
                self.tables(property, within, before, after);
            }
            (None, Toml::Table(after)) => match within {
                Rule::Fixed(reason) => self.refuse(reason),
                Rule::Ranges => self.tables(property, within, &none, after),
            },
            (Some(Toml::Array(before)), Toml::Array(after))
                if before.len() == after.len() && after.iter().all(Toml::is_table) =>
            {
                let items = &definition(self.definitions, property).0["items"];
                self.elements(items, within, before, after);
            }
            _ => match rule.reason(property) {
                Some(reason) => self.refuse(reason),
                None => {
                    let path: Vec<String> = self.path.iter().map(|key| quoted(key)).collect();
                    self.found.insert(path.join("."), Setting(after.clone()));
                }
            },
        }
    }

    fn elements(&mut self, items: &'t Json, rule: Rule<'t>, before: &[Toml], after: &[Toml]) {
        for (index, pair) in before.iter().zip(after).enumerate() {
            if let (Toml::Table(before), Toml::Table(after)) = pair
                && before != after
            {
                let number = index.to_string();
                let name = after.get("name").and_then(Toml::as_str).unwrap_or(&number);
                self.at(index.into(), name, |all| {
                    all.tables(items, rule, before, after)
                });
            }
        }
    }

    fn refuse(&mut self, reason: &str) {
        let path = self.path.join(".");
        let message = format!("`{path}` cannot change during a run");
        let (before, after) = self.trees;
        let span = locate(after, &self.place);
        let fault = Fault::error(span, message)
            .label("fixed from start to end")
            .help(reason);
        if span == locate(before, &self.place) {
            self.consequences.push(fault);
        } else {
            self.faults.push(fault);
        }
    }
}

/// The key that names the variant of a table.
fn tag(schema: &Json) -> Option<&str> {
    let mut properties = schema["properties"].as_object()?.iter();
    let found = properties.find(|(_, property)| property["const"].is_string());
    found.map(|(key, _)| key.as_str())
}

/// The key as a path contains it: in quotation marks if TOML needs them.
fn quoted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if key.chars().all(is_bare) {
        key.into()
    } else {
        format!("\"{key}\"")
    }
}
