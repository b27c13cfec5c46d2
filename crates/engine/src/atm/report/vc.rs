//! Measures of a directed channel.

use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

use crate::atm::cell::ServiceClass;

/// A directed channel: the forward or backward channel of a flow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct VcReport {
    /// Name of the flow and direction.
    pub name: String,
    /// Class of the channel's data cells. RM cells are of class ABR even if the data cells are of
    /// another class.
    #[schemars(extend("x-source" = "TM 4.0 section 2"))]
    pub service: ServiceClass,
    /// Cells of the channel sent by its end system.
    pub cells_sent: u64,
    /// Cells of the channel that arrived at their destination.
    #[schemars(extend("x-better" = "more"))]
    pub cells_delivered: u64,
    /// Cells of the channel dropped at switches.
    #[schemars(extend("x-better" = "less"))]
    pub cells_dropped: u64,
    /// Cells of the channel that were lost on links, not dropped at switches.
    #[schemars(extend("x-better" = "less"))]
    pub cells_lost_on_links: u64,
    /// Cells of the channel that conform to its contract at the policer; null without a policer.
    #[schemars(extend("x-source" = "TM 4.0 section 4.5", "x-better" = "more"))]
    pub cells_conforming: Option<u64>,
    /// Cells of the channel that do not conform to its contract at the policer; null without a policer.
    #[schemars(extend("x-source" = "TM 4.0 section 4.5", "x-better" = "less"))]
    pub cells_nonconforming: Option<u64>,
    /// Cells of the channel that the policer passed with CLP = 1; null without a policer.
    #[schemars(extend("x-source" = "TM 4.0 section 4.5", "x-better" = "less"))]
    pub cells_tagged: Option<u64>,
    /// Cells of the channel that the policer dropped; `cells_dropped` has them, too. Null without a policer.
    #[schemars(extend("x-source" = "TM 4.0 section 4.5", "x-better" = "less"))]
    pub cells_policed: Option<u64>,
    /// Cells of the channel on links and in switches at the end (whole run).
    #[schemars(extend("x-formula" = "cells sent + rm_cells_inserted - rm_cells_absorbed - delivered - dropped - lost, over the whole run"))]
    pub cells_in_flight: u64,
    /// RM cells that switches on the path sent: their virtual sources, or their control schemes (BECN).
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.6"))]
    pub rm_cells_inserted: u64,
    /// RM cells that ended at virtual sources and destinations of switches on the path.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.6"))]
    pub rm_cells_absorbed: u64,
    /// Data cells of the channel sent by its end system.
    pub data_cells_sent: u64,
    /// In-rate forward RM cells sent.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.4 rule 3"))]
    pub frm_cells_sent: u64,
    /// Backward RM cells sent.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.5"))]
    pub brm_cells_sent: u64,
    /// RM cells sent out of rate.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.4 rule 11"))]
    pub out_of_rate_cells_sent: u64,
    /// Times that the idle rule (SES rule 5) was applied (whole run).
    #[schemars(extend("x-unit" = "", "x-source" = "TM 4.0 section 5.10.4 rule 5"))]
    pub idle_resets: u64,
    /// Times that the rule for missing BRMs (SES rule 6) was applied (whole run).
    #[schemars(extend("x-unit" = "", "x-source" = "TM 4.0 section 5.10.4 rule 6"))]
    pub missing_brm_cuts: u64,
    /// Time-weighted mean of ACR; null without RM cells.
    #[schemars(extend("x-formula" = "integral of ACR over the window / window", "x-source" = "TM 4.0 section 5.10.4"))]
    pub acr_mean_cells_per_second: Option<f64>,
    /// Least ACR of the end system in the measuring window, including ACR at the beginning of the
    /// window; null without RM cells.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.4"))]
    pub acr_min_cells_per_second: Option<f64>,
    /// Greatest ACR of the end system in the measuring window, including ACR at the beginning of
    /// the window (until its first feedback a source has ICR); null without RM cells.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.4"))]
    pub acr_max_cells_per_second: Option<f64>,
    /// ACR at the end (whole run); null without RM cells.
    #[schemars(extend("x-source" = "TM 4.0 section 5.10.4"))]
    pub acr_final_cells_per_second: Option<f64>,
}
