//! Control schemes at ports of Ethernet: where a scheme counts cells of ATM, it counts bytes on the line here.

use cellrate_engine::control::ControlConfig;
use cellrate_engine::ether::aqm::length::Length;
use cellrate_engine::ether::frame::{Framing, GAP, PREAMBLE};
use cellrate_engine::kernel::units::Bytes;
use serde::{Deserialize, Serialize, Serializer, ser};
use serde_json::{Value, json};

use crate::scenario::document::{Entry, Item, Table, Value as Written};
use crate::scenario::source::Span;

/// A scheme whose lengths are in bytes on the line, written as such.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Control(pub ControlConfig);

impl Serialize for Control {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = serde_json::to_value(&self.0).map_err(ser::Error::custom)?;
        each_length(&mut value, &|bytes| Bytes(bytes).to_string());
        if let Value::Object(fields) = &mut value {
            // TOML has no null: a key without a value is left out.
            fields.retain(|_, value| !value.is_null());
        }
        value.serialize(serializer)
    }
}

/// Replaces every number of cells in a value of JSON by the text for that number.
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

/// Bytes on the line of a frame with the longest packet of a document.
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
    u64::from(PREAMBLE + Framing { tagged }.frame(mtu) + GAP)
}

/// Writes the lengths of `[switch.control]` in the cells that the schemes read, one for a byte on the line,
/// and adds the defaults: one full frame for each cell that a scheme has by default on ATM.
pub fn in_bytes(root: &mut Table) {
    let frame = full_frame(root);
    let Some(Written::Table(switch)) = root.get_mut("switch").map(|item| &mut item.value) else {
        return;
    };
    let Some(Written::Table(control)) = switch.get_mut("control").map(|item| &mut item.value)
    else {
        return;
    };
    for Entry { item, .. } in &mut control.entries {
        if let Written::String(text) = &mut item.value
            && let Ok(length) = Length::try_from(text.clone())
        {
            let bytes = match length {
                Length::Octets(bytes) => bytes,
                Length::Packets(packets) => packets.saturating_mul(frame),
            };
            *text = format!("{bytes} cells");
        }
    }
    let Some(Written::String(scheme)) = control.get("scheme").map(|item| &item.value) else {
        return;
    };
    let default = serde_json::from_value::<ControlConfig>(json!({ "scheme": scheme })).ok();
    // Of EFCI the default in force belongs to one of two keys.
    let has_either = ["threshold", "high"]
        .iter()
        .any(|key| control.get(key).is_some());
    let default = default.map(|it| if has_either { it } else { it.in_force() });
    let Some(Ok(Value::Object(fields))) = default.map(serde_json::to_value) else {
        return;
    };
    for (key, mut value) in fields {
        if control.get(&key).is_some() {
            continue;
        }
        let before = value.clone();
        each_length(&mut value, &|cells| format!("{} cells", cells * frame));
        if let Value::String(text) = &value
            && value != before
        {
            let span = Span {
                text: 0,
                start: 0,
                end: 0,
            };
            let item = Item {
                value: Written::String(text.clone()),
                span,
            };
            control.set(Entry { key, span, item });
        }
    }
}

/// The schema with lengths of schemes in bytes or packets; one of a number of cells by default has as many
/// full frames.
pub fn in_schema(mut schema: Value) -> Value {
    let control = &mut schema["$defs"]["ControlConfig"];
    each_length(control, &|cells| format!("{cells} packets"));
    each_text(control, &|text| {
        if text == "#/$defs/Cells" {
            *text = "#/$defs/QueueLength".into();
        }
    });
    if let Some(known) = schema["$defs"].as_object_mut() {
        known.remove("Cells");
    }
    schema
}
