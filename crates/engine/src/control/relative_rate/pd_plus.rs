//! PD+ control: as PD control, with one exception. If the queue has changed by more than beta since the last
//! sample, the sign of this change alone decides the feedback (Ajmone Marsan et al. 1997, (3)).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pd::Pd;
use super::{Feedback, Law, Sampled, Sampling, Thresholds, ranges};
use crate::control::{PortFacts, SchemeParameters, SwitchFacts};
use crate::kernel::Finding;
use crate::kernel::units::Cells;

/// Parameters of PD+ control. The defaults are those of the paper's table 2, for a buffer of 5,000
/// cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PdPlusConfig {
    /// Slots between samples of the queue (S_r); a slot is the time of a cell on the link.
    #[schemars(extend("x-search" = { "low": "1 cell", "high": "10000 cells", "scale": "log" }))]
    pub sampling: Cells,
    /// Queue length below which rates may increase, unless the queue grows (l_t).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub low: Cells,
    /// Queue length from which on rates decrease, unless the queue falls (h_t).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub high: Cells,
    /// Largest change between samples for which the queue length counts (beta). Beyond it, rates
    /// decrease if the queue grows and increase if it falls.
    #[schemars(extend("x-search" = { "low": "1 cell", "high": "1000 cells", "scale": "log" }))]
    pub beta: Cells,
    /// Largest change between samples that counts as no change; 0 in (3). With the epsilon of (4),
    /// 1 or 2 cells, small changes at a lightly loaded link cause no feedback "keep rate".
    #[schemars(extend("x-search" = { "low": "0 cells", "high": "100 cells", "scale": "linear" }))]
    pub epsilon: Cells,
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

impl Default for PdPlusConfig {
    fn default() -> PdPlusConfig {
        PdPlusConfig {
            sampling: Cells(100),
            low: Cells(500),
            high: Cells(2_500),
            beta: Cells(10),
            epsilon: Cells(0),
            count_in_service: false,
            mark_forward: false,
            hysteresis: None,
        }
    }
}

impl SchemeParameters for PdPlusConfig {
    /// Findings about sampling, order and reach of the thresholds, and hysteresis.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        ranges(facts, self.sampling, (self.low, self.high), self.hysteresis).findings()
    }
}

/// State of PD+ control at one output port.
#[derive(Clone, Copy, Debug)]
pub struct PdPlus {
    pd: Pd,
    beta: u64,
}

impl Sampled<PdPlus> {
    /// State of PD+ control at a port with these `facts`.
    pub fn new(config: &PdPlusConfig, facts: PortFacts) -> Sampled<PdPlus> {
        let sampling = Sampling {
            every: config.sampling,
            count_in_service: config.count_in_service,
            mark_forward: config.mark_forward,
        };
        Sampled::with(
            PdPlus {
                pd: Pd {
                    thresholds: Thresholds::new(config.low, config.high, config.hysteresis),
                    epsilon: config.epsilon.0,
                },
                beta: config.beta.0,
            },
            sampling,
            facts,
        )
    }
}

impl Law for PdPlus {
    type Config = PdPlusConfig;

    fn change(&mut self, config: &PdPlusConfig) {
        let thresholds = &mut self.pd.thresholds;
        thresholds.change(config.low, config.high, config.hysteresis);
        self.pd.epsilon = config.epsilon.0;
        self.beta = config.beta.0;
    }
    fn sampling(config: &PdPlusConfig) -> Cells {
        config.sampling
    }
    fn decide(&mut self, queue: u64, change: i64) -> Feedback {
        // Computed at every sample, because thresholds with hysteresis depend on the previous sample.
        let by_length = self.pd.decide(queue, change);
        if change.unsigned_abs() <= self.beta {
            return by_length; // (3): -beta <= D_Q <= beta
        }
        if change > 0 {
            Feedback::Decrease // (3): beta < D_Q, any Q
        } else {
            Feedback::Increase // (3): D_Q < -beta, any Q
        }
    }
}
