//! The summary of a run over Ethernet: one JSON object with the engine's report, and the version,
//! seed and duration of the run.

use cellrate_engine::ether::collective::CollectiveReport;
use cellrate_engine::ether::report::{FlowReport, LinkReport, PortReport, Report, Totals};
use schemars::JsonSchema;
use serde::Serialize;

use super::joined::AtmPort;
use crate::run::{VERSION, Warning};

/// A run over Ethernet. Measures cover the measuring window unless they say "whole run".
#[derive(Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct Summary {
    /// Version of the program.
    version: &'static str,
    /// Link layer: `ethernet`.
    link_layer: &'static str,
    /// Hash of the events of all components, in the order of the components (whole run).
    digest: String,
    /// Seed of the random streams.
    #[schemars(extend("x-unit" = ""))]
    seed: u64,
    /// Length of the run.
    simulated_seconds: f64,
    /// Duration of the run on the machine, in real time. This is the only value that differs
    /// between equal runs.
    wall_seconds: f64,
    /// Frames that crossed a link (whole run).
    #[schemars(extend("x-unit" = "packets"))]
    packet_hops: u64,
    /// Reasons to doubt the result.
    warnings: Vec<Warning>,
    /// Length of the measuring window.
    #[schemars(extend("x-formula" = "`measure.to` - `measure.from`"))]
    window_seconds: f64,
    /// Sums and indices over all flows.
    totals: Totals,
    /// One entry per flow.
    flows: Vec<FlowReport>,
    /// One entry per flow group whose flows await one another; absent without such groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collectives: Vec<CollectiveReport>,
    /// One entry per output port of a switch, and per output port of a router toward Ethernet.
    ports: Vec<PortReport>,
    /// One entry per Ethernet link with bit errors, for each direction; absent without such links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkReport>,
    /// One entry per output port of an ATM switch; absent without an ATM part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    atm_ports: Vec<AtmPort>,
}

/// The summary as JSON.
pub fn json(
    report: Report,
    atm_ports: Vec<AtmPort>,
    seed: u64,
    wall_seconds: f64,
    warnings: Vec<Warning>,
) -> String {
    let Report {
        digest,
        simulated_seconds,
        window_seconds,
        packet_hops,
        totals,
        flows,
        collectives,
        ports,
        links,
    } = report;
    let summary = Summary {
        version: VERSION,
        link_layer: "ethernet",
        digest,
        seed,
        simulated_seconds,
        wall_seconds,
        packet_hops,
        warnings,
        window_seconds,
        totals,
        flows,
        collectives,
        ports,
        links,
        atm_ports,
    };
    #[expect(
        clippy::expect_used,
        reason = "strings, numbers and lists of them always have a JSON form"
    )]
    serde_json::to_string(&summary).expect("a summary has a JSON form")
}
