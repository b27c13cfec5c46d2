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

    /// The clock of a line of `rate`, at most [`OctetClock::FASTEST`].
    pub const fn new(rate: Rate) -> OctetClock {
        OctetClock {
            whole: OCTET_PS_BITS / rate.0,
            remainder: OCTET_PS_BITS % rate.0,
            denominator: rate.0,
        }
    }
    /// The end of the transmission of `octets` octets of one frame, as whole picoseconds and a fraction in
    /// units of `1/rate` ps. The octets begin at `start` plus the fraction `carry`.
    #[inline]
    pub fn after(&self, start: Ps, carry: u64, octets: u32) -> (Ps, u64) {
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
    /// Transmission time of `octets` octets in picoseconds, rounded down.
    pub fn floor(&self, octets: u32) -> Ps {
        self.after(Ps::ZERO, 0, octets).0
    }
    /// Transmission time of `octets` octets in picoseconds, rounded up.
    pub fn ceil(&self, octets: u32) -> Ps {
        let (whole, rest) = self.after(Ps::ZERO, 0, octets);
        Ps(whole.0 + (rest > 0) as u64)
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
}
