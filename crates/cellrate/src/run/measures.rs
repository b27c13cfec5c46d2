//! The dictionary of measures: the contents of a run's summary, derived from the Rust types of the
//! report. Doc comments of the types are the definitions. The attributes `x-unit`, `x-formula`,
//! `x-source`, `x-better` and `x-greatest` add the rest.

mod counted;

use serde::Serialize;
use serde_json::Value;

use super::summary::Summary;
use crate::ethernet;

/// A table of measures: one row for each entity of a kind, or for the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Name of the table: `run`, or the key of a list in the summary, `flows`, `classes`, `vcs`,
    /// `ports`, `queues` or `warnings`.
    pub table: String,
    /// Description of one row of the table.
    pub about: String,
    /// Measures of the table, in the order of the summary.
    pub measures: Vec<Measure>,
}

/// A measure of the summary: its key, unit and meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// Key of the measure in a row of its table. A dot leads into an object, as in
    /// `balance.in_path_bytes`.
    pub key: String,
    /// Type of the value: `integer`, `number`, `text` or `texts`.
    pub kind: &'static str,
    /// Definition of the measure in one sentence.
    pub definition: String,
    /// Unit of the measure; empty where it has none.
    pub unit: String,
    /// Formula that gives the measure from other measures; empty if there is none.
    pub formula: String,
    /// The paper, standard or RFC that defines the measure; `cellrate` if none does.
    pub source: String,
    /// Direction in which the measure improves, `more` or `less`; empty if neither is better.
    pub better: String,
    /// The greatest value that the measure can have; null if its definition sets none.
    pub greatest: Option<f64>,
}

/// Endings of names that state a unit, each with its unit.
const SUFFIXES: [(&str, &str); 6] = [
    ("_cells_per_second", "cells/s"),
    ("_bits_per_second", "bit/s"),
    ("_seconds", "s"),
    ("_ratio", ""),
    ("_share", ""),
    ("_index", ""),
];
/// Unit of counts of packets over ATM, where a packet is an AAL5 PDU.
const PDUS: &str = "PDUs";
/// Words anywhere in a name that state a unit, each with its unit.
const WORDS: [(&str, &str); 5] = [
    ("cells", "cells"),
    ("bytes", "bytes"),
    ("segments", "segments"),
    ("packets", PDUS),
    ("records", "records"),
];

/// Every measure of a run over ATM, table by table.
///
/// # Panics
/// If a measure lacks a definition, a unit or a source; a test excludes this.
pub fn measures() -> Vec<Table> {
    let schema = schemars::schema_for!(Summary).to_value();
    of_summary(&schema, counted::over_atm)
}

/// Every measure of a run over Ethernet, table by table.
///
/// # Panics
/// In the same cases as [`measures`].
pub fn measures_over_ethernet() -> Vec<Table> {
    let schema = schemars::schema_for!(ethernet::Summary).to_value();
    let mut tables = of_summary(&schema, counted::over_ethernet);
    let measures = tables.iter_mut().flat_map(|table| &mut table.measures);
    let in_packets = |measure: &&mut Measure| measure.unit == PDUS;
    for measure in measures.filter(in_packets) {
        measure.unit = "packets".into();
    }
    tables
}

fn of_summary(schema: &Value, counted: fn() -> Vec<Measure>) -> Vec<Table> {
    let mut walk = Walk {
        counted,
        definitions: &schema["$defs"],
        tables: Vec::new(),
    };
    walk.table("run", schema);
    walk.tables
}

struct Walk<'s> {
    /// Statistics of control schemes at a port.
    counted: fn() -> Vec<Measure>,
    definitions: &'s Value,
    tables: Vec<Table>,
}

impl<'s> Walk<'s> {
    /// Adds the table `name`, whose rows are objects of `schema`, and then a table for each list in
    /// `schema`.
    fn table(&mut self, name: &str, schema: &'s Value) {
        let place = self.tables.len();
        self.tables.push(Table {
            table: name.into(),
            about: text(schema, "description"),
            measures: Vec::new(),
        });
        let measures = self.object("", schema);
        self.tables[place].measures = measures;
    }

    /// The measures of an object; `prefix` begins each of their keys.
    fn object(&mut self, prefix: &str, schema: &'s Value) -> Vec<Measure> {
        let mut found = Vec::new();
        for (name, value) in schema["properties"].as_object().into_iter().flatten() {
            let inner = self.resolve(value);
            let item = self.resolve(&inner["items"]);
            if !item["properties"].is_null() {
                self.table(name, item);
            } else if inner["properties"].is_null() {
                found.push(measure(
                    &format!("{prefix}{name}"),
                    name,
                    value,
                    inner,
                    schema,
                ));
            } else {
                found.extend(self.object(&format!("{prefix}{name}."), inner));
            }
        }
        // Only the statistics of control schemes have keys that the schema does not name.
        if schema["additionalProperties"]["type"] == "number" {
            found.extend((self.counted)().into_iter().map(|one| Measure {
                key: format!("{prefix}{}", one.key),
                ..one
            }));
        }
        found
    }

    /// The definition that `schema` refers to, which may also allow null; without a reference,
    /// `schema` itself.
    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let options = schema["anyOf"].as_array();
        let schema = options
            .and_then(|options| options.iter().find(|one| one["type"] != "null"))
            .unwrap_or(schema);
        let name = schema["$ref"]
            .as_str()
            .and_then(|path| path.strip_prefix("#/$defs/"));
        name.map_or(schema, |name| &self.definitions[name])
    }
}

/// The measure `key`, from the schemas of its value, of the value's type (`inner`) and of the
/// object that has the measure (`owner`).
fn measure(key: &str, name: &str, value: &Value, inner: &Value, owner: &Value) -> Measure {
    let kind = kind(inner);
    let unit = value["x-unit"].as_str().or_else(|| {
        if kind.starts_with("text") {
            Some("")
        } else {
            unit_of(name)
        }
    });
    let source = if value["x-source"].is_null() {
        owner
    } else {
        value
    };
    let found = Measure {
        key: key.into(),
        kind,
        definition: text(value, "description"),
        unit: unit
            .unwrap_or_else(|| panic!("the unit of {key} is not known"))
            .into(),
        formula: text(value, "x-formula"),
        source: text(source, "x-source"),
        better: text(value, "x-better"),
        greatest: value["x-greatest"].as_f64(),
    };
    assert!(
        !found.definition.is_empty() && !found.source.is_empty(),
        "{key} lacks a definition or a source"
    );
    found
}

/// Type of a value: `integer`, `number`, `text` or `texts`.
fn kind(schema: &Value) -> &'static str {
    let holds = |name: &str| match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    };
    match () {
        () if holds("array") => "texts",
        () if holds("integer") => "integer",
        () if holds("number") => "number",
        () => "text",
    }
}

/// The unit that a name states, if any.
fn unit_of(name: &str) -> Option<&'static str> {
    let suffix = SUFFIXES.iter().find(|(end, _)| name.ends_with(end));
    let word = || {
        WORDS
            .iter()
            .find(|(word, _)| name.split('_').any(|one| one == *word))
    };
    suffix.or_else(word).map(|(_, unit)| *unit)
}

/// The text under `key` in a schema, on one line; empty if the schema has no such key.
fn text(schema: &Value, key: &str) -> String {
    schema[key]
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(table: &str, key: &str) -> Measure {
        let tables = measures();
        let table = tables.iter().find(|one| one.table == table).unwrap();
        table
            .measures
            .iter()
            .find(|one| one.key == key)
            .unwrap()
            .clone()
    }

    #[test]
    fn the_tables_are_those_of_a_summary() {
        let names: Vec<String> = measures().into_iter().map(|table| table.table).collect();
        assert_eq!(
            names,
            [
                "run", "warnings", "flows", "classes", "vcs", "ports", "queues"
            ]
        );
    }

    #[test]
    fn every_measure_says_what_it_is_and_what_is_derived_says_how() {
        let derived = [
            "_ratio",
            "_share",
            "_index",
            "utilisation",
            "efficiency",
            "_mean_seconds",
            "_mean_cells",
        ];
        for Table {
            table,
            about,
            measures,
        } in measures()
        {
            assert!(!about.is_empty(), "{table}");
            for one in measures {
                assert!(
                    one.definition.len() > 5 && !one.source.is_empty(),
                    "{table}: {one:?}"
                );
                assert!(["", "more", "less"].contains(&one.better.as_str()));
                let throughput = one.key.contains("put_bits_per_second");
                let needs = throughput || derived.iter().any(|end| one.key.ends_with(end));
                assert!(
                    !needs || !one.formula.is_empty(),
                    "{table}.{} is derived and has no formula",
                    one.key
                );
            }
        }
    }

    #[test]
    fn units_sources_and_formulas_are_those_beside_the_field_or_its_struct() {
        let throughput = one("flows", "tcp_throughput_bits_per_second");
        assert_eq!(
            (throughput.kind, throughput.unit.as_str()),
            ("number", "bit/s")
        );
        assert_eq!(throughput.source, "Kalyanaraman 97 section 8.8");
        assert_eq!(throughput.formula, "8 delivered_bytes / window");
        assert_eq!(
            (throughput.better.as_str(), throughput.greatest),
            ("more", None)
        );
        let jain = one("run", "totals.jain_index");
        assert_eq!((jain.better.as_str(), jain.greatest), ("more", Some(1.0)));
        assert_eq!(one("queues", "queue_max_cells").better, "less");
        assert_eq!(one("flows", "start_seconds").better, "");
        let balance = one("flows", "balance.in_path_bytes");
        assert_eq!(
            (balance.unit.as_str(), balance.source.as_str()),
            ("bytes", "Kalyanaraman 97 section 8.8")
        );
        // A list inside a port becomes a table; a flattened struct adds its fields to its owner.
        assert_eq!(one("queues", "classes").kind, "texts");
        assert_eq!(one("classes", "cell_delay_p99_seconds").unit, "s");
        assert_eq!(one("run", "totals.timeouts").unit, "");
        assert!(
            one("ports", "control.macr_cells_per_second")
                .definition
                .contains("(phantom)")
        );
        let load = one("ports", "control.load_factor").definition;
        assert_eq!(
            load,
            "Load of the last interval / target load (erica, fmmra, osu, capc)."
        );
        assert_eq!(one("ports", "control.credit_cells_sent").unit, "cells");
    }

    #[test]
    fn a_summary_holds_what_the_dictionary_says() {
        let text = crate::scenario::template("n-source").unwrap();
        let job = crate::run::Job::new(text, "n-source", &[], None).unwrap();
        let summary: Value =
            serde_json::from_str(&job.run(&mut |_, _| true).unwrap().summary).unwrap();
        for Table {
            table, measures, ..
        } in measures()
        {
            let row = match table.as_str() {
                "run" => &summary,
                "warnings" => continue,
                "queues" => &summary["ports"][0]["queues"][0],
                entity => &summary[entity][0],
            };
            let known: Vec<&str> = measures.iter().map(|one| one.key.as_str()).collect();
            for key in keys(row, "") {
                assert!(
                    known.contains(&key.as_str()),
                    "{table}.{key} is not in the dictionary"
                );
            }
        }
    }

    fn keys(row: &Value, prefix: &str) -> Vec<String> {
        let object = row.as_object().unwrap();
        let all = object.iter().map(|(name, value)| match value {
            Value::Object(_) => keys(value, &format!("{prefix}{name}.")),
            // A list of objects is a table, and so is a list that may be empty.
            Value::Array(items) if name == "warnings" || items.iter().all(Value::is_object) => {
                Vec::new()
            }
            _ => vec![format!("{prefix}{name}")],
        });
        all.flatten().collect()
    }
}
