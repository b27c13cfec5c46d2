//! Parameters of a shaper at a source or at ports.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::Contract;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps, Rate};

/// Contract to which a source or a port shapes the cells of a channel: a single leaky bucket with `pcr` alone, a dual one with `scr` and `mbs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShaperConfig {
    /// Peak cell rate (PCR): two cells are at least 1/PCR apart.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub pcr: Rate,
    /// Sustainable cell rate (SCR), with `mbs`. If absent, PCR alone counts.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub scr: Option<Rate>,
    /// Maximum burst size (MBS): number of cells that leave at PCR after a long pause.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this size"))]
    pub mbs: Option<Cells>,
}

impl ShaperConfig {
    /// The contract to which the cells conform. Its CDVT is 0.
    pub fn contract(&self) -> Contract {
        let ShaperConfig { pcr, scr, mbs } = *self;
        Contract {
            pcr,
            cdvt: Ps::ZERO,
            scr,
            mbs,
        }
    }
    /// Findings about values that contradict each other or are out of range.
    pub fn check(&self) -> Vec<Finding> {
        self.contract().check()
    }
}
