//! High precision congestion control (HPCC): Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm
//! 1, in the form of the Internet draft draft-miao-tsv-hpcc-01, which repeats it.
//!
//! This module follows the draft and the public simulator of the authors (alibaba-edu, ns-3). The draft does not specify
//! the first U, the greatest window and the effect of the first acknowledgement; here they are as in the simulator. The
//! simulator sets a rate where the draft sets a window: `window = false`, with `max_stage = 0` as in its configuration
//! files.
//!
//! In windows, queues and counts of switches, octets are octets on the line, with preambles and gaps.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Notifier, RateControl, RateControlParameters, Told, Way};
use crate::ether::aqm::{lasting, require, share};
use crate::ether::roce::telemetry::Hop;
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Rate};

/// Parameters of HPCC. The ports of all switches on the path write telemetry into packets with data, and acknowledgements
/// take it back. Both kinds of packets have 42 bytes more for it. A flow has one path, with at most five switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HpccConfig {
    /// Utilisation at which the window is held (eta).
    #[schemars(extend("x-search" = { "low": 0.8, "high": 1.0, "scale": "linear" }))]
    pub eta: f64,
    /// Number of additive increases, one for each round trip, after which the window is set by the utilisation although the
    /// utilisation is below `eta` (maxStage).
    #[schemars(extend("x-search" = { "low": 0, "high": 20, "scale": "linear" }))]
    pub max_stage: u32,
    /// Additive increase of the window, in bytes on the line (W_AI).
    #[schemars(extend("x-search" = { "low": "8 bytes", "high": "10 kB", "scale": "log" }))]
    pub w_ai: Bytes,
    /// Base round-trip time (T). The window begins at T times the rate of the line, and U is averaged over T. If absent,
    /// the least time from the start of a full packet to its acknowledgement over the flow's own path.
    #[schemars(extend("x-search" = { "low": "1 us", "high": "200 us", "scale": "log", "when": {"t": true} }))]
    pub t: Option<Ps>,
    /// Limit the bytes that are sent and not acknowledged to the window W. If false, only the rate W/T limits the source.
    pub window: bool,
}

impl Default for HpccConfig {
    /// The parameters of the draft. W_AI is that of the public simulator at 100 Gbit/s: 50 Mbit/s times 13 us are 81
    /// octets.
    fn default() -> HpccConfig {
        HpccConfig {
            eta: 0.95,
            max_stage: 5,
            w_ai: Bytes(80),
            t: None,
            window: true,
        }
    }
}

impl RateControlParameters for HpccConfig {
    fn check(&self, _line: Rate) -> Vec<Finding> {
        [
            share("eta", self.eta),
            require("w_ai", self.w_ai.0 > 0, self.w_ai, "above 0"),
            self.t.and_then(|t| lasting("t", t)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
    fn has_telemetry(&self) -> bool {
        true
    }
}

/// State of HPCC at a source: window, rate and estimate of the utilisation.
#[derive(Clone, Debug)]
pub struct Hpcc {
    config: HpccConfig,
    /// Rates of the lines behind the switches of the path (B), in octets/ps.
    lines: Vec<f64>,
    /// Base round-trip time (T), in picoseconds.
    t: f64,
    /// The greatest window, which is also the first, in octets: T times the rate of the source's line.
    most: f64,
    /// Window (W) in octets; `w_c` is the window at the end of the last round trip (W^c).
    w: f64,
    w_c: f64,
    /// Utilisation of the fullest line, averaged over T (U).
    u: f64,
    /// Number of additive increases since the window was last set by U (incStage).
    inc_stage: u32,
    /// Number of the packet whose acknowledgement ends the present round trip (lastUpdateSeq).
    last_update: u64,
    /// Telemetry that the last acknowledgement took back (L).
    last: Vec<Hop>,
}

impl Hpcc {
    /// A source whose packets take the path `way`. It begins with a window of T times the rate of its line, and with U
    /// at 1.
    pub fn new(config: &HpccConfig, way: &Way) -> Hpcc {
        let t = config.t.unwrap_or(way.round_trip).0 as f64;
        let most = per_ps(way.line) * t;
        Hpcc {
            config: config.clone(),
            lines: way.hops.iter().map(|rate| per_ps(*rate)).collect(),
            t,
            most,
            w: most,
            w_c: most,
            u: 1.0,
            inc_stage: 0,
            last_update: 0,
            last: Vec::new(),
        }
    }
    /// Utilisation of the fullest line, averaged over T (U).
    pub fn utilisation(&self) -> f64 {
        self.u
    }

    /// MeasureInflight: updates U. `hops` is the telemetry that an acknowledgement took back.
    fn measure_inflight(&mut self, hops: &[Hop]) {
        let (mut u, mut tau) = (0.0, 0.0);
        for ((hop, last), b) in hops.iter().zip(&self.last).zip(&self.lines) {
            let span = (hop.at - last.at).0 as f64;
            let tx_rate = (hop.sent - last.sent) as f64 / span;
            let q_len = hop.waiting.min(last.waiting) as f64;
            let of_hop = q_len / (b * self.t) + tx_rate / b;
            if of_hop > u {
                (u, tau) = (of_hop, span);
            }
        }
        let share = tau.min(self.t) / self.t;
        self.u = (1.0 - share) * self.u + share * u;
    }

    /// ComputeWind: sets W, and W^c if the acknowledgement ends a round trip.
    fn compute_wind(&mut self, ends_round: bool) {
        let w_ai = self.config.w_ai.0 as f64;
        let follows_u = self.u >= self.config.eta || self.inc_stage >= self.config.max_stage;
        let w = if follows_u {
            self.w_c / (self.u / self.config.eta) + w_ai
        } else {
            self.w_c + w_ai
        };
        self.w = w.min(self.most);
        if ends_round {
            self.w_c = self.w;
            self.inc_stage = if follows_u { 0 } else { self.inc_stage + 1 };
        }
    }
}

impl RateControl for Hpcc {
    /// Pacing rate R = W / T: the window over the base round-trip time.
    fn rate(&self) -> f64 {
        self.w / self.t * 1e12
    }
    fn window(&self) -> f64 {
        if self.config.window {
            self.w
        } else {
            f64::INFINITY
        }
    }
    /// Procedure NewAck of the paper: updates the window by the telemetry of an acknowledgement.
    fn on_told(&mut self, told: &Told<'_>) {
        let is_first = self.last.is_empty();
        if !is_first {
            self.measure_inflight(told.hops);
            self.compute_wind(told.acknowledged > self.last_update);
        }
        if is_first || told.acknowledged > self.last_update {
            self.last_update = told.next;
        }
        self.last.clear();
        self.last.extend_from_slice(told.hops);
    }
}

/// A rate in octets/ps.
fn per_ps(rate: Rate) -> f64 {
    rate.bits_per_second() / 8e12
}

#[cfg(test)]
mod tests;
