//! Parameters as JSON: every quantity becomes a plain number under a key that states the unit.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::quantity::Quantity;
use super::schema::definition;

/// Converts parameters, whose types a schema describes, into plain numbers with units in their
/// keys.
#[derive(Clone, Copy)]
pub struct InUnits<'s> {
    /// The schema of the scenario file.
    pub schema: &'s Value,
    /// True if rates are also given in cells/s.
    pub cells: bool,
}

impl InUnits<'_> {
    /// Converts `parameters`, whose type the schema calls `name`. A quantity `key` becomes
    /// `key_seconds`, `key_bytes` or `key_cells`; a rate becomes `key_bits_per_second`, and over
    /// ATM also `key_cells_per_second`. Absent and unlimited values become null. Other values keep
    /// their keys.
    pub fn of<T: Serialize>(self, name: &str, parameters: &T) -> Value {
        let value = serde_json::to_value(parameters)
            .unwrap_or_else(|error| panic!("{name} is no JSON: {error}"));
        self.item(&json!({ "$ref": format!("#/$defs/{name}") }), &value)
    }

    fn item(self, schema: &Value, value: &Value) -> Value {
        let schema = self.resolve(schema).0;
        match value {
            Value::Object(fields) => Value::Object(self.object(variant(schema, fields), fields)),
            Value::Array(items) => items
                .iter()
                .map(|one| self.item(&schema["items"], one))
                .collect(),
            other => other.clone(),
        }
    }

    fn object(self, schema: &Value, fields: &Map<String, Value>) -> Map<String, Value> {
        let mut found = Map::new();
        for (key, value) in fields {
            let property = &schema["properties"][key];
            match Quantity::named(self.resolve(property).1) {
                Some(quantity) => found.extend(self.plain(quantity, key, value)),
                None => drop(found.insert(key.clone(), self.item(property, value))),
            }
        }
        found
    }

    fn resolve<'v>(&'v self, part: &'v Value) -> (&'v Value, &'v str) {
        definition(&self.schema["$defs"], part)
    }

    /// The number, or numbers, of a quantity under keys that state the units.
    fn plain(self, quantity: Quantity, key: &str, value: &Value) -> Vec<(String, Value)> {
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
            Quantity::Rate => {
                let mut rates = vec![named("bits_per_second", 1.0)];
                rates.extend(self.cells.then(|| named("cells_per_second", 424.0)));
                rates
            }
            Quantity::Bytes => vec![named("bytes", 1.0)],
            Quantity::Buffer | Quantity::Cells => vec![named("cells", 1.0)],
            Quantity::QueueLength => vec![(key.into(), value.clone())],
        }
    }
}

/// The variant of a schema that one of `fields` names; the schema itself if it has no variants.
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
