//! Point-to-multipoint flows of a scenario.

use cellrate_engine::atm::consolidation::Consolidation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Further hosts that get copies of a flow's cells. The switch at which the routes part copies each cell, and merges the
/// backward RM cells of the branches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Multipoint {
    /// Hosts beside `to`. Each has a flow of its own in the results: `NAME.2` for the first of them, and so on.
    pub also_to: Vec<String>,
    /// Rule by which a branch point returns backward RM cells.
    #[serde(default)]
    pub consolidation: Consolidation,
}
