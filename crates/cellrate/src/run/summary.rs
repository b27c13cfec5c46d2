//! The summary of a run: one JSON object.

use cellrate_engine::network::Report;
use cellrate_engine::network::report::{ClassReport, FlowReport, PortReport, Totals, VcReport};
use serde::Serialize;

use super::warnings::Warning;
use crate::store::VERSION;

/// What is printed and kept of a run: the engine's report, and where it comes from.
#[derive(Serialize)]
struct Summary {
    version: &'static str,
    digest: String,
    seed: u64,
    simulated_seconds: f64,
    wall_seconds: f64,
    cell_hops: u64,
    warnings: Vec<Warning>,
    window_seconds: f64,
    totals: Totals,
    flows: Vec<FlowReport>,
    classes: Vec<ClassReport>,
    vcs: Vec<VcReport>,
    ports: Vec<PortReport>,
}

/// The summary as JSON.
pub fn json(report: Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String {
    // Without `..`, so that nothing new in a report is left out here.
    let Report { digest, simulated_seconds, window_seconds, cell_hops, totals, flows, classes, vcs, ports } = report;
    let summary = Summary {
        version: VERSION,
        digest,
        seed,
        simulated_seconds,
        wall_seconds,
        cell_hops,
        warnings,
        window_seconds,
        totals,
        flows,
        classes,
        vcs,
        ports,
    };
    #[expect(clippy::expect_used, reason = "strings, numbers and lists of them always have a JSON form")]
    serde_json::to_string(&summary).expect("a summary has a JSON form")
}
