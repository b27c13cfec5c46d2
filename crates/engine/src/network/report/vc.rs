//! Measures of a directed channel.

use alloc::string::String;

use serde::Serialize;

use crate::atm::cell::ServiceClass;

/// A directed channel.
#[derive(Clone, Debug, Serialize)]
pub struct VcReport {
    /// Name of the flow and direction.
    pub name: String,
    /// Class.
    pub service: ServiceClass,
    /// Cells sent by the end system.
    pub cells_sent: u64,
    /// Cells that arrived.
    pub cells_delivered: u64,
    /// Cells dropped at switches.
    pub cells_dropped: u64,
    /// Cells lost on links.
    pub cells_lost_on_links: u64,
    /// Cells on links and in switches at the end (whole run).
    pub cells_in_flight: u64,
    /// RM cells that virtual sources of switches on the way sent.
    pub rm_cells_inserted: u64,
    /// RM cells that ended at virtual sources and destinations of switches on the way.
    pub rm_cells_absorbed: u64,
    /// Data cells sent.
    pub data_cells_sent: u64,
    /// In-rate forward RM cells sent.
    pub frm_cells_sent: u64,
    /// Backward RM cells sent.
    pub brm_cells_sent: u64,
    /// RM cells sent out of rate.
    pub out_of_rate_cells_sent: u64,
    /// Times that the idle rule (SES rule 5) was applied (whole run).
    pub idle_resets: u64,
    /// Times that the rule for missing BRMs (SES rule 6) was applied (whole run).
    pub missing_brm_cuts: u64,
    /// Time-weighted mean of ACR; null if not ABR.
    pub acr_mean_cells_per_second: Option<f64>,
    /// ACR at the end (whole run); null if not ABR.
    pub acr_final_cells_per_second: Option<f64>,
}
