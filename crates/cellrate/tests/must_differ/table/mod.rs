//! For every property: a scenario, further settings, and values that all make a difference.

mod abr;
mod credit;
mod discard;
mod erica;
mod explicit_rates;
mod flows;
mod max_min;
mod relative_rates;
mod sources;
mod switches;
mod tcp;
mod topology;

use crate::bases::UBR;

/// Settings that all give different runs.
pub struct Case {
    /// The property, as in the schema.
    pub property: &'static str,
    /// The scenario.
    pub base: &'static str,
    /// Further settings.
    pub with: &'static [&'static str],
    /// Settings of the property; an empty text leaves the scenario as it is.
    pub values: &'static [&'static str],
}

const fn case(property: &'static str, base: &'static str, values: &'static [&'static str]) -> Case {
    Case {
        property,
        base,
        with: &[],
        values,
    }
}

const fn with(
    property: &'static str,
    base: &'static str,
    with: &'static [&'static str],
    values: &'static [&'static str],
) -> Case {
    Case {
        property,
        base,
        with,
        values,
    }
}

const PREDICTING: &[&str] = &[
    r#"switch.control={ scheme = "smith-predictor" }"#,
    r#"flow.abr.abr={ rules = "smith-predictor", time_constant = "1 ms" }"#,
];

/// Properties without an effect on the run, each with the reason.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("run.strict", "decides what is an error"),
    (
        "flow.source.rate-trace.sha256",
        "is what the file has, or an error",
    ),
    (
        "flow.source.transport-stream.sha256",
        "is what the file has, or an error",
    ),
    ("measure.from", "what is measured, not what happens"),
    ("measure.to", "what is measured, not what happens"),
    ("measure.sample", "what is measured, not what happens"),
    ("measure.traces", "what is measured, not what happens"),
    ("measure.trace_points", "what is measured, not what happens"),
    ("measure.events", "what is measured, not what happens"),
    ("measure.event_limit", "what is measured, not what happens"),
    ("measure.cell_delay", "what is measured, not what happens"),
    ("topology.graph.node.host.name", "a name"),
    ("topology.graph.node.switch.name", "a name"),
    (
        "topology.graph.link.duplex",
        "whether there is a way back, without which no flow here can be",
    ),
];

const RUN: &[Case] = &[
    case("run.duration", UBR, &["", r#"run.duration="300 ms""#]),
    with(
        "run.seed",
        UBR,
        &[r#"run.start_jitter="1 ms""#],
        &["", "run.seed=2"],
    ),
    with(
        "run.simultaneous_cells",
        UBR,
        &[r#"flow.tcp.stagger="0 s""#],
        &[
            r#"run.simultaneous_cells="as-written""#,
            r#"run.simultaneous_cells="drawn""#,
        ],
    ),
    case(
        "run.start_jitter",
        UBR,
        &[
            "",
            r#"run.start_jitter="1 ms""#,
            r#"run.start_jitter="2 ms""#,
        ],
    ),
];

/// The table.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    let sections = [
        RUN,
        topology::CASES,
        switches::CASES,
        erica::CASES,
        max_min::CASES,
        explicit_rates::CASES,
        relative_rates::CASES,
        discard::CASES,
        credit::CASES,
        tcp::CASES,
        abr::CASES,
        flows::CASES,
        sources::CASES,
    ];
    sections.into_iter().flatten()
}
