//! Quantities with units: whether a text is one, and what was probably meant if it is not.

use cellrate_engine::kernel::units::{Buffer, Bytes, Cells, Delay};
use cellrate_engine::kernel::{Ps, Rate};

use super::suggest::nearest;

/// A quantity with units, by the name of its type in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A span of time.
    Time,
    /// A span of time or a length.
    Delay,
    /// A rate.
    Rate,
    /// A number of bytes.
    Bytes,
    /// A buffer.
    Buffer,
    /// A number of cells.
    Cells,
}

/// Longest time in a scenario: integer picoseconds must not overflow where times are added.
const LONGEST: Ps = Ps::from_s(1_000_000);

/// Fastest rate: a cell time of picoseconds must not vanish.
const FASTEST: Rate = Rate::from_bps(10_000_000_000_000);

impl Quantity {
    /// The quantity of that name.
    pub fn named(name: &str) -> Option<Quantity> {
        Some(match name {
            "Time" => Quantity::Time,
            "Delay" => Quantity::Delay,
            "Rate" => Quantity::Rate,
            "Bytes" => Quantity::Bytes,
            "Buffer" => Quantity::Buffer,
            "Cells" => Quantity::Cells,
            _ => return None,
        })
    }

    /// Whether `text` is such a quantity.
    pub fn reads(self, text: &str) -> bool {
        match self {
            Quantity::Time => text.parse::<Ps>().is_ok(),
            Quantity::Delay => text.parse::<Delay>().is_ok(),
            Quantity::Rate => text.parse::<Rate>().is_ok(),
            Quantity::Bytes => text.parse::<Bytes>().is_ok(),
            Quantity::Buffer => text.parse::<Buffer>().is_ok(),
            Quantity::Cells => text.parse::<Cells>().is_ok(),
        }
    }

    /// What is allowed, if `text` is such a quantity but beyond what can be simulated.
    pub fn beyond(self, text: &str) -> Option<String> {
        let (beyond, most) = match self {
            Quantity::Time => (text.parse::<Ps>().is_ok_and(|time| time > LONGEST), LONGEST.to_string()),
            Quantity::Delay => (text.parse::<Delay>().is_ok_and(|delay| delay.0 > LONGEST), LONGEST.to_string()),
            Quantity::Rate => (text.parse::<Rate>().is_ok_and(|rate| rate > FASTEST), FASTEST.to_string()),
            _ => return None,
        };
        beyond.then(|| format!("at most {most}"))
    }

    fn units(self) -> &'static [&'static str] {
        const TIMES: [&str; 5] = ["ps", "ns", "us", "ms", "s"];
        match self {
            Quantity::Time => &TIMES,
            Quantity::Delay => &["ps", "ns", "us", "ms", "s", "m", "km"],
            Quantity::Rate => &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "cells/s", "cells/ms"],
            Quantity::Bytes => &["bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
            Quantity::Buffer => &["cells", "bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
            Quantity::Cells => &["cells"],
        }
    }

    /// What `text`, which is none, was probably meant to be.
    pub fn hint(self, text: &str) -> Option<String> {
        let number_end = text.find(|c: char| !(c.is_ascii_digit() || "+-._ ".contains(c))).unwrap_or(text.len());
        let (number, unit) = (text[..number_end].trim(), text[number_end..].trim());
        if number.starts_with('-') {
            return Some("it cannot be negative".into());
        }
        if self == Quantity::Rate && number.parse() == Ok(0.0) {
            return Some("it cannot be zero; leave the key out if there is to be no such rate".into());
        }
        if unit.is_empty() {
            let units = self.units().join(", ");
            return (!number.is_empty()).then(|| format!("add a unit: {units}"));
        }
        if self.units().contains(&unit) {
            return None;
        }
        let meant = usual(unit).filter(|usual| self.units().contains(usual)).or_else(|| self.near(unit))?;
        Some(format!("did you mean `{number} {meant}`?"))
    }

    fn near(self, unit: &str) -> Option<&'static str> {
        nearest(unit, self.units().iter().copied())
    }
}

/// The unit for another spelling of it.
fn usual(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "bps" | "b/s" => "bit/s",
        "kbps" | "Kbps" | "kb/s" => "kbit/s",
        "Mbps" | "mbps" | "Mb/s" => "Mbit/s",
        "Gbps" | "gbps" | "Gb/s" => "Gbit/s",
        "cps" => "cells/s",
        "sec" | "second" | "seconds" => "s",
        "msec" | "millisecond" | "milliseconds" => "ms",
        "usec" | "µs" | "μs" | "microseconds" => "us",
        "nsec" => "ns",
        "B" | "b" | "octets" => "bytes",
        "K" | "KB" | "kb" | "kib" => "KiB",
        "M" | "mib" => "MiB",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        use Quantity::{Buffer, Bytes, Cells, Delay, Rate, Time};
        for quantity in [Time, Delay, Rate, Bytes, Buffer, Cells] {
            for unit in quantity.units() {
                assert!(quantity.reads(&format!("200 {unit}")), "{quantity:?} in {unit}");
            }
            assert!(!quantity.reads("200"));
        }
    }

    #[test]
    fn another_spelling_leads_to_the_unit() {
        assert_eq!(Quantity::Rate.hint("155 Mbps").unwrap(), "did you mean `155 Mbit/s`?");
        assert_eq!(Quantity::Time.hint("5 msec").unwrap(), "did you mean `5 ms`?");
        assert_eq!(Quantity::Rate.hint("5 mbit/s").unwrap(), "did you mean `5 Mbit/s`?");
        assert_eq!(Quantity::Time.hint("-5 ms").unwrap(), "it cannot be negative");
        assert_eq!(Quantity::Delay.hint("1000").unwrap(), "add a unit: ps, ns, us, ms, s, m, km");
        assert_eq!(Quantity::Time.hint("soon"), None);
        assert!(Quantity::Rate.hint("0 Mbit/s").unwrap().starts_with("it cannot be zero"));
    }

    #[test]
    fn what_integer_time_cannot_hold_is_beyond() {
        assert_eq!(Quantity::Time.beyond("1000001 s").unwrap(), "at most 1000000 s");
        assert_eq!(Quantity::Delay.beyond("300000000000 km").unwrap(), "at most 1000000 s");
        assert_eq!(Quantity::Rate.beyond("10001 Gbit/s").unwrap(), "at most 10000000 Mbit/s");
        assert_eq!(Quantity::Time.beyond("1000000 s"), None);
        assert_eq!(Quantity::Rate.beyond("10000 Gbit/s"), None);
    }
}
