//! The setting for the order of cells that arrive at a node at the same instant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order of cells that arrive at a node at the same instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SimultaneousCells {
    /// In the order in which the scenario lists the links. Synchronised sources on lines of equal
    /// rate then always keep their order: the cells of the last link are lost at every overflow.
    #[default]
    AsWritten,
    /// In a random order, drawn anew for each instant. The order depends only on seed, link and
    /// instant, not on the rest of the network.
    Drawn,
}
