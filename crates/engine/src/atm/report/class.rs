//! Measures of a service class.

use schemars::JsonSchema;
use serde::Serialize;

use super::CellDelay;
use crate::atm::cell::ServiceClass;

/// The forward channels of all flows of one service class, taken together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct ClassReport {
    /// The service class.
    #[schemars(extend("x-source" = "TM 4.0 section 2"))]
    pub service: ServiceClass,
    /// Number of flows of the class.
    #[schemars(extend("x-unit" = "flows"))]
    pub flows: u64,
    /// Cells sent by the end systems of the class.
    pub cells_sent: u64,
    /// Cells of the class that arrived at their destinations.
    #[schemars(extend("x-better" = "more"))]
    pub cells_delivered: u64,
    /// Cells of the class dropped at switches.
    #[schemars(extend("x-better" = "less"))]
    pub cells_dropped: u64,
    /// Cells dropped / cells sent.
    #[schemars(extend("x-formula" = "cells_dropped / cells_sent", "x-source" = "Kalyanaraman 97 section 8.8", "x-better" = "less", "x-greatest" = 1))]
    pub cell_loss_ratio: f64,
    /// Delays of all cells of the class, whichever flow sent them. The jitter of the background
    /// traffic of Ajmone Marsan 97 sections 3 and 4.3 is the standard deviation of its class.
    #[serde(flatten)]
    pub delays: CellDelay,
}
