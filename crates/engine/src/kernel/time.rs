//! Simulated time in integer picoseconds, and rates. The fraction of a picosecond in a service time is carried to
//! the next service, so rounding errors do not add up.

use core::ops::{Add, AddAssign, Sub};

/// A simulated instant or span in picoseconds. Floating-point numbers never decide the order of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Ps(pub u64);

impl Ps {
    /// The start of the simulation.
    pub const ZERO: Ps = Ps(0);
    /// A time later than any event: the time of an event that is not scheduled.
    pub const NEVER: Ps = Ps(u64::MAX);

    /// A time of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Ps {
        Ps(ns * 1_000)
    }
    /// A time of `us` microseconds.
    pub const fn from_us(us: u64) -> Ps {
        Ps(us * 1_000_000)
    }
    /// A time of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Ps {
        Ps(ms * 1_000_000_000)
    }
    /// A time of `s` seconds.
    pub const fn from_s(s: u64) -> Ps {
        Ps(s * 1_000_000_000_000)
    }
    /// The time nearest to `s` seconds, in whole picoseconds; `NEVER` beyond the range of [`Ps`].
    pub fn from_secs_f64(s: f64) -> Ps {
        let ps = libm::round(s * 1e12);
        if ps >= 1.8e19 {
            Ps::NEVER
        } else {
            Ps(ps as u64)
        }
    }
    /// The time in seconds, for reports only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }
    /// The sum `self + span`; `NEVER` on overflow.
    pub const fn saturating_add(self, span: Ps) -> Ps {
        Ps(self.0.saturating_add(span.0))
    }
    /// `self - earlier`, or zero if `earlier` is later.
    pub const fn saturating_sub(self, earlier: Ps) -> Ps {
        Ps(self.0.saturating_sub(earlier.0))
    }
    /// True unless the time is [`Ps::NEVER`].
    pub const fn is_scheduled(self) -> bool {
        self.0 != u64::MAX
    }
}

impl Add for Ps {
    type Output = Ps;
    #[inline]
    fn add(self, span: Ps) -> Ps {
        Ps(self.0 + span.0)
    }
}

impl AddAssign for Ps {
    #[inline]
    fn add_assign(&mut self, span: Ps) {
        self.0 += span.0;
    }
}

impl Sub for Ps {
    type Output = Ps;
    #[inline]
    fn sub(self, earlier: Ps) -> Ps {
        Ps(self.0 - earlier.0)
    }
}

/// Bits of an ATM cell on the line.
pub const CELL_BITS: u64 = 424;

/// A line rate in thousandths of a bit per second. In this unit, every rate in the papers is a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// A rate of `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Rate {
        Rate(bps * 1_000)
    }
    /// Nearest representable rate to `cps` cells per second of 424 bits.
    pub fn from_cells_per_second(cps: f64) -> Rate {
        Rate(libm::round(cps * CELL_BITS as f64 * 1e3) as u64)
    }
    /// The rate in bits per second.
    pub fn bits_per_second(self) -> f64 {
        self.0 as f64 * 1e-3
    }
    /// The rate in cells of 424 bits per second.
    pub fn cells_per_second(self) -> f64 {
        self.0 as f64 / (CELL_BITS as f64 * 1e3)
    }
    /// Transmission time of a cell of 424 bits at this rate, rounded up to a picosecond.
    pub const fn cell_time_ceil(self) -> Ps {
        Ps(CELL_PS_BITS.div_ceil(self.0))
    }
    /// Transmission time of a cell of 424 bits at this rate, rounded down to a picosecond.
    pub const fn cell_time_floor(self) -> Ps {
        Ps(CELL_PS_BITS / self.0)
    }
}

/// Bits of a cell times picoseconds per second times thousandths per bit. Divided by a [`Rate`],
/// this gives the transmission time of a cell in picoseconds.
pub const CELL_PS_BITS: u64 = CELL_BITS * 1_000_000_000_000 * 1_000;

/// Picoseconds per second times thousandths per bit. Divided by a [`Rate`], this gives the
/// transmission time of a bit in picoseconds.
pub const PS_PER_BIT: u128 = 1_000_000_000_000 * 1_000;

/// Transmission times of cells (or packets of one size) on a line: whole picoseconds and a
/// remainder, which is carried from cell to cell.
#[derive(Clone, Copy, Debug)]
pub struct CellClock {
    whole: u64,
    remainder: u64,
    denominator: u64,
    /// Cells per picosecond, as a floating-point number, for estimates that exact arithmetic then corrects.
    per_ps: f64,
}

impl CellClock {
    /// Transmission times of cells of 424 bits on a line of `rate`.
    pub const fn new(rate: Rate) -> CellClock {
        CellClock::of_bits(rate, CELL_BITS)
    }
    /// Transmission times of packets of `bits` bits on a line of `rate`.
    pub const fn of_bits(rate: Rate, bits: u64) -> CellClock {
        CellClock::of_ps_bits(rate, bits as u128 * PS_PER_BIT)
    }
    /// Transmission times of the same cells or packets on a line of another rate `rate`.
    pub const fn at_rate(&self, rate: Rate) -> CellClock {
        let whole = self.whole as u128 * self.denominator as u128;
        CellClock::of_ps_bits(rate, whole + self.remainder as u128)
    }
    const fn of_ps_bits(rate: Rate, ps_bits: u128) -> CellClock {
        let rate = rate.0 as u128;
        CellClock {
            whole: (ps_bits / rate) as u64,
            remainder: (ps_bits % rate) as u64,
            denominator: rate as u64,
            per_ps: rate as f64 / ps_bits as f64,
        }
    }
    /// Completion time of a service that starts at `start`, and the fraction of a picosecond that the next
    /// service inherits. `carry` is the fraction inherited from the services before. Both fractions are in units
    /// of `1/rate` ps, where `rate` is the line rate.
    #[inline]
    pub fn complete(&self, start: Ps, carry: u64) -> (Ps, u64) {
        let owed = carry + self.remainder;
        let extra = (owed >= self.denominator) as u64;
        (
            Ps(start.0 + self.whole + extra),
            owed - extra * self.denominator,
        )
    }
    /// Completion time of a cell, and the fraction of a picosecond in addition, if the line rate changes at `now`
    /// to that of `other`. At the old rate the cell would complete at `last` with the fraction `carry`.
    pub fn completion_at(&self, other: &CellClock, now: Ps, last: Ps, carry: u64) -> (Ps, u64) {
        let missing = (last.0 - now.0) as u128 * self.denominator as u128 + carry as u128;
        let whole = missing / other.denominator as u128;
        let fraction = (missing % other.denominator as u128) as u64;
        let whole = u64::try_from(whole).unwrap_or(u64::MAX);
        (now.saturating_add(Ps(whole)), fraction)
    }
    /// The part of a cell that takes `span` on the line, in units of a cell's `parts`-th part, rounded up.
    pub fn parts_in(&self, span: Ps, parts: u32) -> u64 {
        let cell = self.whole as u128 * self.denominator as u128 + self.remainder as u128;
        let parts = span.0 as u128 * self.denominator as u128 * parts as u128;
        parts.div_ceil(cell) as u64
    }
    /// Number of cells that complete after `now`. All these cells must be served back to back, and the last one
    /// must complete at `last` with the fraction `carry`. The result is exact, as the unrounded completion times
    /// are an arithmetic progression.
    #[inline]
    pub fn cells_until(&self, now: Ps, last: Ps, carry: u64) -> u64 {
        if last <= now {
            return 0;
        }
        let span = last.0 - now.0 - 1;
        let estimate = span as f64 * self.per_ps;
        let below = estimate as u64;
        let fraction = estimate - below as f64;
        // The relative error of the estimate is 1e-15. Ignoring `carry` adds an error below the number of cells
        // per picosecond. So unless the estimate is close to a whole number, its whole part is right.
        if fraction > 1e-5 && fraction + self.per_ps < 1.0 - 1e-5 && below < 1 << 33 {
            return below + 1;
        }
        self.cells_until_exactly(span, carry)
    }
    #[cold]
    fn cells_until_exactly(&self, span: u64, carry: u64) -> u64 {
        let exact = span as u128 * self.denominator as u128 + carry as u128;
        (exact / CELL_PS_BITS as u128) as u64 + 1
    }
    /// Sum of the times from `now` to completion, in picoseconds, over the cells that [`CellClock::cells_until`]
    /// counts.
    pub fn time_left(&self, now: Ps, last: Ps, carry: u64) -> u128 {
        let cells = self.cells_until(now, last, carry) as u128;
        if cells == 0 {
            return 0;
        }
        let (denominator, cell) = (self.denominator as u128, CELL_PS_BITS as u128);
        let of_last = (last.0 - now.0) as u128 * denominator + carry as u128;
        sum_of_quotients(cells, cell, of_last - (cells - 1) * cell, denominator)
    }
    /// Busy time of a line up to `now`, in units of `1/rate` ps, where `rate` is the line rate. `cells` is the
    /// number of cells that have begun service, or the number of all cells present. The last of these cells
    /// completes at `last` with the fraction `carry`. The result is exact: unrounded services do not overlap, so
    /// a line is never busy for longer than the elapsed time.
    pub fn served(&self, cells: u64, now: Ps, last: Ps, carry: u64) -> u128 {
        let left = if now > last {
            0
        } else {
            (last.0 - now.0) as u128 * self.denominator as u128 + carry as u128
        };
        cells as u128 * CELL_PS_BITS as u128 - left
    }
    /// Transmission time of `cells` cells back to back: whole picoseconds, and the remainder in
    /// units of `1/rate` ps; `None` beyond the range of [`Ps`].
    pub fn span(&self, cells: u64) -> Option<(Ps, u64)> {
        let span = (cells as u128).checked_mul(CELL_PS_BITS as u128)?;
        let whole = u64::try_from(span / self.denominator as u128).ok()?;
        Some((Ps(whole), (span % self.denominator as u128) as u64))
    }
    /// Transmission time of one cell, rounded down to a picosecond.
    pub const fn floor(&self) -> Ps {
        Ps(self.whole)
    }
    /// Transmission time of one cell, rounded up to a picosecond.
    pub const fn ceil(&self) -> Ps {
        Ps(self.whole + (self.remainder > 0) as u64)
    }
}

/// Sum of `(first + i * step) / divisor`, each rounded down, for `i` from 0 to `count - 1`. The parts of `step`
/// and `first` that are multiples of the divisor are summed directly. Counting the lattice points below the
/// remaining line along its other axis gives a smaller sum of the same kind, as in Euclid's algorithm.
fn sum_of_quotients(mut count: u128, mut step: u128, mut first: u128, mut divisor: u128) -> u128 {
    let mut sum = 0;
    while count > 0 {
        sum += count * (count - 1) / 2 * (step / divisor) + count * (first / divisor);
        (step, first) = (step % divisor, first % divisor);
        let beyond = step * count + first;
        (count, first) = (beyond / divisor, beyond % divisor);
        (step, divisor) = (divisor, step);
    }
    sum
}

/// Intervals between the cells of a paced source: whole picoseconds and a fraction in units of
/// 2^-32 ps, which is carried from interval to interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    whole: u64,
    fraction: u32,
}

impl Pace {
    /// The interval between cells of a source that sends `cells_per_second`; `None` if the rate is
    /// not above zero or the interval exceeds the range of [`Ps`].
    pub fn new(cells_per_second: f64) -> Option<Pace> {
        let interval = 1e12 / cells_per_second;
        if !(interval > 0.0 && interval < 1e19) {
            return None;
        }
        let whole = interval as u64;
        let fraction = (interval - whole as f64) * 4_294_967_296.0;
        Some(Pace {
            whole,
            fraction: fraction as u32,
        })
    }
    /// The instant one interval after `at`, and the fraction at this instant. `carry` is the fraction at `at`.
    /// Both are in units of 2^-32 ps. The instant is `NEVER` if it exceeds the range of [`Ps`].
    #[inline]
    pub fn next(&self, at: Ps, carry: u32) -> (Ps, u32) {
        let (fraction, wrapped) = carry.overflowing_add(self.fraction);
        (at.saturating_add(Ps(self.whole + wrapped as u64)), fraction)
    }
    /// The instant `units` intervals after `at`, and the fraction at this instant, as [`Pace::next`] gives them
    /// for one interval.
    pub fn next_of(&self, at: Ps, carry: u32, units: u32) -> (Ps, u32) {
        let fraction = carry as u64 + self.fraction as u64 * units as u64; // the sum is below 2^64
        let whole = self.whole.saturating_mul(units.into());
        let interval = Ps(whole).saturating_add(Ps(fraction >> 32));
        (at.saturating_add(interval), fraction as u32)
    }
    /// The interval, rounded down to a picosecond.
    pub const fn floor(&self) -> Ps {
        Ps(self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_time_of_155_52_mbit_s_is_2_726_us() {
        // 424 / 155.52e6 s = 2.726337... us
        assert_eq!(Rate::from_bps(155_520_000).cell_time_floor(), Ps(2_726_337));
    }

    #[test]
    fn remainders_are_carried_so_that_the_clock_never_drifts() {
        let clock = CellClock::new(Rate::from_bps(155_520_000));
        let (mut at, mut carry) = (Ps::ZERO, 0);
        for _ in 0..155_520 {
            (at, carry) = clock.complete(at, carry);
        }
        // 155,520 cells of 424 bits at 155.52 Mbit/s take 0.424 s exactly.
        assert_eq!((at, carry), (Ps::from_ms(424), 0));
    }

    #[test]
    fn parts_of_a_cell_are_octets_rounded_up() {
        // At 424 Mbit/s a cell takes 1 us, an octet 18,867.9... ps.
        let clock = CellClock::new(Rate::from_bps(424_000_000));
        let octets = [0, 1, 18_867, 18_868, 37_735, 37_736, 1_000_000];
        let parts = octets.map(|ps| clock.parts_in(Ps(ps), 53));
        assert_eq!(parts, [0, 1, 1, 2, 2, 3, 53]);
    }

    #[test]
    fn cells_until_counts_the_completions_after_now() {
        let clock = CellClock::new(Rate::from_bps(155_520_000));
        let mut completions = alloc::vec::Vec::new();
        let (mut at, mut carry) = (Ps(17), 0);
        for _ in 0..40 {
            (at, carry) = clock.complete(at, carry);
            completions.push(at);
        }
        for probe in completions
            .iter()
            .flat_map(|c| [Ps(c.0 - 1), *c, Ps(c.0 + 1)])
        {
            let counted = completions.iter().filter(|c| **c > probe).count() as u64;
            assert_eq!(clock.cells_until(probe, at, carry), counted);
            let left: u64 = completions
                .iter()
                .filter(|c| **c > probe)
                .map(|c| c.0 - probe.0)
                .sum();
            assert_eq!(clock.time_left(probe, at, carry), left as u128);
        }
    }

    #[test]
    fn cells_until_is_exact_where_a_cell_takes_a_few_picoseconds() {
        for bits_per_second in [
            5_000_000_000,
            622_080_000_000,
            3_000_000_000_000,
            400_000_000_000_000,
        ] {
            let clock = CellClock::new(Rate::from_bps(bits_per_second));
            let (mut at, mut carry) = (Ps::ZERO, 0);
            for cells in 1..200 {
                (at, carry) = clock.complete(at, carry);
                assert_eq!(
                    clock.cells_until(Ps::ZERO, at, carry),
                    cells,
                    "{bits_per_second} bit/s"
                );
            }
        }
    }

    #[test]
    fn a_pace_keeps_its_fraction() {
        let pace = Pace::new(3.0).unwrap();
        let (mut at, mut carry) = (Ps::ZERO, 0);
        for _ in 0..3_000 {
            (at, carry) = pace.next(at, carry);
        }
        assert!(Ps::from_s(1_000).0 - at.0 <= 1);
    }
}
