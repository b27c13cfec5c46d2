//! Every setting has an effect: for every property of the scenario's schema there is a scenario in
//! which changing it changes the result. A setting that is silently not applied fails here, and a
//! new setting without a case fails, too.

#[path = "must_differ/bases.rs"]
mod bases;
#[path = "must_differ/table/mod.rs"]
mod table;
#[path = "must_differ/walk.rs"]
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use cellrate::run::simulate;
use cellrate::scenario::Scenario;
use serde_json::Value;

use table::{Case, WITHOUT_EFFECT, cases};

fn digest(base: &str, with: &[&str], value: &str) -> Result<String, String> {
    let mut overrides: Vec<String> = with.iter().map(|text| text.to_string()).collect();
    overrides.extend((!value.is_empty()).then(|| value.to_string()));
    let checked = Scenario::parse(base, "base.toml", &overrides, None)
        .map_err(|refusal| refusal.to_string())?;
    let outcome = simulate(&checked, "", &mut |_, _| true).map_err(|error| error.to_string())?;
    let summary: Value =
        serde_json::from_str(&outcome.summary).map_err(|error| error.to_string())?;
    Ok(summary["digest"].to_string())
}

/// The fault of a case: values that give the same run, or no run.
fn fault(case: &Case) -> Option<String> {
    let mut seen = BTreeMap::new();
    case.values
        .iter()
        .find_map(|value| match digest(case.base, case.with, value) {
            Err(message) => Some(format!(
                "{}: `{value}` cannot be run: {message}",
                case.property
            )),
            Ok(digest) => {
                let before = seen.insert(digest, *value);
                before.map(|before| {
                    format!(
                        "{}: `{before}` and `{value}` give the same run",
                        case.property
                    )
                })
            }
        })
}

#[test]
fn every_value_in_the_table_gives_a_run_of_its_own() {
    let faults: Vec<String> = cases().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_property_of_the_schema_is_in_the_table() {
    let schema = schemars::schema_for!(Scenario).to_value();
    let properties = walk::properties(&schema);
    let known: BTreeSet<&str> = cases()
        .map(|case| case.property)
        .chain(WITHOUT_EFFECT.iter().map(|(property, _)| *property))
        .collect();
    let missing: Vec<&String> = properties
        .iter()
        .filter(|property| !known.contains(property.as_str()))
        .collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
    let gone: Vec<&&str> = known
        .iter()
        .filter(|property| !properties.contains(**property))
        .collect();
    assert!(
        gone.is_empty(),
        "cases for what is no longer there: {gone:?}"
    );
}

#[test]
fn every_value_of_an_enumeration_is_in_the_table() {
    let schema = schemars::schema_for!(Scenario).to_value();
    for (property, values) in walk::enumerations(&schema) {
        let found: Vec<&Case> = cases().filter(|case| case.property == property).collect();
        if found.is_empty() {
            continue; // Without effect, or not in the table at all: the tests above see to that.
        }
        for value in values {
            let mentioned = |case: &&Case| {
                case.base.contains(&value) || case.values.iter().any(|v| v.contains(&value))
            };
            let default = found.iter().any(|case| case.values.contains(&""));
            assert!(
                default || found.iter().any(mentioned),
                "{property} = {value} is never tried"
            );
        }
    }
}
