//! Overrides of the form `path=value`, such as `flow.tcp.count=5`, `run.duration=2 s` and
//! `switch.control={scheme="efci"}`. The `name` of an element, or its number from 0, selects one
//! table of an array of tables. A value that is not TOML is taken as a string.

use super::diagnostic::Fault;
use super::document::{Entry, Item, Table, Value, read, read_value};
use super::source::Span;
use super::suggest::{listed, nearest};

/// An override of `--set`, split into the path of its key and its value.
struct Override {
    /// Keys of the path, each with its position in the text of the override; at least one key.
    path: Vec<(String, Span)>,
    item: Item,
}

/// Applies the override `input` to the document `root`; positions refer to text number `text`.
pub fn apply(root: &mut Table, input: &str, text: usize) -> Result<(), Fault> {
    let Override { path, item } = parse(input, text)?;
    put(root, &path, item)
}

/// Sets the key that `entry` names by a dotted path. If the value of `entry` is a table, the
/// function sets each key of this table and keeps the other keys.
pub fn put_each(root: &mut Table, entry: &Entry) -> Result<(), Fault> {
    let Some(path) = path(&entry.key, 0) else {
        let fault = Fault::error(entry.span, "this is not the path of a key");
        return Err(fault.help("a path is written as `switch.buffer` or `flow.tcp.sends`"));
    };
    let path = path.into_iter().map(|(key, _)| (key, entry.span)).collect();
    put_leaves(root, path, &entry.item)
}

fn put_leaves(root: &mut Table, path: Vec<(String, Span)>, item: &Item) -> Result<(), Fault> {
    match &item.value {
        Value::Table(table) if !table.entries.is_empty() => {
            for entry in &table.entries {
                let mut path = path.clone();
                path.push((entry.key.clone(), entry.span));
                put_leaves(root, path, &entry.item)?;
            }
            Ok(())
        }
        _ => put(root, &path, item.clone()),
    }
}

fn put(root: &mut Table, path: &[(String, Span)], item: Item) -> Result<(), Fault> {
    let entry = match path {
        [(key, span)] => Entry {
            key: key.clone(),
            span: *span,
            item,
        },
        [first, rest @ ..] => {
            let table = descend_table(root, first);
            return descend(&mut table.item, rest, &first.0, item);
        }
        [] => return Ok(()),
    };
    root.set(entry);
    Ok(())
}

fn descend_table<'t>(table: &'t mut Table, (key, span): &(String, Span)) -> &'t mut Entry {
    if table.entry(key).is_none() {
        let item = Item {
            value: Value::Table(Table::default()),
            span: *span,
        };
        table.set(Entry {
            key: key.clone(),
            span: *span,
            item,
        });
    }
    let at = table
        .entries
        .iter()
        .position(|entry| entry.key == *key)
        .unwrap_or(0);
    &mut table.entries[at]
}

/// Replaces the value in `target` to which `path` leads; messages call `target` by `name`.
fn descend(
    target: &mut Item,
    path: &[(String, Span)],
    name: &str,
    item: Item,
) -> Result<(), Fault> {
    let Some((step, rest)) = path.split_first() else {
        *target = item;
        return Ok(());
    };
    if name == RECOVERY && matches!(target.value, Value::String(_)) {
        by_table(target);
    }
    let kind = target.value.kind();
    match &mut target.value {
        Value::Table(table) if rest.is_empty() => {
            table.set(Entry {
                key: step.0.clone(),
                span: step.1,
                item,
            });
            Ok(())
        }
        Value::Table(table) => descend(&mut descend_table(table, step).item, rest, &step.0, item),
        Value::Array(items) => descend(element(items, step, name)?, rest, &step.0, item),
        _ => Err(Fault::error(
            step.1,
            format!("`{name}` is {kind} and has no `{}`", step.0),
        )
        .label("no such key")
        .help(format!("set `{name}` itself"))),
    }
}

/// A key whose value is either a name, or a table with that name and parameters.
const RECOVERY: &str = "recovery";
/// Key of the name, if the value of [`RECOVERY`] is a table.
const POLICY: &str = "policy";

/// Replaces the name of a recovery by a table with that name, so that a parameter can be set in the
/// table.
fn by_table(target: &mut Item) {
    let span = target.span;
    let name = Entry {
        key: POLICY.into(),
        span,
        item: target.clone(),
    };
    target.value = Value::Table(Table {
        entries: vec![name],
    });
}

/// The element of an array that `key` names: by the element's name, or by its number from 0.
fn element<'i>(
    items: &'i mut [Item],
    (key, span): &(String, Span),
    array: &str,
) -> Result<&'i mut Item, Fault> {
    let names: Vec<String> = items.iter().filter_map(name).map(str::to_owned).collect();
    let by_name = items.iter().position(|item| name(item) == Some(key));
    let by_number = || {
        key.parse()
            .ok()
            .filter(|number: &usize| *number < items.len())
    };
    match by_name.or_else(by_number) {
        Some(at) => Ok(&mut items[at]),
        None => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let help = match nearest(key, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => {
                    format!(
                        "`{array}` has {} elements, with the numbers from 0",
                        items.len()
                    )
                }
                None if items.len() == 1 => format!("allowed: {}, or the number 0", listed(&names)),
                None => format!(
                    "allowed: {}, or a number from 0 to {}",
                    listed(&names),
                    items.len() - 1
                ),
            };
            Err(
                Fault::error(*span, format!("`{array}` has no element `{key}`"))
                    .label("unknown element")
                    .help(help),
            )
        }
    }
}

fn name(item: &Item) -> Option<&str> {
    let Value::Table(table) = &item.value else {
        return None;
    };
    match &table.get("name")?.value {
        Value::String(name) => Some(name),
        _ => None,
    }
}

const FORM: &str = "an override is `path=value`, for instance `flow.tcp.count=5`";

fn parse(input: &str, text: usize) -> Result<Override, Fault> {
    let whole = Span {
        text,
        start: 0,
        end: input.len(),
    };
    let Some(equals) = equals_sign(input) else {
        return Err(Fault::error(whole, "the override has no `=`").help(FORM));
    };
    let path = path(&input[..equals], text).ok_or_else(|| {
        Fault::error(
            Span {
                end: equals,
                ..whole
            },
            "this is not the path of a key",
        )
        .help(FORM)
    })?;
    let value = input[equals + 1..].trim();
    let offset = input.len() - input[equals + 1..].trim_start().len();
    if value.is_empty() {
        return Err(Fault::error(whole, "the override has no value").help(FORM));
    }
    let item =
        read_value(value, text, offset).or_else(|error| bare(value, text, offset, &error))?;
    Ok(Override { path, item })
}

/// Position of the first `=` outside of quotation marks.
fn equals_sign(input: &str) -> Option<usize> {
    let mut quote = None;
    input.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '=') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        None
    })
}

/// Keys of the path `dotted`, with their positions; `None` if a key is empty or wrongly quoted.
fn path(dotted: &str, text: usize) -> Option<Vec<(String, Span)>> {
    if dotted.contains('\n') {
        return None;
    }
    let mut table = read(&format!("{dotted}=0"), text).ok()?;
    let mut path = Vec::new();
    loop {
        let [entry] = <[Entry; 1]>::try_from(table.entries).ok()?;
        path.push((entry.key, entry.span));
        match entry.item.value {
            Value::Table(inner) => table = inner,
            _ => return Some(path),
        }
    }
}

/// Reads a value that is not TOML as a string, unless it was clearly meant to be TOML.
fn bare(value: &str, text: usize, offset: usize, error: &toml::de::Error) -> Result<Item, Fault> {
    let span = Span {
        text,
        start: offset,
        end: offset + value.len(),
    };
    if value.starts_with(['[', '{', '"', '\'']) {
        let at = error.span().map_or(span, |s| Span {
            text,
            start: s.start + offset,
            end: s.end + offset,
        });
        return Err(
            Fault::error(at, format!("the value is not TOML: {}", error.message()))
                .help("put text within arrays and tables into quotes"),
        );
    }
    Ok(Item {
        value: Value::String(value.into()),
        span,
    })
}
