//! Study files.

use cellrate::study;

use super::scenario::refused;

/// Tables of a study that are kept in the order of the file, as pairs of name and value.
const ORDERED: [&str; 3] = ["factors", "derived", "measures"];

/// The input is the text of a file.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match study::read(text, "study.toml") {
        Err(refusal) => refused(&refusal, &[text]),
        Ok(read) => {
            let written: toml::Table = text
                .parse()
                .unwrap_or_else(|error| panic!("read, though no TOML: {error}"));
            for key in ORDERED {
                let pairs = read[key]
                    .as_array()
                    .unwrap_or_else(|| panic!("`{key}` is no list: {read}"));
                let names = written
                    .get(key)
                    .and_then(|table| table.as_table())
                    .map_or(0, toml::Table::len);
                assert_eq!(pairs.len(), names, "`{key}` of {read}");
                assert!(
                    pairs
                        .iter()
                        .all(|pair| pair[0].is_string() && !pair[1].is_null()),
                    "`{key}` of {read}"
                );
            }
        }
    }
}
