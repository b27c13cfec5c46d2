//! Parameters drawn from their schema, so that a component of a registry is tested with any legal
//! parameters.
//!
//! Values are drawn from the ranges that are worth searching (`x-search`), and from far outside of
//! them; the component's own check may refuse the latter.

use proptest::prelude::*;
use proptest::sample::select;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// Parameters of every component of a registry `T`, one strategy for each.
pub fn components<T: JsonSchema>() -> BoxedStrategy<Value> {
    let schema = schemars::schema_for!(T).to_value();
    let one = |variant: &Value| parameters(variant, &schema);
    let variants = schema["oneOf"]
        .as_array()
        .expect("a registry")
        .iter()
        .map(one)
        .collect::<Vec<_>>();
    assert!(!variants.is_empty());
    prop::strategy::Union::new(variants).boxed()
}

/// Draws legal values for the fields of the parameters `T`, from the schema of `T`.
pub fn fields<T: JsonSchema>() -> BoxedStrategy<Value> {
    let schema = schemars::schema_for!(T).to_value();
    parameters(&schema, &schema)
}

/// Removes the parameters that `fault` names, until it names none.
pub fn legal(mut parameters: Value, fault: impl Fn(&Value) -> Option<String>) -> Value {
    while let Some(field) = fault(&parameters) {
        if !remove(&mut parameters, &field) {
            let tags = ["scheme", "policy"];
            let any = parameters.as_object().and_then(|map| {
                map.keys()
                    .find(|key| !tags.contains(&key.as_str()))
                    .cloned()
            });
            let any = any.unwrap_or_else(|| panic!("`{field}` is wrong by default: {parameters}"));
            remove(&mut parameters, &any);
        }
    }
    parameters
}

fn remove(parameters: &mut Value, field: &str) -> bool {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let Some(map) = parameters.as_object_mut() else {
        return false;
    };
    let nested = map
        .get_mut(first)
        .is_some_and(|nested| !rest.is_empty() && remove(nested, rest));
    nested || map.remove(first).is_some()
}

/// Any of the properties of `node`, the others at their defaults.
fn parameters(node: &Value, root: &Value) -> BoxedStrategy<Value> {
    let node = resolve(node, root);
    let mut names = Vec::new();
    let mut values: Vec<BoxedStrategy<Option<Value>>> = Vec::new();
    let properties = node["properties"].as_object().into_iter().flatten();
    // A law comes from outside.
    let mut properties: Vec<_> = properties.filter(|(name, _)| *name != "law").collect();
    // Draws must not depend on the order in which a build of serde_json keeps keys.
    properties.sort_unstable_by_key(|(name, _)| *name);
    for (name, property) in properties {
        names.push(name.clone());
        values.push(match property.get("const") {
            Some(tag) => Just(Some(tag.clone())).boxed(),
            None => prop::option::weighted(0.4, value(property, root)).boxed(),
        });
    }
    let object = move |values: Vec<Option<Value>>| {
        let drawn = names
            .iter()
            .cloned()
            .zip(values)
            .filter_map(|(name, value)| Some((name, value?)));
        Value::Object(drawn.collect::<Map<_, _>>())
    };
    values.prop_map(object).boxed()
}

fn resolve<'a>(node: &'a Value, root: &'a Value) -> &'a Value {
    match node
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.strip_prefix("#/$defs/"))
    {
        Some(name) if node.get("properties").is_none() => &root["$defs"][name],
        _ => node,
    }
}

/// Values of one property: by the name of its type, if that is a quantity, otherwise by its form.
fn value(property: &Value, root: &Value) -> BoxedStrategy<Value> {
    let present = |one: &&Value| one["type"] != "null";
    let node = property
        .get("anyOf")
        .and_then(Value::as_array)
        .and_then(|all| all.iter().find(present));
    let node = node.unwrap_or(property);
    let quantity = node
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next());
    match quantity {
        Some("Time") => with_unit(
            vec![
                "1 ps",
                "1 us",
                "2.726337 us",
                "1 ms",
                "0 s",
                "100 s",
                "10000000 s",
            ],
            "us",
            100_000,
        ),
        Some("Cells") => with_unit(
            vec![
                "0 cells",
                "1 cells",
                "2 cells",
                "67108864 cells",
                "999999999999999 cells",
            ],
            "cells",
            3_000,
        ),
        Some("Bytes") => with_unit(
            vec!["1 bytes", "2 bytes", "9140 bytes", "65535 bytes", "4 GiB"],
            "bytes",
            200_000,
        ),
        Some("Rate") => with_unit(
            vec![
                "0.001 bit/s",
                "4.24 kbit/s",
                "155.52 Mbit/s",
                "900000 Gbit/s",
            ],
            "kbit/s",
            200_000,
        ),
        _ => plain(resolve(node, root), property, root),
    }
}

fn with_unit(extremes: Vec<&'static str>, unit: &'static str, most: u64) -> BoxedStrategy<Value> {
    let text = move |amount: u64| json!(format!("{amount} {unit}"));
    prop_oneof![
        3 => (1..most).prop_map(text),
        2 => (1..100u64).prop_map(text),
        2 => select(extremes).prop_map(|text| json!(text)),
    ]
    .boxed()
}

fn plain(node: &Value, property: &Value, root: &Value) -> BoxedStrategy<Value> {
    let names = |list: &Value, key: &str| -> Vec<Value> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|one| one.get(key).unwrap_or(one).clone())
            .collect()
    };
    let is = |name: &str| {
        node["type"] == name
            || node["type"]
                .as_array()
                .is_some_and(|all| all.contains(&json!(name)))
    };
    if let Some(list) = node.get("enum") {
        select(names(list, "")).boxed()
    } else if let Some(list) = node.get("oneOf") {
        let all = list.as_array().into_iter().flatten();
        // Several values without documentation share an `enum` among the alternatives. A name may
        // also be the tag of a table.
        let all = all.map(|one| {
            if one.get("properties").is_some() {
                parameters(one, root)
            } else if let Some(list) = one.get("enum") {
                select(names(list, "")).boxed()
            } else {
                Just(one["const"].clone()).boxed()
            }
        });
        prop::strategy::Union::new(all.collect::<Vec<_>>()).boxed()
    } else if node.get("properties").is_some() {
        parameters(node, root)
    } else if is("boolean") {
        any::<bool>().prop_map(|flag| json!(flag)).boxed()
    } else if is("integer") {
        let extremes = vec![0u32, 1, 2, 3, 12, 255, 65_535, u32::MAX];
        prop_oneof![2 => (0..40u32).prop_map(|n| json!(n)), 1 => select(extremes).prop_map(|n| json!(n))].boxed()
    } else if is("number") {
        number(&property["x-search"])
    } else if is("array") {
        Just(json!([])).boxed()
    } else {
        panic!("no way to draw {property}")
    }
}

/// Numbers of the range that is worth searching, with three digits, and far outside of it.
fn number(search: &Value) -> BoxedStrategy<Value> {
    let end = |key: &str, default: f64| search[key].as_f64().unwrap_or(default);
    let (low, high) = (end("low", 0.0), end("high", 2.0));
    let short = |value: f64| json!(format!("{value:.2e}").parse::<f64>().expect("a number"));
    let extremes = vec![
        0.0,
        5e-324,
        1e-300,
        1e-9,
        0.5,
        1.0,
        1.0000001,
        2.0,
        1e9,
        1e300,
        f64::MAX,
    ];
    let extremes = [extremes, vec![low, high]].concat();
    let powers = (0..16i32).prop_map(|n| json!(0.5f64.powi(n)));
    prop_oneof![
        4 => (0.0..=1.0).prop_map(move |share: f64| short(low + share * (high - low))),
        1 => powers,
        3 => select(extremes).prop_map(|value| json!(value)),
    ]
    .boxed()
}
