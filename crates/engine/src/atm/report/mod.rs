//! The report of a run. Every measure is defined here, once, with the name and the definition of
//! the paper that introduced it; keys state their units.

mod class;
mod delay;
mod flow;
mod port;
mod vc;

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

pub use class::ClassReport;
pub use delay::CellDelay;
pub use flow::{Balance, FlowReport};
pub use port::{PortReport, QueueReport};
pub use vc::VcReport;

/// The report of a run. Measures are over the measuring window unless they say "whole run".
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Hash of everything that happened to every component, in component order (whole run).
    pub digest: String,
    /// Length of the run.
    pub simulated_seconds: f64,
    /// Length of the measuring window.
    pub window_seconds: f64,
    /// Cells that crossed a link (whole run).
    pub cell_hops: u64,
    /// Sums and indices over all flows.
    pub totals: Totals,
    /// One entry per flow.
    pub flows: Vec<FlowReport>,
    /// One entry per service class of forward channels.
    pub classes: Vec<ClassReport>,
    /// One entry per directed channel.
    pub vcs: Vec<VcReport>,
    /// One entry per output port of a switch.
    pub ports: Vec<PortReport>,
}

/// Sums and indices over all flows.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct Totals {
    /// Sum of the TCP throughputs of the flows over TCP.
    #[schemars(extend("x-formula" = "sum of `tcp_throughput_bits_per_second` of the flows over TCP", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "more"))]
    pub tcp_throughput_bits_per_second: f64,
    /// Sum of the flows' goodputs.
    #[schemars(extend("x-formula" = "sum of `goodput_bits_per_second` of `flows`", "x-better" = "more"))]
    pub goodput_bits_per_second: f64,
    /// Sum of the flows' effective throughputs.
    #[schemars(extend("x-formula" = "sum of `effective_throughput_ratio` of `flows`", "x-source" = "Ohsaki 95 section III.B", "x-better" = "more"))]
    pub effective_throughput_ratio: f64,
    /// Cells dropped at switches / cells sent by sources.
    #[schemars(extend("x-formula" = "cells_dropped / cells_sent", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "less", "x-greatest" = 1))]
    pub cell_loss_ratio: f64,
    /// Cells dropped at switches / cells sent by sources, over channels of class ABR and UBR only.
    #[schemars(extend("x-formula" = "cells_dropped / cells_sent, of channels of class ABR and UBR", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "less", "x-greatest" = 1))]
    pub data_cell_loss_ratio: f64,
    /// PDUs that lost at least one cell at a switch; not those that lost cells on links only
    /// (`cells_lost_on_links`).
    #[schemars(extend("x-better" = "less"))]
    pub packets_lost: u64,
    /// Segments sent again.
    #[schemars(extend("x-better" = "less"))]
    pub segments_retransmitted: u64,
    /// Expiries of retransmission timers.
    #[schemars(extend("x-unit" = "", "x-better" = "less"))]
    pub timeouts: u64,
    /// Jain's index of fairness over the TCP throughputs of the flows over TCP: 1 if all
    /// throughputs are equal, 1/n if one of n flows has everything; null without such flows, or if
    /// none of them delivers anything.
    #[schemars(extend("x-formula" = "(sum x)^2 / (n sum x^2), x = `tcp_throughput_bits_per_second` of the n flows over TCP", "x-source" = "Jain, Chiu and Hawe 84", "x-better" = "more", "x-greatest" = 1))]
    pub jain_index: Option<f64>,
    /// Cells sent by all end systems.
    pub cells_sent: u64,
    /// Cells dropped at switches.
    #[schemars(extend("x-better" = "less"))]
    pub cells_dropped: u64,
    /// Sum of `packets_errored` of the flows.
    #[schemars(extend("x-better" = "less"))]
    pub packets_errored: u64,
    /// Data and RM cells that links lost; credit cells do not count.
    #[schemars(extend("x-better" = "less"))]
    pub cells_lost_on_links: u64,
    /// Greatest number of cells that waited at once in all source queues and switch queues
    /// together, sampled; null without sampling (whole run).
    #[schemars(extend("x-better" = "less"))]
    pub queued_max_cells: Option<u64>,
}
