//! Rates of service in units: an ATM cell is one unit, and an Ethernet frame has as many units as octets on the
//! line.

use super::time::{CELL_BITS, PS_PER_BIT, Ps, Rate};

/// Rate of a line, and the size of the unit (cell or octet) in which the port of the line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceRate {
    line: Rate,
    /// Bits per unit: 424 for cells, 8 for octets.
    bits: u64,
}

impl ServiceRate {
    /// A line that counts in cells of 424 bits.
    pub const fn of_cells(line: Rate) -> ServiceRate {
        let bits = CELL_BITS;
        ServiceRate { line, bits }
    }
    /// A line that counts in octets.
    pub const fn of_octets(line: Rate) -> ServiceRate {
        ServiceRate { line, bits: 8 }
    }
    /// Rate of the line in bit/s.
    pub const fn line(self) -> Rate {
        self.line
    }
    /// Rate of the line in units/s.
    pub fn units_per_second(self) -> f64 {
        self.in_units(self.line)
    }
    /// Converts `rate`, which may be the rate of another line, to units/s.
    pub fn in_units(self, rate: Rate) -> f64 {
        rate.0 as f64 / (self.bits as f64 * 1e3)
    }
    /// Number of units that arrive at `rate` in `span`, rounded up.
    pub fn units_in(self, span: Ps, rate: Rate) -> u64 {
        let sent = span.0 as u128 * rate.0 as u128;
        u64::try_from(sent.div_ceil(self.bits as u128 * PS_PER_BIT)).unwrap_or(u64::MAX)
    }
    /// Transmission time of `units` units on the line: whole picoseconds, and the numerator of a fraction over
    /// [`ServiceRate::denominator`]. The time is `Ps::NEVER` if it exceeds the range of [`Ps`].
    pub fn time_of(self, units: u64) -> (Ps, u64) {
        let (span, line) = (
            units as u128 * self.bits as u128 * PS_PER_BIT,
            self.line.0 as u128,
        );
        let whole = u64::try_from(span / line).map_or(Ps::NEVER, Ps);
        (whole, (span % line) as u64)
    }
    /// Denominator of the fraction of a picosecond that [`ServiceRate::time_of`] returns.
    pub const fn denominator(self) -> u64 {
        self.line.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_a_cell_or_an_octet() {
        // 424 Mbit/s: 10^6 cells/s of 1 us, 53 * 10^6 octets/s of 18.867... ns.
        let line = Rate::from_bps(424_000_000);
        let (cells, octets) = (ServiceRate::of_cells(line), ServiceRate::of_octets(line));
        assert_eq!(
            [cells, octets].map(ServiceRate::units_per_second),
            [1e6, 53e6]
        );
        assert_eq!(cells.time_of(3), (Ps::from_us(3), 0));
        assert_eq!(octets.time_of(159), (Ps::from_us(3), 0));
        // One octet takes 8 / 424e6 s = 18,867 ps and 49/53 ps.
        let (whole, rest) = octets.time_of(1);
        assert_eq!(whole, Ps(18_867));
        assert_eq!(rest * 53, octets.denominator() * 49);
        // 10 Mbit/s for 1 ms is 10,000 bits: 23.6 cells or 1,250 octets.
        let slow = Rate::from_bps(10_000_000);
        assert_eq!(cells.units_in(Ps::from_ms(1), slow), 24);
        assert_eq!(octets.units_in(Ps::from_ms(1), slow), 1_250);
        assert_eq!(octets.units_in(Ps(Ps::from_ms(1).0 + 1), slow), 1_251);
    }

    #[test]
    fn a_time_beyond_the_range_is_never() {
        assert_eq!(
            ServiceRate::of_cells(Rate(1)).time_of(u64::MAX).0,
            Ps::NEVER
        );
    }
}
