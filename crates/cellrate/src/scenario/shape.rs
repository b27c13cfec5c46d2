//! Checks a document, a scenario or a study, against its schema: known keys, values of the right
//! type, quantities with the right units. Everything comes from the schema, so the checks cover
//! every registered scheme, policy and source.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::diagnostic::{Fault, MOST_SHOWN};
use super::document::{Entry, Item, Table, Value};
use super::quantity::Quantity;
use super::schema::definition;
use super::short_path::{ending_with, meant};
use super::source::Span;
use super::suggest::{listed, nearest};

/// Reports keys and values in `root` that `schema` does not allow, and required keys that are
/// missing. Messages call the document `whole`.
pub fn check(root: &Table, schema: &Json, whole: &str) -> Vec<Fault> {
    let start = Span {
        text: 0,
        start: 0,
        end: 0,
    };
    checked(
        root,
        schema,
        whole,
        Around {
            key: "",
            span: start,
        },
    )
}

/// Reports the same faults as [`check`] in a single table: the value of `key`, written at `span`.
pub fn check_within(table: &Table, schema: &Json, key: &str, span: Span) -> Vec<Fault> {
    checked(table, schema, "", Around { key, span })
}

fn checked(root: &Table, schema: &Json, whole: &str, around: Around<'_>) -> Vec<Fault> {
    let mut shape = Shape {
        definitions: &schema["$defs"],
        top: (!whole.is_empty()).then_some((schema, root)),
        whole,
        faults: Vec::new(),
    };
    shape.object(schema, root, around);
    shape.faults
}

/// Names that other programs use for a key, each with the name of the key here.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("length", "delay"),
    ("distance", "delay"),
    ("bandwidth", "rate"),
    ("capacity", "rate"),
    ("type", "kind"),
    ("time", "duration"),
];

/// Number of faults after which the check stops.
const MOST_FAULTS: usize = 1_000;

struct Shape<'s> {
    definitions: &'s Json,
    /// The schema and the whole document; `None` if only a part of the document is checked.
    top: Option<(&'s Json, &'s Table)>,
    /// Name of the document in messages.
    whole: &'s str,
    faults: Vec<Fault>,
}

/// The key whose value is checked; for an element of an array, the key of the array.
#[derive(Clone, Copy)]
struct Around<'a> {
    key: &'a str,
    span: Span,
}

impl Around<'_> {
    /// Name of the table that contains the key, for messages.
    fn table(self, whole: &str) -> String {
        if self.key.is_empty() {
            whole.into()
        } else {
            format!("`{}`", self.key)
        }
    }
}

impl<'s> Shape<'s> {
    fn resolve(&self, schema: &'s Json) -> (&'s Json, &'s str) {
        definition(self.definitions, schema)
    }

    fn item(&mut self, schema: &'s Json, item: &Item, around: Around<'_>) {
        let doc = schema["description"].as_str().unwrap_or_default();
        let limits = &schema["x-allowed"];
        let (schema, name) = self.resolve(schema);
        if let Some(fault) = outside(limits, Quantity::named(name), item, around.key) {
            return self.faults.push(fault);
        }
        if let Some(quantity) = Quantity::named(name) {
            return self.quantity(quantity, schema, item, around.key);
        }
        if let Some(choices) = choices(schema) {
            return self.choice(&choices, item, around.key);
        }
        if let (Some(names), false) = (
            names_beside_tables(schema),
            matches!(item.value, Value::Table(_)),
        ) {
            return self.choice(&names, item, around.key);
        }
        if schema["anyOf"].is_array() {
            // Values of several kinds are checked by their reader.
            return;
        }
        if schema["oneOf"].is_array() {
            return self.variant(schema, item, around);
        }
        match (schema["type"].as_str(), &item.value) {
            (Some("object"), Value::Table(table)) => self.object(schema, table, around),
            (Some("array"), Value::Array(items)) => self.array(schema, items, item.span, around),
            (Some("integer"), Value::Integer(number)) => {
                self.integer(schema, *number, item.span, around.key)
            }
            (Some("number"), Value::Integer(_)) => {}
            (Some("number"), Value::Float(number)) if number.is_finite() => {}
            (Some("number"), Value::Float(_)) => {
                self.faults.push(
                    Fault::error(item.span, format!("`{}` is not finite", around.key))
                        .label("expected a number"),
                );
            }
            (Some("string"), Value::String(_)) | (Some("boolean"), Value::Boolean(_)) => {}
            (expected, _) => self.wrong_kind(expected.unwrap_or("object"), item, around.key, doc),
        }
    }

    fn wrong_kind(&mut self, expected: &str, item: &Item, key: &str, doc: &str) {
        let expected = match expected {
            "object" => "a table",
            "array" => "an array",
            "integer" => "an integer",
            "number" => "a number",
            "boolean" => "`true` or `false`",
            _ => "a string",
        };
        let message = format!("`{key}` is {}, not {expected}", item.value.kind());
        self.faults.push(
            Fault::error(item.span, message)
                .label(format!("expected {expected}"))
                .help(first_line(doc)),
        );
    }

    fn quantity(&mut self, quantity: Quantity, schema: &Json, item: &Item, key: &str) {
        let allowed = schema["description"].as_str().unwrap_or_default();
        let (allowed, units) = allowed.split_once(" (").unwrap_or((allowed, ""));
        let expected = format!("expected {allowed}");
        let help =
            |hint: Option<String>| hint.unwrap_or_else(|| units.trim_end_matches(')').into());
        let fault = match &item.value {
            Value::String(text) => {
                if let Some(limit) = quantity.beyond(text) {
                    let message = format!("`{key}` is too much: {}", shortened(text));
                    return self
                        .faults
                        .push(Fault::error(item.span, message).label(format!("expected {limit}")));
                }
                let reads = quantity.reads(text);
                // Every unit of a rate that counts bits on the line ends so.
                let is_other = schema["x-bits"] == true && !text.trim_end().ends_with("bit/s");
                if reads && !is_other {
                    return;
                }
                let message = format!("`{key}` cannot be \"{}\"", shortened(text));
                let hint = if key == "buffer" && text == "infinite" {
                    Some("leave `buffer` out: a port without it has no limit".into())
                } else if reads {
                    None
                } else {
                    quantity.hint(text)
                };
                Fault::error(item.span, message)
                    .label(expected)
                    .help(help(hint))
            }
            Value::Integer(number) => {
                let message = format!("`{key}` is a number without a unit");
                Fault::error(item.span, message)
                    .label(expected)
                    .help(help(quantity.hint(&number.to_string())))
            }
            other => Fault::error(item.span, format!("`{key}` is {}", other.kind()))
                .label(expected)
                .help(help(None)),
        };
        self.faults.push(fault);
    }

    fn choice(&mut self, choices: &[&str], item: &Item, key: &str) {
        let fault = match &item.value {
            Value::String(text) if choices.contains(&text.as_str()) => return,
            Value::String(text) => self.unknown_choice(text, choices, item.span, key),
            other => Fault::error(item.span, format!("`{key}` is {}", other.kind()))
                .label(format!("expected one of {}", listed(choices))),
        };
        self.faults.push(fault);
    }

    /// Checks a table whose kind one of its keys selects.
    fn variant(&mut self, schema: &'s Json, item: &Item, around: Around<'_>) {
        let Value::Table(table) = &item.value else {
            return self.wrong_kind(
                "object",
                item,
                around.key,
                schema["description"].as_str().unwrap_or_default(),
            );
        };
        let variants: Vec<&Json> = tables(schema).collect();
        let Some(tag) = variants.first().and_then(|variant| tag(variant)) else {
            return;
        };
        let names: Vec<&str> = variants
            .iter()
            .filter_map(|v| v["properties"][tag]["const"].as_str())
            .collect();
        let Some(found) = table.get(tag) else {
            let message = format!("{} has no `{tag}`", around.table(self.whole));
            let help = format!("`{tag}` is one of {}", listed(&names));
            return self.faults.push(
                Fault::error(around.span, message)
                    .label(format!("`{tag}` is missing"))
                    .help(help),
            );
        };
        let Value::String(name) = &found.value else {
            return self.choice(&names, found, tag);
        };
        match variants
            .iter()
            .find(|variant| variant["properties"][tag]["const"] == name.as_str())
        {
            Some(variant) => self.object(variant, table, around),
            None => {
                let fault = self.unknown_choice(name, &names, found.span, tag);
                self.faults.push(fault);
            }
        }
    }

    fn unknown_choice(&self, found: &str, choices: &[&str], span: Span, key: &str) -> Fault {
        let fault = Fault::error(span, format!("`{key}` cannot be \"{}\"", shortened(found)));
        let fault = fault.label(format!("expected one of {}", listed(choices)));
        let is_table = |(schema, _): (&Json, _)| schema["properties"][found].is_object();
        if self.top.is_some_and(is_table) {
            return fault.help(format!("`{found}` is a table of the scenario: `[{found}]`"));
        }
        match nearest(found, choices.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        }
    }

    fn array(&mut self, schema: &'s Json, items: &[Item], span: Span, around: Around<'_>) {
        if (items.len() as u64) < schema["minItems"].as_u64().unwrap_or(0) {
            let message = format!("`{}` has {} elements", around.key, items.len());
            let label = format!("expected at least {}", schema["minItems"]);
            self.faults.push(Fault::error(span, message).label(label));
        }
        for item in items {
            self.item(
                &schema["items"],
                item,
                Around {
                    span: item.span,
                    ..around
                },
            );
        }
    }

    fn integer(&mut self, schema: &Json, number: i128, span: Span, key: &str) {
        let widest = if schema["format"] == "uint32" {
            u128::from(u32::MAX)
        } else {
            i64::MAX as u128
        };
        let most = schema["maximum"]
            .as_u64()
            .map_or(widest, u128::from)
            .min(widest);
        let least = schema["minimum"].as_u64().unwrap_or(0);
        if !u128::try_from(number).is_ok_and(|number| (u128::from(least)..=most).contains(&number))
        {
            let fault = Fault::error(span, format!("`{key}` cannot be {number}"));
            self.faults
                .push(fault.label(format!("expected an integer from {least} to {most}")));
        }
    }

    fn object(&mut self, schema: &'s Json, table: &Table, around: Around<'_>) {
        let Some(properties) = properties(schema) else {
            return;
        };
        let present: HashSet<&str> = table
            .entries
            .iter()
            .map(|entry| entry.key.as_str())
            .collect();
        let mut meant = Vec::new();
        for entry in &table.entries {
            if self.faults.len() >= MOST_FAULTS {
                return;
            }
            match properties.get(&entry.key) {
                // The tag of a variant was checked when the variant was chosen.
                Some(property) if property["const"].is_string() => {}
                Some(property) => {
                    let around = Around {
                        key: &entry.key,
                        span: entry.span,
                    };
                    self.item(property, &entry.item, around);
                }
                None => meant.extend(self.unknown(schema, table, entry, around)),
            }
        }
        for key in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
        {
            // A required key is not reported as missing if an unknown key is probably its
            // misspelling.
            if !present.contains(key) && !meant.contains(&key.to_owned()) {
                self.missing(&properties[key], key, around);
            }
        }
    }

    /// Reports an unknown key. Returns the allowed key whose name is most like it.
    fn unknown(
        &mut self,
        schema: &Json,
        table: &Table,
        Entry { key, span, .. }: &Entry,
        around: Around<'_>,
    ) -> Option<String> {
        let keys = properties(schema)?;
        let known: Vec<&str> = keys.keys().map(String::as_str).collect();
        // Of two equally near keys, the one that the table lacks.
        let (present, free): (Vec<&str>, Vec<&str>) =
            known.iter().partition(|key| table.entry(key).is_some());
        let other_name = OTHER_NAMES
            .iter()
            .find(|(other, name)| other == key && keys.contains_key(*name));
        let near = other_name
            .map(|(_, name)| *name)
            .or_else(|| nearest(key, free.into_iter().chain(present)));
        // This search takes long in a file with many tables, so it runs only for faults that can
        // be among those shown.
        let is_shown =
            self.faults.len() < MOST_SHOWN || self.faults.iter().all(|fault| *span < fault.span);
        let elsewhere = if is_shown {
            ending_with(key, schema, self.definitions, table)
        } else {
            Vec::new()
        };
        let help = match (near, known.is_empty()) {
            _ if let Some(help) = replaced(schema, table, *span) => help,
            _ if !elsewhere.is_empty() => meant(&elsewhere),
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, true) => format!("{} has no keys", around.table(self.whole)),
            (None, false) => format!("keys of {}: {}", around.table(self.whole), listed(&known)),
        };
        let message = format!(
            "unknown key `{}` in {}",
            shortened(key),
            around.table(self.whole)
        );
        self.faults
            .push(Fault::error(*span, message).label("unknown key").help(help));
        near.map(str::to_owned)
    }

    fn missing(&mut self, property: &'s Json, key: &str, around: Around<'_>) {
        let doc = property["description"]
            .as_str()
            .or_else(|| self.resolve(property).0["description"].as_str());
        let help = format!("`{key}`: {}", first_line(doc.unwrap_or_default()));
        let message = format!("{} has no `{key}`", around.table(self.whole));
        self.faults.push(
            Fault::error(around.span, message)
                .label(format!("`{key}` is missing"))
                .help(help),
        );
    }
}

/// The keys that the schema of a table describes; `None` if the schema is not that of a table.
fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    schema["properties"].as_object()
}

/// The allowed names, if the schema is a choice among names; otherwise `None`.
fn choices(schema: &Json) -> Option<Vec<&str>> {
    if let Some(names) = schema["enum"].as_array() {
        return names.iter().map(Json::as_str).collect();
    }
    let mut names = Vec::new();
    for option in schema["oneOf"].as_array()? {
        match (option["const"].as_str(), option["enum"].as_array()) {
            (Some(name), _) => names.push(name),
            (None, Some(several)) => names.extend(several.iter().filter_map(Json::as_str)),
            (None, None) => return None,
        }
    }
    Some(names)
}

/// Those variants of a schema that are tables.
fn tables(schema: &Json) -> impl Iterator<Item = &Json> {
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    variants.filter(|variant| variant["properties"].is_object())
}

/// The names that the schema allows instead of a table; `None` if it allows only tables.
fn names_beside_tables(schema: &Json) -> Option<Vec<&str>> {
    tables(schema).next()?;
    let variants = schema["oneOf"].as_array()?.iter();
    let names: Vec<&str> = variants.filter_map(|one| one["const"].as_str()).collect();
    (!names.is_empty()).then_some(names)
}

/// Help for a key of the file beside a tag that an override has set alone: the key belongs to the former variant.
fn replaced(schema: &Json, table: &Table, key: Span) -> Option<String> {
    let tag = tag(schema)?;
    let item = table.get(tag)?;
    let Value::String(name) = &item.value else {
        return None;
    };
    (key.text == 0 && item.span.text != 0).then(|| {
        format!("`{tag}` was set alone, so the table keeps this key; set the whole table instead: `{{ {tag} = \"{name}\" }}`")
    })
}

/// The key whose value distinguishes the variants.
fn tag(variant: &Json) -> Option<&str> {
    let properties = variant["properties"].as_object()?;
    properties
        .iter()
        .find(|(_, property)| property["const"].is_string())
        .map(|(key, _)| key.as_str())
}

/// The fault of a value outside the range from `low` to `high` of `limits`. `None` if the value is
/// in the range, if there is no range, or if the value is not of the kind `quantity` (a plain number
/// if `quantity` is `None`).
fn outside(limits: &Json, quantity: Option<Quantity>, item: &Item, key: &str) -> Option<Fault> {
    let number = |json: &Json| match quantity {
        Some(quantity) => quantity.value(json.as_str()?),
        None => json.as_f64(),
    };
    let (low, high) = (&limits["low"], &limits["high"]);
    let range = number(low)?..=number(high)?;
    let value = match (&item.value, quantity) {
        (Value::String(text), Some(quantity)) => quantity.value(text)?,
        (Value::Integer(number), None) => *number as f64,
        (Value::Float(number), None) => *number,
        _ => return None,
    };
    if range.contains(&value) {
        return None;
    }
    let plain = |json: &Json| {
        json.as_str()
            .map_or_else(|| json.to_string(), str::to_owned)
    };
    let message = format!("`{key}` is outside the range that its class allows");
    let label = format!("expected {} to {}", plain(low), plain(high));
    Some(Fault::error(item.span, message).label(label))
}

fn first_line(doc: &str) -> String {
    doc.replace('\n', " ")
}

/// Shortens a text that is too long to be repeated in a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}
