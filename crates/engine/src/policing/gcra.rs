//! The generic cell rate algorithm GCRA(T, tau) in its two equal forms: virtual scheduling and the continuous-state
//! leaky bucket (ITU-T I.371 annex A; TM 4.0 section 4.4.2, figure 4-1).
//!
//! A unit of service is due every `T`, and may come earlier by the limit `tau`. A cell or frame that does not
//! conform changes no state.
//!
//! Arrivals are whole picoseconds, rounded down, but `T` is not. So an arrival conforms if any instant of its
//! picosecond does. A source that sends one unit every `T` therefore conforms with `tau = 0`, and for ever.

use crate::kernel::{Ps, ServiceRate};

/// A span of time in units of 2^-32 ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fine(u128);

const PS_PER_SECOND: f64 = 1e12;
/// One picosecond.
const PICOSECOND: u128 = 1 << Fine::BITS;

impl Fine {
    const BITS: u32 = 32;

    /// A whole number of picoseconds.
    pub const fn of(span: Ps) -> Fine {
        Fine((span.0 as u128) << Fine::BITS)
    }
    /// Time from one unit to the next at the rate `rate`, rounded down: `T = 1/rate`.
    pub fn per_unit(rate: ServiceRate) -> Fine {
        let (whole, rest) = rate.time_of(1);
        let part = ((rest as u128) << Fine::BITS) / rate.denominator() as u128;
        Fine(Fine::of(whole).0 + part)
    }
    /// Time from one unit to the next at `units_per_second` units/s, rounded to the nearest; at most 213 days.
    pub fn per_unit_at(units_per_second: f64) -> Fine {
        // A cast of a number that is too large, or infinite, gives the greatest integer.
        let span = libm::round(PS_PER_SECOND / units_per_second * PICOSECOND as f64);
        Fine((span as u128).min(Fine::of(Ps::NEVER).0))
    }
    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PICOSECOND as f64 / PS_PER_SECOND
    }
    /// Number of spans `step` that fit into this span; `None` if `step` is zero.
    pub const fn whole_steps(self, step: Fine) -> Option<u128> {
        self.0.checked_div(step.0)
    }
    /// This span multiplied by `times`.
    pub const fn times(self, times: u64) -> Fine {
        Fine(self.0.saturating_mul(times as u128))
    }
    /// The sum of this span and `other`.
    pub const fn plus(self, other: Fine) -> Fine {
        Fine(self.0.saturating_add(other.0))
    }
    /// The difference of this span and `other`; zero if `other` is longer.
    pub const fn less(self, other: Fine) -> Fine {
        Fine(self.0.saturating_sub(other.0))
    }
}

/// GCRA(T, tau) as virtual scheduling: a theoretical arrival time (TAT) for the next unit.
#[derive(Clone, Debug)]
pub struct VirtualScheduling {
    increment: Fine,
    limit: Fine,
    tat: Fine,
}

impl VirtualScheduling {
    /// GCRA with the increment `T` of a unit and the limit `tau`. The first arrival conforms.
    pub const fn new(increment: Fine, limit: Fine) -> VirtualScheduling {
        VirtualScheduling {
            increment,
            limit,
            tat: Fine(0),
        }
    }
    /// Replaces the increment `T` between the last unit and the next, and between all later units (the dynamic GCRA of TM
    /// 4.0 section 4.5.4, whose last virtual scheduled time is `TAT - T`).
    pub const fn set_increment(&mut self, increment: Fine) {
        if self.tat.0 > 0 {
            self.tat = self.tat.less(self.increment).plus(increment);
        }
        self.increment = increment;
    }
    /// True if a cell or frame that arrives at `now` conforms: `now >= TAT - tau`.
    #[inline]
    pub const fn conforms(&self, now: Ps) -> bool {
        self.tat.0 < Fine::of(now).0 + PICOSECOND + self.limit.0
    }
    /// Counts `units` units that arrive at `now`: `TAT := max(now, TAT) + units T`. A caller may count units that do
    /// not conform, too.
    #[inline]
    pub const fn count(&mut self, now: Ps, units: u32) {
        let now = Fine::of(now);
        let from = if now.0 > self.tat.0 { now } else { self.tat };
        self.tat = from.plus(self.increment.times(units as u64));
    }
    /// Decides about a cell or frame of `units` units that arrives at `now`, and counts it if it conforms. Returns true
    /// if it conforms.
    #[inline]
    pub const fn arrive(&mut self, now: Ps, units: u32) -> bool {
        let conforms = self.conforms(now);
        if conforms {
            self.count(now, units);
        }
        conforms
    }
    /// Earliest time at which a cell or frame conforms if none arrives before.
    pub fn earliest(&self) -> Ps {
        let whole = self.tat.less(self.limit).0 >> Fine::BITS;
        u64::try_from(whole).map_or(Ps::NEVER, Ps)
    }
}

/// GCRA(T, tau) as continuous-state leaky bucket: the content of the bucket, and the last conformance time (LCT). The
/// bucket leaks one unit of time per unit of time.
#[derive(Clone, Debug)]
pub struct LeakyBucket {
    increment: Fine,
    limit: Fine,
    content: Fine,
    last: Fine,
}

impl LeakyBucket {
    /// GCRA with the increment `T` of a unit and the limit `tau`. The bucket is empty at first.
    pub const fn new(increment: Fine, limit: Fine) -> LeakyBucket {
        LeakyBucket {
            increment,
            limit,
            content: Fine(0),
            last: Fine(0),
        }
    }
    /// Content of the bucket at `now`, before an arrival: `X' = max(0, X - (now - LCT))`.
    pub const fn content(&self, now: Ps) -> Fine {
        self.content.less(Fine::of(now).less(self.last))
    }
    /// Decides about a cell or frame of `units` units that arrives at `now`, as [`VirtualScheduling::arrive`] does: it
    /// conforms if `X' <= tau`, and then adds `units T` to the bucket. Returns true if it conforms.
    pub const fn arrive(&mut self, now: Ps, units: u32) -> bool {
        let content = self.content(now);
        if content.0 >= PICOSECOND + self.limit.0 {
            return false;
        }
        self.content = content.plus(self.increment.times(units as u64));
        self.last = Fine::of(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Rate;

    /// GCRA in both forms, which must agree on each arrival.
    struct Both(VirtualScheduling, LeakyBucket);

    impl Both {
        fn new(increment: Fine, limit: Fine) -> Both {
            Both(
                VirtualScheduling::new(increment, limit),
                LeakyBucket::new(increment, limit),
            )
        }
        fn arrive(&mut self, now: Ps, units: u32) -> bool {
            let conforms = self.0.arrive(now, units);
            assert_eq!(self.1.arrive(now, units), conforms, "at {now}");
            conforms
        }
    }

    /// Decisions on arrivals at `slots`, in cell times of 2 us, by GCRA(T, tau). `T` and `tau` are in us.
    fn decisions(increment: u64, limit: u64, slots: &[u64]) -> Vec<bool> {
        let mut gcra = Both::new(
            Fine::of(Ps::from_us(increment)),
            Fine::of(Ps::from_us(limit)),
        );
        let arrivals = slots.iter().map(|slot| Ps::from_us(2 * slot));
        arrivals.map(|at| gcra.arrive(at, 1)).collect()
    }

    /// The sequences of TM 4.0 and I.371 with T = 4.5 cell times, here 9 us, at the full rate of the line:
    /// floor(1 + tau / (T - 1)) cells conform back to back.
    #[test]
    fn cells_at_the_line_rate_conform_as_the_standard_says() {
        // tau = 0.5: one cell. TAT is 4.5, so slot 4 conforms (4.5 - 0.5 = 4). TAT 9, slot 9 (9 - 0.5 = 8.5); 13.5, 13.
        let conforming = |limit| {
            let slots: Vec<u64> = (0..15).collect();
            let decided = decisions(9, limit, &slots).into_iter().zip(slots);
            decided
                .filter(|(conforms, _)| *conforms)
                .map(|(_, slot)| slot)
                .collect::<Vec<u64>>()
        };
        assert_eq!(conforming(1), [0, 4, 9, 13]);
        // tau = 1.5: one cell. TAT 4.5: slot 3. TAT 9: 8 (7.5). TAT 13.5: 12.
        assert_eq!(conforming(3), [0, 3, 8, 12]);
        // tau = 3.5: 1 + 3.5 / 3.5 = 2 cells. TAT 4.5: 1. TAT 9: 6 (5.5). TAT 13.5: 10.
        assert_eq!(conforming(7), [0, 1, 6, 10]);
        // tau = 7: 1 + 7 / 3.5 = 3 cells. TAT 4.5: 1. TAT 9: 2. TAT 13.5: 7 (6.5). TAT 18: 11.
        assert_eq!(conforming(14), [0, 1, 2, 7, 11]);
    }

    #[test]
    fn an_early_cell_changes_nothing_and_a_late_one_gives_no_credit() {
        // T = 10 us, tau = 2 us; slots of 2 us. 0: TAT 10. 6 us < 8: early. 8 us conforms: TAT 20. 40 us is late: TAT 50.
        // 46 us < 48: early. 48 us: TAT 60. 58 us: TAT 70.
        let decided = decisions(10, 2, &[0, 3, 4, 20, 23, 24, 29]);
        assert_eq!(decided, [true, false, true, true, false, true, true]);
    }

    #[test]
    fn another_increment_counts_from_the_last_cell() {
        // T = 10 us. A cell at 0: TAT 10 us. With T = 4 us the next is due at 4 us, with T = 25 us the one after at 29.
        let mut gcra = VirtualScheduling::new(Fine::of(Ps::from_us(10)), Fine::default());
        assert!(gcra.arrive(Ps::ZERO, 1));
        gcra.set_increment(Fine::of(Ps::from_us(4)));
        assert_eq!(gcra.earliest(), Ps::from_us(4));
        assert!(gcra.arrive(Ps::from_us(4), 1));
        gcra.set_increment(Fine::per_unit_at(40_000.0));
        assert_eq!(gcra.earliest(), Ps::from_us(29));
    }

    #[test]
    fn a_frame_counts_with_its_units() {
        // T = 1 us per octet, tau = 1 ms. 1,500 octets at 0: TAT 1.5 ms, so 500 us is the earliest time.
        let mut gcra = Both::new(Fine::of(Ps::from_us(1)), Fine::of(Ps::from_ms(1)));
        assert!(gcra.arrive(Ps::ZERO, 1_500));
        assert_eq!(gcra.0.earliest(), Ps::from_us(500));
        assert!(!gcra.arrive(Ps(Ps::from_us(500).0 - 1), 64));
        assert!(gcra.arrive(Ps::from_us(500), 64));
        // TAT 1.564 ms.
        assert_eq!(gcra.0.earliest(), Ps::from_us(564));
    }

    /// A cell of 155.52 Mbit/s takes 2,726,337.4... ps: the fraction neither adds up nor is lost.
    #[test]
    fn a_source_at_its_rate_conforms_without_tolerance() {
        let rate = Rate::from_bps(155_520_000);
        let clock = crate::kernel::CellClock::new(rate);
        let increment = Fine::per_unit(ServiceRate::of_cells(rate));
        let mut gcra = Both::new(increment, Fine::default());
        let (mut at, mut carry) = (Ps::ZERO, 0);
        for _ in 0..100_000 {
            assert!(gcra.arrive(at, 1), "{at}");
            assert!(!gcra.0.conforms(at));
            (at, carry) = clock.complete(at, carry);
        }
        // One picosecond earlier, the next cell is early.
        assert!(!gcra.0.conforms(Ps(at.0 - 1)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

        /// Both forms decide alike, whatever arrives, and a cell conforms exactly from the computed earliest time on.
        #[test]
        fn both_forms_are_equal(
            increment in 1..1u128 << 50,
            limit in prop_oneof![Just(0), 0..1u128 << 54],
            arrivals in prop::collection::vec((prop_oneof![Just(0), 0..400_000u64], 1..4u32), 1..200),
        ) {
            let mut gcra = Both::new(Fine(increment), Fine(limit));
            let mut now = Ps::ZERO;
            for (gap, units) in arrivals {
                now += Ps(gap);
                let earliest = gcra.0.earliest();
                prop_assert_eq!(gcra.0.conforms(now), now >= earliest);
                gcra.arrive(now, units);
            }
        }

        /// The definition without a state: a cell conforms exactly if, for each k, it arrives at most tau before the time
        /// k T after the k-th last conforming cell.
        #[test]
        fn a_cell_conforms_if_no_interval_has_too_many(
            increment in 1..1u128 << 50,
            limit in prop_oneof![Just(0), 0..1u128 << 54],
            gaps in prop::collection::vec(prop_oneof![Just(0), 0..400_000u64], 1..100),
        ) {
            let mut gcra = VirtualScheduling::new(Fine(increment), Fine(limit));
            let mut conforming: Vec<u128> = Vec::new();
            let mut now = Ps::ZERO;
            for gap in gaps {
                now += Ps(gap);
                let at = Fine::of(now).0;
                let steps = conforming.iter().rev().zip(1u128..);
                let expected = steps.fold(true, |holds, (earlier, steps)| {
                    holds && earlier + steps * increment < at + PICOSECOND + limit
                });
                prop_assert_eq!(gcra.arrive(now, 1), expected);
                if expected {
                    conforming.push(at);
                }
            }
        }
    }
}
