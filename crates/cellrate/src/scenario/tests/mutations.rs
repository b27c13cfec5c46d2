//! Every value of every example is replaced by many others. An accepted scenario must read back
//! unchanged; a refused one must have a reason and a position.

use super::*;
use crate::scenario::parse::UNREAD;

/// Values of every kind, most of them wrong at most places.
const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "4294967296",
    "9223372036854775807",
    "99999999999999999999999999999999999999999999",
    "0.0",
    "0.5",
    "-0.5",
    "1e300",
    "inf",
    "nan",
    "true",
    "false",
    "1979-05-27T07:32:00Z",
    "\"\"",
    "\"x\"",
    "\"abr\"",
    "\"tcp\"",
    "\"A\"",
    "\"infinite\"",
    "\"0 s\"",
    "\"1 ps\"",
    "\"3 ms\"",
    "\"1e6 s\"",
    "\"5 km\"",
    "\"0.001 bit/s\"",
    "\"1 Mbit/s\"",
    "\"10 Tbit/s\"",
    "\"0 cells\"",
    "\"1 cell\"",
    "\"1e14 cells\"",
    "\"1 bytes\"",
    "\"1e17 bytes\"",
    "[]",
    "[[]]",
    "[\"queue\"]",
    "[\"h1\", \"X\", \"Y\", \"h2\"]",
    "[[\"cbr\", \"vbr\", \"abr\", \"ubr\", \"random\"]]",
    "[{}]",
    "{}",
    "{ scheme = \"efci\" }",
    "{ kind = \"persistent\" }",
];

/// The line with `value` instead of its value; `None` if the line has no value.
fn mutated(line: &str, value: &str) -> Option<String> {
    let (key, _) = line
        .split_once(" = ")
        .filter(|_| !line.starts_with(['#', ' ', ']']))?;
    Some(format!("{key} = {value}"))
}

fn try_all(name: &str, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut accepted, mut refused) = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        for value in VALUES {
            let Some(changed) = mutated(line, value) else {
                continue;
            };
            let text = [&lines[..number], &[changed.as_str()], &lines[number + 1..]]
                .concat()
                .join("\n");
            match parse(&text) {
                Ok(checked) => {
                    accepted += 1;
                    let resolved = resolve(checked.scenario());
                    let again = parse(&resolved)
                        .unwrap_or_else(|refusal| panic!("{changed} in {name}: {refusal}"));
                    assert_eq!(again.scenario(), checked.scenario(), "{changed} in {name}");
                }
                Err(refusal) => {
                    refused += 1;
                    let first = &refusal.diagnostics[0];
                    assert!(
                        !first.message.starts_with(UNREAD),
                        "{changed} in {name}: {refusal}"
                    );
                    assert!(
                        (1..=lines.len()).contains(&first.line) && first.column >= 1,
                        "{changed}: {first:?}"
                    );
                }
            }
        }
    }
    assert!(
        accepted > 0 && refused > accepted,
        "{name}: {accepted} accepted, {refused} refused"
    );
}

#[test]
fn whatever_value_stands_in_a_complete_scenario() {
    let control = "scheme = \"erica\"\nqueue_control = { a = 1.2 }";
    let text = with(RIGHT, "scheme = \"erica\"", control);
    try_all("RIGHT", &resolve(parse(&text).unwrap().scenario()));
}

#[test]
fn whatever_value_stands_in_a_graph() {
    let text = with(
        GRAPH,
        "service = \"abr\"",
        "service = \"abr\"\nroute = [\"h1\", \"X\", \"Y\", \"h2\"]",
    );
    try_all(
        "GRAPH",
        &with(
            &text,
            "[topology]",
            "[switch]\ncontrol = { scheme = \"efci\" }\n[topology]",
        ),
    );
}
