//! Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020.
//!
//! The paper was not at hand. This module follows a public simulator (csg-htsim), whose author marks most constants as
//! guesses; the defaults are these guesses. Left out are choices of another path, delays inside hosts, and the reset of
//! the window after several timeouts. In flow scaling the simulator divides the window by the packet size in whole
//! numbers; here the quotient is exact. A round trip begins with the last bit of a packet.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Completion, Notifier, RateControl, RateControlParameters, Way};
use crate::ether::aqm::{lasting, require, share};
use crate::kernel::{Finding, Ps, Rate};

/// Parameters of Swift. Windows are in full packets. Each packet asks for an acknowledgement, whatever `ack_every` is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SwiftConfig {
    /// Target delay on a path without switches, for a window of `fs_max_cwnd` or more.
    #[schemars(extend("x-search" = { "low": "5 us", "high": "200 us", "scale": "log" }))]
    pub base: Ps,
    /// Amount that each switch on the path adds to the target delay (h).
    #[schemars(extend("x-search" = { "low": "0 s", "high": "20 us", "scale": "linear" }))]
    pub h: Ps,
    /// Greatest amount that flow scaling adds to the target delay of a small window (fs_range).
    #[schemars(extend("x-search" = { "low": "0 s", "high": "500 us", "scale": "linear" }))]
    pub fs_range: Ps,
    /// Window in full packets at and below which flow scaling adds `fs_range` to the target delay.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1.0, "scale": "log" }))]
    pub fs_min_cwnd: f64,
    /// Window in full packets at and above which flow scaling adds nothing to the target delay. It must be greater than
    /// `fs_min_cwnd`.
    #[schemars(extend("x-search" = { "low": 2.0, "high": 1000.0, "scale": "log" }))]
    pub fs_max_cwnd: f64,
    /// Increase of the window in each round trip with a delay below the target, in full packets (ai).
    #[schemars(extend("x-search" = { "low": 0.1, "high": 10.0, "scale": "log" }))]
    pub ai: f64,
    /// Factor of a decrease (beta).
    #[schemars(extend("x-search" = { "low": 0.05, "high": 1.0, "scale": "linear" }))]
    pub beta: f64,
    /// Greatest share of the window that a single decrease takes, and the share that a loss takes (max_mdf).
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.95, "scale": "linear" }))]
    pub max_mdf: f64,
    /// Initial window, in full packets.
    #[schemars(extend("x-search" = { "low": 1.0, "high": 200.0, "scale": "log" }))]
    pub cwnd: f64,
    /// Least window in full packets. With a window below one packet the source sends one packet in each round-trip time
    /// divided by the window.
    #[schemars(extend("x-search" = { "low": 0.001, "high": 1.0, "scale": "log" }))]
    pub min_cwnd: f64,
    /// Greatest window in full packets.
    #[schemars(extend("x-search" = { "low": 10.0, "high": 10000.0, "scale": "log" }))]
    pub max_cwnd: f64,
}

impl Default for SwiftConfig {
    /// The guesses of csg-htsim: h is base/6.55, fs_range is 5 base. The initial and the least window are not from
    /// csg-htsim.
    fn default() -> SwiftConfig {
        SwiftConfig {
            base: Ps::from_us(20),
            h: Ps::from_ns(3_053),
            fs_range: Ps::from_us(100),
            fs_min_cwnd: 0.1,
            fs_max_cwnd: 100.0,
            ai: 1.0,
            beta: 0.8,
            max_mdf: 0.5,
            cwnd: 10.0,
            min_cwnd: 0.01,
            max_cwnd: 1_000.0,
        }
    }
}

impl RateControlParameters for SwiftConfig {
    fn check(&self, _line: Rate) -> Vec<Finding> {
        let above = |name: &'static str, value: f64, least: f64, allowed: &str| {
            require(name, value.is_finite() && value > least, value, allowed)
        };
        let starts = (self.min_cwnd..=self.max_cwnd).contains(&self.cwnd);
        [
            lasting("base", self.base),
            above("fs_min_cwnd", self.fs_min_cwnd, 0.0, "above 0"),
            above(
                "fs_max_cwnd",
                self.fs_max_cwnd,
                self.fs_min_cwnd,
                "above `fs_min_cwnd`",
            ),
            above("ai", self.ai, 0.0, "above 0"),
            share("beta", self.beta),
            share("max_mdf", self.max_mdf),
            above("min_cwnd", self.min_cwnd, 0.0, "above 0"),
            require(
                "max_cwnd",
                self.max_cwnd.is_finite() && self.max_cwnd >= 1.0,
                self.max_cwnd,
                "at least 1",
            ),
            require(
                "cwnd",
                starts,
                self.cwnd,
                "at least `min_cwnd` and at most `max_cwnd`",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
    fn segment(&self, _payload: u64) -> Option<u64> {
        Some(1)
    }
}

impl SwiftConfig {
    /// Target delay over `switches` switches without flow scaling.
    pub fn unscaled(&self, switches: usize) -> Ps {
        let by_switches = self.h.0.saturating_mul(switches as u64);
        self.base.saturating_add(Ps(by_switches))
    }
    /// The two numbers of flow scaling, fs_alpha and fs_beta in picoseconds.
    fn scaling(&self) -> (f64, f64) {
        let inverse = |cwnd: f64| 1.0 / libm::sqrt(cwnd);
        let (most, least) = (inverse(self.fs_min_cwnd), inverse(self.fs_max_cwnd));
        let fs_alpha = self.fs_range.0 as f64 / (most - least);
        (fs_alpha, -fs_alpha * least)
    }
    /// Window in packets to which the window falls if no delay is shorter than `delay`: there flow scaling raises the
    /// target to `delay`, or the window is at its least. `None` if the target without flow scaling is above `delay`.
    pub fn falls_to(&self, switches: usize, delay: Ps) -> Option<f64> {
        let missing = delay.0.checked_sub(self.unscaled(switches).0)?;
        if missing > self.fs_range.0 {
            return Some(self.min_cwnd);
        }
        let (fs_alpha, fs_beta) = self.scaling();
        let root = fs_alpha / (missing as f64 - fs_beta);
        Some((root * root).max(self.min_cwnd))
    }
}

/// A source under Swift. Times are in picoseconds, windows in packets.
#[derive(Clone, Debug)]
pub struct Swift {
    config: SwiftConfig,
    /// Rate of the line in octets/s; `packet` is the number of octets on the line of a full packet.
    line: f64,
    packet: f64,
    /// Target delay without flow scaling.
    base: f64,
    /// Flow scaling adds fs_alpha/sqrt(cwnd) + fs_beta to the target delay.
    fs_alpha: f64,
    fs_beta: f64,
    cwnd: f64,
    /// Smoothed round trip; `None` before the first round trip.
    rtt: Option<f64>,
    last_decrease: Option<Ps>,
}

impl Swift {
    /// A source whose packets take the path `way`.
    pub fn new(config: &SwiftConfig, way: &Way) -> Swift {
        let (fs_alpha, fs_beta) = config.scaling();
        Swift {
            config: config.clone(),
            line: way.line.bits_per_second() / 8.0,
            packet: f64::from(way.packet),
            base: config.unscaled(way.hops.len()).0 as f64,
            fs_alpha,
            fs_beta,
            cwnd: config.cwnd,
            rtt: None,
            last_decrease: None,
        }
    }
    /// Window in packets.
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }
    /// Target delay in picoseconds.
    pub fn target(&self) -> f64 {
        let by_flows = self.fs_alpha / libm::sqrt(self.cwnd) + self.fs_beta;
        self.base + by_flows.clamp(0.0, self.config.fs_range.0 as f64)
    }

    /// True if the last decrease was at least a round trip ago.
    fn can_decrease(&self, now: Ps) -> bool {
        let last = self.last_decrease.zip(self.rtt);
        last.is_none_or(|(last, rtt)| (now - last).0 as f64 >= rtt)
    }
    fn decrease(&mut self, now: Ps, factor: f64) {
        let cwnd = (self.cwnd * factor).max(self.config.min_cwnd);
        if cwnd < self.cwnd {
            self.last_decrease = Some(now);
        }
        self.cwnd = cwnd;
    }
}

impl RateControl for Swift {
    /// The rate of the line; with a window below one packet the pacing rate.
    fn rate(&self) -> f64 {
        if self.cwnd >= 1.0 {
            return self.line;
        }
        let rtt = self.rtt.unwrap_or(self.base);
        (self.cwnd * self.packet / rtt * 1e12).min(self.line)
    }
    /// The window in whole packets. A window below one packet counts as one, since pacing limits the source.
    fn window(&self) -> f64 {
        if self.cwnd >= 1.0 {
            libm::floor(self.cwnd) * self.packet
        } else {
            self.packet
        }
    }

    fn on_completion(&mut self, completion: &Completion) {
        let (now, delay) = (completion.now, completion.rtt.0 as f64);
        let can_decrease = self.can_decrease(now);
        self.rtt = Some(self.rtt.map_or(delay, |rtt| 0.875 * rtt + 0.125 * delay));
        let target = self.target();
        if delay < target {
            let more = self.config.ai * completion.segments as f64;
            self.cwnd += if self.cwnd >= 1.0 {
                more / self.cwnd
            } else {
                more
            };
            self.cwnd = self.cwnd.min(self.config.max_cwnd);
        } else if can_decrease {
            let factor = 1.0 - self.config.beta * (delay - target) / delay;
            self.decrease(now, factor.max(1.0 - self.config.max_mdf));
        }
    }
    fn on_loss(&mut self, now: Ps) {
        if self.can_decrease(now) {
            self.decrease(now, 1.0 - self.config.max_mdf);
        }
    }
}

#[cfg(test)]
mod tests;
