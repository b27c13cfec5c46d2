//! Proportional integral controller enhanced (PIE, RFC 8033): arriving packets are dropped or marked with a
//! probability. The probability follows the delay of the queue and the change of this delay. Names are those
//! of RFC 8033.
//!
//! The delay is the waiting time of the last served packet (timestamps, RFC 8033 section 4.3). It is zero if
//! this packet left the queue empty. A queue knows the arrival time of each packet, so the estimate by the
//! departure rate (section 5.2) is not used. The algorithm is always active (section 5.3 is optional).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::length::Held;
use super::policy::{
    AqmAlgorithm, AqmParameters, Decision, QueueFacts, lasting, require, share, signal,
};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Stream};

/// Parameters of PIE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PieConfig {
    /// Reference delay (QDELAY_REF): 15 ms (RFC 8033 section 4.2).
    #[schemars(extend("x-search" = { "low": "0.05 ms", "high": "100 ms", "scale": "log" }))]
    pub qdelay_ref: Ps,
    /// Time between updates of the probability (T_UPDATE): 15 ms (RFC 8033 section 4.2).
    #[schemars(extend("x-search" = { "low": "0.05 ms", "high": "100 ms", "scale": "log" }))]
    pub t_update: Ps,
    /// Time for which PIE lets a burst pass (MAX_BURST): 150 ms (RFC 8033 section 4.4).
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "500 ms", "scale": "log" }))]
    pub max_burst: Ps,
    /// Weight of the difference between the delay and the reference delay (alpha), per second: 1/8 (RFC 8033
    /// section 4.2).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 50, "scale": "log" }))]
    pub alpha: f64,
    /// Weight of the change of the delay (beta), per second: 1 + 1/4 (RFC 8033 section 4.2).
    #[schemars(extend("x-search" = { "low": 0.1, "high": 500, "scale": "log" }))]
    pub beta: f64,
    /// Mean size of packets (MEAN_PKTSIZE), 1000 octets in ns-3. PIE marks or drops no packet that meets a
    /// queue of at most twice this size.
    #[schemars(extend("x-not-searched" = "a property of the traffic"))]
    pub mean_packet: Bytes,
    /// Mark packets whose transport understands marks, rather than drop them, while the probability is below
    /// `mark_threshold`.
    pub ecn: bool,
    /// Probability from which PIE drops packets even if it could mark them (MARK_ECNTH): 10 percent (RFC 8033
    /// section 5.1).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log", "when": {"ecn": true} }))]
    pub mark_threshold: f64,
    /// Mark or drop no packet until the sum of probabilities since the last marked or dropped packet is 0.85.
    /// From a sum of 8.5 on, always mark or drop a packet (RFC 8033 section 5.4).
    pub derandomize: bool,
    /// Raise a probability of at least 0.1 by at most 0.02 in one update (RFC 8033 section 5.5).
    pub cap_drop_adjustment: bool,
}

impl Default for PieConfig {
    /// Values of RFC 8033; options as in ns-3.
    fn default() -> PieConfig {
        PieConfig {
            qdelay_ref: Ps::from_ms(15),
            t_update: Ps::from_ms(15),
            max_burst: Ps::from_ms(150),
            alpha: 0.125,
            beta: 1.25,
            mean_packet: Bytes(1_000),
            ecn: false,
            mark_threshold: 0.1,
            derandomize: false,
            cap_drop_adjustment: true,
        }
    }
}

impl AqmParameters for PieConfig {
    /// Findings about times that are zero, negative weights, and a threshold that is no
    /// probability.
    fn check(&self, _: QueueFacts) -> Vec<Finding> {
        let not_negative = |field, value| require(field, value >= 0.0, value, "at least 0");
        [
            lasting("qdelay_ref", self.qdelay_ref),
            lasting("t_update", self.t_update),
            not_negative("alpha", self.alpha),
            not_negative("beta", self.beta),
            share("mark_threshold", self.mark_threshold),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn marks(&self) -> bool {
        self.ecn
    }
}

/// Pairs of a bound and a factor. The factor slows the change of a probability below the bound (auto-tuning,
/// RFC 8033 section 4.2).
const AUTO_TUNING: [(f64, f64); 6] = [
    (0.000001, 1.0 / 2048.0),
    (0.00001, 1.0 / 512.0),
    (0.0001, 1.0 / 128.0),
    (0.001, 1.0 / 32.0),
    (0.01, 1.0 / 8.0),
    (0.1, 1.0 / 2.0),
];

/// State of PIE at one queue: the probability, its timer and the last delay.
#[derive(Clone, Debug)]
pub struct Pie {
    config: PieConfig,
    stream: Stream,
    drop_prob: f64,
    /// Delay of the last served packet.
    qdelay: Ps,
    /// Value of `qdelay` at the last update.
    qdelay_old: Ps,
    burst_allowance: Ps,
    /// Sum of probabilities since the last marked or dropped packet.
    accu_prob: f64,
    /// Instant of the next update. While [`Pie::is_at_rest`] holds, no update takes place.
    next: Ps,
}

impl Pie {
    /// The state of the algorithm at an empty queue.
    pub fn new(config: &PieConfig, _: QueueFacts, stream: Stream) -> Pie {
        Pie {
            config: config.clone(),
            stream,
            drop_prob: 0.0,
            qdelay: Ps::ZERO,
            qdelay_old: Ps::ZERO,
            burst_allowance: config.max_burst,
            accu_prob: 0.0,
            next: config.t_update,
        }
    }
    /// Replaces the parameters at `now`. The instant of the next update does not change. The remaining burst
    /// allowance is at most the new allowance.
    pub fn change(&mut self, now: Ps, config: &PieConfig) {
        let most = if self.is_at_rest() {
            self.skip_updates(now.0.saturating_sub(1));
            config.max_burst
        } else {
            self.burst_allowance
        };
        self.config = config.clone();
        self.burst_allowance = most.min(config.max_burst);
    }
    /// Moves `next` beyond `last` picoseconds by a multiple of T_UPDATE, since at rest the updates up to
    /// `last` would change nothing.
    fn skip_updates(&mut self, last: u64) {
        if self.next.0 <= last {
            let missed = 1 + (last - self.next.0) / self.config.t_update.0;
            self.next = Ps(self.next.0 + missed * self.config.t_update.0);
        }
    }
    /// Probability of a drop or mark after the last update.
    pub fn drop_prob(&self) -> f64 {
        self.drop_prob
    }

    /// True if updates change nothing until a packet has to wait: the state is at rest.
    fn is_at_rest(&self) -> bool {
        let delays = (self.qdelay, self.qdelay_old);
        delays == (Ps::ZERO, Ps::ZERO)
            && self.drop_prob == 0.0
            && self.burst_allowance == self.config.max_burst
    }
    /// True if the present delay and the delay of the last update are below half the reference delay.
    fn is_uncongested(&self) -> bool {
        self.is_short(self.qdelay) && self.is_short(self.qdelay_old)
    }
    fn is_short(&self, delay: Ps) -> bool {
        delay.0 < self.config.qdelay_ref.0.div_ceil(2)
    }
    /// Change of the probability (RFC 8033 section 4.2), times the auto-tuning factor of the present
    /// probability.
    fn adjustment(&self) -> f64 {
        let PieConfig { alpha, beta, .. } = self.config;
        let seconds = |from: Ps, to: Ps| (to.0 as f64 - from.0 as f64) / 1e12;
        let p = alpha * seconds(self.config.qdelay_ref, self.qdelay)
            + beta * seconds(self.qdelay_old, self.qdelay);
        let slow = AUTO_TUNING
            .iter()
            .find(|(bound, _)| self.drop_prob < *bound);
        let p = p * slow.map_or(1.0, |(_, factor)| *factor);
        if self.config.cap_drop_adjustment && self.drop_prob >= 0.1 {
            p.min(0.02)
        } else {
            p
        }
    }
    /// True if a packet that meets `queue` is marked or dropped (RFC 8033 sections 4.1 and 5.4).
    fn drop_early(&mut self, queue: Held) -> bool {
        // PIE leaves short queues and light congestion alone, to stay work-conserving (RFC 8033 section 4.1).
        let is_light = self.is_short(self.qdelay_old) && self.drop_prob < 0.2;
        if is_light || queue.octets <= 2 * self.config.mean_packet.0 {
            return false;
        }
        if self.config.derandomize {
            if self.drop_prob == 0.0 {
                self.accu_prob = 0.0;
            }
            self.accu_prob += self.drop_prob;
            if self.accu_prob < 0.85 {
                return false;
            }
        }
        let is_due = self.config.derandomize && self.accu_prob >= 8.5;
        let is_chosen = is_due || self.stream.uniform() < self.drop_prob;
        if is_chosen {
            self.accu_prob = 0.0;
        }
        is_chosen
    }
}

impl AqmAlgorithm for Pie {
    #[inline]
    fn on_enqueue(&mut self, _: Ps, _: u32, queue: Held) -> Decision {
        if self.burst_allowance > Ps::ZERO || !self.drop_early(queue) {
            return Decision::Pass;
        }
        signal(self.config.ecn && self.drop_prob < self.config.mark_threshold)
    }
    #[inline]
    fn on_dequeue(&mut self, now: Ps, since: Ps, queue: Held) -> Decision {
        let was_at_rest = self.is_at_rest();
        self.qdelay = if queue.packets == 0 {
            Ps::ZERO
        } else {
            now.saturating_sub(since)
        };
        if was_at_rest {
            self.skip_updates(now.0);
        }
        Decision::Pass
    }
    #[inline]
    fn wake_at(&self) -> Ps {
        if self.is_at_rest() {
            Ps::NEVER
        } else {
            self.next
        }
    }
    /// Updates the probability (RFC 8033 section 4.2) and the burst allowance (section 4.4).
    fn wake(&mut self, now: Ps) {
        let config = &self.config;
        let mut p = self.drop_prob + self.adjustment();
        if (self.qdelay, self.qdelay_old) == (Ps::ZERO, Ps::ZERO) {
            p *= 0.98; // Section 4.2: the probability decays once the congestion is over.
        }
        self.drop_prob = p.clamp(0.0, 1.0);
        self.burst_allowance = self.burst_allowance.saturating_sub(config.t_update);
        self.next = now.saturating_add(config.t_update);
        if self.drop_prob == 0.0 && self.is_uncongested() {
            self.burst_allowance = self.config.max_burst;
        }
        self.qdelay_old = self.qdelay;
    }
}

#[cfg(test)]
mod tests;
