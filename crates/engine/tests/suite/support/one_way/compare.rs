//! Compares a run of the engine with the same run of another simulator, and finds the rules that
//! explain the difference.

use super::plain::rules::{self, Rule, Rules};
use super::trace::{self, Event, Row};

/// Rounding of cwnd in the traces.
const TOLERANCE: f64 = 0.0011;

/// Result of comparing a run of the engine with another simulator's trace of one connection.
pub struct Comparison {
    /// Number of events in the other simulator's trace. `equal` is the number of these that are
    /// equal here before the first difference.
    pub events: usize,
    pub equal: usize,
    /// The rules in which the two differ: with all others as here the plain sender still reproduces
    /// the run there.
    pub reasons: Vec<Rule>,
    /// Reasons that delay or remove the first difference if their rules are decided alike.
    pub first: Vec<Rule>,
}

/// Compares `ours` with `theirs`. `plain` runs the plain sender by some rules: by the rules `here`
/// it must reproduce the engine, by the rules `there` the other simulator.
pub fn compare(
    name: &str,
    ours: &[Row],
    theirs: &[Row],
    [here, there]: [Rules; 2],
    plain: impl Fn(Rules) -> Vec<Row>,
) -> Comparison {
    must_equal(
        &format!("{name}: the plain sender, against the engine"),
        &plain(here),
        ours,
    );
    must_equal(
        &format!("{name}: the plain sender, against the other simulator"),
        &plain(there),
        theirs,
    );
    let explains = |rules: Rules| same(&plain(rules), theirs) == theirs.len();
    let switch = |rules: Rules, rule: &Rule| {
        if here.has(*rule) {
            rules.with(*rule)
        } else {
            rules
        }
    };
    let least = rules::ALL.iter().fold(there, |least, rule| {
        let fewer = switch(least, rule);
        if fewer == least {
            return least;
        }
        if explains(fewer) { fewer } else { least }
    });
    let reasons: Vec<Rule> = rules::ALL
        .into_iter()
        .filter(|rule| least.has(*rule) != here.has(*rule))
        .collect();
    let equal = same(ours, theirs);
    let moves = |rule: &Rule| same(&plain(switch(least, rule)), theirs) <= equal;
    let first = reasons.iter().copied().filter(moves).collect();
    Comparison {
        events: theirs.len(),
        equal,
        reasons,
        first,
    }
}

fn same(found: &[Row], expected: &[Row]) -> usize {
    trace::common(found, expected, TOLERANCE).unwrap_or(found.len().min(expected.len()))
}

fn must_equal(what: &str, found: &[Row], expected: &[Row]) {
    let equal = same(found, expected);
    let around = |rows: &[Row]| rows.get(equal).copied();
    let (found, expected) = (around(found), around(expected));
    assert!(
        found.is_none() && expected.is_none(),
        "{what}: event {equal} is {found:?} instead of {expected:?}"
    );
}

/// The line of a table with the result.
pub fn line(variant: &str, pattern: &str, found: &Comparison) -> String {
    let names = |rules: &[Rule]| {
        rules
            .iter()
            .map(|rule| format!("{rule:?}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (reasons, first) = (names(&found.reasons), names(&found.first));
    format!(
        "{variant},{pattern},{},{},{first},{reasons}\n",
        found.events, found.equal
    )
}

/// The rows as lines of a file, one for each instant.
pub fn lines(pattern: &str, rows: &[Row]) -> String {
    let mut text = String::new();
    let mut name = pattern;
    for instant in rows.chunk_by(|a, b| a.time_us == b.time_us && b.event == Event::Send) {
        let ack = instant
            .iter()
            .find(|row| row.event == Event::Ack)
            .map(|row| row.packet.to_string());
        let sent = instant
            .iter()
            .filter(|row| row.event == Event::Send)
            .map(|row| row.packet.to_string());
        let cwnd = (instant[instant.len() - 1].cwnd * 1_000.0).round() / 1_000.0;
        let sent = sent.collect::<Vec<_>>().join(" ");
        text += &format!(
            "{name},{},{},{cwnd},{sent}\n",
            instant[0].time_us,
            ack.unwrap_or_default()
        );
        name = "";
    }
    text
}

/// Compares `text` with a committed file of this suite; with `CELLRATE_BLESS` in the environment it
/// writes the file.
pub fn golden(file: &str, text: &str) {
    let path = format!("{}/tests/suite/data/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("CELLRATE_BLESS").is_some() {
        return std::fs::write(path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == text,
        "{file} has changed; see what it says with CELLRATE_BLESS=1"
    );
}
