//! Control schemes at Ethernet ports. Where a scheme counts ATM cells, it counts bytes on the line here.

use std::collections::BTreeMap;

use cellrate_engine::control::ControlConfig;
use cellrate_engine::ether::aqm::length::Length;
use cellrate_engine::ether::frame::Framing;
use cellrate_engine::kernel::units::Bytes;
use serde::{Deserialize, Serialize, Serializer, ser};
use serde_json::{Value, json};

use crate::scenario::document::{Entry, Table, Value as Written};

/// A control scheme over Ethernet, with lengths in bytes on the line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Control(pub ControlConfig);

impl Serialize for Control {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = serde_json::to_value(&self.0).map_err(ser::Error::custom)?;
        each_length(&mut value, &|bytes| Bytes(bytes).to_string());
        if let Value::Object(fields) = &mut value {
            // TOML has no null, so a key without a value is left out.
            fields.retain(|_, value| !value.is_null());
        }
        value.serialize(serializer)
    }
}

/// Replaces each number of cells in a JSON value by the text that `text` gives for this number.
fn each_length(value: &mut Value, text: &impl Fn(u64) -> String) {
    each_text(value, &|found| {
        let number = found.strip_suffix("cells").or(found.strip_suffix("cell"));
        if let Some(number) = number.and_then(|number| number.trim_end().parse().ok()) {
            *found = text(number);
        }
    });
}

fn each_text(value: &mut Value, change: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| each_text(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Octets on the line of a frame with the longest packet that the document `root` allows.
fn full_frame(root: &Table) -> u64 {
    let ethernet = match root.get("ethernet").map(|item| &item.value) {
        Some(Written::Table(table)) => table.clone(),
        _ => Table::default(),
    };
    let mtu = match ethernet.get("mtu").map(|item| &item.value) {
        Some(Written::String(text)) => text.parse::<Bytes>().ok(),
        _ => None,
    };
    let tagged = ethernet.get("tagged").map(|item| &item.value) == Some(&Written::Boolean(true));
    let mtu = mtu.map_or(1_500, |mtu| u32::try_from(mtu.0.min(1 << 20)).unwrap_or(0));
    u64::from(Framing { tagged }.on_line(mtu))
}

/// Converts the lengths of `[switch.control]` into cells, since control schemes count cells: one cell for
/// each byte on the line. Adds the defaults: one full frame for each cell of the default over ATM. `schema`
/// must contain the scheme among its variants.
pub fn in_bytes(root: &mut Table, schema: &Value) {
    let frame = full_frame(root);
    let switch = root.table_mut("switch");
    let Some(control) = switch.and_then(|switch| switch.table_mut("control")) else {
        return;
    };
    let Some(Written::String(scheme)) = control.get("scheme").map(|item| &item.value) else {
        return;
    };
    let scheme = scheme.clone();
    let lengths = lengths_of(&scheme, schema);
    for Entry { key, item, .. } in &mut control.entries {
        if let Written::String(text) = &mut item.value
            && lengths.contains_key(key)
            && let Some(bytes) = bytes_of(text, frame)
        {
            *text = format!("{bytes} cells");
        }
    }
    let mut defaults = lengths;
    if let Ok(of_registry) = serde_json::from_value::<ControlConfig>(json!({ "scheme": scheme })) {
        // The default threshold of EFCI applies only if neither of these keys is set.
        let has_either = ["threshold", "high"]
            .iter()
            .any(|key| control.get(key).is_some());
        let of_registry = if has_either {
            of_registry
        } else {
            of_registry.in_force()
        };
        let mut written = serde_json::to_value(of_registry).unwrap_or_default();
        each_length(&mut written, &|cells| format!("{cells} packets"));
        // The serialized configuration of a user-defined scheme lacks its defaults.
        for (key, default) in &mut defaults {
            if let Some(length) = written[key].as_str() {
                *default = Some(length.into());
            }
        }
    }
    for (key, default) in defaults {
        let bytes = default.and_then(|default| bytes_of(&default, frame));
        if let Some(bytes) = bytes.filter(|_| control.get(&key).is_none()) {
            control.put(&key, Written::String(format!("{bytes} cells")));
        }
    }
}

/// The bytes of a length such as `3 packets`, with `frame` bytes for each packet.
fn bytes_of(text: &str, frame: u64) -> Option<u64> {
    Some(match Length::try_from(text.to_string()).ok()? {
        Length::Octets(bytes) => bytes,
        Length::Packets(packets) => packets.saturating_mul(frame),
    })
}

/// The parameters of a control scheme that are lengths, each with its default from the schema.
fn lengths_of(scheme: &str, schema: &Value) -> BTreeMap<String, Option<String>> {
    let variants = schema["$defs"]["ControlConfig"]["oneOf"].as_array();
    let mut variants = variants.into_iter().flatten();
    let variant = variants.find(|variant| variant["properties"]["scheme"]["const"] == scheme);
    let properties = variant.and_then(|variant| variant["properties"].as_object());
    let lengths = properties.into_iter().flatten().filter(|(_, property)| {
        let is_length = |property: &Value| property["$ref"] == "#/$defs/QueueLength";
        let mut either = property["anyOf"].as_array().into_iter().flatten();
        is_length(property) || either.any(is_length)
    });
    lengths
        .map(|(key, property)| (key.clone(), property["default"].as_str().map(String::from)))
        .collect()
}

/// Changes the lengths of control schemes in the schema to bytes or packets. A default in cells becomes the
/// same number of full frames.
pub fn in_schema(schema: &mut Value) {
    let control = &mut schema["$defs"]["ControlConfig"];
    each_length(control, &|cells| format!("{cells} packets"));
    each_text(control, &|text| {
        if text == "#/$defs/Cells" {
            *text = "#/$defs/QueueLength".into();
        }
    });
}
