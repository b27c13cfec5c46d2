//! PID control: feedback by the queue length while the queue grows, and by the mean queue length while the queue
//! falls (Ajmone Marsan et al. 1997, (4)).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Feedback, Law, Sampled, Sampling, Thresholds, ranges};
use crate::control::{PortFacts, SchemeParameters, SwitchFacts};
use crate::kernel::Finding;
use crate::kernel::units::Cells;

/// Parameters of PID control. The defaults are those of the paper's table 2, for a buffer of 5,000
/// cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PidConfig {
    /// Slots between samples of the queue (S_r); a slot is the time of a cell on the link.
    #[schemars(extend("x-search" = { "low": "1 cell", "high": "10000 cells", "scale": "log" }))]
    pub sampling: Cells,
    /// Queue length below which rates may increase (l_t).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub low: Cells,
    /// Queue length from which on rates decrease (h_t).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub high: Cells,
    /// Weight of the newest sample in the mean I_Q(n) = alpha Q(n) + (1 - alpha) I_Q(n - 1), above
    /// 0 and below 1. The time constant of the mean is -S_r / ln(1 - alpha) slots. The paper's
    /// expression theta for this time constant is negative: its dimension is right, its value is
    /// not.
    #[schemars(extend("x-search" = { "low": 0.0001, "high": 0.5, "scale": "log" }))]
    pub alpha: f64,
    /// Least decrease between two samples that counts as a falling queue (epsilon). The paper names
    /// 1 or 2 cells, and does not say which it used.
    #[schemars(extend("x-search" = { "low": "1 cell", "high": "100 cells", "scale": "log" }))]
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

impl Default for PidConfig {
    fn default() -> PidConfig {
        PidConfig {
            sampling: Cells(100),
            low: Cells(100),
            high: Cells(2_500),
            alpha: 0.001,
            epsilon: Cells(1),
            count_in_service: false,
            mark_forward: false,
            hysteresis: None,
        }
    }
}

impl SchemeParameters for PidConfig {
    /// Findings about sampling, order and reach of the thresholds, hysteresis, and alpha.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let open = self.alpha > 0.0 && self.alpha < 1.0;
        let ranges = ranges(facts, self.sampling, (self.low, self.high), self.hysteresis);
        ranges
            .require("alpha", open, self.alpha, "above 0 and below 1")
            .findings()
    }
}

/// State of PID control at one output port.
#[derive(Clone, Copy, Debug)]
pub struct Pid {
    thresholds: Thresholds,
    alpha: f64,
    epsilon: u64,
    /// Mean I_Q of the queue length, in cells.
    mean: f64,
}

impl Sampled<Pid> {
    /// State of PID control at a port with these `facts`. The mean queue length that
    /// the law reads begins with zero.
    pub fn new(config: &PidConfig, facts: PortFacts) -> Sampled<Pid> {
        let thresholds = Thresholds::new(config.low, config.high, config.hysteresis);
        let law = Pid {
            thresholds,
            alpha: config.alpha,
            epsilon: config.epsilon.0,
            mean: 0.0,
        };
        let sampling = Sampling {
            every: config.sampling,
            count_in_service: config.count_in_service,
            mark_forward: config.mark_forward,
        };
        Sampled::with(law, sampling, facts)
    }
}

impl Law for Pid {
    type Config = PidConfig;

    fn change(&mut self, config: &PidConfig) {
        self.thresholds
            .change(config.low, config.high, config.hysteresis);
        (self.alpha, self.epsilon) = (config.alpha, config.epsilon.0);
    }
    fn sampling(config: &PidConfig) -> Cells {
        config.sampling
    }
    fn decide(&mut self, queue: u64, change: i64) -> Feedback {
        // I_Q(n) = alpha Q(n) + (1 - alpha) I_Q(n - 1), the equation before (4)
        self.mean += self.alpha * (queue as f64 - self.mean);
        let falls = change <= 0 && change.unsigned_abs() >= self.epsilon; // (4): D_Q <= -epsilon
        // (4): the mean I_Q while the queue falls, otherwise Q.
        self.thresholds
            .feedback(if falls { self.mean } else { queue as f64 })
    }
}
