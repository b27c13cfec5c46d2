//! All settings, derived from the schema.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Tables of flows that share their keys with top-level tables.
const SHARED: [&str; 2] = ["flow.tcp", "flow.abr"];

#[derive(Default)]
struct Found {
    properties: BTreeSet<String>,
    enumerations: BTreeMap<String, Vec<String>>,
}

/// Every property as a dotted path; the choice of a variant adds its name:
/// `switch.control.erica.delta`.
pub fn properties(schema: &Value) -> BTreeSet<String> {
    walked(schema).properties
}

/// Properties with a fixed set of names as values.
pub fn enumerations(schema: &Value) -> BTreeMap<String, Vec<String>> {
    walked(schema).enumerations
}

fn walked(schema: &Value) -> Found {
    let mut found = Found::default();
    walk(schema, schema, "", &mut found);
    found
}

fn walk(root: &Value, schema: &Value, path: &str, found: &mut Found) {
    let schema = resolved(root, schema);
    if let Some(options) = schema["anyOf"].as_array() {
        let real = options.iter().filter(|option| option["type"] != "null");
        return real.for_each(|option| walk(root, option, path, found));
    }
    if let Some(variants) = schema["oneOf"].as_array() {
        return one_of(root, variants, path, found);
    }
    if let Some(properties) = schema["properties"].as_object() {
        return each(root, properties, path, found);
    }
    let items = resolved(root, &schema["items"]);
    if items["properties"].is_object() || items["oneOf"].is_array() && !SHARED.contains(&path) {
        return walk(root, items, path, found);
    }
    found.properties.insert(path.into());
    if let Some(names) = schema["enum"].as_array() {
        found.enumerations.insert(
            path.into(),
            names
                .iter()
                .filter_map(Value::as_str)
                .map(String::from)
                .collect(),
        );
    }
}

fn each(root: &Value, properties: &Map<String, Value>, path: &str, found: &mut Found) {
    for (name, schema) in properties {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let nested_switch = path.starts_with("topology.graph.node.switch.");
        if SHARED.contains(&path.as_str()) || nested_switch {
            found.properties.insert(path);
        } else {
            walk(root, schema, &path, found);
        }
    }
}

/// Variants distinguished by a constant property, or names.
fn one_of(root: &Value, variants: &[Value], path: &str, found: &mut Found) {
    found.properties.insert(path.into());
    let mut names = Vec::new();
    for variant in variants {
        names.extend(variant["const"].as_str().map(String::from));
        names.extend(
            variant["enum"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(String::from),
        );
        let variant = flattened(root, variant);
        let Some(tag) = variant
            .iter()
            .find_map(|(_, schema)| schema["const"].as_str())
        else {
            continue;
        };
        names.push(tag.into());
        let settings = variant
            .iter()
            .filter(|(_, schema)| !schema["const"].is_string());
        let settings: Map<String, Value> = settings
            .map(|(name, schema)| (name.clone(), schema.clone()))
            .collect();
        each(root, &settings, &format!("{path}.{tag}"), found);
    }
    // A name that is also the tag of a table counts once.
    names.sort();
    names.dedup();
    found.enumerations.insert(path.into(), names);
}

/// Properties of a variant, including those of the type that it refers to.
fn flattened(root: &Value, variant: &Value) -> Map<String, Value> {
    let mut all = Map::new();
    if variant["$ref"].is_string() {
        all.extend(
            resolved(root, variant)["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default(),
        );
    }
    all.extend(
        variant["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default(),
    );
    all
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema["$ref"]
        .as_str()
        .and_then(|target| target.strip_prefix('#'));
    target.map_or(schema, |pointer| {
        resolved(root, root.pointer(pointer).unwrap_or(&Value::Null))
    })
}
