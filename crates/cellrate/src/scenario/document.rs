//! A TOML document as a tree in which every key and value has its position in the text.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::Step;
use super::source::Span;

/// A value of a document and its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The value itself.
    pub value: Value,
    /// Position of the value in the text.
    pub span: Span,
}

/// A value of a TOML document, before it is checked against the schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    String(String),
    /// An integer; a value beyond 128 bits becomes the nearest that 128 bits can hold.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Boolean(bool),
    /// A date or time, which no key of a scenario allows.
    Date(toml::value::Datetime),
    /// A list of values with their positions.
    Array(Vec<Item>),
    /// A table of keys and values.
    Table(Table),
}

impl Value {
    /// Name of the value's type with its article, such as "a string".
    pub fn kind(&self) -> &'static str {
        match self {
            Value::String(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Boolean(_) => "a boolean",
            Value::Date(_) => "a date",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }
}

/// A table in the order of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Keys and values of the table.
    pub entries: Vec<Entry>,
}

/// A key of a TOML table with its value and its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of the key.
    pub key: String,
    /// Position of the key in the text.
    pub span: Span,
    /// Value of the key.
    pub item: Item,
}

impl Table {
    /// The entry of a key in the table.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
    /// The value of a key in the table.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.entry(key).map(|entry| &entry.item)
    }
    /// The value of a key in the table, mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Item> {
        self.entries
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.item)
    }
    /// Sets a key and replaces its value, if the table already has the key.
    pub fn set(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }
    /// Adds a key that the text does not contain, so that it has no position.
    pub fn put(&mut self, key: &str, value: Value) {
        let span = Span {
            text: 0,
            start: 0,
            end: 0,
        };
        self.set(Entry {
            key: key.into(),
            span,
            item: Item { value, span },
        });
    }
    /// The table under a key, if it has one.
    pub fn table_mut(&mut self, key: &str) -> Option<&mut Table> {
        match &mut self.get_mut(key)?.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
    /// The tables in the list under `key`; empty if `key` has no list.
    pub fn tables_mut(&mut self, key: &str) -> impl Iterator<Item = &mut Table> {
        let list = match self.get_mut(key).map(|item| &mut item.value) {
            Some(Value::Array(items)) => &mut items[..],
            _ => &mut [],
        };
        list.iter_mut().filter_map(|item| match &mut item.value {
            Value::Table(table) => Some(table),
            _ => None,
        })
    }
}

/// Converts a TOML document to JSON, by the rules for scenarios and studies: TOML 1.1, with or
/// without a byte order mark. Numbers that are not finite become null, dates become text.
///
/// # Errors
/// If `input` is not TOML; the message says where and why.
pub fn as_json(input: &str) -> Result<serde_json::Value, String> {
    let table = read(input, 0).map_err(|error| {
        let before = &input[..error.span().map_or(0, |span| span.start.min(input.len()))];
        format!(
            "line {}: {}",
            1 + before.matches('\n').count(),
            error.message()
        )
    })?;
    Ok(json_table(&table))
}

fn json_table(table: &Table) -> serde_json::Value {
    let entries = table.entries.iter();
    entries
        .map(|entry| (entry.key.clone(), json(&entry.item)))
        .collect()
}

fn json(item: &Item) -> serde_json::Value {
    match &item.value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => {
            i64::try_from(*number).map_or((*number as f64).into(), serde_json::Value::from)
        }
        Value::Float(number) => (*number).into(),
        Value::Boolean(truth) => (*truth).into(),
        Value::Date(date) => date.to_string().into(),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::Table(table) => json_table(table),
    }
}

/// Reads the document `input`. Its positions refer to text number `text`, from 0.
pub fn read(input: &str, text: usize) -> Result<Table, toml::de::Error> {
    let document = DeTable::parse(input)?;
    Ok(Reader { text, offset: 0 }.table(document.get_ref()))
}

/// Reads the single value `input`, which begins at byte `offset` of text number `text`.
pub fn read_value(input: &str, text: usize, offset: usize) -> Result<Item, toml::de::Error> {
    let value = DeValue::parse(input)?;
    Ok(Reader { text, offset }.item(&value))
}

struct Reader {
    text: usize,
    offset: usize,
}

impl Reader {
    fn span(&self, span: Range<usize>) -> Span {
        Span {
            text: self.text,
            start: span.start + self.offset,
            end: span.end + self.offset,
        }
    }
    fn table(&self, table: &DeTable<'_>) -> Table {
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            Entry {
                key: name.to_string(),
                span: self.span(key.span()),
                item: self.item(value),
            }
        };
        Table {
            entries: table.iter().map(entry).collect(),
        }
    }
    fn item(&self, value: &Spanned<DeValue<'_>>) -> Item {
        Item {
            span: self.span(value.span()),
            value: self.value(value.get_ref()),
        }
    }
    fn value(&self, value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(number) => Value::Integer(integer(number.as_str(), number.radix())),
            DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(truth) => Value::Boolean(*truth),
            DeValue::Datetime(date) => Value::Date(*date),
            DeValue::Array(items) => {
                Value::Array(items.iter().map(|item| self.item(item)).collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table)),
        }
    }
}

fn integer(digits: &str, radix: u32) -> i128 {
    let beyond = if digits.starts_with('-') {
        i128::MIN
    } else {
        i128::MAX
    };
    i128::from_str_radix(digits, radix).unwrap_or(beyond)
}

/// Position of the value at the end of the path `steps`. If the text does not contain that key, the
/// position of the innermost table on the path that the text contains.
pub fn locate(table: &Table, steps: &[Step]) -> Span {
    let whole = Span {
        text: 0,
        start: 0,
        end: 0,
    };
    let Some((Step::Key(key), rest)) = steps.split_first() else {
        return whole;
    };
    table
        .entry(key)
        .map_or(whole, |entry| locate_in(&entry.item, rest, entry.span))
}

fn locate_in(item: &Item, steps: &[Step], around: Span) -> Span {
    let Some((step, rest)) = steps.split_first() else {
        return if matches!(item.value, Value::Table(_)) {
            around
        } else {
            item.span
        };
    };
    match (step, &item.value) {
        (Step::Key(key), Value::Table(table)) => table
            .entry(key)
            .map_or(around, |entry| locate_in(&entry.item, rest, entry.span)),
        (Step::Index(index), Value::Array(items)) => items
            .get(*index)
            .map_or(item.span, |element| locate_in(element, rest, element.span)),
        _ => around,
    }
}

impl From<&Table> for toml::Table {
    fn from(table: &Table) -> toml::Table {
        table
            .entries
            .iter()
            .map(|entry| (entry.key.clone(), toml::Value::from(&entry.item)))
            .collect()
    }
}

impl From<&Item> for toml::Value {
    fn from(item: &Item) -> toml::Value {
        match &item.value {
            Value::String(text) => toml::Value::String(text.clone()),
            // An integer that is too large is refused later, by the key that takes it.
            Value::Integer(number) => {
                i64::try_from(*number).map_or(toml::Value::Float(*number as f64), Into::into)
            }
            Value::Float(number) => toml::Value::Float(*number),
            Value::Boolean(truth) => toml::Value::Boolean(*truth),
            Value::Date(date) => toml::Value::Datetime(*date),
            Value::Array(items) => {
                toml::Value::Array(items.iter().map(toml::Value::from).collect())
            }
            Value::Table(table) => toml::Value::Table(table.into()),
        }
    }
}
