//! Windows of senders (NSCC) as in the public simulator of the Ultra Ethernet Consortium (ultraethernet/uet-htsim, commit
//! 40ccb05). Marks and the queueing delay of each reported packet set the window.
//!
//! This module follows that program, not the standard; the program itself says that only the standard is binding. Left out
//! are the program's choice of paths by marks, its probes, and the penalty that a receiver may ask for. A packet that is
//! sent again more than once gives a sample of the delay here; in the program it gives none. Windows here count octets on
//! the line. The program counts a packet with 64 octets of headers.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Notifier, RateControl, RateControlParameters, Report, Way};
use crate::ether::aqm::{lasting, require, share};
use crate::kernel::units::Bytes;
use crate::kernel::{Finding, Ps, Rate};

/// Reference bandwidth-delay product in octets, 100 Gbit/s times 12 us. Increases are proportional to the path's product
/// divided by this one.
const REFERENCE_BDP: f64 = 150_000.0;
/// Reference round trip in picoseconds.
const REFERENCE_RTT: f64 = 12e6;
/// Queueing delay in picoseconds below which the path counts as empty.
const EMPTY: f64 = 1e6;

/// Parameters of NSCC. The delay is the round trip of a reported packet minus the least round trip of the path. With
/// `resend = "selective"` each packet that the receiver has accepted, in order or not, no longer counts against the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NsccConfig {
    /// Target of the delay. If absent, 0.75 times the least round-trip time of the flow's path. The public simulator takes
    /// one round-trip time if switches do not trim.
    #[schemars(extend("x-search" = { "low": "2 us", "high": "200 us", "scale": "log", "when": {"target": true} }))]
    pub target: Option<Ps>,
    /// Initial window, in bytes on the line. If absent, the greatest window: 1.5 times the rate of the line times the least
    /// round-trip time.
    #[schemars(extend("x-search" = { "low": "10 kB", "high": "1 MB", "scale": "log", "when": {"window": true} }))]
    pub window: Option<Bytes>,
    /// Packets by which the window grows for each window of unmarked packets with a delay of at least the target. This holds
    /// for a bandwidth-delay product of 100 Gbit/s times 12 us; the growth is proportional to the product of the path.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 50.0, "scale": "log" }))]
    pub fair_increase: f64,
    /// Packets by which the window grows for each window of unmarked packets whose delay is 12 us below the target. The
    /// growth is proportional to the distance from the target.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 50.0, "scale": "log" }))]
    pub proportional_increase: f64,
    /// Packets by which the window grows in each round trip, in addition (eta).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 2.0, "scale": "log" }))]
    pub eta: f64,
    /// Octets by which the window grows for each octet that the receiver reports while the path is empty.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1.0, "scale": "log" }))]
    pub fast_increase: f64,
    /// Factor of a decrease (gamma). A decrease takes at most half of the window. Two decreases are more than a round trip
    /// apart.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1.0, "scale": "linear" }))]
    pub gamma: f64,
    /// Weight of a new delay in the mean delay.
    #[schemars(extend("x-search" = { "low": 0.001, "high": 0.5, "scale": "log" }))]
    pub weight: f64,
    /// Share of the greatest window for quick adapt, which acts at the end of each period of a round trip plus the target.
    /// If less than this share arrived in the period, and a packet was trimmed or had a delay above four times the target,
    /// the window is set to what arrived. 0 turns quick adapt off.
    #[schemars(extend("x-search" = { "low": 0.0, "high": 1.0, "scale": "linear" }))]
    pub quick_adapt: f64,
}

impl Default for NsccConfig {
    /// The values of the public simulator.
    fn default() -> NsccConfig {
        NsccConfig {
            target: None,
            window: None,
            fair_increase: 5.0,
            proportional_increase: 4.0,
            eta: 0.15,
            fast_increase: 0.25,
            gamma: 0.8,
            weight: 0.0125,
            quick_adapt: 0.125,
        }
    }
}

impl RateControlParameters for NsccConfig {
    fn check(&self, _line: Rate) -> Vec<Finding> {
        let window = self.window.unwrap_or(Bytes(1));
        let least = |name: &'static str, value: f64| {
            require(name, value.is_finite() && value >= 0.0, value, "at least 0")
        };
        [
            self.target.and_then(|target| lasting("target", target)),
            require("window", window.0 > 0, window, "above 0"),
            least("fair_increase", self.fair_increase),
            least("proportional_increase", self.proportional_increase),
            least("eta", self.eta),
            least("fast_increase", self.fast_increase),
            share("gamma", self.gamma),
            share("weight", self.weight),
            require(
                "quick_adapt",
                (0.0..=1.0).contains(&self.quick_adapt),
                self.quick_adapt,
                "at least 0 and at most 1",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
    fn has_reports(&self) -> bool {
        true
    }
}

/// A source under NSCC. Windows are in octets on the line, times in picoseconds.
#[derive(Clone, Debug, Default)]
pub struct Nscc {
    config: NsccConfig,
    /// Rate of the line in octets/s.
    line: f64,
    /// Octets on the line of a full packet; `payload` is the number of its payload octets.
    packet: f64,
    payload: f64,
    /// Bandwidth-delay product of the path divided by the reference product.
    scale: f64,
    /// Least round trip of the path by the delays and rates of its links. `base_rtt` is the least round trip so far,
    /// measured ones included.
    network_rtt: f64,
    base_rtt: f64,
    target: f64,
    cwnd: f64,
    most: f64,
    /// Mean queueing delay.
    mean: f64,
    /// Collected increase of the window, times the window; the next adjustment divides it by the window and adds it.
    /// `reported` is the number of octets reported since the last adjustment.
    increase: f64,
    reported: f64,
    last_adjustment: Ps,
    last_decrease: Option<Ps>,
    /// Octets reported while the path was empty. `is_fast` is true once they exceed a whole window.
    empty: f64,
    is_fast: bool,
    /// Octets that arrived since the start of the present period. `period_ends` is the end of this period; `None`
    /// before the first period.
    achieved: f64,
    period_ends: Option<Ps>,
    /// True if a packet was trimmed since quick adapt last set the window.
    was_trimmed: bool,
    /// Octets that were on their way when quick adapt set the window; their marks are ignored. `since` is the number of
    /// octets reported since then.
    old: f64,
    since: f64,
}

impl Nscc {
    /// A source whose packets take the path `way`.
    pub fn new(config: &NsccConfig, way: &Way) -> Nscc {
        let line = way.line.bits_per_second() / 8.0;
        let rtt = way.round_trip.0 as f64;
        let most = (1.5 * (line / 1e12) * rtt).max(way.packet.into());
        let window = config.window.map_or(most, |window| window.0 as f64);
        Nscc {
            config: config.clone(),
            line,
            packet: way.packet.into(),
            payload: way.payload.into(),
            scale: line / 1e12 * rtt / REFERENCE_BDP,
            network_rtt: rtt,
            base_rtt: rtt,
            target: config.target.map_or(0.75 * rtt, |target| target.0 as f64),
            cwnd: window.max(way.packet.into()),
            most,
            ..Nscc::default()
        }
    }

    /// Octets by which the window grows for one packet of an increase.
    fn scaled(&self) -> f64 {
        self.payload * self.scale
    }
    fn keep_bounds(&mut self) {
        self.cwnd = self.cwnd.min(self.most).max(self.packet);
    }
    /// Adds a sample to the mean delay. An unmarked packet with a delay above the target counts as a quarter of a round
    /// trip, since the mark for this queue is still to come.
    fn average(&mut self, delay: f64, marked: bool) {
        let sample = if !marked && delay > self.target {
            0.25 * self.base_rtt
        } else {
            delay
        };
        self.mean += self.config.weight * (sample - self.mean);
    }
    /// Quick adapt: at the end of a period, sets the window to what arrived in the period, if the path is overloaded.
    /// Returns true if it did so, or if the acknowledged packet is marked or trimmed and was sent before the window was
    /// last set in this way.
    fn adapts(&mut self, now: Ps, delay: f64, marked: bool, on_way: f64) -> bool {
        if self.config.quick_adapt == 0.0 {
            return false;
        }
        let mut adapts = marked && self.since < self.old;
        if !adapts && self.period_ends.is_none_or(|end| now > end) {
            let is_overloaded = self.was_trimmed || delay > 4.0 * self.target;
            let few = self.achieved < self.config.quick_adapt * self.most;
            if self.period_ends.is_some() && is_overloaded && few {
                self.cwnd = self.achieved.max(self.packet);
                (self.old, self.since) = (on_way, 0.0);
                (self.was_trimmed, adapts) = (false, true);
            }
            self.achieved = 0.0;
            self.period_ends = Some(now + Ps((self.base_rtt + self.target) as u64));
        }
        if adapts {
            (self.increase, self.reported) = (0.0, 0.0);
        }
        adapts
    }
    /// Increases the window for packets with a delay below the target, in proportion to the distance from the target.
    /// Once the packets reported in a row without a queue exceed a whole window, reports raise the window at once, in
    /// proportion to their octets (`fast_increase`).
    fn grow(&mut self, octets: f64, delay: f64) {
        if delay < EMPTY {
            self.empty += octets;
        } else {
            self.empty = 0.0;
        }
        self.is_fast = delay < EMPTY && (self.is_fast || self.empty > self.cwnd);
        if self.is_fast {
            self.cwnd += octets * self.config.fast_increase * self.scale;
        } else {
            let packets = self.config.proportional_increase * (self.target - delay) / REFERENCE_RTT;
            self.increase += packets * self.scaled() * octets;
        }
    }
    fn decrease(&mut self, now: Ps) {
        (self.is_fast, self.empty) = (false, 0.0);
        let waits = |last| ((now - last).0 as f64) <= self.base_rtt;
        if self.mean <= self.target || self.last_decrease.is_some_and(waits) {
            return;
        }
        let factor = 1.0 - self.config.gamma * (self.mean - self.target) / self.mean;
        self.cwnd *= factor.max(0.5);
        self.last_decrease = Some(now);
    }
    /// Adds the collected increases to the window, after eight packets or a round trip.
    fn adjust(&mut self, now: Ps) {
        let passed = (now - self.last_adjustment).0 as f64;
        if self.reported <= 8.0 * self.packet && passed <= self.network_rtt {
            return;
        }
        self.cwnd += self.increase / self.cwnd;
        if passed >= self.network_rtt {
            self.cwnd += self.config.eta * self.scaled();
            self.last_adjustment = now;
        }
        (self.increase, self.reported) = (0.0, 0.0);
    }
}

impl RateControl for Nscc {
    fn rate(&self) -> f64 {
        self.line
    }
    /// The window in whole packets, so that no packet exceeds it.
    fn window(&self) -> f64 {
        libm::floor(self.cwnd / self.packet) * self.packet
    }

    fn on_report(&mut self, report: &Report) {
        let now = report.now;
        let octets = report.packets as f64 * self.packet;
        self.achieved += octets;
        self.reported += octets;
        self.since += octets;
        let rtt = report.rtt.0 as f64;
        if rtt < self.base_rtt {
            self.base_rtt = rtt;
            self.most = (1.5 * (self.line / 1e12) * rtt).max(self.packet);
        }
        let delay = rtt - self.base_rtt;
        self.average(delay, report.marked);
        if self.adapts(now, delay, report.marked, report.on_way) {
            return;
        }
        match (report.marked, delay >= self.target) {
            (false, true) => {
                self.increase += self.config.fair_increase * self.scaled() * octets;
            }
            (false, false) => self.grow(octets, delay),
            (true, true) => self.decrease(now),
            // A mark with a delay below the target says that another path may be better; the window stays.
            (true, false) => {}
        }
        self.keep_bounds();
        self.adjust(now);
        self.keep_bounds();
    }
    fn on_trimmed(&mut self, now: Ps, on_way: f64) {
        self.since += self.packet;
        // A trimmed packet counts as a marked one with a delay of a round trip.
        self.average(self.network_rtt, true);
        self.was_trimmed = true;
        if !self.adapts(now, 0.0, true, on_way) {
            self.cwnd -= self.packet;
            self.keep_bounds();
        }
    }
    fn on_loss(&mut self, _now: Ps) {
        self.cwnd = (self.cwnd - self.packet).max(self.packet);
    }
}

#[cfg(test)]
mod tests;
