//! Times as text. Reports print a time exactly or rounded; files have a whole number of units.

use core::fmt;

use super::time::Ps;

/// Units of time and their picoseconds, largest first.
const UNITS: [(u64, &str); 5] = [
    (1_000_000_000_000, "s"),
    (1_000_000_000, "ms"),
    (1_000_000, "us"),
    (1_000, "ns"),
    (1, "ps"),
];

/// Number of significant digits of a rounded time.
const DIGITS: u32 = 5;

/// Number of picoseconds in the unit named `unit` (`ps`, `ns`, `us`, `ms`, `s`); `None` for another
/// text.
pub(super) fn factor(unit: &str) -> Option<u64> {
    let mut units = UNITS.iter();
    units
        .find(|(_, name)| *name == unit)
        .map(|(factor, _)| *factor)
}

/// Prints the exact value in the largest unit that does not exceed the value: `2.726337 us`. Parsing this text
/// gives the same time.
impl fmt::Display for Ps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((factor, unit)) = unit_of(*self) else {
            return f.write_str("0 s");
        };
        let (whole, mut rest) = (self.0 / factor, self.0 % factor);
        let mut places = factor.ilog10() as usize;
        if rest == 0 {
            return write!(f, "{whole} {unit}");
        }
        while rest.is_multiple_of(10) {
            rest /= 10;
            places -= 1;
        }
        write!(f, "{whole}.{rest:0places$} {unit}")
    }
}

impl Ps {
    /// The time rounded to five significant digits, for reports: `10.036 ms`.
    pub fn told(self) -> Ps {
        let step = 10_u64.pow((self.0.checked_ilog10().unwrap_or(0) + 1).saturating_sub(DIGITS));
        let rest = self.0 % step;
        let up = if rest >= step.div_ceil(2) { step } else { 0 };
        Ps((self.0 - rest).saturating_add(if step > 1 { up } else { 0 }))
    }
}

fn unit_of(time: Ps) -> Option<(u64, &'static str)> {
    UNITS.into_iter().find(|(factor, _)| time.0 >= *factor)
}

/// Prints a time as a whole number of units, in the largest unit for which this is exact. Complete scenarios
/// (with all defaults) use this text, and the keys of stored results depend on it.
pub(super) struct Written(pub Ps);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |(factor, _): &(u64, &str)| self.0.0.is_multiple_of(*factor);
        let (factor, unit) = UNITS.into_iter().find(whole).unwrap_or((1, "ps"));
        write!(f, "{} {unit}", self.0.0 / factor)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_time_is_exact_in_the_largest_unit_that_it_reaches() {
        for (ps, text) in [
            (0, "0 s"),
            (1, "1 ps"),
            (999, "999 ps"),
            (1_000, "1 ns"),
            (2_726_337, "2.726337 us"),
            (10_036_358_028, "10.036358028 ms"),
            (10_050_000_000, "10.05 ms"),
            (60_000_000_000_000, "60 s"),
            (1_000_000_000_001, "1.000000000001 s"),
            (4_095_999_999_999_999, "4095.999999999999 s"),
            (8_500_000_000_000_001, "8500.000000000001 s"),
            (17_999_999_999_997_373, "17999.999999997373 s"),
            (9_007_500_000_000_000, "9007.5 s"),
            (1_000_000_000_327_200_000, "1000000.0003272 s"),
            (1_000_000_000_000_000_000, "1000000 s"),
        ] {
            assert_eq!(Ps(ps).to_string(), text);
            assert_eq!(text.parse(), Ok(Ps(ps)));
        }
    }

    #[test]
    fn a_rounded_time_has_five_digits() {
        for (ps, text) in [
            (0, "0 s"),
            (7, "7 ps"),
            (12_345, "12.345 ns"),
            (10_036_358_028, "10.036 ms"),
            (999_996_000_000, "1 s"),
            (500_105_655_218, "500.11 ms"),
            (8_999_996_000_000_000, "9000 s"),
        ] {
            assert_eq!(Ps(ps).told().to_string(), text, "{ps}");
        }
    }

    #[test]
    fn files_keep_whole_numbers() {
        for (ps, text) in [
            (0, "0 s"),
            (10_036_358_028, "10036358028 ps"),
            (5_000, "5 ns"),
        ] {
            assert_eq!(Written(Ps(ps)).to_string(), text);
        }
    }
}
