//! Tests with files that are not scenarios at all, such as very long or deeply nested texts.

use std::time::{Duration, Instant};

use super::*;

/// Far more time than the check needs, but far less than any quadratic algorithm would.
const PATIENCE: Duration = Duration::from_secs(60);

/// The only error of a text. Asserts that the check takes less than [`PATIENCE`].
fn quick_error(text: &str) -> Diagnostic {
    let begun = Instant::now();
    let refusal = parse(text).expect_err("it is refused");
    assert!(begun.elapsed() < PATIENCE, "took {:?}", begun.elapsed());
    assert_eq!(refusal.diagnostics.len(), 1, "{}", refusal.rendered);
    assert!(
        refusal.rendered.len() < 2_000,
        "{} bytes of text",
        refusal.rendered.len()
    );
    refusal.diagnostics[0].clone()
}

#[test]
fn an_empty_file() {
    let refusals = ["", "\n\n", "# only a comment\n"].map(|text| parse(text).unwrap_err());
    for refusal in &refusals {
        assert_eq!(refusal.diagnostics[0].message, "the scenario is empty");
    }
    insta::assert_snapshot!(refusals[0].rendered);
}

#[test]
fn a_file_that_is_no_toml() {
    for (text, place) in [
        ("[run]\nduration = \n", (2, 12)),
        ("[run\n", (1, 5)),
        ("a = 1\na = 2", (2, 1)),
    ] {
        let found = quick_error(text);
        assert_eq!((found.line, found.column), place, "{found:?}");
    }
    insta::assert_snapshot!(parse("[run]\nduration = 2 s\n").unwrap_err().rendered);
}

#[test]
fn a_file_with_bytes_that_are_no_text() {
    let nul = quick_error("a = 1\nb\0c");
    assert_eq!(
        (nul.line, nul.column, nul.message.as_str()),
        (2, 2, "the file contains a NUL character")
    );
}

#[test]
fn ten_megabytes_are_refused_before_they_are_read() {
    let found = quick_error(&"[a]\n".repeat(2_500_000));
    assert_eq!(found.message, "the file has 10000000 bytes");
}

#[test]
fn deep_tables_neither_overflow_the_stack_nor_take_long() {
    const SIZE: usize = 2_000_000;
    let nested = [
        format!("a = {}", "[".repeat(SIZE)),
        format!("a = {}", "{a=".repeat(SIZE / 3)),
        format!("{}a = 1", "a.".repeat(SIZE / 2)),
        format!("[{}a]", "a.".repeat(SIZE / 2)),
        "[".repeat(SIZE),
        format!("a = {}{}", "[".repeat(SIZE / 2), "]".repeat(SIZE / 2)),
    ];
    for text in &nested {
        quick_error(text);
    }
}

#[test]
fn many_tables_do_not_take_long() {
    let begun = Instant::now();
    let tables: String = (0..20_000)
        .map(|i| format!("[t{i}.a.b.c]\nd = {i}\n"))
        .collect();
    let refusal = parse(&tables).unwrap_err();
    assert_eq!(refusal.diagnostics.len(), 1);
    assert!(begun.elapsed() < PATIENCE, "took {:?}", begun.elapsed());
}

#[test]
fn a_long_line_is_cut_around_its_error() {
    let names = vec!["\"queue\""; 3_000].join(", ");
    let refusal = parse(&with(
        RIGHT,
        "[\"queue\"]",
        &format!("[{names}, 5, {names}]"),
    ))
    .unwrap_err();
    assert_eq!(
        (refusal.diagnostics[0].line, refusal.diagnostics[0].column),
        (7, 11 + 3_000 * 9)
    );
    insta::assert_snapshot!(refusal.rendered);
}
