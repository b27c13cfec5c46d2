//! Tests of every diagnostic with its position, and of reading and writing.

mod changes;
mod credit;
mod described;
mod guards;
mod impossible;
mod mutations;
mod overrides;
#[path = "../../../../engine/tests/suite/support/repeatable.rs"]
pub(super) mod repeatable;
mod roundtrip;
mod shapes;

use super::*;

/// A scenario without any fault.
const RIGHT: &str = r#"[run]
duration = "2 s"
seed = 7

[measure]
from = "500 ms"
traces = ["queue"]

[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1000 km"
egress = "1 km"

[switch]
buffer = "1000 cells"
[switch.control]
scheme = "erica"
[switch.discard]
policy = "epd"

[tcp]
mss = "512 bytes"
window = "64 KiB"

[abr]
icr = "10 Mbit/s"

[[flow]]
name = "tcp"
count = 2
service = "abr"
[flow.source]
kind = "greedy"

[[flow]]
name = "vbr"
service = "vbr"
[flow.source]
kind = "on-off"
peak = "100 Mbit/s"
period = "20 ms"
duty_cycle = 0.5
"#;

/// Two hosts, two switches, and a link between the switches that leads one way only.
const GRAPH: &str = r#"[run]
duration = "2 s"

[topology]
template = "graph"
node = [
    { name = "h1", kind = "host" },
    { name = "h2", kind = "host" },
    { name = "X", kind = "switch", buffer = "100 cells" },
    { name = "Y", kind = "switch" },
]
link = [
    { from = "h1", to = "X", rate = "100 Mbit/s", delay = "10 km" },
    { from = "Y", to = "h2", rate = "100 Mbit/s", delay = "10 km" },
    { from = "X", to = "Y", rate = "100 Mbit/s", delay = "10 km" },
]

[[flow]]
name = "f"
service = "abr"
from = "h1"
to = "h2"
"#;

fn parse(text: &str) -> Result<Checked, Refusal> {
    Scenario::parse(text, "my.toml", &[], None)
}

/// `base` with the single occurrence of `old` replaced by `new`.
fn with(base: &str, old: &str, new: &str) -> String {
    assert_eq!(base.matches(old).count(), 1, "`{old}` must be there once");
    base.replacen(old, new, 1)
}

/// `text` without its mark `«`, and line and column of the mark.
fn unmark(text: &str) -> (String, (usize, usize)) {
    assert_eq!(text.matches('«').count(), 1, "one mark in {text}");
    let before = text.split('«').next().unwrap();
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().unwrap().chars().count();
    (text.replace('«', ""), (line, column))
}

/// The single error of `text`, which must begin at the mark `«` in it.
fn the_error(text: &str) -> Refusal {
    let (text, place) = unmark(text);
    let refusal = parse(&text).expect_err("it is refused");
    let errors: Vec<_> = refusal
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .collect();
    assert_eq!(errors.len(), 1, "one error in\n{}", refusal.rendered);
    assert_eq!(
        (errors[0].line, errors[0].column),
        place,
        "{}",
        refusal.rendered
    );
    assert_eq!(errors[0].path, "my.toml");
    refusal
}

/// The single warning of `text`, which must begin at the mark `«` in it.
fn the_warning(text: &str) -> Diagnostic {
    let (text, place) = unmark(text);
    let mut warnings = parse(&text)
        .unwrap_or_else(|refusal| panic!("{refusal}"))
        .warnings()
        .to_vec();
    assert_eq!(warnings.len(), 1, "one warning: {warnings:?}");
    assert_eq!(
        (warnings[0].line, warnings[0].column),
        place,
        "{warnings:?}"
    );
    warnings.remove(0)
}

/// A case of a snapshot: its title, and pairs of old and new text in the base scenario.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

fn changed(base: &str, changes: &[(&str, &str)]) -> String {
    changes
        .iter()
        .fold(base.to_owned(), |text, (old, new)| with(&text, old, new))
}

/// Errors of all cases, as the user sees them.
fn gallery(base: &str, cases: &[Case]) -> String {
    let rendered = cases.iter().map(|(title, changes)| {
        let refusal = the_error(&changed(base, changes));
        format!("# {title}\n{}", refusal.rendered)
    });
    rendered.collect::<Vec<_>>().join("\n")
}

/// Warnings of all cases, as the user sees them.
fn warnings(base: &str, cases: &[Case]) -> String {
    let lines = cases.iter().map(|(title, changes)| {
        let warning = the_warning(&changed(base, changes));
        format!(
            "# {title}\n{}: {}\n  {}\n",
            warning.line, warning.message, warning.help
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}
