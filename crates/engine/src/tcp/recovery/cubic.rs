//! CUBIC (RFC 9438): in congestion avoidance the window is a cubic function of the time since the
//! last loss. The function is flat around the window at which this loss occurred.
//!
//! Losses are detected and repaired as in RFC 6675 (`sack`) or as in RFC 6582. The window follows RFC 9438 in
//! both cases. Slow start is that of RFC 5681, without HyStart++. Round trips are measured by an exact clock. If
//! no loss, or only a timeout, occurred before a slow start, there is no W_max at the end of this slow start: K
//! is then 0, and W_max the present window (4.8, 4.10). If the application or the receive window keeps less data
//! outstanding than the window permits, the window does not grow. The time t of the cubic function then does not
//! advance (4.2, 5.8).

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::newreno::NewReno;
use super::ranges::{above_zero, require};
use super::round_trip::RoundTrip;
use super::{Ack, Facts, Loss, RecoveryPolicy, Resend};
use crate::kernel::Ps;
use crate::tcp::window::Window;

/// Parameters of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CubicConfig {
    /// Recovers from losses with selective acknowledgements (RFC 6675) instead of NewReno (RFC
    /// 6582).
    pub sack: bool,
    /// Constant C in segments per second cubed, which determines how fast the window grows far from
    /// W_max.
    #[schemars(extend("x-search" = { "low": 0.04, "high": 4, "scale": "log" }))]
    pub c: f64,
    /// β_cubic, the factor on the window at a loss.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 0.9, "scale": "linear" }))]
    pub beta: f64,
    /// Lowers W_max further if a loss occurs below the last W_max, which releases bandwidth for new
    /// flows (4.7).
    pub fast_convergence: bool,
    /// Keeps the window at least as large as that of Reno (4.3).
    pub reno_friendly: bool,
}

impl CubicConfig {
    /// The values of RFC 9438 sections 4.6 and 5.1.
    pub const DEFAULT: CubicConfig = CubicConfig {
        sack: true,
        c: 0.4,
        beta: 0.7,
        fast_convergence: true,
        reno_friendly: true,
    };

    /// Refuses values with which no connection can run.
    pub fn check(&self) -> Result<(), String> {
        above_zero("recovery.c", self.c)?;
        let share = self.beta > 0.0 && self.beta < 1.0;
        require("recovery.beta", share, self.beta, "above 0 and below 1")
    }
}

impl Default for CubicConfig {
    fn default() -> CubicConfig {
        CubicConfig::DEFAULT
    }
}

/// A stage of congestion avoidance, which begins after a loss or slow start. Windows are in
/// segments.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// Time t_epoch at which the stage begins. The time is moved later by the spans in which t does not advance.
    start: Ps,
    /// Time K, in seconds, from the beginning of the stage until the window reaches W_max.
    k: f64,
    w_max: f64,
    w_est: f64,
}

/// The state of CUBIC at one sender. Windows are in segments.
#[derive(Clone, Debug)]
pub struct Cubic {
    parameters: CubicConfig,
    /// W_max at the last loss; `None` before the first loss and after a timeout.
    w_max: Option<f64>,
    /// cwnd before the last reduction; `None` before the first reduction.
    cwnd_prior: Option<f64>,
    stage: Option<Stage>,
    round_trip: RoundTrip,
    /// Time of the last call of `grow` or `on_restart`.
    last: Ps,
    /// True during a fast recovery in which duplicates inflate the window.
    inflated: bool,
    /// Oldest outstanding byte at the last timeout.
    timed_out: Option<u64>,
    /// cwnd in bytes, with its fraction. The value is valid while its whole part equals the window's cwnd.
    exact: f64,
}

impl Cubic {
    /// State of CUBIC before the first acknowledgement.
    pub fn new(_: Facts, parameters: &CubicConfig) -> Cubic {
        Cubic {
            parameters: *parameters,
            w_max: None,
            cwnd_prior: None,
            stage: None,
            round_trip: RoundTrip::default(),
            last: Ps::ZERO,
            inflated: false,
            timed_out: None,
            exact: 0.0,
        }
    }

    /// α_cubic: the additive increase with which Reno, if it reduces by the factor β, has the same average window
    /// as standard Reno (4.3).
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.parameters.beta) / (1.0 + self.parameters.beta)
    }

    /// Ends the stage at a loss or at ECN marks: sets W_max (4.7), cwnd_prior and ssthresh (4.6). Returns the
    /// reduced window in bytes, before its lower bound is applied.
    fn reduce(&mut self, window: &mut Window, loss: &Loss) -> u64 {
        // During a fast recovery, cwnd is ssthresh plus the segments that have left the network.
        let cwnd = if self.inflated {
            window.cwnd.min(window.ssthresh)
        } else {
            window.cwnd
        };
        let flight = loss.flight.min(cwnd);
        let cwnd = cwnd as f64 / window.mss as f64;
        let beta = self.parameters.beta;
        let falls = self.w_max.is_some_and(|w_max| cwnd < w_max);
        self.w_max = Some(if falls && self.parameters.fast_convergence {
            cwnd * (1.0 + beta) / 2.0 // 4.7
        } else {
            cwnd
        });
        self.cwnd_prior = Some(cwnd); // 4.6
        self.stage = None;
        // After many losses, snd_una stays while new data are sent. Then more data are outstanding than in
        // flight, so cwnd limits the reduced window (4.6 also allows cwnd).
        let reduced = (flight as f64 * beta) as u64; // 4.6
        window.ssthresh = reduced.max(2 * window.mss); // 4.6
        reduced
    }

    /// A stage that begins at `now` with a window of `cwnd` segments.
    fn begin(&mut self, now: Ps, cwnd: f64) -> Stage {
        // For a window above W_max, K would be negative; so W_max is raised to the window.
        let w_max = self.w_max.map_or(cwnd, |w_max| w_max.max(cwnd));
        self.cwnd_prior.get_or_insert(cwnd);
        Stage {
            start: now,
            k: libm::cbrt((w_max - cwnd) / self.parameters.c), // Figure 2
            w_max,
            w_est: cwnd, // 4.3
        }
    }

    /// The window in segments after an acknowledgement at `now` of `acked` segments; `cwnd` is the
    /// window before.
    fn next(&mut self, now: Ps, cwnd: f64, acked: f64) -> f64 {
        let mut stage = match self.stage {
            Some(stage) => stage,
            None => self.begin(now, cwnd),
        };
        let grown = self.cwnd_prior.is_some_and(|prior| stage.w_est >= prior);
        let alpha = if grown { 1.0 } else { self.alpha() }; // 4.3
        stage.w_est += alpha * acked / cwnd; // Figure 4
        self.stage = Some(stage);
        let w_cubic = |t: f64| {
            let beyond = t - stage.k;
            self.parameters.c * beyond * beyond * beyond + stage.w_max // Figure 1
        };
        let t = now.saturating_sub(stage.start).as_secs_f64();
        if self.parameters.reno_friendly && w_cubic(t) < stage.w_est {
            return stage.w_est.max(cwnd); // 4.3, but the window never shrinks without a loss
        }
        let target = w_cubic(t + self.round_trip.srtt().as_secs_f64()); // 4.2
        let target = target.clamp(cwnd, 1.5 * cwnd); // 4.2
        cwnd + (target - cwnd) / cwnd // 4.4, 4.5
    }
}

impl RecoveryPolicy for Cubic {
    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        let oldest = loss.snd_max - loss.flight;
        // ssthresh is kept if the timer has already sent this segment again (RFC 5681 3.1).
        if self.timed_out.replace(oldest) != Some(oldest) {
            self.reduce(window, loss);
        }
        self.inflated = false;
        self.w_max = None; // 4.8
        window.cwnd = window.mss; // 4.8; RFC 5681 3.1
    }

    fn on_third_dup_ack(&mut self, window: &mut Window, loss: &Loss) -> Option<Resend> {
        if !loss.reduced {
            self.reduce(window, loss);
        }
        self.inflated = true;
        window.cwnd = window.ssthresh + 3 * window.mss; // RFC 5681 3.2 step 3
        Some(Resend::Oldest)
    }

    fn on_further_dup_ack(&mut self, window: &mut Window) {
        NewReno.on_further_dup_ack(window);
    }

    fn recovers_fully(&self) -> bool {
        true
    }

    fn on_selective_loss(&mut self, window: &mut Window, loss: &Loss) {
        if !loss.reduced {
            self.reduce(window, loss);
        }
        window.cwnd = window.ssthresh; // 4.6
    }

    fn on_ecn_echo(&mut self, window: &mut Window, loss: &Loss) {
        let reduced = self.reduce(window, loss);
        window.cwnd = window.cwnd.min(reduced.max(window.mss)); // 4.6: one segment at least
    }

    fn on_partial_ack(&mut self, window: &mut Window, ack: &Ack) {
        if !self.parameters.sack {
            NewReno.on_partial_ack(window, ack);
        }
    }

    fn on_recovered(&mut self, window: &mut Window, ack: &Ack) {
        self.inflated = false;
        if !self.parameters.sack {
            NewReno.on_recovered(window, ack);
        }
    }

    fn grow(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt() {
            self.round_trip.on_sample(rtt);
        }
        let before = core::mem::replace(&mut self.last, ack.now);
        if ack.starved && ack.flight() + ack.acked + window.mss <= window.cwnd {
            // The application or the receive window limits the flow, not cwnd (5.8).
            if let Some(stage) = &mut self.stage {
                stage.start += ack.now - before.max(stage.start); // 4.2
            }
            return;
        }
        if window.cwnd < window.ssthresh {
            // Slow start, also after a pause, is not part of a stage (4.10).
            self.stage = None;
            return window.open(ack.acked.min(window.mss)); // RFC 5681 (2)
        }
        let mss = window.mss as f64;
        if self.exact as u64 != window.cwnd {
            self.exact = window.cwnd as f64;
        }
        self.exact = mss * self.next(ack.now, self.exact / mss, ack.acked as f64 / mss);
        window.cwnd = (self.exact as u64).min(window.cap);
    }

    fn needs_delivery(&self) -> bool {
        true
    }

    fn on_restart(&mut self, now: Ps) {
        if let Some(stage) = &mut self.stage {
            stage.start += now - self.last.max(stage.start); // 5.8: a pause does not count in t
        }
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::recovery::Delivery;

    const MSS: u64 = 1_000;

    fn window(segments: u64) -> Window {
        Facts::of_test(segments, u64::MAX / MSS).window
    }

    fn cubic(change: impl Fn(&mut CubicConfig)) -> Cubic {
        let mut parameters = CubicConfig::DEFAULT;
        change(&mut parameters);
        Cubic::new(Facts::of_test(1, 1), &parameters)
    }

    fn loss(segments: u64) -> Loss {
        Loss {
            flight: segments * MSS,
            snd_max: segments * MSS,
            ..Loss::default()
        }
    }

    /// An acknowledgement at `ms` milliseconds for one segment. The window `w` is still full after it, and the
    /// round trip was 100 ms.
    fn ack(ms: u64, w: &Window) -> Ack {
        Ack {
            now: Ps::from_ms(ms),
            acked: MSS,
            snd_una: MSS,
            snd_max: w.cwnd,
            starved: false,
            ece: false,
            delivery: Some(Delivery {
                rtt: Some(Ps::from_ms(100)),
                ..Delivery::default()
            }),
        }
    }

    /// Processes an acknowledgement at `ms` milliseconds. Returns cwnd in bytes.
    fn grow(cubic: &mut Cubic, w: &mut Window, ms: u64) -> u64 {
        let ack = ack(ms, w);
        cubic.grow(w, &ack);
        w.cwnd
    }

    #[test]
    fn a_loss_leaves_seven_tenths_and_the_window_comes_back_after_k() {
        let mut policy = cubic(|c| c.reno_friendly = false);
        let mut w = window(100);
        policy.on_selective_loss(&mut w, &loss(100));
        assert_eq!((w.ssthresh, w.cwnd), (70_000, 70_000));
        // K = cbrt((100 - 70) / 0.4) = cbrt(75) = 4.217163 s. The stage begins at 1 s, t = 0:
        // W_cubic(0.1) = 0.4 (0.1 - 4.217163)^3 + 100 = 100 - 0.4 * 69.788... = 72.0847
        // cwnd = 70 + (72.0847 - 70) / 70 = 70.02978
        assert_eq!(grow(&mut policy, &mut w, 1_000), 70_029);
        // At t = K - 0.1 the target is W_max: cwnd = 70.02978 + (100 - 70.02978) / 70.02978 =
        // 70.45774.
        assert_eq!(grow(&mut policy, &mut w, 1_000 + 4_117), 70_457);
        // t = 6.117 s: 0.4 (6.217 - 4.217163)^3 + 100 = 103.1992; cwnd = 70.45774 + 32.7415 /
        // 70.45774 = 70.92243.
        assert_eq!(grow(&mut policy, &mut w, 7_117), 70_922);
    }

    #[test]
    fn a_target_far_above_opens_the_window_by_half_a_segment_per_segment() {
        let mut policy = cubic(|c| c.reno_friendly = false);
        let mut w = window(10);
        policy.on_selective_loss(&mut w, &loss(10));
        // K = cbrt(3 / 0.4) = 1.957434 s: W_cubic(0.1) = 10 - 0.4 * 1.857434^3 = 7.43674, and 7 +
        // 0.43674 / 7 = 7.06239.
        assert_eq!(grow(&mut policy, &mut w, 0), 7_062);
        // After a minute W_cubic is far beyond 1.5 cwnd: cwnd + 0.5.
        assert_eq!(grow(&mut policy, &mut w, 60_000), 7_562);
    }

    #[test]
    fn in_the_reno_friendly_region_the_window_is_that_of_reno() {
        let mut policy = cubic(|_| {});
        let mut w = window(10);
        policy.on_selective_loss(&mut w, &loss(10));
        // alpha = 3 * 0.3 / 1.7 = 0.529412; W_est = 7 + 0.529412 / 7 = 7.075630, W_cubic(0) = 7.
        assert_eq!(grow(&mut policy, &mut w, 0), 7_075);
        // + 0.529412 / 7.075630 = 7.150453; W_cubic(0.05) = 0.4 (0.05 - 1.957434)^3 + 10 = 7.224..
        // > W_est: no longer Reno's window. Target W_cubic(0.15) = 10 - 0.4 * 5.90447 = 7.63821;
        // cwnd = 7.07563 + 0.56258 / 7.07563 = 7.15514.
        assert_eq!(grow(&mut policy, &mut w, 50), 7_155);
    }

    #[test]
    fn above_the_window_before_the_loss_reno_grows_by_a_segment_per_round_trip() {
        let mut policy = cubic(|c| c.c = 1e-9);
        let mut w = window(10);
        policy.on_selective_loss(&mut w, &loss(10));
        let mut acks = 0;
        while w.cwnd < 10_000 {
            grow(&mut policy, &mut w, 0);
            acks += 1;
        }
        // Each acknowledgement adds 0.529412 / W, so on average 2 * 0.529412 + (0.529412 / W)^2 =
        // 1.063 to the square of W: (10^2 - 7^2) / 1.063 = 48.
        assert_eq!(acks, 48);
        let before = w.cwnd;
        for _ in 0..10 {
            grow(&mut policy, &mut w, 0);
        }
        // Ten acknowledgements at ten segments add almost one segment.
        assert!(
            (940..=1_000).contains(&(w.cwnd - before)),
            "{}",
            w.cwnd - before
        );
    }

    #[test]
    fn a_second_loss_below_w_max_lowers_w_max_further() {
        for (fast_convergence, w_max) in [(true, 68.0), (false, 80.0)] {
            let mut policy = cubic(|c| c.fast_convergence = fast_convergence);
            policy.on_selective_loss(&mut window(100), &loss(100));
            assert_eq!(policy.w_max, Some(100.0));
            // 80 * (1 + 0.7) / 2 = 68
            policy.on_selective_loss(&mut window(80), &loss(80));
            assert_eq!(policy.w_max, Some(w_max));
        }
    }

    #[test]
    fn after_a_timeout_the_stage_begins_on_its_plateau() {
        let mut policy = cubic(|c| c.reno_friendly = false);
        let mut w = window(20);
        policy.on_timeout(&mut w, &loss(20));
        assert_eq!((w.ssthresh, w.cwnd), (14_000, 1_000));
        // Slow start opens the window by one segment per acknowledgement, up to ssthresh.
        for _ in 0..13 {
            grow(&mut policy, &mut w, 0);
        }
        assert_eq!(w.cwnd, 14_000);
        // K = 0, W_max = 14: the target 0.1 s ahead is 14 + 0.4 * 0.001.
        grow(&mut policy, &mut w, 1_000);
        let stage = policy.stage.unwrap();
        assert_eq!((stage.k, stage.w_max), (0.0, 14.0));
        // t = 1 s: 14 + 0.4 * 1.331 = 14.5324; cwnd = 14.00003 + 0.53237 / 14.00003 = 14.03806.
        assert_eq!(grow(&mut policy, &mut w, 2_000), 14_038);
    }

    #[test]
    fn a_flow_that_the_window_does_not_limit_neither_grows_nor_ages() {
        let mut policy = cubic(|c| c.reno_friendly = false);
        let mut w = window(100);
        policy.on_selective_loss(&mut w, &loss(100));
        let first = grow(&mut policy, &mut w, 1_000);
        let idle = Ack {
            snd_max: 30 * MSS,
            starved: true,
            ..ack(60_000, &w)
        };
        policy.grow(&mut w, &idle);
        assert_eq!(w.cwnd, first);
        // Segments that wait for the host's line or for their pace show that there is data.
        let mut held = w;
        let waiting = Ack {
            starved: false,
            ..idle
        };
        policy.clone().grow(&mut held, &waiting);
        assert!(held.cwnd > first);
        // The minute without data does not count: t is still 0, as at the beginning.
        let mut other = policy.clone();
        let (mut here, mut there) = (w, w);
        other.stage.as_mut().unwrap().start = Ps::from_ms(60_000);
        assert_eq!(
            grow(&mut policy, &mut here, 60_001),
            grow(&mut other, &mut there, 60_001)
        );
    }

    #[test]
    fn a_pause_does_not_count_though_the_window_is_full_after_it() {
        let mut policy = cubic(|c| c.reno_friendly = false);
        let mut w = window(100);
        policy.on_selective_loss(&mut w, &loss(100));
        grow(&mut policy, &mut w, 1_000);
        // The application pauses from 1 s to 61 s; at 61.1 s t is 0.1 s, and W_cubic(0.2) = 0.4
        // (0.2 - 4.217163)^3 + 100 = 74.0683: cwnd = 70.02978 + 4.0385 / 70.02978 = 70.08745.
        policy.on_restart(Ps::from_ms(61_000));
        assert_eq!(grow(&mut policy, &mut w, 61_100), 70_087);
    }

    #[test]
    fn a_slow_start_begins_another_stage() {
        let mut policy = cubic(|c| c.reno_friendly = false);
        let mut w = window(100);
        policy.on_selective_loss(&mut w, &loss(100));
        grow(&mut policy, &mut w, 1_000);
        // After a pause of an RTO, slow start begins with one segment and continues to ssthresh.
        w.cwnd = 69_000;
        grow(&mut policy, &mut w, 90_000);
        assert_eq!(w.cwnd, 70_000);
        // t = 0 at 90.1 s, as at the beginning of the first stage.
        assert_eq!(grow(&mut policy, &mut w, 90_100), 70_029);
    }

    #[test]
    fn a_timeout_of_the_same_segment_holds_ssthresh() {
        let mut policy = cubic(|_| {});
        let mut w = window(20);
        let lost = Loss {
            snd_max: 50 * MSS,
            ..loss(20)
        };
        policy.on_timeout(&mut w, &lost);
        assert_eq!((w.ssthresh, w.cwnd), (14_000, 1_000));
        policy.on_timeout(&mut w, &lost);
        assert_eq!((w.ssthresh, w.cwnd), (14_000, 1_000));
        assert_eq!(policy.cwnd_prior, Some(20.0));
        // A timeout of another segment lowers ssthresh.
        w.cwnd = 10_000;
        let other = Loss {
            flight: 10 * MSS,
            ..lost
        };
        policy.on_timeout(&mut w, &other);
        assert_eq!(w.ssthresh, 7_000);
    }

    #[test]
    fn a_timeout_in_a_fast_recovery_takes_the_window_without_inflation() {
        let mut policy = cubic(|c| c.sack = false);
        let mut w = window(10);
        policy.on_third_dup_ack(&mut w, &loss(10));
        for _ in 0..20 {
            policy.on_further_dup_ack(&mut w);
        }
        policy.on_timeout(
            &mut w,
            &Loss {
                snd_max: 30 * MSS,
                ..loss(30)
            },
        );
        // 0.7 of the seven segments to which the loss has reduced the window.
        assert_eq!((policy.cwnd_prior, w.ssthresh), (Some(7.0), 4_900));
    }

    #[test]
    fn without_sack_duplicates_inflate_the_window_as_in_rfc_6582() {
        let mut policy = cubic(|c| c.sack = false);
        let mut w = window(10);
        assert_eq!(
            policy.on_third_dup_ack(&mut w, &loss(10)),
            Some(Resend::Oldest)
        );
        assert_eq!((w.ssthresh, w.cwnd), (7_000, 10_000));
        policy.on_further_dup_ack(&mut w);
        assert_eq!(w.cwnd, 11_000);
    }
}
