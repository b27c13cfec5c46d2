//! Parameters of FMMRA, and how sure each is.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SwitchFacts;
use super::ranges::Ranges;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};

/// What the largest rate ERmax falls back to when the load is no longer below 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErMaxFloor {
    /// The advertised rate: ERmax := (1 - alpha) ERmax + alpha max(advertised rate, ERmax / load).
    #[default]
    AdvertisedRate,
    /// The explicit rate of the BRM, as the recursion is quoted in the literature. A port that marks FRMs
    /// too finds there its own ERmax of a round trip ago, so ERmax falls only by the rule for congestion:
    /// a target below 1 is not kept and rates swing about the fair ones.
    ExplicitRate,
}

/// Parameters of FMMRA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FmmraConfig {
    /// Target utilisation: share of what other classes leave of the link that is allocated.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Longest interval over which load and capacity are measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// ABR cells after which an interval ends early.
    #[schemars(extend("x-search" = { "low": "10 cells", "high": "10000 cells", "scale": "log" }))]
    pub interval_cells: Cells,
    /// Weight of the newest BRM in the largest rate ERmax (alpha); 1/8 is not certain to be the authors'.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log" }))]
    pub er_max_weight: f64,
    /// What ERmax falls back to.
    pub er_max_floor: ErMaxFloor,
    /// Queue length from which, under overload, nobody gets more than the advertised rate (QT); the
    /// authors' value is not known.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 0.5, "scale": "log", "of": "buffer" }))]
    pub qt: Cells,
    /// Queue length above which the target is lowered until the queue is shorter than QT (DQT); the
    /// authors' value is not known.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "log", "of": "buffer" }))]
    pub dqt: Cells,
    /// Factor on the target utilisation while the queue is drained; the authors' value is not known.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear" }))]
    pub drain_factor: f64,
    /// Whether forward RM cells, too, tell where a channel is bottlenecked; with false only backward
    /// ones do, as in some implementations.
    pub record_forward: bool,
    /// Whether forward RM cells are marked too, as the authors have it, so that switches further on learn what those
    /// before them allow; with false only backward ones are, as by most other schemes.
    pub mark_forward: bool,
}

impl Default for FmmraConfig {
    fn default() -> FmmraConfig {
        FmmraConfig {
            target_utilisation: 1.0,
            interval: Ps::from_ms(1),
            interval_cells: Cells(100),
            er_max_weight: 0.125,
            er_max_floor: ErMaxFloor::AdvertisedRate,
            qt: Cells(50),
            dqt: Cells(200),
            drain_factor: 0.9,
            record_forward: true,
            mark_forward: true,
        }
    }
}

impl FmmraConfig {
    /// Values outside their range.
    pub fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .utilisation("target_utilisation", self.target_utilisation)
            .interval("interval", self.interval)
            .some_cells("interval_cells", self.interval_cells)
            .share("er_max_weight", self.er_max_weight)
            .ordered(("qt", self.qt), ("dqt", self.dqt))
            .reachable("dqt", self.dqt)
            .share("drain_factor", self.drain_factor)
            .findings()
    }
}
