//! Parameters as JSON in which every quantity is a plain number and its key states the unit.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::quantity::Quantity;
use super::schema::{definition, schema};

/// Converts `parameters`, a type of the scenario file that the schema calls `name`. A quantity
/// `key` becomes `key_seconds`, `key_bytes` or `key_cells`, a rate `key_bits_per_second` and
/// `key_cells_per_second`; absent and unlimited values are null. Everything else keeps its key.
pub fn in_units<T: Serialize>(name: &str, parameters: &T) -> Value {
    let value = serde_json::to_value(parameters)
        .unwrap_or_else(|error| panic!("{name} is no JSON: {error}"));
    item(&json!({ "$ref": format!("#/$defs/{name}") }), &value)
}

fn item(schema: &Value, value: &Value) -> Value {
    let schema = resolve(schema).0;
    match value {
        Value::Object(fields) => Value::Object(object(variant(schema, fields), fields)),
        Value::Array(items) => items
            .iter()
            .map(|one| item(&schema["items"], one))
            .collect(),
        other => other.clone(),
    }
}

fn object(schema: &Value, fields: &Map<String, Value>) -> Map<String, Value> {
    let mut found = Map::new();
    for (key, value) in fields {
        let property = &schema["properties"][key];
        match Quantity::named(resolve(property).1) {
            Some(quantity) => found.extend(plain(quantity, key, value)),
            None => drop(found.insert(key.clone(), item(property, value))),
        }
    }
    found
}

fn resolve(part: &Value) -> (&Value, &str) {
    definition(&schema()["$defs"], part)
}

/// The variant of a schema that the tag among `fields` selects; the schema itself if it has no
/// variants.
fn variant<'s>(schema: &'s Value, fields: &Map<String, Value>) -> &'s Value {
    let chosen = |variant: &&Value| {
        let mut properties = variant["properties"].as_object().into_iter().flatten();
        properties.any(|(key, property)| {
            property["const"].is_string() && fields.get(key) == Some(&property["const"])
        })
    };
    schema["oneOf"]
        .as_array()
        .and_then(|variants| variants.iter().find(chosen))
        .unwrap_or(schema)
}

/// A quantity under keys that state its units.
fn plain(quantity: Quantity, key: &str, value: &Value) -> Vec<(String, Value)> {
    let base = value
        .as_str()
        .and_then(|text| quantity.value(text))
        .filter(|value| value.is_finite());
    let named = |unit: &str, factor: f64| {
        let name = if key == unit || key.ends_with(&format!("_{unit}")) {
            key.into()
        } else {
            format!("{key}_{unit}")
        };
        (name, base.map_or(Value::Null, |base| json!(base / factor)))
    };
    match quantity {
        Quantity::Time | Quantity::Delay => vec![named("seconds", 1.0)],
        Quantity::Rate => vec![
            named("bits_per_second", 1.0),
            named("cells_per_second", 424.0),
        ],
        Quantity::Bytes => vec![named("bytes", 1.0)],
        Quantity::Buffer | Quantity::Cells => vec![named("cells", 1.0)],
        Quantity::QueueLength => vec![(key.into(), value.clone())],
    }
}
