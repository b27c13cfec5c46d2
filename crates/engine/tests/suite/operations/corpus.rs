//! Sequences that once failed, or are difficult, as files that are replayed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Case, replay_entry};

/// A file of the corpus: a sequence of operations that once failed, and is replayed since.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub subject: String,
    /// Fault that the sequence showed.
    pub why: String,
    setting: Value,
    operations: Value,
}

impl Entry {
    /// The sequence of operations, parsed for its subject.
    pub fn case<T: DeserializeOwned>(&self) -> Case<T> {
        let case = json!({ "setting": self.setting, "operations": self.operations });
        serde_json::from_value(case)
            .unwrap_or_else(|error| panic!("a sequence of {}: {error}", self.subject))
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/data/operations")
}

/// Text of an entry, with a line for each operation.
fn text(entry: &Entry) -> String {
    let line = |value: &Value| serde_json::to_string(value).expect("plain data");
    let operations: Vec<String> = entry
        .operations
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| format!("    {}", line(one)))
        .collect();
    let mut text = String::from("{\n");
    for (key, value) in [
        ("subject", &json!(entry.subject)),
        ("why", &json!(entry.why)),
        ("setting", &entry.setting),
    ] {
        writeln!(text, "  \"{key}\": {},", line(value)).expect("text grows");
    }
    write!(
        text,
        "  \"operations\": [\n{}\n  ]\n}}\n",
        operations.join(",\n")
    )
    .expect("text grows");
    text
}

/// The message about a sequence that failed, with the file to be committed.
pub fn report<T: Serialize>(subject: &str, why: &str, case: &Case<T>) -> String {
    let entry = Entry {
        subject: subject.into(),
        why: why.into(),
        setting: serde_json::to_value(&case.setting).expect("plain data"),
        operations: serde_json::to_value(&case.operations).expect("plain data"),
    };
    let text = text(&entry);
    if let Some(directory) = std::env::var_os("OPERATIONS_CORPUS") {
        let file = Path::new(&directory).join(format!("{subject}.json"));
        std::fs::write(&file, &text)
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", file.display()));
    }
    format!(
        "{subject}: {why}\ncommit this as a file of {}:\n{text}",
        directory().display()
    )
}

#[test]
fn every_sequence_of_the_corpus_is_replayed() {
    let mut count = 0;
    for file in std::fs::read_dir(directory()).expect("the corpus is there") {
        let path = file.expect("a readable directory").path();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let entry: Entry = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!entry.why.is_empty(), "{}", path.display());
        replay_entry(entry);
        count += 1;
    }
    assert!(count > 0);
}
