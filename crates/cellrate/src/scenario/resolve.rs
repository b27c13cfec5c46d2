//! A scenario with every default written out. Stores and results contain this text.

use serde::Serialize;
use toml::{Table, Value};

use super::types::Scenario;

/// The complete TOML of `scenario`. Reading this text gives the same scenario, and equal scenarios
/// have equal texts. `[flow.tcp]` and `[flow.abr]` contain only keys whose values differ from those
/// in `[tcp]` and `[abr]`.
pub fn resolve(scenario: &Scenario) -> String {
    resolved(scenario).to_string()
}

/// The complete scenario, as [`resolve`] writes it, as a table.
pub fn resolved(scenario: &Scenario) -> Table {
    without_repetition(scenario, &["tcp", "abr"])
}

/// A scenario as a table. The tables of a flow under `keys` contain only values that differ from
/// the table of the same name for all flows.
pub(crate) fn without_repetition(scenario: &impl Serialize, keys: &[&str]) -> Table {
    let mut table =
        Table::try_from(scenario).unwrap_or_else(|error| panic!("a scenario is no TOML: {error}"));
    for key in keys {
        let shared = table.get(*key).cloned();
        for flow in table
            .get_mut("flow")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let (Some(shared), Some(flow)) = (&shared, flow.as_table_mut()) {
                keep_differences(flow, key, shared);
            }
        }
    }
    table
}

fn keep_differences(flow: &mut Table, key: &str, shared: &Value) {
    let Some(own) = flow.get_mut(key).and_then(Value::as_table_mut) else {
        return;
    };
    own.retain(|name, value| shared.get(name) != Some(value));
    if own.is_empty() {
        flow.remove(key);
    }
}
