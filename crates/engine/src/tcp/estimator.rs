//! Round-trip estimation and the retransmission timeout in integer ticks, as in 4.3BSD Net/3
//! (Jacobson 1988, appendix A; Stevens, TCP/IP Illustrated 2, 25.10). Numbers in the comments are
//! those of RFC 6298, which describes the same computation.

use super::config::{BackoffOf, TcpConfig};
use super::ticks::Ticks;
use crate::kernel::Ps;

/// Number of consecutive timeouts after which Net/3 discards the smoothed round trip.
const LOSING: u32 = 3;

/// Smoothed round trip (SRTT), its variation (RTTVAR) and the RTO of one sender.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    ticks: Ticks,
    /// Smoothed round trip in units of 1/8 tick; 0 before the first sample.
    srtt: i64,
    /// Mean deviation of the round trip in units of 1/4 tick; 0 before the first sample.
    rttvar: i64,
    /// Number of timeouts since the last valid sample.
    timeouts: u32,
    max_backoff: u32,
    backoff_of: BackoffOf,
    rto_initial: u64,
    rto_min: u64,
    rto_max: u64,
    rto_ticks: u64,
}

impl RttEstimator {
    /// An estimator without samples, whose clock ticks at the times `phase + k * granularity`.
    pub fn new(config: &TcpConfig, phase: Ps) -> RttEstimator {
        let ticks = Ticks::new(config.granularity, phase);
        let rto_min = ticks.covering(config.min_rto);
        let rto_max = ticks.covering(config.max_rto);
        let rto_initial = ticks.covering(config.initial_rto);
        RttEstimator {
            ticks,
            srtt: 0,
            rttvar: 0,
            timeouts: 0,
            max_backoff: config.max_backoff,
            backoff_of: config.backoff_of,
            rto_initial,
            rto_min,
            rto_max,
            rto_ticks: rto_initial.clamp(rto_min, rto_max),
        }
    }

    /// Adds a sample: the time of a round trip that ends at `now` and began after `since` ticks of the clock. The
    /// sample ends the backoff, as its segment was sent only once (Karn; RFC 6298 sections 3 and 5).
    pub fn on_sample(&mut self, now: Ps, since: u64) {
        // BSD's counter is 1 when the segment is sent and rises by 1 at every tick.
        let counter = 1 + (self.ticks.count(now) - since) as i64;
        self.smooth(counter);
        self.timeouts = 0;
        self.rto_ticks = self.base().clamp(self.rto_min, self.rto_max); // (2.4), (2.5)
    }

    fn smooth(&mut self, counter: i64) {
        if self.srtt == 0 {
            self.srtt = counter << 3; // (2.2): SRTT := R
            self.rttvar = counter << 1; // (2.2): RTTVAR := R / 2
            return;
        }
        let delta = counter - 1 - (self.srtt >> 3);
        // (2.3): SRTT := 7/8 SRTT + 1/8 R'; RTTVAR := 3/4 RTTVAR + 1/4 |SRTT - R'|
        self.srtt = (self.srtt + delta).max(1);
        self.rttvar = (self.rttvar + delta.abs() - (self.rttvar >> 2)).max(1);
    }

    /// Backs off after a timeout (5.5): the RTO becomes the timeout without backoff times 2, 4, 8,
    /// ... up to the greatest factor.
    pub fn on_timeout(&mut self) {
        self.timeouts += 1;
        let factor = 1u64 << self.timeouts.min(self.max_backoff);
        let floor = match self.backoff_of {
            BackoffOf::Timeout => self.rto_min, // (2.4) comes before (5.5)
            BackoffOf::Estimate => 0,
        };
        self.rto_ticks = self
            .base()
            .max(floor)
            .saturating_mul(factor)
            .clamp(self.rto_min, self.rto_max); // (5.5), (2.5)
        if self.timeouts > LOSING {
            // Section 5: after several timeouts SRTT may be cleared, so that the next sample counts as the first.
            // SRTT + 4 RTTVAR, and so the RTO, is kept until then.
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }

    /// RTO in ticks before backoff and bounds: SRTT + 4 RTTVAR (2.3); `rttvar` is in units of 1/4
    /// tick.
    fn base(&self) -> u64 {
        if self.rttvar == 0 {
            self.rto_initial // (2.1)
        } else {
            ((self.srtt >> 3) + self.rttvar) as u64
        }
    }

    /// Number of ticks of the clock up to `now`. At the beginning of a round trip, this is the argument `since`
    /// of [`Self::on_sample`].
    #[inline]
    pub fn tick(&self, now: Ps) -> u64 {
        self.ticks.count(now)
    }
    /// Time at which a timer expires that is set to the RTO at `now`. Timers expire at ticks of the clock only.
    #[inline]
    pub fn expiry(&self, now: Ps) -> Ps {
        self.ticks.after(now, self.rto_ticks)
    }
    /// True if a time of one RTO, counted in ticks, has passed from `since` to `now`.
    pub fn rto_since(&self, since: Ps, now: Ps) -> bool {
        self.ticks.count(now) - self.ticks.count(since) >= self.rto_ticks
    }
    /// Present RTO in ticks, with backoff; at least 1.
    pub fn rto_ticks(&self) -> u64 {
        self.rto_ticks
    }
    /// Present RTO as a time, with backoff: the number of ticks times the tick interval.
    pub fn rto(&self) -> Ps {
        self.ticks.span(self.rto_ticks)
    }
    /// Smoothed round trip, `None` before the first sample.
    pub fn srtt(&self) -> Option<Ps> {
        (self.srtt > 0).then(|| Ps(self.ticks.span(self.srtt as u64).0 / 8))
    }
    /// Number of timeouts since the last valid sample.
    pub fn backoff(&self) -> u32 {
        self.timeouts
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn estimator(granularity: Ps) -> RttEstimator {
        let config = TcpConfig {
            granularity,
            min_rto: Ps(1),
            ..TcpConfig::default()
        };
        RttEstimator::new(&config, Ps::ZERO)
    }

    /// Adds a sample of a round trip during which the clock ticks `ticks` times.
    fn sample(e: &mut RttEstimator, ticks: u64) {
        let now = e.ticks.span(ticks);
        e.on_sample(now, 1);
    }

    #[test]
    fn the_first_sample_sets_srtt_to_the_counter_and_rto_to_three_times_it() {
        let mut e = estimator(Ps::from_ms(100));
        // 4 ticks: counter 5, srtt = 5 * 8, rttvar = 5 * 2, RTO = 5 + 10 ticks.
        sample(&mut e, 4);
        assert_eq!((e.srtt, e.rttvar, e.rto_ticks()), (40, 10, 15));
    }

    #[test]
    fn later_samples_move_srtt_by_an_eighth_and_rttvar_by_a_quarter() {
        let mut e = estimator(Ps::from_ms(100));
        sample(&mut e, 4);
        // Counter 9: delta = 9 - 1 - 40/8 = 3; srtt = 43; rttvar = 10 + 3 - 10/4 = 11; RTO = 5 +
        // 11.
        sample(&mut e, 8);
        assert_eq!((e.srtt, e.rttvar, e.rto_ticks()), (43, 11, 16));
        // Counter 1 (no tick): delta = 0 - 5; srtt = 38; rttvar = 11 + 5 - 2 = 14; RTO = 4 + 14.
        sample(&mut e, 0);
        assert_eq!((e.srtt, e.rttvar, e.rto_ticks()), (38, 14, 18));
    }

    #[test]
    fn round_trips_below_one_tick_keep_the_rto_at_three_ticks() {
        let mut e = estimator(Ps::from_ms(500));
        sample(&mut e, 0);
        // Counter 1: srtt = 8, rttvar = 2, RTO = 1 + 2. Then delta = -1: srtt = 7, rttvar = 3, RTO
        // = 0 + 3. With delta = 0 and 3/4 = 0 no value changes any more.
        for _ in 0..20 {
            assert_eq!(e.rto_ticks(), 3);
            sample(&mut e, 0);
        }
        assert_eq!((e.srtt, e.rttvar), (7, 3));
    }

    #[test]
    fn initial_minimum_and_maximum_are_seconds_and_not_ticks() {
        for granularity in [Ps::from_us(100), Ps::from_ms(100), Ps::from_ms(500)] {
            let config = TcpConfig {
                granularity,
                ..TcpConfig::default()
            };
            let mut e = RttEstimator::new(&config, Ps::ZERO);
            assert_eq!(e.rto(), Ps::from_s(3));
            sample(&mut e, 0);
            assert_eq!(
                e.rto(),
                if granularity == Ps::from_ms(500) {
                    Ps::from_ms(1_500)
                } else {
                    Ps::from_s(1)
                }
            );
            (0..12).for_each(|_| e.on_timeout());
            assert!(e.rto() <= Ps::from_s(64));
        }
    }

    #[test]
    fn backoff_factors_are_2_4_8_16_32_64_64() {
        let config = TcpConfig {
            initial_rto: Ps::from_ms(500),
            min_rto: Ps(1),
            ..TcpConfig::default()
        };
        let mut e = RttEstimator::new(&config, Ps::ZERO);
        let factors: Vec<u64> = (0..7).map(|_| (e.on_timeout(), e.rto_ticks()).1).collect();
        assert_eq!(factors, [2, 4, 8, 16, 32, 64, 64]);
    }

    /// Successive timeouts in ms of a sender whose round trips are all shorter than a tick.
    fn timeouts(granularity: u64, min_rto: u64, backoff_of: BackoffOf) -> Vec<u64> {
        let config = TcpConfig {
            granularity: Ps::from_ms(granularity),
            min_rto: Ps::from_ms(min_rto),
            backoff_of,
            ..TcpConfig::default()
        };
        let mut e = RttEstimator::new(&config, Ps::ZERO);
        sample(&mut e, 0); // an estimate of 3 ticks
        let backed_off = (0..8).map(|_| (e.rto().0 / 1_000_000_000, e.on_timeout()).0);
        backed_off.collect()
    }

    #[test]
    fn a_timeout_that_min_rto_has_raised_is_doubled() {
        // RFC 6298 (2.4), (5.5): 1 s, doubled up to max_rto, 64 s.
        assert_eq!(
            timeouts(1, 1_000, BackoffOf::Timeout),
            [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000]
        );
        assert_eq!(
            timeouts(100, 1_000, BackoffOf::Timeout),
            [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000]
        );
        // Six doublings of 0.2 s, then none.
        assert_eq!(
            timeouts(10, 200, BackoffOf::Timeout),
            [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 12_800]
        );
    }

    #[test]
    fn an_estimate_below_min_rto_is_doubled_before_it_is_bounded() {
        // 3 ticks of 1 ms times 64 are 192 ms, always below 1 s.
        assert_eq!(timeouts(1, 1_000, BackoffOf::Estimate), [1_000; 8]);
        // 30 ms times 2, 4, ..., 64, at least 0.2 s.
        assert_eq!(
            timeouts(10, 200, BackoffOf::Estimate),
            [200, 200, 200, 240, 480, 960, 1_920, 1_920]
        );
    }

    #[test]
    fn the_timer_of_a_first_segment_backs_off_from_min_rto_too() {
        let config = TcpConfig {
            granularity: Ps::from_ms(10),
            initial_rto: Ps::from_ms(100),
            min_rto: Ps::from_s(1),
            ..TcpConfig::default()
        };
        let mut e = RttEstimator::new(&config, Ps::ZERO);
        e.on_timeout();
        assert_eq!(e.rto(), Ps::from_s(2));
    }

    #[test]
    fn after_four_timeouts_the_next_sample_starts_afresh_but_the_rto_keeps_its_base() {
        let mut e = estimator(Ps::from_ms(100));
        sample(&mut e, 4);
        // Base 15 ticks; 4 timeouts: 15 * 16 = 240; rttvar = 10 + 40/8 = 15.
        (0..4).for_each(|_| e.on_timeout());
        assert_eq!((e.srtt, e.rttvar, e.rto_ticks()), (0, 15, 240));
        e.on_timeout();
        assert_eq!(e.rto_ticks(), 480);
        sample(&mut e, 4);
        assert_eq!(
            (e.srtt, e.rttvar, e.rto_ticks(), e.backoff()),
            (40, 10, 15, 0)
        );
    }

    #[test]
    fn a_timer_of_k_ticks_expires_at_the_kth_tick() {
        let config = TcpConfig {
            granularity: Ps::from_ms(100),
            ..TcpConfig::default()
        };
        let e = RttEstimator::new(&config, Ps::from_ms(30));
        // 3 s are 30 ticks. The first tick after 50 ms is at 130 ms, the 30th at 130 + 29 * 100 ms.
        assert_eq!(e.expiry(Ps::from_ms(50)), Ps::from_ms(3_030));
    }
}
