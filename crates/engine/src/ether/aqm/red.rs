//! Random early detection (Floyd and Jacobson 1993, "Random Early Detection Gateways for Congestion Avoidance").
//! Decisions at arrivals follow ns-2 (`queue/red.cc`) and ns-3 (`RedQueueDisc`). Decisions by the instantaneous
//! queue are the marking of DCQCN (Zhu et al. 2015, section 3.1): see [`RedConfig::dcqcn`].
//!
//! After a packet that was marked or dropped with probability 1 the count restarts, as in the paper. In ns-3 the
//! count continues, unless `Ns1Compat` is set.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::length::{Held, Length};
use super::policy::{
    AqmAlgorithm, AqmParameters, At, Decision, QueueFacts, reachable, require, share, signal,
};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Rate, Stream};

/// Distances between marked or dropped packets at a constant probability p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Each packet is marked or dropped independently of all others, with the mean distance 1/p (method 1 of the
    /// paper's section 7).
    Geometric,
    /// Distances are uniform between 1 and 1/p - 1 packets, with the mean 1/(2p) (method 2).
    Uniform,
    /// Distances are uniform between 1/p and 2/p - 1 packets (the option `wait` of ns-2).
    Wait,
}

/// Parameters of random early detection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedConfig {
    /// Average queue length below which every packet passes (min_th; K_min of DCQCN).
    #[schemars(extend("x-search" = { "low": "2 packets", "high": "500 packets", "scale": "log" }))]
    pub min: Length,
    /// Average queue length from which on the probability is 1, or rises with `gentle` (max_th; K_max of DCQCN).
    #[schemars(extend("x-search" = { "low": "4 packets", "high": "2000 packets", "scale": "log" }))]
    pub max: Length,
    /// Weight of the present queue length in the average at each arrival (w_q). With 1 the average is the present
    /// length.
    #[schemars(extend("x-search" = { "low": 0.0001, "high": 1, "scale": "log" }))]
    pub weight: f64,
    /// Probability just below the average length `max` (max_p).
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub max_p: f64,
    /// Let the probability rise linearly from `max_p` at `max` to 1 at twice `max`, instead of being 1 from `max`
    /// on.
    pub gentle: bool,
    /// Distances between marked or dropped packets.
    pub spacing: Spacing,
    /// Make the probability of a packet proportional to its octets (`bytes_` of ns-2).
    pub by_size: bool,
    /// Mean size of packets. With `by_size` the size of a packet is divided by this size, and while the line is
    /// idle the average falls as by packets of this size.
    #[schemars(extend("x-not-searched" = "a property of the traffic"))]
    pub mean_packet: Bytes,
    /// Mark packets whose transport understands marks, rather than drop them.
    pub ecn: bool,
    /// Instant of the decision and of the update of the average. A mark at the start of transmission does not
    /// wait in the queue (Zhu et al. 2016, 5.1).
    pub at: At,
    /// Drop packets where the probability is 1, even with `ecn` (`UseHardDrop` of ns-3).
    pub hard_drop: bool,
}

impl Default for RedConfig {
    /// Thresholds, weight and max_p of the paper's section 5; other values as in ns-3.
    fn default() -> RedConfig {
        RedConfig {
            min: Length::Packets(5),
            max: Length::Packets(15),
            weight: 0.002,
            max_p: 0.02,
            gentle: true,
            spacing: Spacing::Wait,
            by_size: false,
            mean_packet: Bytes(500),
            ecn: false,
            at: At::Enqueue,
            hard_drop: true,
        }
    }
}

impl RedConfig {
    /// The marking of DCQCN by the instantaneous queue: the probability rises linearly from K_min to K_max, and
    /// is 1 above (Zhu et al. 2015, section 3.1). Section 5 of that paper takes 5 kB, 200 kB and 1 percent. A
    /// packet is marked when its transmission starts (Zhu et al. 2016, 5.1).
    pub fn dcqcn(k_min: Bytes, k_max: Bytes, p_max: f64) -> RedConfig {
        RedConfig {
            min: Length::Octets(k_min.0),
            max: Length::Octets(k_max.0),
            weight: 1.0,
            max_p: p_max,
            gentle: false,
            spacing: Spacing::Geometric,
            ecn: true,
            at: At::Dequeue,
            hard_drop: false,
            ..RedConfig::default()
        }
    }
    /// Probability p_b at an average length of at least `min`, in the unit of the thresholds.
    fn probability(&self, average: f64) -> f64 {
        let (min, max) = (self.min.amount() as f64, self.max.amount() as f64);
        if average < max {
            // The paper's section 4: p_b = max_p (avg - min_th) / (max_th - min_th).
            self.max_p * (average - min) / (max - min)
        } else if self.gentle && average < 2.0 * max {
            // ns-2, `calculate_p_new`: from max_p at `max` to 1 at twice `max`.
            self.max_p + (1.0 - self.max_p) * (average - max) / max
        } else {
            1.0
        }
    }
}

impl AqmParameters for RedConfig {
    /// Findings about thresholds in the wrong order, of different units or beyond the buffer, and
    /// about shares outside their range.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let (min, max) = (self.min, self.max);
        let is_above = !max.is_counted_as(min) || max.amount() >= min.amount();
        [
            require("max", max.is_counted_as(min), max, "in the unit of `min`"),
            require("max", is_above, max, "at least `min`"),
            require("max", max.amount() > 0, max, "above 0"),
            share("weight", self.weight),
            share("max_p", self.max_p),
            require(
                "mean_packet",
                self.mean_packet.0 > 0,
                self.mean_packet,
                "above 0",
            ),
            require(
                "by_size",
                !(self.by_size && self.at == At::Dequeue),
                self.by_size,
                "false if `at` is \"dequeue\"",
            ),
            reachable("min", min, facts),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn marks(&self) -> bool {
        self.ecn
    }
}

/// Random early detection at one queue.
#[derive(Clone, Debug)]
pub struct Red {
    config: RedConfig,
    rate: Rate,
    stream: Stream,
    /// Average queue length, in the unit of the thresholds (avg).
    average: f64,
    /// Instant up to which the average accounts for an empty queue (q_time).
    idle_since: Ps,
    /// True from the end of the transmission that empties the queue until the next transmission starts.
    is_idle: bool,
    /// Packets since the last marked or dropped packet, the present packet included (count).
    count: u64,
    /// Octets of the packets in `count`.
    count_octets: u64,
    /// True if the previous packet met an average length of at least `min` (`old` of ns-2).
    is_above: bool,
}

impl Red {
    /// The state of the algorithm at the empty queue of `facts`.
    pub fn new(config: &RedConfig, facts: QueueFacts, stream: Stream) -> Red {
        Red {
            config: config.clone(),
            rate: facts.rate,
            stream,
            average: 0.0,
            idle_since: Ps::ZERO,
            is_idle: true,
            count: 0,
            count_octets: 0,
            is_above: false,
        }
    }
    /// Replaces the parameters. If the unit of the thresholds changes, the average restarts at zero.
    pub fn change(&mut self, _: Ps, config: &RedConfig) {
        if !config.min.is_counted_as(self.config.min) {
            self.average = 0.0;
        }
        self.config = config.clone();
    }
    /// Average queue length, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.average
    }

    /// Updates the average for a packet that arrives, or whose transmission starts, at `now`. If an idle line
    /// could have sent m packets, ns-2 has avg (1 - w)^(m + 1), and the paper has avg (1 - w)^m (section 4). This
    /// is the formula of ns-2.
    fn update_average(&mut self, now: Ps, queue: Held, is_idle: bool) {
        let weight = self.config.weight;
        let kept = if is_idle {
            let packets = self.sendable(now.saturating_sub(self.idle_since));
            self.idle_since = now;
            libm::pow(1.0 - weight, packets as f64 + 1.0)
        } else {
            1.0 - weight
        };
        self.average = self.average * kept + weight * self.config.min.count(queue) as f64;
    }
    /// Whole packets of mean size that the line sends in `span`.
    fn sendable(&self, span: Ps) -> u128 {
        // Picoseconds of a second, times thousandths of a bit/s, times bits of an octet.
        const OCTET: u128 = 8 * 1_000_000_000_000 * 1_000;
        let packet = OCTET * self.config.mean_packet.0 as u128;
        span.0 as u128 * self.rate.0 as u128 / packet
    }

    /// Probability p_a with which the present packet, of `octets`, is marked or dropped (`modify_p` of ns-2). It
    /// sets the distances between marks or drops.
    fn spaced(&self, p: f64, octets: u32) -> f64 {
        let RedConfig {
            spacing,
            by_size,
            mean_packet,
            ..
        } = self.config;
        let passed = match by_size {
            true => self.count_octets / mean_packet.0,
            false => self.count,
        };
        let passed = passed as f64 * p;
        let p = match spacing {
            Spacing::Geometric => p,
            // The paper's section 4: p_a = p_b / (1 - count p_b).
            Spacing::Uniform if passed < 1.0 => p / (1.0 - passed),
            Spacing::Wait if passed < 1.0 => 0.0,
            Spacing::Wait if passed < 2.0 => p / (2.0 - passed),
            Spacing::Uniform | Spacing::Wait => 1.0,
        };
        if by_size && p < 1.0 {
            p * octets as f64 / mean_packet.0 as f64
        } else {
            p
        }
    }
    fn restart_count(&mut self, count: u64, octets: u32) {
        (self.count, self.count_octets) = (count, count * octets as u64);
    }
}

impl Red {
    fn decide(&mut self, octets: u32, queue: Held) -> Decision {
        self.count += 1;
        self.count_octets += octets as u64;
        // With spacing, ns-2 never marks or drops a packet that meets a queue of at most one packet or one octet.
        let is_spaced = self.config.spacing != Spacing::Geometric;
        let is_empty = is_spaced && self.config.min.count(queue) <= 1;
        if self.average < self.config.min.amount() as f64 || is_empty {
            self.is_above = false;
            return Decision::Pass;
        }
        let p = self.config.probability(self.average);
        if p >= 1.0 {
            self.restart_count(0, octets);
            return signal(self.config.ecn && !self.config.hard_drop);
        }
        if is_spaced && !self.is_above {
            // In ns-2 the count begins when the average reaches `min`.
            self.is_above = true;
            self.restart_count(1, octets);
            return Decision::Pass;
        }
        if self.stream.uniform() < self.spaced(p, octets) {
            self.restart_count(0, octets);
            return signal(self.config.ecn);
        }
        Decision::Pass
    }
}

impl AqmAlgorithm for Red {
    fn on_enqueue(&mut self, now: Ps, octets: u32, queue: Held) -> Decision {
        if self.config.at == At::Dequeue {
            return Decision::Pass;
        }
        self.update_average(now, queue, queue.packets == 0);
        self.decide(octets, queue)
    }
    fn on_dequeue(&mut self, now: Ps, _since: Ps, queue: Held) -> Decision {
        if self.config.at == At::Enqueue {
            return Decision::Pass;
        }
        // The queue is empty when the transmission of its last packet starts, but the line was not idle.
        let is_idle = core::mem::take(&mut self.is_idle);
        self.update_average(now, queue, is_idle);
        // Sizes of packets count only in decisions at arrival.
        self.decide(0, queue)
    }
    #[inline]
    fn on_empty(&mut self, now: Ps) {
        self.idle_since = now;
        self.is_idle = true;
    }
    fn acts_on_arrival_alone(&self) -> bool {
        self.config.at == At::Enqueue
    }
}

#[cfg(test)]
mod tests;
