//! The JSON Schema of a scenario, derived from its types. Editors complete keys with it, and
//! [`super::shape`] checks documents against it.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::types::Scenario;

/// The JSON Schema of a scenario, after JSON Schema 2020-12.
pub fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| of::<Scenario>("cellrate scenario"))
}

/// The JSON Schema of a file that contains a value of the type `T`.
pub fn of<T: schemars::JsonSchema>(title: &str) -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    without_null(&mut schema);
    schema["title"] = json!(title);
    schema
}

/// The definition that `schema` refers to, and the definition's name. Without a reference, `schema`
/// itself.
pub fn definition<'s>(definitions: &'s Value, schema: &'s Value) -> (&'s Value, &'s str) {
    let name = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix("#/$defs/"));
    name.map_or((schema, ""), |name| (&definitions[name], name))
}

/// Removes null from a schema. TOML has no null: an optional key is simply not required.
fn without_null(schema: &mut Value) {
    if let Value::Object(object) = schema {
        object.retain(|_, value| !value.is_null());
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".into(), only);
            }
        }
        if let Some(Value::Array(options)) = object.remove("anyOf") {
            let options: Vec<Value> = options
                .into_iter()
                .filter(|option| option["type"] != "null")
                .collect();
            match <[Value; 1]>::try_from(options) {
                Ok([Value::Object(only)]) => only.into_iter().for_each(|(key, value)| {
                    object.entry(key).or_insert(value);
                }),
                Ok(options) => drop(object.insert("anyOf".into(), json!(options))),
                Err(options) => drop(object.insert("anyOf".into(), json!(options))),
            }
        }
        object.values_mut().for_each(without_null);
    } else if let Value::Array(items) = schema {
        items.iter_mut().for_each(without_null);
    }
}
