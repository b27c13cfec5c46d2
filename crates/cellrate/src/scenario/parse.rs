//! From the text of a scenario to a checked scenario.

use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::changes::{Judged, Stage, stages};
use super::checks;
use super::custom::{Found, RegistryAlone, Schemes};
use super::diagnostic::{Diagnostic, Fault, Refusal, Severity, refuse};
use super::document::{Entry, Item, Table, Value, locate, read};
use super::graph::Graph;
use super::problem::{Problem, Step};
use super::source::{Span, Text};
use super::types::Scenario;
use super::{schema, set, shape};
use crate::traffic_files::Files;

/// A scenario that can be run, its graph, and the warnings about the scenario. Only
/// [`Scenario::parse`] makes a `Checked`, and a run takes nothing else. Each text is therefore read
/// only once, and each graph is built only once.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    scenario: Scenario,
    graph: Graph,
    stages: Vec<Stage>,
    warnings: Vec<Diagnostic>,
    schema: Option<serde_json::Value>,
}

impl Checked {
    /// The scenario, in which every flow has its own complete TCP and ABR parameters.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }
    /// For each change during the run, in order of time, the scenario that holds from the change
    /// on.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }
    /// Graph of the scenario with the routes of its flows.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
    /// The schema that the scenario fits: the schema of the registry, extended by the components
    /// from outside the registry that this scenario names.
    pub fn schema(&self) -> &serde_json::Value {
        self.schema.as_ref().unwrap_or_else(|| schema())
    }
    /// Warnings of the scenario's check.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// Greatest length of a scenario file, in bytes.
const LONGEST_FILE: usize = 8 << 20;

impl Scenario {
    /// Reads the scenario `text` of the file `path`, with `overrides` of the form `path=value`, and
    /// with `seed` instead of its own seed if one is given. The function also reads the files that
    /// sources play back; their paths are relative to the directory of `path`.
    ///
    /// # Errors
    /// Every reason why the scenario cannot be run, with its position.
    pub fn parse(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
    ) -> Result<Checked, Refusal> {
        Scenario::parse_with(text, path, overrides, seed, &RegistryAlone)
    }

    /// Reads the scenario `text` as [`Scenario::parse`] does. The scenario may also name components
    /// that only `schemes` finds.
    ///
    /// # Errors
    /// Every reason why the scenario cannot be run, with its position.
    pub fn parse_with(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
        schemes: &dyn Schemes,
    ) -> Result<Checked, Refusal> {
        let given = (text, path, overrides);
        let (checked, warnings) = open(given, seed, schemes, |mut root, found, directory| {
            take_link_layer(&mut root)?;
            let mut files = Files::of(directory);
            let own = found.schema(schema());
            let fits = own.as_ref().unwrap_or_else(|| schema());
            let mut read = |root: &Table| read_scenario(root.clone(), fits, &mut files, found);
            let mut first = read(&root)?;
            let stages = stages(&root, fits, &mut first, read)?;
            let (scenario, graph, warnings) = first;
            Ok(((scenario, graph, stages, own), warnings))
        })?;
        let (scenario, graph, stages, schema) = checked;
        Ok(Checked {
            scenario,
            graph,
            stages,
            warnings,
            schema,
        })
    }
}

/// The text, the path and the overrides from which a scenario is read.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    text: String,
    path: String,
    overrides: Vec<String>,
}

impl Given {
    pub fn new(text: &str, path: &str, overrides: &[String]) -> Given {
        Given {
            text: text.into(),
            path: path.into(),
            overrides: overrides.into(),
        }
    }

    /// Refuses the scenario for a reason that its text alone does not show; the refusal points to
    /// the key `key`.
    pub fn refusal(&self, key: &[&str], message: &str, help: &str) -> Refusal {
        let texts = texts(&self.text, &self.path, &self.overrides, None);
        let mut root = read(&self.text, 0).unwrap_or_default();
        for (i, text) in texts.iter().enumerate().skip(1) {
            // Each override was applied once before without a fault, so none fails here.
            let _ = set::apply(&mut root, text.text, i);
        }
        let place: Vec<Step> = key.iter().map(|key| Step::from(*key)).collect();
        refuse(
            vec![Fault::error(locate(&root, &place), message).help(help)],
            &texts,
        )
    }
}

/// Reads and checks a scenario. `judge` receives the document, the components from outside the
/// registry and the directory of the file; it returns the checked result with its warnings.
///
/// # Errors
/// Every reason why the scenario cannot be run, with its position.
pub(crate) fn open<T>(
    (text, path, overrides): (&str, &str, &[String]),
    seed: Option<u64>,
    schemes: &dyn Schemes,
    judge: impl FnOnce(Table, &Found, &Path) -> Result<(T, Vec<Fault>), Vec<Fault>>,
) -> Result<(T, Vec<Diagnostic>), Refusal> {
    let seed = seed.map(|seed| seed.to_string());
    let texts = texts(text, path, overrides, seed.as_ref());
    let directory = Path::new(path).parent().unwrap_or(Path::new(""));
    let judged = read_root(&texts, overrides.len(), seed.as_deref()).and_then(|root| {
        let found = Found::of(&root, path, schemes)?;
        judge(root, &found, directory)
    });
    let (found, warnings) = judged.map_err(|faults| refuse(faults, &texts))?;
    let warnings = warnings.iter().map(|fault| fault.locate(&texts));
    Ok((found, warnings.collect()))
}

/// The texts of a scenario, in the order of their numbers in positions: the file, the overrides,
/// the seed.
pub(crate) fn texts<'a>(
    text: &'a str,
    path: &'a str,
    overrides: &'a [String],
    seed: Option<&'a String>,
) -> Vec<Text<'a>> {
    let mut texts = vec![Text { name: path, text }];
    texts.extend(overrides.iter().map(|text| Text {
        name: "--set",
        text,
    }));
    texts.extend(seed.map(|text| Text {
        name: "--seed",
        text,
    }));
    texts
}

const NO_TEXT: &str = "a scenario is a text file in TOML";

/// The document of a scenario: the file, changed by the overrides and by the seed, if one is given.
pub(crate) fn read_root(
    texts: &[Text<'_>],
    overrides: usize,
    seed: Option<&str>,
) -> Result<Table, Vec<Fault>> {
    refuse_no_text(texts[0].text).map_err(|fault| vec![fault])?;
    let mut root = read(texts[0].text, 0).map_err(|error| vec![no_toml(&error)])?;
    let applied = (1..=overrides).filter_map(|i| set::apply(&mut root, texts[i].text, i).err());
    refuse_any(applied.collect())?;
    if let Some(seed) = seed {
        set_seed(&mut root, seed, texts.len() - 1);
    }
    Ok(root)
}

/// Reads a scenario from a document, and the files that its sources play back.
fn read_scenario(
    mut root: Table,
    schema: &serde_json::Value,
    files: &mut Files<'_>,
    found: &Found,
) -> Result<Judged, Vec<Fault>> {
    refuse_any(shape::check(&root, schema, "the scenario"))?;
    share(&mut root);
    let mut scenario =
        Scenario::deserialize(toml::Table::from(&root)).map_err(|error| vec![unread(&error)])?;
    scenario.complete();
    let at = |problems: Vec<Problem>| problems.into_iter().map(|problem| place(problem, &root));
    refuse_any(at(found.attach(&mut scenario)).collect())?;
    refuse_any(at(files.read_all(&mut scenario)).collect())?;
    judge(scenario, &root)
}

/// The scenario with its graph and its warnings, or the reasons why it is impossible.
fn judge(scenario: Scenario, root: &Table) -> Result<Judged, Vec<Fault>> {
    let (graph, problems) = checks::check(&scenario);
    let mut faults: Vec<Fault> = problems
        .into_iter()
        .map(|problem| place(problem, root))
        .collect();
    faults.sort_by_key(|fault| fault.span);
    faults.dedup();
    match graph {
        Some(graph)
            if faults
                .iter()
                .all(|fault| fault.severity == Severity::Warning) =>
        {
            Ok((scenario, graph, faults))
        }
        _ => Err(faults),
    }
}

/// Removes `link_layer`, which a scenario of ATM cells need not have, from its document.
fn take_link_layer(root: &mut Table) -> Result<(), Vec<Fault>> {
    let (own, entries) = std::mem::take(&mut root.entries)
        .into_iter()
        .partition(|entry| entry.key == "link_layer");
    root.entries = entries;
    let layers = json!({"properties": {"link_layer": {"enum": ["atm", "ethernet"]}}});
    refuse_any(shape::check(&Table { entries: own }, &layers, ""))
}

pub(crate) fn refuse_any(faults: Vec<Fault>) -> Result<(), Vec<Fault>> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

fn refuse_no_text(text: &str) -> Result<(), Fault> {
    let at = |start| Span {
        text: 0,
        start,
        end: start,
    };
    if text.len() > LONGEST_FILE {
        let message = format!("the file has {} bytes", text.len());
        let help = format!(
            "allowed: at most {LONGEST_FILE} bytes; `count` sets the number of flows of a group"
        );
        return Err(Fault::error(at(0), message).help(help));
    }
    if let Some(nul) = text.find('\0') {
        return Err(Fault::error(at(nul), "the file contains a NUL character").help(NO_TEXT));
    }
    if text
        .lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    {
        let help = "`cellrate new n-source` writes a scenario to start from";
        return Err(Fault::error(at(0), "the scenario is empty").help(help));
    }
    Ok(())
}

fn no_toml(error: &toml::de::Error) -> Fault {
    let span = error.span().unwrap_or(0..0);
    let fault = Fault::error(
        Span {
            text: 0,
            start: span.start,
            end: span.end,
        },
        error.message(),
    );
    fault.help("a scenario is written in TOML")
}

/// A fault that shows an error in the program: the schema must accept only documents that can be
/// read, as a test checks.
pub(crate) fn unread(error: &toml::de::Error) -> Fault {
    let message = format!("{UNREAD}: {}", error.message());
    Fault::error(
        Span {
            text: 0,
            start: 0,
            end: 0,
        },
        message,
    )
    .help("this is a defect of cellrate: please report it")
}

/// Beginning of the message of the fault that [`unread`] makes.
pub(super) const UNREAD: &str = "the scenario has the right shape, but cannot be read";

fn set_seed(root: &mut Table, seed: &str, text: usize) {
    let span = Span {
        text,
        start: 0,
        end: seed.len(),
    };
    let item = Item {
        value: Value::Integer(seed.parse().unwrap_or(i128::MAX)),
        span,
    };
    if let Some(Item {
        value: Value::Table(run),
        ..
    }) = root.get_mut("run")
    {
        run.set(Entry {
            key: "seed".into(),
            span,
            item,
        });
    }
}

/// Copies the keys of `[tcp]` and `[abr]` into every flow that does not set them itself.
pub(crate) fn share(root: &mut Table) {
    for key in ["tcp", "abr"] {
        let Some(shared) = root.entry(key).cloned() else {
            continue;
        };
        let Some(Item {
            value: Value::Array(flows),
            ..
        }) = root.get_mut("flow")
        else {
            continue;
        };
        for flow in flows {
            let Value::Table(flow) = &mut flow.value else {
                continue;
            };
            let mut entry = shared.clone();
            if let Some(own) = flow.entry(key) {
                entry.span = own.span;
                merge(&mut entry.item, &own.item);
            }
            flow.set(entry);
        }
    }
}

fn merge(shared: &mut Item, own: &Item) {
    match (&mut shared.value, &own.value) {
        (Value::Table(shared), Value::Table(own)) if is_same_variant(shared, own) => own
            .entries
            .iter()
            .for_each(|entry| match shared.get_mut(&entry.key) {
                Some(item) => merge(item, &entry.item),
                None => shared.set(entry.clone()),
            }),
        _ => *shared = own.clone(),
    }
}

/// False if both tables name a policy and the names differ, because different policies have
/// different keys.
fn is_same_variant(shared: &Table, own: &Table) -> bool {
    match (shared.get("policy"), own.get("policy")) {
        (Some(shared), Some(own)) => shared.value == own.value,
        _ => true,
    }
}

pub(crate) fn place(problem: Problem, root: &Table) -> Fault {
    let Problem {
        severity,
        place,
        message,
        help,
    } = problem;
    Fault {
        severity,
        span: locate(root, &place),
        message,
        label: String::new(),
        help,
    }
}
