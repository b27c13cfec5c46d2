//! From text to a checked scenario.

use serde::Deserialize;
use toml::{Table, Value};

use super::diagnostic::{Diagnostic, Refusal, Severity};
use super::types::Scenario;

/// A scenario that can be run, and what to look at before its results are trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The scenario, every flow with its own complete TCP and ABR parameters.
    pub scenario: Scenario,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Scenario {
    /// Reads the scenario of `text`, which stands in the file `path`, with `overrides` of the form
    /// `path=value` and, if given, another seed.
    ///
    /// # Errors
    /// Everything that keeps the scenario from being run, located.
    pub fn parse(text: &str, path: &str, overrides: &[String], seed: Option<u64>) -> Result<Checked, Refusal> {
        let mut table: Table = text.parse().map_err(|error| refuse(&error, path))?;
        for text in overrides {
            let changed: Table = text.parse().map_err(|error| refuse(&error, "--set"))?;
            merge(&mut table, changed);
        }
        if let (Some(seed), Some(Value::Table(run))) = (seed, table.get_mut("run")) {
            run.insert("seed".into(), Value::Integer(seed as i64));
        }
        share(&mut table);
        let scenario = Scenario::deserialize(table).map_err(|error| refuse(&error, path))?;
        Ok(Checked { scenario, warnings: Vec::new() })
    }
}

/// Gives every flow the keys of `[tcp]` and `[abr]` that it does not have.
fn share(table: &mut Table) {
    for name in ["tcp", "abr"] {
        let Some(Value::Table(shared)) = table.get(name).cloned() else { continue };
        let Some(Value::Array(flows)) = table.get_mut("flow") else { continue };
        for flow in flows.iter_mut().filter_map(Value::as_table_mut) {
            let own = flow.remove(name);
            let mut all = shared.clone();
            if let Some(Value::Table(own)) = own {
                merge(&mut all, own);
            }
            flow.insert(name.into(), Value::Table(all));
        }
    }
}

fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn refuse(error: &toml::de::Error, path: &str) -> Refusal {
    let diagnostic = Diagnostic {
        severity: Severity::Error,
        message: error.message().into(),
        path: path.into(),
        line: 1,
        column: 1,
        label: String::new(),
        help: String::new(),
    };
    Refusal { diagnostics: vec![diagnostic], rendered: error.to_string() }
}
