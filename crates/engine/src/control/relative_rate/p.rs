//! P control: feedback by the queue length only (Ajmone Marsan et al. 1997, (1)).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Feedback, Law, Sampled, Sampling, Thresholds, ranges};
use crate::control::{PortFacts, SchemeParameters, SwitchFacts};
use crate::kernel::Finding;
use crate::kernel::units::Cells;

/// Parameters of P control. The defaults are those of the paper's table 2, for a buffer of 5,000
/// cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PConfig {
    /// Slots between samples of the queue (S_r); a slot is the time of a cell on the link.
    #[schemars(extend("x-search" = { "low": "1 cell", "high": "10000 cells", "scale": "log" }))]
    pub sampling: Cells,
    /// Queue length below which rates may increase (l_t).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub low: Cells,
    /// Queue length from which on rates decrease (h_t).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub high: Cells,
    /// Counts the cell in service as part of the queue. The paper does not specify this. If the
    /// cell counts, the queue of a lightly loaded link alternates between 0 and 1, and every port
    /// on the path reacts to this.
    pub count_in_service: bool,
    /// Also marks forward RM cells, whose bits the destination returns. An RM cell then brings back
    /// the worse of the feedback on its forward path and on its backward path. TM 4.0 section
    /// 5.10.6 lets a switch set CI and NI in either direction; the paper sets them in backward
    /// cells.
    pub mark_forward: bool,
    /// Distance below a threshold to which the queue must fall before it counts as below the
    /// threshold again; less than `low`. No hysteresis if absent, as in the paper. Two thresholds
    /// for one bit are usual (Ohsaki et al. 1995, section II.A: Q_H and Q_L).
    #[schemars(extend("x-search" = { "low": 0, "high": 0.05, "scale": "linear", "of": "buffer", "when": {"hysteresis": true} }))]
    pub hysteresis: Option<Cells>,
}

impl Default for PConfig {
    fn default() -> PConfig {
        PConfig {
            sampling: Cells(100),
            low: Cells(100),
            high: Cells(2_500),
            count_in_service: false,
            mark_forward: false,
            hysteresis: None,
        }
    }
}

impl SchemeParameters for PConfig {
    /// Findings about sampling, order and reach of the thresholds, and hysteresis.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        ranges(facts, self.sampling, (self.low, self.high), self.hysteresis).findings()
    }
}

/// State of P control at one output port.
#[derive(Clone, Copy, Debug)]
pub struct P(Thresholds);

impl Sampled<P> {
    /// State of P control at a port with these `facts`.
    pub fn new(config: &PConfig, facts: PortFacts) -> Sampled<P> {
        let sampling = Sampling {
            every: config.sampling,
            count_in_service: config.count_in_service,
            mark_forward: config.mark_forward,
        };
        Sampled::with(
            P(Thresholds::new(config.low, config.high, config.hysteresis)),
            sampling,
            facts,
        )
    }
}

impl Law for P {
    type Config = PConfig;

    fn change(&mut self, config: &PConfig) {
        self.0.change(config.low, config.high, config.hysteresis);
    }
    fn sampling(config: &PConfig) -> Cells {
        config.sampling
    }
    fn decide(&mut self, queue: u64, _change: i64) -> Feedback {
        self.0.feedback(queue as f64) // (1)
    }
}
