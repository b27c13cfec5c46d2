//! TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1, and
//! patched TIMELY: Zhu, Ghobadi, Misra and Padhye, "ECN or Delay", CoNEXT 2016, algorithm 2.
//!
//! The paper of TIMELY was not at hand. This module follows algorithms 1 and 2 of Zhu et al. and two public programs:
//! the simulator of HPCC's authors and eRPC, which follows a program of TIMELY's authors. Here a round trip lasts from
//! the last bit of the last packet of a segment to the acknowledgement of the segment. If the segment leaves as one
//! burst, that is the time from the start of the segment, less the transmission time of the segment. Packets are paced
//! here.
//!
//! The programs postpone hyperactive increases, of five steps, in different ways. Here `hai_after` counts consecutive
//! completion events whose gradient is at most 0, the present one included. A first round trip has the gradient 0.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Completion, Notifier, RateControl, RateControlParameters, Way};
use crate::ether::aqm::{lasting, require, share};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Rate};

/// Rate of the line for which [`STEP`] is the step of an increase.
const TEN_GBPS: u64 = 10_000_000_000;
/// Step of an increase on a line of 10 Gbit/s, in bit/s.
const STEP: u64 = 10_000_000;

/// Parameters of TIMELY. Each acknowledged segment is a completion event with a round trip. Rates count preambles and gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimelyConfig {
    /// Between the thresholds, weigh an increase against a decrease by the gradient, with a decrease by the round trip, as
    /// Zhu et al. 2016 propose. If false, the sign of the gradient chooses between an increase, and a decrease by the
    /// gradient.
    pub patched: bool,
    /// Round trip below which the rate rises (T_low).
    #[schemars(extend("x-search" = { "low": "5 us", "high": "200 us", "scale": "log" }))]
    pub t_low: Ps,
    /// Round trip above which the rate falls, whatever the gradient (T_high).
    #[schemars(extend("x-search" = { "low": "50 us", "high": "2 ms", "scale": "log" }))]
    pub t_high: Ps,
    /// Round trip that divides the smoothed difference of two round trips, which gives the gradient (minRTT).
    #[schemars(extend("x-search" = { "low": "1 us", "high": "200 us", "scale": "log" }))]
    pub min_rtt: Ps,
    /// Weight of the newest difference of round trips (alpha).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1.0, "scale": "linear" }))]
    pub alpha: f64,
    /// Factor of a decrease (beta). If absent 0.8, and 0.008 with `patched`.
    #[schemars(extend("x-search" = { "low": 0.001, "high": 1.0, "scale": "log", "when": {"beta": true} }))]
    pub beta: Option<f64>,
    /// Step of the rate in an increase (delta). If absent, a thousandth of the line's rate: 10 Mbit/s at 10 Gbit/s.
    #[schemars(extend("x-search" = { "low": "1 Mbit/s", "high": "1 Gbit/s", "scale": "log", "when": {"delta": true} }))]
    pub delta: Option<Rate>,
    /// Payload of a segment, which has a whole number of packets.
    #[schemars(extend("x-search" = { "low": "1 kB", "high": "64 kB", "scale": "log" }))]
    pub segment: Bytes,
    /// Number of consecutive completion events with a gradient of at most 0 from which on an increase has `hai_steps`
    /// steps. No effect with `patched`.
    #[schemars(range(min = 1), extend("x-search" = { "low": 1, "high": 20, "scale": "linear" }))]
    pub hai_after: u32,
    /// Number of steps of a hyperactive increase (HAI). No effect with `patched`.
    #[schemars(range(min = 1), extend("x-search" = { "low": 1, "high": 20, "scale": "linear" }))]
    pub hai_steps: u32,
    /// Greatest share of the rate that a single decrease takes; 1 means no limit.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1.0, "scale": "linear" }))]
    pub most_decrease: f64,
    /// Least rate of a source.
    #[schemars(extend("x-search" = { "low": "1 Mbit/s", "high": "1 Gbit/s", "scale": "log" }))]
    pub r_min: Rate,
    /// Initial rate. If absent, the line's rate divided by one more than the number of other sources over RoCE that are
    /// active at the same host.
    #[schemars(extend("x-search" = { "low": "10 Mbit/s", "high": "100 Gbit/s", "scale": "log", "when": {"start": true} }))]
    pub start: Option<Rate>,
}

impl Default for TimelyConfig {
    /// The parameters of Zhu et al. 2016 for 10 Gbit/s. The greatest decrease is that of eRPC; the least rate is from
    /// neither.
    fn default() -> TimelyConfig {
        TimelyConfig {
            patched: false,
            t_low: Ps::from_us(50),
            t_high: Ps::from_us(500),
            min_rtt: Ps::from_us(20),
            alpha: 0.875,
            beta: None,
            delta: None,
            segment: Bytes(16_000),
            hai_after: 5,
            hai_steps: 5,
            most_decrease: 0.5,
            r_min: Rate::from_bps(STEP),
            start: None,
        }
    }
}

impl TimelyConfig {
    fn beta(&self) -> f64 {
        self.beta.unwrap_or(if self.patched { 0.008 } else { 0.8 })
    }
}

impl RateControlParameters for TimelyConfig {
    fn check(&self, line: Rate) -> Vec<Finding> {
        let fits = |rate: Rate| rate.0 > 0 && rate <= line;
        let above_low = self.t_high > self.t_low;
        let within = "above 0 and at most the rate of the line";
        let start = |start: Rate| {
            let fits = self.r_min <= start && start <= line;
            let allowed = "at least `r_min` and at most the rate of the line";
            require("start", fits, start, allowed)
        };
        [
            lasting("t_low", self.t_low),
            require("t_high", above_low, self.t_high, "above `t_low`"),
            lasting("min_rtt", self.min_rtt),
            share("alpha", self.alpha),
            self.beta.and_then(|beta| share("beta", beta)),
            self.delta
                .and_then(|delta| require("delta", fits(delta), delta, within)),
            require("segment", self.segment.0 > 0, self.segment, "above 0"),
            require("hai_after", self.hai_after > 0, self.hai_after, "above 0"),
            require("hai_steps", self.hai_steps > 0, self.hai_steps, "above 0"),
            share("most_decrease", self.most_decrease),
            require("r_min", fits(self.r_min), self.r_min, within),
            self.start.and_then(start),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
    fn segment(&self, payload: u64) -> Option<u64> {
        Some(self.segment.0.div_ceil(payload))
    }
}

/// A source under TIMELY. Rates are in octets/s on the line, times in picoseconds.
#[derive(Clone, Debug)]
pub struct Timely {
    config: TimelyConfig,
    beta: f64,
    delta: f64,
    line: f64,
    /// Rate (R).
    rate: f64,
    /// The last round trip.
    prev_rtt: Option<f64>,
    /// Smoothed difference of consecutive round trips.
    rtt_diff: f64,
    /// Number of consecutive completion events with a gradient of at most 0.
    falling: u32,
}

impl Timely {
    /// A source whose packets take the path `way`. Before its start the rate is the rate of the line, or `start`.
    pub fn new(config: &TimelyConfig, way: &Way) -> Timely {
        let line = octets(way.line);
        let by_line = STEP as f64 / TEN_GBPS as f64 * line;
        Timely {
            config: config.clone(),
            beta: config.beta(),
            delta: config.delta.map_or(by_line, octets),
            line,
            rate: config.start.map_or(line, octets),
            prev_rtt: None,
            rtt_diff: 0.0,
            falling: 0,
        }
    }

    /// The rate after a measured round trip between T_low and T_high, by the sign of the gradient (algorithm 1).
    fn by_sign(&self, gradient: f64) -> f64 {
        if gradient <= 0.0 {
            let is_hyperactive = self.falling >= self.config.hai_after;
            let steps = if is_hyperactive {
                self.config.hai_steps
            } else {
                1
            };
            self.rate + f64::from(steps) * self.delta
        } else {
            self.rate * (1.0 - self.beta * gradient)
        }
    }
    /// The rate of patched TIMELY after a measured round trip between T_low and T_high (algorithm 2). The reference round
    /// trip is T_low.
    fn by_weight(&self, gradient: f64, rtt: f64) -> f64 {
        let reference = self.config.t_low.0 as f64;
        let w = (2.0 * gradient + 0.5).clamp(0.0, 1.0);
        let error = (rtt - reference) / reference;
        self.delta * (1.0 - w) + self.rate * (1.0 - self.beta * w * error)
    }
}

impl RateControl for Timely {
    fn rate(&self) -> f64 {
        self.rate
    }
    fn starts_by_others(&self) -> bool {
        self.config.start.is_none()
    }
    fn on_start(&mut self, others: u64) {
        let least = octets(self.config.r_min);
        self.rate = (self.line / (others + 1) as f64).max(least);
    }

    fn on_completion(&mut self, completion: &Completion) {
        let rtt = completion.rtt;
        let (new_rtt, t_high) = (rtt.0 as f64, self.config.t_high.0 as f64);
        let new_diff = self.prev_rtt.map_or(0.0, |prev| new_rtt - prev);
        self.prev_rtt = Some(new_rtt);
        let alpha = self.config.alpha;
        self.rtt_diff = (1.0 - alpha) * self.rtt_diff + alpha * new_diff;
        let gradient = self.rtt_diff / self.config.min_rtt.0 as f64;
        self.falling = if gradient <= 0.0 {
            self.falling.saturating_add(1)
        } else {
            0
        };
        let rate = if rtt < self.config.t_low {
            self.rate + self.delta
        } else if rtt > self.config.t_high {
            self.rate * (1.0 - self.beta * (1.0 - t_high / new_rtt))
        } else if self.config.patched {
            self.by_weight(gradient, new_rtt)
        } else {
            self.by_sign(gradient)
        };
        let floor = self.rate * (1.0 - self.config.most_decrease);
        let least = octets(self.config.r_min).max(floor);
        self.rate = rate.max(least).min(self.line);
    }
}

fn octets(rate: Rate) -> f64 {
    rate.bits_per_second() / 8.0
}

#[cfg(test)]
mod tests;
