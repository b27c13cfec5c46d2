//! The summary of a run: one JSON object with the engine's report and its origin.

use cellrate_engine::atm::Report;
use cellrate_engine::atm::report::{ClassReport, FlowReport, PortReport, Totals, VcReport};
use schemars::JsonSchema;
use serde::Serialize;

use super::key::VERSION;
use super::warnings::Warning;

/// A whole run. Measures are over the measuring window unless they say "whole run".
#[derive(Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct Summary {
    /// Version of the program.
    version: &'static str,
    /// Hash of everything that happened to every component, in component order (whole run).
    digest: String,
    /// Seed of the random streams.
    #[schemars(extend("x-unit" = ""))]
    seed: u64,
    /// Length of the run.
    simulated_seconds: f64,
    /// Duration of the run on the machine; the only value that differs between equal runs.
    wall_seconds: f64,
    /// Cells that crossed a link (whole run).
    #[schemars(extend("x-unit" = "cells"))]
    cell_hops: u64,
    /// Reasons to doubt the result.
    warnings: Vec<Warning>,
    /// Length of the measuring window.
    #[schemars(extend("x-formula" = "`measure.to` - `measure.from`"))]
    window_seconds: f64,
    /// Sums and indices over all flows.
    totals: Totals,
    /// One entry per flow.
    flows: Vec<FlowReport>,
    /// One entry per service class of forward channels.
    classes: Vec<ClassReport>,
    /// One entry per directed channel.
    vcs: Vec<VcReport>,
    /// One entry per output port of a switch.
    ports: Vec<PortReport>,
}

/// The summary as JSON.
pub fn json(report: Report, seed: u64, wall_seconds: f64, warnings: Vec<Warning>) -> String {
    // The pattern has no `..`, so that the compiler reports a new field that the summary lacks.
    let Report {
        digest,
        simulated_seconds,
        window_seconds,
        cell_hops,
        totals,
        flows,
        classes,
        vcs,
        ports,
    } = report;
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
    #[expect(
        clippy::expect_used,
        reason = "strings, numbers and lists of them always have a JSON form"
    )]
    serde_json::to_string(&summary).expect("a summary has a JSON form")
}
