//! Parameters of FMMRA, and how certain each is.

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
    /// The explicit rate in the BRM: ERmax := (1 - alpha) ERmax + alpha max(ER, ERmax / load), the
    /// published recursion (Arulambalam, Chen and Ansari 1996, as quoted by Kalyanaraman 1997). A
    /// port that also lowers ER in FRMs (`mark_forward`) gets back the ERmax that it wrote a round
    /// trip ago. So ERmax falls only by the rule of `qt` under overload: a `target_utilisation`
    /// below 1 is not reached, and rates oscillate about the fair rates.
    #[default]
    ExplicitRate,
    /// The advertised rate: ERmax := (1 - alpha) ERmax + alpha max(advertised rate, ERmax / load).
    /// This form is cellrate's, not the authors'. With this form a `target_utilisation` below 1 is
    /// reached, and rates settle.
    AdvertisedRate,
}

/// Parameters of FMMRA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FmmraConfig {
    /// Target utilisation: share of the rate left by other classes that the scheme allocates.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Longest interval over which load and capacity are measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Number of ABR cells after which an interval ends early.
    #[schemars(extend("x-search" = { "low": "10 cells", "high": "10000 cells", "scale": "log" }))]
    pub interval_cells: Cells,
    /// Weight of the newest BRM in the largest rate ERmax (alpha). It is not certain that the
    /// authors use 1/8.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log" }))]
    pub er_max_weight: f64,
    /// Rate to which ERmax falls when the load is no longer below 1.
    pub er_max_floor: ErMaxFloor,
    /// Queue length from which on, under overload, no channel gets more than the advertised rate
    /// (QT). The authors' value is not known.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 0.5, "scale": "log", "of": "buffer" }))]
    pub qt: Cells,
    /// Queue length above which the target is lowered until the queue is shorter than QT (DQT). The
    /// authors' value is not known. Rates are not max-min fair while a queue is drained. Over long
    /// round trips the port may alternate without end between draining the queue and letting it
    /// fill. If the queue reaches neither QT nor DQT, rates are max-min fair.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "log", "of": "buffer" }))]
    pub dqt: Cells,
    /// Factor on the target utilisation while the queue is drained. The authors' value is not
    /// known.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear" }))]
    pub drain_factor: f64,
    /// Also decides by the ER in forward RM cells whether a channel is bottlenecked elsewhere: it is
    /// if ER is below the advertised rate. In the authors' patent (US 6,052,361, claims 1 and 2)
    /// only backward RM cells decide. Using forward cells, too, is another reading of the paper's
    /// "read in both directions". As sources write PCR into ER, each forward cell then hides a
    /// bottleneck further on: its channel counts as not bottlenecked elsewhere until the cell is back.
    pub record_forward: bool,
    /// Counts an ER that this port itself wrote as the rate of a bottleneck elsewhere. The case arises if an RM
    /// cell comes back after the advertised rate has risen above the ER that this port wrote. True by default, as
    /// in the authors' patent, which compares the ER of the backward cell whichever port wrote it. The channel in
    /// fact has no more than this ER for a round trip. With false, a variant that is not in the patent, only an ER
    /// that another port wrote counts. Has an effect only with `mark_forward`.
    pub record_own_mark: bool,
    /// Also lowers ER in forward RM cells to the rate that this port allows, as the authors do, so
    /// that later switches learn the rates that earlier switches allow. With false, a port lowers
    /// ER in backward RM cells alone, as in most other schemes.
    pub mark_forward: bool,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates. Without this threshold CI is never set.
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
