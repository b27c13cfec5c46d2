//! Measures of an output port, its queues and its control scheme.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::atm::cell::ServiceClass;
use crate::control::ControlReport;

/// An output port of a switch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct PortReport {
    /// Name of the port's link.
    pub name: String,
    /// Rate of the port's link.
    pub rate_bits_per_second: f64,
    /// Share of the measuring window in which the link is sending a cell; 1 for a link that is never
    /// idle. Of a cell that begins or ends outside the window, the part within the window counts.
    #[schemars(extend("x-unit" = "", "x-formula" = "time in which a cell is being sent / window", "x-better" = "more", "x-greatest" = 1))]
    pub utilisation: f64,
    /// Throughput of the TCP flows through the port over ABR and UBR / the greatest throughput that
    /// they could have there (Kalyanaraman 97 section 8.18, "efficiency"; the other measure of this
    /// name is `efficiency` of a flow). The greatest throughput is the link's rate, less what
    /// channels of other classes deliver, times MSS / (53 bytes for each cell of a segment), times
    /// (Nrm - 1) / Nrm under ABR. Where flows differ, each counts with its own factors. The paper
    /// rounds the factors to 0.78 and 0.87. Null without such flows.
    #[schemars(extend("x-unit" = "", "x-formula" = "TCP throughput / ((rate - what other classes deliver) MSS / (53 cells of a segment) (Nrm - 1) / Nrm)", "x-source" = "Kalyanaraman 97 section 8.18", "x-better" = "more"))]
    pub capacity_efficiency: Option<f64>,
    /// Cells dropped / cells arrived.
    #[schemars(extend("x-formula" = "cells dropped / cells arrived", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "less", "x-greatest" = 1))]
    pub cell_loss_ratio: f64,
    /// Queues in order of priority.
    pub queues: Vec<QueueReport>,
    /// Time-weighted mean number of cells that wait for virtual sources, in the queues of their
    /// channels; null if no virtual source feeds the port.
    #[schemars(extend("x-formula" = "integral of their number over the window / window", "x-better" = "less"))]
    pub vc_queues_mean_cells: Option<f64>,
    /// Greatest number of cells that waited for virtual sources, in the queues of their channels;
    /// null if no virtual source feeds the port.
    #[schemars(extend("x-better" = "less"))]
    pub vc_queues_max_cells: Option<u64>,
    /// The control scheme of the port and its statistics.
    pub control: ControlReport,
}

/// Counts, lengths and delays of one queue of an output port.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct QueueReport {
    /// Service classes that share the queue.
    #[schemars(extend("x-source" = "TM 4.0 section 2"))]
    pub classes: Vec<ServiceClass>,
    /// Cells that arrived at the queue, dropped cells included.
    pub cells_arrived: u64,
    /// Cells that the queue dropped.
    #[schemars(extend("x-better" = "less"))]
    pub cells_dropped: u64,
    /// Time-weighted mean length of the queue, the cell in service included.
    #[schemars(extend("x-formula" = "integral of the length over the window / window", "x-better" = "less"))]
    pub queue_mean_cells: f64,
    /// Greatest length of the queue in the measuring window.
    #[schemars(extend("x-better" = "less"))]
    pub queue_max_cells: u64,
    /// Greatest length of the queue before the measuring window, from the beginning of the run: the
    /// peak of the start-up, if `measure.from` lies after it. Null if the window begins with the
    /// run.
    #[schemars(extend("x-formula" = "greatest length from time 0 to `measure.from`", "x-better" = "less"))]
    pub queue_max_before_window_cells: Option<u64>,
    /// Median of the sampled queue lengths; null without sampling.
    #[schemars(extend("x-better" = "less"))]
    pub queue_p50_cells: Option<f64>,
    /// 95th percentile of the sampled queue lengths; null without sampling.
    #[schemars(extend("x-better" = "less"))]
    pub queue_p95_cells: Option<f64>,
    /// 99th percentile of the sampled queue lengths; null without sampling.
    #[schemars(extend("x-better" = "less"))]
    pub queue_p99_cells: Option<f64>,
    /// Limit of the queue; null if there is none.
    pub buffer_cells: Option<u64>,
}
