//! Parameters of FMMRA, with the certainty of each.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::Ranges;
use super::{SchemeParameters, SwitchFacts};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};

/// Rate to which the largest rate ERmax falls when the load is no longer below 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErMaxFloor {
    /// The explicit rate of the BRM: ERmax := (1 - alpha) ERmax + alpha max(ER, ERmax / load), the
    /// published recursion (Arulambalam, Chen and Ansari 1996, as quoted by Kalyanaraman 1997). A
    /// port that also marks FRMs gets back its own ERmax of a round trip ago, so ERmax falls only
    /// by the rule for congestion: a target below 1 is not kept and rates oscillate about the fair
    /// ones.
    #[default]
    ExplicitRate,
    /// The advertised rate: ERmax := (1 - alpha) ERmax + alpha max(advertised rate, ERmax / load).
    /// Ours, not the authors': it keeps a target below 1 and lets rates settle.
    AdvertisedRate,
}

/// Parameters of FMMRA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FmmraConfig {
    /// Target utilisation: share of the rate left by other classes that is allocated.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Longest interval over which load and capacity are measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// ABR cells after which an interval ends early.
    #[schemars(extend("x-search" = { "low": "10 cells", "high": "10000 cells", "scale": "log" }))]
    pub interval_cells: Cells,
    /// Weight of the newest BRM in the largest rate ERmax (alpha); 1/8 is not certain to be the
    /// authors'.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log" }))]
    pub er_max_weight: f64,
    /// Rate to which ERmax falls when the load is no longer below 1.
    pub er_max_floor: ErMaxFloor,
    /// Queue length from which on, under overload, no channel gets more than the advertised rate
    /// (QT); the authors' value is not known.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 0.5, "scale": "log", "of": "buffer" }))]
    pub qt: Cells,
    /// Queue length above which the target is lowered until the queue is shorter than QT (DQT); the
    /// authors' value is not known. While a queue is drained, and where the rule cycles over long
    /// round trips, rates are not max-min fair; with QT and DQT out of reach they are.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "log", "of": "buffer" }))]
    pub dqt: Cells,
    /// Factor on the target utilisation while the queue is drained; the authors' value is not
    /// known.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear" }))]
    pub drain_factor: f64,
    /// Also sets and clears a channel's mark by the ER in forward RM cells. The authors' patent (US
    /// 6,052,361, claims 1 and 2) does so when a backward RM cell arrives, by the ER in it; forward
    /// cells as well is another reading of the paper's "read in both directions". As sources stamp
    /// PCR, a forward cell unmarks every channel whose bottleneck lies further on until the cell is
    /// back.
    pub record_forward: bool,
    /// Lets an ER that this port itself wrote into a forward RM cell mark the channel as
    /// bottlenecked elsewhere, if it comes back when the advertised rate has grown above it. True
    /// by default, as the patent compares the ER of the backward cell whoever wrote it, and the
    /// channel indeed has no more than that for a round trip. With false, which is ours, only an ER
    /// that another port wrote marks it. Makes a difference only with `mark_forward`.
    pub record_own_mark: bool,
    /// Also marks forward RM cells, as the authors do, so that switches further on learn the rates
    /// that earlier ones allow; false marks backward cells alone, as most other schemes do.
    pub mark_forward: bool,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates; never if absent.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
}

impl Default for FmmraConfig {
    fn default() -> FmmraConfig {
        FmmraConfig {
            target_utilisation: 1.0,
            interval: Ps::from_ms(1),
            interval_cells: Cells(100),
            er_max_weight: 0.125,
            er_max_floor: ErMaxFloor::ExplicitRate,
            qt: Cells(50),
            dqt: Cells(200),
            drain_factor: 0.9,
            record_forward: false,
            record_own_mark: true,
            mark_forward: true,
            ci_threshold: None,
        }
    }
}

impl SchemeParameters for FmmraConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .utilisation("target_utilisation", self.target_utilisation)
            .interval("interval", self.interval)
            .some_cells("interval_cells", self.interval_cells)
            .share("er_max_weight", self.er_max_weight)
            .ordered(("qt", self.qt), ("dqt", self.dqt))
            .reachable("dqt", self.dqt)
            .share("drain_factor", self.drain_factor)
            .reachable_if_any("ci_threshold", self.ci_threshold)
            .findings()
    }
}
