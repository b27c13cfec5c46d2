//! Units of rates over Ethernet: rates count bits on the line. Rates of cells and rates of payload
//! are refused.

use serde_json::Value as Json;

use crate::scenario::diagnostic::Fault;
use crate::scenario::document::{Item, Table, Value};

const ALLOWED: &str = "a rate above zero such as \"10 Gbit/s\"";
const UNITS: &str = "units: bit/s, kbit/s, Mbit/s, Gbit/s";
/// Units of cell rates.
const OF_CELLS: [&str; 4] = ["cell/s", "cells/s", "cell/ms", "cells/ms"];

/// Kinds of sources that have a rate, and the key of this rate.
const OF_SOURCES: [(&str, &str); 4] = [
    ("cbr", "rate"),
    ("poisson", "rate"),
    ("on-off", "peak"),
    ("exponential-on-off", "peak"),
];

/// Refuses rates in a document that count cells or payload.
pub fn check(root: &Table) -> Vec<Fault> {
    let entries = root.entries.iter();
    let faults = entries.flat_map(|entry| of_item(&entry.key, &entry.item));
    faults.collect()
}

fn of_item(key: &str, item: &Item) -> Vec<Fault> {
    match &item.value {
        Value::Table(table) => check(table),
        Value::Array(items) => items.iter().flat_map(|item| of_item(key, item)).collect(),
        Value::String(text) if counts_cells(text) => {
            let message = format!("`{key}` cannot be \"{}\"", text.trim());
            let expected = format!("expected {ALLOWED}");
            Vec::from([Fault::error(item.span, message).label(expected).help(UNITS)])
        }
        _ => Vec::new(),
    }
}

/// True for a number with a unit of cell rates, or for a rate that the word `payload` follows.
fn counts_cells(text: &str) -> bool {
    let text = text.trim();
    let number = |rest: &str| rest.trim().parse::<f64>().is_ok();
    let of_cells = |text: &str| {
        let unit = OF_CELLS.iter().find_map(|unit| text.strip_suffix(unit));
        unit.is_some_and(number)
    };
    match text.strip_suffix("payload") {
        Some(bare) => bare.trim().ends_with("/s") || of_cells(bare.trim()),
        None => of_cells(text),
    }
}

/// Writes the allowed units into the schema, and for each source with a rate what the rate counts.
pub fn document(schema: &mut Json) {
    let rate = &mut schema["$defs"]["Rate"];
    rate["description"] = format!("{ALLOWED} ({UNITS})").into();
    rate["pattern"] = "^\\s*[0-9][0-9_.eE+-]*\\s*(bit|kbit|Mbit|Gbit)/s\\s*$".into();
    let Some(sources) = schema["$defs"]["SourceConfig"]["oneOf"].as_array_mut() else {
        return;
    };
    for source in sources {
        let properties = &mut source["properties"];
        let found = OF_SOURCES
            .iter()
            .find(|(kind, _)| properties["kind"]["const"] == *kind);
        if let Some((kind, key)) = found {
            let what = match *kind {
                "cbr" => "Rate of the datagrams",
                "poisson" => "Mean rate of the datagrams",
                _ => "Rate of the datagrams in an ON period",
            };
            let text = format!("{what}: of their frames with preambles and gaps.");
            properties[*key]["description"] = text.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rates_of_cells_and_payload_are_found() {
        for text in [
            "3 cells/s",
            " 1e3 cell/ms ",
            "10 Mbit/s payload",
            "3 cells/ms payload",
        ] {
            assert!(counts_cells(text), "{text}");
        }
        for text in ["10 Mbit/s", "payload", "cells/s", "h3", "files/cells/s"] {
            assert!(!counts_cells(text), "{text}");
        }
    }
}
