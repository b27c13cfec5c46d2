//! The setting for the order of cells that arrive at a node at the same instant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order of cells that arrive at a node at the same instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SimultaneousCells {
    /// In the order in which the scenario lists the links. Sources in step on lines of equal rate
    /// then always keep their ranks: the cells of the last link are lost at every overflow.
    #[default]
    AsWritten,
    /// In a random order, drawn anew at each instant from seed, link and instant alone, so that it
    /// does not depend on the rest of the network.
    Drawn,
}
