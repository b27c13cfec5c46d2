//! Vegas (Brakmo and Peterson 1995): the window keeps a few segments in the queue of the
//! bottleneck. The sender sees this queue as round trips longer than the shortest one.
//!
//! Once per round trip of a distinguished segment, the difference between expected and actual rate is compared
//! with thresholds, in segments of queue (sections 3.2 and 3.3). Round trips are measured by an exact clock. The
//! first or second duplicate acknowledgement resends the oldest segment if its age exceeds a timeout by that
//! clock (section 3.1). All other reactions to a loss are those of NewReno (RFC 6582): the window is halved, once
//! per window of data.
//!
//! Two things differ from the article. First, the article also compares the age of the oldest segment at the
//! first two new acknowledgements after a retransmission (3.1). Here the partial acknowledgements of NewReno find
//! the same holes, but not after a timeout. Second, a round after a timeout lasts until all data outstanding at
//! the timeout are acknowledged. Slow start then doubles the window in each round trip, up to ssthresh.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::newreno::NewReno;
use super::ranges::require;
use super::round_trip::RoundTrip;
use super::{Ack, Facts, Loss, RecoveryPolicy, Resend};
use crate::kernel::Ps;
use crate::tcp::window::Window;

/// Parameters of Vegas. The thresholds are in segments of queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VegasConfig {
    /// α: below this number of queued segments the window grows by one segment per round trip.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 16, "scale": "log" }))]
    pub alpha: f64,
    /// β: above this number of queued segments the window shrinks by one segment per round trip; at
    /// least α.
    #[schemars(extend("x-search" = { "low": 2, "high": 32, "scale": "log" }))]
    pub beta: f64,
    /// γ: above this number of queued segments slow start ends.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 16, "scale": "log" }))]
    pub gamma: f64,
    /// Resends the oldest segment at the first or second duplicate acknowledgement if the segment
    /// is older than a timeout by an exact clock (section 3.1).
    pub early_retransmit: bool,
}

impl VegasConfig {
    /// The values of Vegas-2,4 in the article; γ as in its section 3.3.
    pub const DEFAULT: VegasConfig = VegasConfig {
        alpha: 2.0,
        beta: 4.0,
        gamma: 1.0,
        early_retransmit: true,
    };

    /// Refuses values with which no connection can run.
    pub fn check(&self) -> Result<(), String> {
        let queued = |value: f64| value >= 0.0 && value.is_finite();
        require(
            "recovery.alpha",
            queued(self.alpha),
            self.alpha,
            "0 or more segments",
        )?;
        let above = queued(self.beta) && self.beta >= self.alpha;
        let allowed = alloc::format!("at least `recovery.alpha`, which is {}", self.alpha);
        require("recovery.beta", above, self.beta, &allowed)?;
        require(
            "recovery.gamma",
            queued(self.gamma),
            self.gamma,
            "0 or more segments",
        )
    }
}

impl Default for VegasConfig {
    fn default() -> VegasConfig {
        VegasConfig::DEFAULT
    }
}

/// The state of Vegas at one sender.
#[derive(Clone, Debug)]
pub struct Vegas {
    parameters: VegasConfig,
    /// BaseRTT: the shortest round trip measured.
    base_rtt: Ps,
    round_trip: RoundTrip,
    /// First byte of the distinguished segment. The round lasts until this byte is acknowledged.
    distinguished: u64,
    /// True in every other round of slow start. The window grows only in these rounds.
    growing: bool,
}

impl Vegas {
    /// State of Vegas before the first acknowledgement.
    pub fn new(_: Facts, parameters: &VegasConfig) -> Vegas {
        Vegas {
            parameters: *parameters,
            base_rtt: Ps::NEVER,
            round_trip: RoundTrip::default(),
            distinguished: 0,
            growing: true,
        }
    }

    /// Number of segments in the bottleneck's queue: (Expected - Actual) times BaseRTT (section 3.2). `sent`
    /// bytes were sent in the round trip `rtt`. Expected is the data in transit divided by BaseRTT; Actual is the
    /// same data divided by `rtt`.
    fn queued(&self, sent: u64, rtt: Ps, mss: u64) -> f64 {
        let base = self.base_rtt.0 as f64 / rtt.0 as f64;
        sent as f64 / mss as f64 * (1.0 - base)
    }

    /// Ends a round: the distinguished segment was acknowledged after `rtt`, in which `sent` bytes
    /// were sent.
    fn end_round(&mut self, window: &mut Window, sent: u64, rtt: Ps) {
        let queued = self.queued(sent, rtt, window.mss);
        if window.cwnd < window.ssthresh {
            if queued > self.parameters.gamma {
                window.ssthresh = window.cwnd; // 3.3: to linear increase and decrease
            }
            self.growing = !self.growing; // 3.3: exponential growth every other RTT
        } else if queued < self.parameters.alpha {
            window.open(window.mss); // 3.2: a linear increase in the next RTT
        } else if queued > self.parameters.beta {
            // 3.2: a linear decrease in the next RTT. The lower bound is two segments, as after a loss.
            window.cwnd = (window.cwnd - window.mss.min(window.cwnd)).max(2 * window.mss);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }

    /// Begins a new round, which starts with the data sent after a loss.
    fn restart(&mut self, loss: &Loss) {
        (self.distinguished, self.growing) = (loss.snd_max, true);
    }

    fn measure(&mut self, ack: &Ack) -> Option<Ps> {
        let rtt = ack.rtt()?;
        self.base_rtt = self.base_rtt.min(rtt);
        self.round_trip.on_sample(rtt);
        Some(rtt)
    }
}

impl RecoveryPolicy for Vegas {
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        NewReno.on_timeout(window, loss);
        self.restart(loss);
    }

    fn on_third_dup_ack(&mut self, window: &mut Window, loss: &Loss) -> Option<Resend> {
        self.restart(loss);
        if !loss.reduced {
            window.ssthresh = window.half(); // RFC 6582 3.2 step 2, but half as in 4.3BSD
        }
        // RFC 5681 3.2 step 3, with the number of segments that have left the network.
        window.cwnd = window.ssthresh + loss.dup_acks as u64 * window.mss;
        Some(Resend::Oldest)
    }

    fn on_further_dup_ack(&mut self, window: &mut Window) {
        NewReno.on_further_dup_ack(window);
    }

    // The article has no ECN. Here marks count as a loss, and a new round begins.
    fn on_ecn_echo(&mut self, window: &mut Window, loss: &Loss) {
        NewReno.on_ecn_echo(window, loss);
        self.restart(loss);
    }

    fn recovers_fully(&self) -> bool {
        true
    }

    fn retransmits_early(&self, age: Ps) -> bool {
        self.parameters.early_retransmit
            && self.round_trip.timeout().is_some_and(|limit| age > limit)
    }

    fn on_partial_ack(&mut self, window: &mut Window, ack: &Ack) {
        NewReno.on_partial_ack(window, ack);
    }

    fn on_recovered(&mut self, window: &mut Window, ack: &Ack) {
        NewReno.on_recovered(window, ack);
    }

    fn grow(&mut self, window: &mut Window, ack: &Ack) {
        let rtt = self.measure(ack);
        if window.cwnd < window.ssthresh && self.growing {
            window.open(window.mss); // 3.3: exponential growth
        }
        if ack.snd_una > self.distinguished {
            if let Some(rtt) = rtt {
                self.end_round(window, ack.snd_max - self.distinguished, rtt);
            }
            self.distinguished = ack.snd_max;
        }
    }

    fn needs_delivery(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::recovery::Delivery;

    const MSS: u64 = 1_000;

    fn window(cwnd: u64, ssthresh: u64) -> Window {
        Facts::of_test(cwnd, ssthresh).window
    }

    fn vegas() -> Vegas {
        Vegas::new(Facts::of_test(1, 1), &VegasConfig::DEFAULT)
    }

    /// Acknowledges a full window, segment by segment, after round trips of `rtt_ms` ms. Returns
    /// cwnd in segments. `una` is the first byte of the round.
    fn round(policy: &mut Vegas, w: &mut Window, una: &mut u64, rtt_ms: u64) -> u64 {
        let end = policy.distinguished.max(*una) + MSS;
        while *una < end {
            let flight = w.cwnd;
            *una += MSS;
            let ack = Ack {
                now: Ps::ZERO,
                acked: MSS,
                snd_una: *una,
                snd_max: *una - MSS + flight,
                starved: false,
                ece: false,
                delivery: Some(Delivery {
                    rtt: Some(Ps::from_ms(rtt_ms)),
                    ..Delivery::default()
                }),
            };
            policy.grow(w, &ack);
        }
        w.cwnd / MSS
    }

    #[test]
    fn between_alpha_and_beta_queued_segments_the_window_stays() {
        // With a base of 100 ms and ten segments per round the queue is 10 (1 - 100 / RTT):
        // 120 ms: 1.67 < 2; 126 ms: 2.06; 160 ms: 3.75; 170 ms: 4.12 > 4.
        for (rtt, cwnd) in [(100, 11), (120, 11), (126, 10), (160, 10), (170, 9)] {
            let mut policy = vegas();
            policy.base_rtt = Ps::from_ms(100);
            let mut w = window(10, 10);
            assert_eq!(round(&mut policy, &mut w, &mut 0, rtt), cwnd, "{rtt} ms");
        }
    }

    #[test]
    fn slow_start_doubles_in_every_other_round_and_ends_above_gamma() {
        let (mut policy, mut w, mut una) = (vegas(), window(2, 1_000), 0);
        let mut cwnds = [0; 5];
        for cwnd in &mut cwnds {
            *cwnd = round(&mut policy, &mut w, &mut una, 100);
        }
        // The first round has a single acknowledgement.
        assert_eq!(cwnds, [3, 3, 6, 6, 12]);
        // 12 (1 - 100 / 105) = 0.57 queued segments: slow start continues. 12 (1 - 100 / 110) =
        // 1.09: slow start ends.
        assert_eq!(round(&mut policy, &mut w, &mut una, 105), 12);
        assert!(w.cwnd < w.ssthresh);
        policy.growing = false;
        round(&mut policy, &mut w, &mut una, 110);
        assert_eq!((w.cwnd, w.ssthresh), (12 * MSS, 12 * MSS));
    }

    #[test]
    fn an_old_segment_is_sent_again_before_the_third_duplicate() {
        let mut policy = vegas();
        assert!(!policy.retransmits_early(Ps::from_s(9)));
        // SRTT 100 ms and RTTVAR 50 ms give a timeout of 300 ms.
        policy.round_trip.on_sample(Ps::from_ms(100));
        assert!(!policy.retransmits_early(Ps::from_ms(300)));
        assert!(policy.retransmits_early(Ps::from_ms(301)));
        policy.parameters.early_retransmit = false;
        assert!(!policy.retransmits_early(Ps::from_ms(301)));
    }

    #[test]
    fn a_loss_halves_the_window_and_begins_a_round() {
        let (mut policy, mut w) = (vegas(), window(10, 5));
        let loss = Loss {
            now: Ps::ZERO,
            flight: 10 * MSS,
            snd_max: 70 * MSS,
            dup_acks: 3,
            reduced: false,
        };
        assert_eq!(policy.on_third_dup_ack(&mut w, &loss), Some(Resend::Oldest));
        assert_eq!((w.ssthresh, w.cwnd), (5 * MSS, 8 * MSS));
        assert_eq!(policy.distinguished, 70 * MSS);
    }
}
