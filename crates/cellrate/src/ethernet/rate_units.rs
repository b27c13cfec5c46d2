//! Units of rates over Ethernet: rates count bits on the line. Rates of cells, of payload and of
//! physical layers under ATM are refused (`x-bits` in the schema).

use serde_json::Value as Json;

const ALLOWED: &str = "a rate above zero such as \"10 Gbit/s\"";
const UNITS: &str = "units: bit/s, kbit/s, Mbit/s, Gbit/s";
/// Kinds of sources that have a rate, and the key of this rate.
const OF_SOURCES: [(&str, &str); 4] = [
    ("cbr", "rate"),
    ("poisson", "rate"),
    ("on-off", "peak"),
    ("exponential-on-off", "peak"),
];

/// Writes the allowed units into the schema, and for each source with a rate what the rate counts.
pub fn document(schema: &mut Json) {
    let rate = &mut schema["$defs"]["Rate"];
    rate["description"] = format!("{ALLOWED} ({UNITS})").into();
    rate["pattern"] = "^\\s*[0-9][0-9_.eE+-]*\\s*(bit|kbit|Mbit|Gbit)/s\\s*$".into();
    rate["x-bits"] = true.into();
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
