//! From the text of a study to its contents as JSON, checked against the schema.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::checks::check;
use super::levels::Range;
use super::types::Study;
use crate::scenario::diagnostic::{Fault, refuse};
use crate::scenario::document::{Item, Table, Value, locate, read as read_toml};
use crate::scenario::problem::{Problem, Step};
use crate::scenario::source::{Span, Text};
use crate::scenario::{Refusal, schema as schemas, shape};

/// The JSON Schema of a study file, for JSON Schema 2020-12.
pub fn schema() -> &'static Json {
    static SCHEMA: OnceLock<Json> = OnceLock::new();
    SCHEMA.get_or_init(|| schemas::of::<Study>("cellrate study"))
}

/// Reads the study `text` of the file `path`. The JSON has the fields of the types and every
/// default. Only tables of factors, alternatives, derived parameters and measures are lists of name
/// and value, to keep the order of the file.
///
/// # Errors
/// Everything that does not fit the schema of a study, with its position.
pub fn read(text: &str, path: &str) -> Result<Json, Refusal> {
    let texts = [Text { name: path, text }];
    parse(text).map_err(|faults| refuse(faults, &texts))
}

/// Refuses a study that [`read`] accepts, for a reason that the text alone does not show; the
/// refusal points to `place` in the study.
pub fn refusal(text: &str, path: &str, place: &[Step], message: &str, help: &str) -> Refusal {
    let root = read_toml(text, 0).unwrap_or_default();
    refuse(
        vec![Fault::error(locate(&root, place), message).help(help)],
        &[Text { name: path, text }],
    )
}

fn parse(text: &str) -> Result<Json, Vec<Fault>> {
    let root = read_toml(text, 0).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let span = Span {
            text: 0,
            start: span.start,
            end: span.end,
        };
        vec![Fault::error(span, error.message()).help("a study is written in TOML")]
    })?;
    let mut faults = shape::check(&root, schema(), "the study");
    faults.extend(
        factor_tables(&root)
            .flat_map(|table| &table.entries)
            .flat_map(|entry| levels(&entry.key, &entry.item)),
    );
    for key in ["derived", "measures"] {
        faults.extend(
            table(&root, key)
                .into_iter()
                .flat_map(|table| &table.entries)
                .filter_map(|entry| {
                    let text = matches!(entry.item.value, Value::String(_));
                    (!text).then(|| wrong_kind(&entry.key, &entry.item, "a string: an expression"))
                }),
        );
    }
    faults.extend(
        table(&root, "alternatives")
            .into_iter()
            .flat_map(|table| &table.entries)
            .flat_map(|entry| names_of_settings(&entry.key, &entry.item)),
    );
    if !faults.is_empty() {
        return Err(faults);
    }
    let study = Study::deserialize(toml::Table::from(&root)).map_err(|error| {
        let message = format!(
            "the study has the right shape, but cannot be read: {}",
            error.message()
        );
        vec![
            Fault::error(
                Span {
                    text: 0,
                    start: 0,
                    end: 0,
                },
                message,
            )
            .help("this is a defect of cellrate: please report it"),
        ]
    })?;
    let problems = check(&study);
    if problems.is_empty() {
        Ok(in_order(json!(study), &root))
    } else {
        Err(place_all(problems, &root))
    }
}

fn place_all(problems: Vec<Problem>, root: &Table) -> Vec<Fault> {
    let fault = |problem: Problem| {
        Fault::error(locate(root, &problem.place), problem.message).help(problem.help)
    };
    problems.into_iter().map(fault).collect()
}

/// Tables whose keys are names of factors.
fn factor_tables(root: &Table) -> impl Iterator<Item = &Table> {
    let paired = match root.get("paired").map(|item| &item.value) {
        Some(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    let paired = paired.iter().filter_map(|item| match &item.value {
        Value::Table(table) => Some(table),
        _ => None,
    });
    table(root, "factors").into_iter().chain(paired)
}

fn table<'t>(root: &'t Table, key: &str) -> Option<&'t Table> {
    match &root.get(key)?.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// Faults of the values of a factor.
fn levels(key: &str, item: &Item) -> Vec<Fault> {
    match &item.value {
        Value::Array(items) if items.is_empty() => {
            vec![
                Fault::error(item.span, format!("`{key}` has no values"))
                    .label("expected at least one value"),
            ]
        }
        Value::Array(items) => items.iter().filter_map(|item| level(key, item)).collect(),
        Value::Table(range) => {
            static SCHEMA: OnceLock<Json> = OnceLock::new();
            let schema = SCHEMA.get_or_init(|| schemas::of::<Range>("range of a factor"));
            let mut faults = shape::check_within(range, schema, key, item.span);
            let ends = ["from", "to"].into_iter().filter_map(|end| range.get(end));
            faults.extend(ends.filter_map(|end| level(key, end)));
            faults
        }
        _ => vec![wrong_kind(
            key,
            item,
            "a list of values, or a range `{ from = 1, to = 8, count = 4 }`",
        )],
    }
}

fn level(key: &str, item: &Item) -> Option<Fault> {
    match &item.value {
        Value::String(_) | Value::Boolean(_) => None,
        Value::Integer(number) if i64::try_from(*number).is_ok() => None,
        Value::Float(number) if number.is_finite() => None,
        _ => Some(wrong_kind(
            key,
            item,
            "a finite number, `true` or `false`, or a string",
        )),
    }
}

/// Faults of a factor of alternatives.
fn names_of_settings(key: &str, item: &Item) -> Vec<Fault> {
    let Value::Table(names) = &item.value else {
        let expected = "a table: each name with a list of settings";
        return vec![wrong_kind(key, item, expected)];
    };
    let is_text = |item: &Item| matches!(item.value, Value::String(_));
    let is_list = |value: &Value| matches!(value, Value::Array(items) if items.iter().all(is_text));
    (names.entries.iter())
        .filter(|entry| !is_list(&entry.item.value))
        .map(|entry| {
            let expected = "a list of settings, as in `[\"switch.control.scheme=efci\"]`";
            Fault::error(
                entry.item.span,
                format!("`{}` of `{key}` is no list of texts", entry.key),
            )
            .label(format!("expected {expected}"))
        })
        .collect()
}

fn wrong_kind(key: &str, item: &Item, expected: &str) -> Fault {
    Fault::error(
        item.span,
        format!("a value of `{key}` is {}", item.value.kind()),
    )
    .label(format!("expected {expected}"))
}

/// Turns the tables of names in a study into lists of name and value, in the order of the file.
fn in_order(mut study: Json, root: &Table) -> Json {
    for key in ["factors", "alternatives", "derived", "measures"] {
        study[key] = pairs(table(root, key), &study[key]);
    }
    if let Some(all) = table(root, "alternatives")
        && let Some(named) = study["alternatives"].as_array_mut()
    {
        for one in named {
            let values = one[0].as_str().and_then(|name| table(all, name));
            one[1] = pairs(values, &one[1]);
        }
    }
    if let Some(Value::Array(items)) = root.get("paired").map(|item| &item.value) {
        for (i, item) in items.iter().enumerate() {
            if let Value::Table(table) = &item.value {
                study["paired"][i] = pairs(Some(table), &study["paired"][i]);
            }
        }
    }
    study
}

fn pairs(table: Option<&Table>, values: &Json) -> Json {
    let mut entries: Vec<_> = table.into_iter().flat_map(|table| &table.entries).collect();
    entries.sort_by_key(|entry| entry.span);
    entries
        .iter()
        .map(|entry| json!([entry.key, values[&entry.key]]))
        .collect()
}
