//! Queue control of ERICA+ (Kalyanaraman 1997, section 6.15): the queueing delay determines the
//! share of the ABR capacity that is allocated.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Finding, Ps};

/// Form of the factor f(Tq) on the ABR capacity. Every form is `b` at an empty queue, 1 at T0, and
/// never below QDLF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueFunction {
    /// Two hyperbolas that meet at T0 (Kalyanaraman 1997, section 6.15, the form of ERICA+).
    #[default]
    Hyperbolic,
    /// Straight lines: from b at an empty queue to 1 at T0; 1 up to T1; then falling by a - 1 per
    /// T0 (after Vandalore et al. 1998).
    Linear,
    /// A staircase: b below T0; 1 up to T1; then falling by a - 1 with each T0 that begins (after
    /// Vandalore et al. 1998).
    Step,
    /// Two thresholds: b below T0 and 1 from T0 on. Above T1 the factor is QDLF until the queue is
    /// back at T0.
    Hysteresis,
}

/// Queue control of ERICA+: the factor f(Tq) on the ABR capacity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QueueControl {
    /// Form of the factor. The literature names the forms other than `hyperbolic`, but their
    /// constants are not certain. `a` and `b` mean the same in all forms.
    pub function: QueueFunction,
    /// Target queueing delay T0, at which the factor is 1.
    #[schemars(extend("x-search" = { "low": "0.05 ms", "high": "50 ms", "scale": "log" }))]
    pub target_delay: Ps,
    /// Queueing delay T1 above which `linear`, `step` and `hysteresis` drain the queue. Twice T0 if
    /// absent, a value chosen here.
    #[schemars(extend("x-search" = { "low": "0.5 ms", "high": "100 ms", "scale": "log", "when": {"function": ["linear", "step", "hysteresis"]} }))]
    pub drain_delay: Option<Ps>,
    /// Curve above T0: a larger value drains the queue faster. With `linear` and `step` the factor
    /// falls by a - 1 per T0.
    #[schemars(extend("x-search" = { "low": 1.01, "high": 2, "scale": "linear", "when": {"function": ["hyperbolic", "linear", "step"]} }))]
    pub a: f64,
    /// Factor at an empty queue, which shapes the curve below T0.
    #[schemars(extend("x-search" = { "low": 1, "high": 1.5, "scale": "linear" }))]
    pub b: f64,
    /// Queue drain limit factor (QDLF): least value of the factor.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1, "scale": "linear" }))]
    pub drain_limit: f64,
}

/// Largest value of `a` and `b`: far above any useful value, and low enough to keep rates finite.
const MOST: f64 = 1_000.0;

impl Default for QueueControl {
    fn default() -> QueueControl {
        QueueControl {
            function: QueueFunction::Hyperbolic,
            target_delay: Ps::from_us(500),
            drain_delay: None,
            a: 1.15,
            b: 1.05,
            drain_limit: 0.5,
        }
    }
}

impl QueueControl {
    /// The factor f(Tq) for a queue of `queue` units, if the queue drains at `capacity` units/s. Hence Tq / T0 =
    /// q / Q0 with Q0 = T0 times `capacity`. `draining` is the state of the form `hysteresis`: true while the
    /// queue is being drained. The calling code keeps this state from interval to interval.
    pub fn factor(&self, queue: u64, capacity: f64, draining: &mut bool) -> f64 {
        let q0 = self.target_delay.as_secs_f64() * capacity; // Q0 = T0 C
        let q1 = self.drain_delay().as_secs_f64() * capacity;
        let q = queue as f64;
        *draining = self.function == QueueFunction::Hysteresis && (q > q1 || (*draining && q > q0));
        if q <= q0 {
            self.below(q, q0)
        } else {
            self.above(q, q0, q1, *draining).max(self.drain_limit) // max(QDLF, f)
        }
    }

    /// Queueing delay T1 with its default applied: `drain_delay`, or else twice T0.
    pub fn drain_delay(&self) -> Ps {
        self.drain_delay
            .unwrap_or(self.target_delay.saturating_add(self.target_delay))
    }

    /// The factor f(Tq) for a queue of `q` units, where `q` is at most Q0 (`q0`), the queue length with the delay
    /// T0.
    fn below(&self, q: f64, q0: f64) -> f64 {
        if q0 <= 0.0 {
            return self.b;
        }
        match self.function {
            // Section 6.15, p. 180: f = b Q0 / ((b - 1) q + Q0).
            QueueFunction::Hyperbolic => self.b * q0 / ((self.b - 1.0) * q + q0),
            QueueFunction::Linear => self.b - (self.b - 1.0) * (q / q0),
            QueueFunction::Step | QueueFunction::Hysteresis => {
                if q < q0 {
                    self.b
                } else {
                    1.0
                }
            }
        }
    }

    /// The factor f(Tq) for a queue of `q` units, where `q` is above Q0 (`q0`), the queue length with the delay
    /// T0. The lower limit QDLF is not applied yet. `q1` is the queue length with the delay T1. `draining` is the
    /// state of the form `hysteresis`.
    fn above(&self, q: f64, q0: f64, q1: f64, draining: bool) -> f64 {
        let excess = if q <= q1 { 0.0 } else { (q - q1) / q0 };
        match self.function {
            // Section 6.15, p. 180: f = a Q0 / ((a - 1) q + Q0).
            QueueFunction::Hyperbolic => self.a * q0 / ((self.a - 1.0) * q + q0),
            QueueFunction::Linear => 1.0 - (self.a - 1.0) * excess,
            QueueFunction::Step => 1.0 - (self.a - 1.0) * libm::ceil(excess),
            QueueFunction::Hysteresis => {
                if draining {
                    0.0 // QDLF is then the factor
                } else {
                    1.0
                }
            }
        }
    }

    /// Findings about values outside their range.
    pub(super) fn check(&self) -> Vec<Finding> {
        let QueueControl {
            a, b, drain_limit, ..
        } = *self;
        let mut findings = Vec::new();
        let mut require = |field, holds: bool, found: f64, allowed: &str| {
            if !holds {
                findings.push(Finding::impossible(
                    field,
                    format!("must be {allowed}, but is {found}"),
                ));
            }
        };
        require(
            "queue_control.a",
            a > 1.0 && a <= MOST,
            a,
            "above 1 and at most 1000",
        );
        require(
            "queue_control.b",
            (1.0..=MOST).contains(&b),
            b,
            "from 1 to 1000",
        );
        require(
            "queue_control.drain_limit",
            (0.0..=1.0).contains(&drain_limit),
            drain_limit,
            "from 0 to 1",
        );
        findings.extend(self.thresholds_crossed());
        findings
    }

    fn thresholds_crossed(&self) -> Option<Finding> {
        let (t0, t1) = (self.target_delay, self.drain_delay());
        let crossed = self.function != QueueFunction::Hyperbolic && t1 < t0;
        crossed.then(|| {
            let text = format!("must be at least `target_delay`, which is {t0}, but is {t1}");
            Finding::impossible("queue_control.drain_delay", text)
        })
    }
}
