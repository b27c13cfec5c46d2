//! Transmission times of octets on a line, exact to the fraction of a picosecond.

use crate::kernel::{Ps, Rate};

/// Bits of an octet, times picoseconds of a second, times thousandths of a bit/s, in which a [`Rate`] counts.
const OCTET_PS_BITS: u64 = 8 * 1_000_000_000_000 * 1_000;

/// Transmission times of octets on a line: the whole picoseconds of one octet, and a remainder that is
/// carried from frame to frame. At 1, 10, 25, 40, 50, 100, 200, 400 and 800 Gbit/s the remainder is 0.
#[derive(Clone, Copy, Debug)]
pub struct OctetClock {
    whole: u64,
    remainder: u64,
    denominator: u64,
}

impl OctetClock {
    /// Fastest line: 800 Gbit/s, where an octet takes 10 ps.
    pub const FASTEST: Rate = Rate::from_bps(800_000_000_000);
    /// Greatest number of octets of one frame on the line, with preamble and interframe gap: 16,383 + 20.
    pub const LONGEST_FRAME: u32 = 16_403;

    /// The clock of a line of `rate`, at most [`OctetClock::FASTEST`].
    pub const fn new(rate: Rate) -> OctetClock {
        OctetClock {
            whole: OCTET_PS_BITS / rate.0,
            remainder: OCTET_PS_BITS % rate.0,
            denominator: rate.0,
        }
    }
    /// The end of the transmission of `octets` octets of one frame, as whole picoseconds and a fraction in
    /// units of `1/rate` ps. The octets begin at `start` plus the fraction `carry`. No frame is longer than
    /// 16,403 octets on the line; [`OctetClock::floor`] and [`OctetClock::ceil`] take any number of octets.
    #[inline]
    pub fn after(&self, start: Ps, carry: u64, octets: u32) -> (Ps, u64) {
        debug_assert!(octets <= OctetClock::LONGEST_FRAME, "{octets} octets");
        let octets = octets as u64;
        // At most 16,403 octets with less than 8e14 units each: the sum stays below 2^64.
        let owed = carry + octets * self.remainder;
        let extra = if owed < self.denominator {
            0
        } else {
            owed / self.denominator
        };
        (
            Ps(start.0 + octets * self.whole + extra),
            owed - extra * self.denominator,
        )
    }
    /// Transmission time of `octets` octets in picoseconds, rounded down; `NEVER` beyond the range of [`Ps`].
    pub fn floor(&self, octets: u32) -> Ps {
        self.whole_and_rest(octets).0
    }
    /// Transmission time of `octets` octets in picoseconds, rounded up; `NEVER` beyond the range of [`Ps`].
    pub fn ceil(&self, octets: u32) -> Ps {
        let (whole, rest) = self.whole_and_rest(octets);
        whole.saturating_add(Ps((rest > 0) as u64))
    }
    /// Transmission time of `octets` octets, as whole picoseconds and a fraction in units of `1/rate` ps.
    #[inline]
    fn whole_and_rest(&self, octets: u32) -> (Ps, u64) {
        if octets <= OctetClock::LONGEST_FRAME {
            self.after(Ps::ZERO, 0, octets)
        } else {
            self.of_many(octets)
        }
    }
    /// The same for more octets than a frame has. Pauses last for millions of octets, whose units exceed 64 bits.
    #[cold]
    fn of_many(&self, octets: u32) -> (Ps, u64) {
        let (owed, rate) = (
            octets as u128 * OCTET_PS_BITS as u128,
            self.denominator as u128,
        );
        let whole = u64::try_from(owed / rate).map_or(Ps::NEVER, Ps);
        (whole, (owed % rate) as u64)
    }
    /// Transmission time of any number of octets in picoseconds, not rounded.
    pub fn time_of(&self, octets: u64) -> f64 {
        octets as f64 * (OCTET_PS_BITS as f64 / self.denominator as f64)
    }
    /// Number of octets that the line carries in `time`, rounded up.
    pub fn octets_in(&self, time: Ps) -> u64 {
        (time.0 as u128 * self.denominator as u128).div_ceil(OCTET_PS_BITS as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    /// Transmission times of a frame of 1,538 octets on lines with whole picoseconds for each octet: 1538 x
    /// 320, 80, 20, 10.
    #[test]
    fn octets_of_fast_lines_take_whole_picoseconds() {
        for (gbps, ps) in [(25, 492_160), (100, 123_040), (400, 30_760), (800, 15_380)] {
            let clock = OctetClock::new(Rate::from_bps(gbps * 1_000_000_000));
            assert_eq!(clock.after(Ps(7), 0, 1_538), (Ps(7 + ps), 0), "{gbps}");
            assert_eq!(
                [0, 1, ps].map(|time| clock.octets_in(Ps(time))),
                [0, 1, 1_538]
            );
        }
    }

    /// At 155.52 Mbit/s an octet takes 51,440.329... ps. Three frames of 1,000 octets end at 51,440,329.2,
    /// 102,880,658.4 and 154,320,987.7 ps.
    #[test]
    fn fractions_are_carried_from_frame_to_frame() {
        let clock = OctetClock::new(Rate::from_bps(155_520_000));
        let (mut at, mut carry) = (Ps::ZERO, 0);
        for ends in [51_440_329, 102_880_658, 154_320_987] {
            (at, carry) = clock.after(at, carry, 1_000);
            assert_eq!(at.0, ends);
        }
        assert_eq!(clock.ceil(1_000).0, clock.floor(1_000).0 + 1);
    }

    #[test]
    fn the_longest_frame_fits_at_every_rate() {
        // Just above an eleventh of 8e15 the remainder is largest: 7.27e14 of 7.27e14 units.
        let clock = OctetClock::new(Rate(OCTET_PS_BITS / 11 + 1));
        assert!(clock.remainder > 720_000_000_000_000);
        let most = clock.denominator - 1;
        let exact = 16_403u128 * OCTET_PS_BITS as u128 + most as u128;
        let (end, carry) = clock.after(Ps::ZERO, most, 16_403);
        assert_eq!(end.0 as u128, exact / clock.denominator as u128);
        assert_eq!(carry as u128, exact % clock.denominator as u128);
    }

    /// A pause of 65,535 quanta lasts 4,194,240 octets, half of it 2,097,120 octets. At 60 Gbit/s an octet
    /// takes 400/3 ps: 559,232,000 and 279,616,000 ps. At 300 Gbit/s it takes 80/3 ps: 111,846,400 and
    /// 55,923,200 ps. At 70 Gbit/s it takes 800/7 ps: 479,341,714 2/7 and 239,670,857 1/7 ps.
    #[test]
    fn long_pauses_last_their_octets_at_rates_with_large_remainders() {
        for (gbps, pause, half, rounded_up) in [
            (60, 559_232_000, 279_616_000, 0),
            (300, 111_846_400, 55_923_200, 0),
            (70, 479_341_714, 239_670_857, 1),
        ] {
            let clock = OctetClock::new(Rate::from_bps(gbps * 1_000_000_000));
            assert_eq!(clock.floor(4_194_240), Ps(pause), "{gbps}");
            assert_eq!(clock.floor(2_097_120), Ps(half), "{gbps}");
            assert_eq!(clock.ceil(4_194_240), Ps(pause + rounded_up), "{gbps}");
            assert_eq!(clock.ceil(2_097_120), Ps(half + rounded_up), "{gbps}");
        }
    }

    /// At a thousandth of a bit/s an octet takes 8e15 ps, and 2,305 octets take 1.844e19 ps. This is within the
    /// 1.8447e19 ps of 64 bits, and 2^32 octets are not.
    #[test]
    fn a_time_beyond_the_range_is_never() {
        let clock = OctetClock::new(Rate(1));
        assert_eq!(clock.floor(2_305), Ps(18_440_000_000_000_000_000));
        assert_eq!(clock.floor(u32::MAX), Ps::NEVER);
        assert_eq!(clock.ceil(u32::MAX), Ps::NEVER);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(1997),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// All functions that take octets or give octets, against arithmetic of 128 bits.
        #[test]
        fn octets_and_times_are_exact_at_every_rate(
            rate in 1_000_000..=OctetClock::FASTEST.0,
            octets in prop_oneof![0..=OctetClock::LONGEST_FRAME, any::<u32>()],
            carry in any::<u64>(),
            time in 0..=u64::MAX,
        ) {
            let clock = OctetClock::new(Rate(rate));
            let rate = rate as u128;
            let units = octets as u128 * OCTET_PS_BITS as u128;
            prop_assert_eq!(clock.floor(octets).0 as u128, units / rate);
            prop_assert_eq!(clock.ceil(octets).0 as u128, units.div_ceil(rate));
            let carried = time as u128 * rate;
            prop_assert_eq!(clock.octets_in(Ps(time)) as u128, carried.div_ceil(OCTET_PS_BITS as u128));
            if octets <= OctetClock::LONGEST_FRAME {
                let carry = carry % clock.denominator;
                let (end, rest) = clock.after(Ps(7), carry, octets);
                let exact = units + carry as u128 + 7 * rate;
                prop_assert_eq!((end.0 as u128, rest as u128), (exact / rate, exact % rate));
            }
        }
    }
}
