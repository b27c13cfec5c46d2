//! Full paths of a key that was written without its tables: `switch.buffer` for the key `buffer`.

use serde_json::Value as Json;

use super::document::{Item, Table, Value};
use super::schema::definition;

/// Paths of all keys called `key` below the table `root` of a document, in the order of the
/// table's `schema`. Tables that `root` lacks are considered only if they are directly in it.
pub fn ending_with(key: &str, schema: &Json, definitions: &Json, root: &Table) -> Vec<String> {
    let mut paths = Vec::new();
    Below { definitions, key }.table(schema, root, "", true, &mut paths);
    paths.retain(|path| path != key);
    paths
}

struct Below<'a> {
    definitions: &'a Json,
    key: &'a str,
}

impl Below<'_> {
    fn table(
        &self,
        schema: &Json,
        table: &Table,
        prefix: &str,
        is_top: bool,
        paths: &mut Vec<String>,
    ) {
        let schema = variant(definition(self.definitions, schema).0, |key| {
            match table.get(key).map(|item| &item.value) {
                Some(Value::String(name)) => Some(name),
                _ => None,
            }
        });
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{prefix}{name}");
            if name == self.key {
                paths.push(path.clone());
            }
            match table.get(name).map(|item| &item.value) {
                Some(Value::Table(inner)) => {
                    self.table(property, inner, &format!("{path}."), false, paths);
                }
                Some(Value::Array(items)) => {
                    for (number, item) in items.iter().enumerate() {
                        self.element(&property["items"], item, number, &path, paths);
                    }
                }
                None if is_top => {
                    let none = Table::default();
                    self.table(property, &none, &format!("{path}."), false, paths);
                }
                _ => {}
            }
        }
    }

    fn element(
        &self,
        schema: &Json,
        item: &Item,
        number: usize,
        array: &str,
        paths: &mut Vec<String>,
    ) {
        if let Value::Table(table) = &item.value {
            let name = match table.get("name").map(|item| &item.value) {
                Some(Value::String(name)) => name.clone(),
                _ => number.to_string(),
            };
            self.table(schema, table, &format!("{array}.{name}."), false, paths);
        }
    }
}

/// The variant of a schema that one key of a table selects; `text_of` returns the text of a key of
/// the table. The schema itself if it has no variants.
pub fn variant<'s, 't>(schema: &'s Json, text_of: impl Fn(&str) -> Option<&'t str>) -> &'s Json {
    let chosen = |variant: &&Json| {
        let mut properties = variant["properties"].as_object().into_iter().flatten();
        properties.any(|(key, property)| {
            let name = property["const"].as_str();
            name.is_some() && name == text_of(key)
        })
    };
    let mut variants = schema["oneOf"].as_array().into_iter().flatten();
    variants.find(chosen).unwrap_or(schema)
}

/// The question `did you mean a, b or c?` about `paths`, at least one.
pub fn meant(paths: &[String]) -> String {
    const MOST: usize = 3;
    let shown: Vec<String> = paths
        .iter()
        .take(MOST)
        .map(|path| format!("`{path}`"))
        .collect();
    match shown.split_last() {
        Some((last, before)) if !before.is_empty() => {
            let more = match paths.len() - shown.len() {
                0 => String::new(),
                more => format!(" ({more} more keys end so)"),
            };
            format!("did you mean {} or {last}?{more}", before.join(", "))
        }
        _ => format!("did you mean {}?", shown.join("")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::read;
    use super::super::{schema, template};
    use super::*;

    #[test]
    fn a_key_is_found_in_every_table_of_the_scenario() {
        let root = read(template("n-source").unwrap(), 0).unwrap();
        let found = |key| ending_with(key, schema(), &schema()["$defs"], &root);
        assert_eq!(found("buffer"), ["switch.buffer"]);
        assert_eq!(found("duration"), ["run.duration"]);
        // The template has no `[tcp]`, but its flows may have one.
        assert_eq!(found("mss")[0], "tcp.mss");
        assert_eq!(found("scheme"), ["switch.control.scheme"]);
        // Only the paths of this scenario's kind of topology are found.
        assert_eq!(found("access"), ["topology.access", "flow.tcp.access"]);
        assert_eq!(found("hop"), [""; 0]);
        assert_eq!(found("colour"), [""; 0]);
    }

    #[test]
    fn a_few_paths_are_named() {
        let told = |paths: &[&str]| meant(&paths.iter().map(|p| p.to_string()).collect::<Vec<_>>());
        assert_eq!(told(&["a.x"]), "did you mean `a.x`?");
        assert_eq!(told(&["a.x", "b.x"]), "did you mean `a.x` or `b.x`?");
        let many = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let expected = "did you mean `a`, `b` or `c`? (5 more keys end so)";
        assert_eq!(told(&many), expected);
    }
}
