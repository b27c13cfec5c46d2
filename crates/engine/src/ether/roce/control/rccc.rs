//! Receiver credits (RCCC) as in the public simulator of the Ultra Ethernet Consortium (ultraethernet/uet-htsim, commit
//! 40ccb05): a source sends a first window without a request. Then it sends what pulls allow, which the receiving host paces
//! over all its sources.
//!
//! This module follows that program, not the standard; the program itself says that only the standard is binding. A pull
//! states the number of packets that may be sent since the start, so a later pull replaces a lost one. Under selective
//! resend a packet that arrives trimmed needs a further pull; packets that are sent again after a timeout, or under
//! go-back-N, need none. Without trimming (`switch.trim_priority`) the first windows must fit into the buffers.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Notifier, RateControl, RateControlParameters, Way};
use super::puller::Puller;
use crate::ether::aqm::{require, share};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Rate};

/// Parameters of receiver credits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RcccConfig {
    /// First window: bytes on the line that a source sends before the first pull. Later, pulls allow packets only while less
    /// than this window is allowed and has not arrived. If absent, 1.5 times the rate of the line times the least round-trip
    /// time of the flow's path.
    #[schemars(extend("x-search" = { "low": "10 kB", "high": "1 MB", "scale": "log", "when": {"window": true} }))]
    pub window: Option<Bytes>,
    /// Number of packets that a pull allows.
    #[schemars(range(min = 1), extend("x-search" = { "low": 1, "high": 16, "scale": "powers-of-two" }))]
    pub pull: u32,
    /// Share of the rate of the receiver's line that the pulled packets fill.
    #[schemars(extend("x-search" = { "low": 0.8, "high": 1.0, "scale": "linear" }))]
    pub pull_rate: f64,
}

impl Default for RcccConfig {
    /// The values of the public simulator.
    fn default() -> RcccConfig {
        RcccConfig {
            window: None,
            pull: 4,
            pull_rate: 0.99,
        }
    }
}

impl RcccConfig {
    /// First window in packets, rounded up.
    fn packets(&self, way: &Way) -> u64 {
        let bdp = || way.line.bits_per_second() / 8e12 * way.round_trip.0 as f64;
        let window = self.window.map_or_else(|| 1.5 * bdp(), |w| w.0 as f64);
        (libm::ceil(window / f64::from(way.packet)) as u64).max(1)
    }
}

impl RateControlParameters for RcccConfig {
    fn check(&self, _line: Rate) -> Vec<Finding> {
        let window = self.window.unwrap_or(Bytes(1));
        [
            require("window", window.0 > 0, window, "above 0"),
            require("pull", self.pull > 0, self.pull, "above 0"),
            share("pull_rate", self.pull_rate),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
    fn puller(&self, way: &Way, packets: u64) -> Option<Puller> {
        let line = way.hops.last().unwrap_or(&way.line).bits_per_second() / 8e12;
        let packet_ps = f64::from(way.packet) / line / self.pull_rate;
        let window = self.packets(way);
        Some(Puller::new(packets, window, self.pull.into(), packet_ps))
    }
}

/// Receiver credit at a source.
#[derive(Clone, Debug)]
pub struct Rccc {
    line: f64,
    /// Number of packets that may be sent since the start; a packet that is sent again because it was trimmed counts again.
    limit: u64,
}

impl Rccc {
    /// A source whose packets take the path `way`.
    pub fn new(config: &RcccConfig, way: &Way) -> Rccc {
        Rccc {
            line: way.line.bits_per_second() / 8.0,
            limit: config.packets(way),
        }
    }
}

impl RateControl for Rccc {
    fn rate(&self) -> f64 {
        self.line
    }
    fn limit(&self) -> u64 {
        self.limit
    }
    fn on_pull(&mut self, limit: u64) {
        self.limit = self.limit.max(limit);
    }
}
