//! Quantities with units: parsing of texts, and suggestions for wrong ones.

use std::fmt::Display;

use cellrate_engine::ether::aqm::Length;
use cellrate_engine::kernel::units::{Buffer, Bytes, Cells, Delay, UnitError};
use cellrate_engine::kernel::{Ps, Rate};

use super::unit_hint::suggestion;

/// A quantity with units, named after its type in the schema.
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
    /// A length of a queue of packets, in packets or bytes; over Ethernet only.
    QueueLength,
}

fn written<T: Display, E>(read: Result<T, E>) -> Option<String> {
    read.ok().map(|value| value.to_string())
}

/// Longest time in a scenario. Sums of such times do not overflow integer picoseconds.
const LONGEST: Ps = Ps::from_s(1_000_000);

/// Fastest rate in a scenario. A cell time is then at least some picoseconds.
const FASTEST: Rate = Rate::from_bps(10_000_000_000_000);

impl Quantity {
    /// Every quantity that a scenario over ATM can have.
    pub const ALL: [Quantity; 6] = [
        Quantity::Time,
        Quantity::Delay,
        Quantity::Rate,
        Quantity::Bytes,
        Quantity::Buffer,
        Quantity::Cells,
    ];

    /// The quantity whose type has this name in the schema.
    pub fn named(name: &str) -> Option<Quantity> {
        Some(match name {
            "Time" => Quantity::Time,
            "Delay" => Quantity::Delay,
            "Rate" => Quantity::Rate,
            "Bytes" => Quantity::Bytes,
            "Buffer" => Quantity::Buffer,
            "Cells" => Quantity::Cells,
            "QueueLength" => Quantity::QueueLength,
            _ => return None,
        })
    }

    /// True if `text` states a quantity of this kind.
    pub fn reads(self, text: &str) -> bool {
        self.value(text).is_some()
    }

    /// Value of `text` in seconds, bit/s, bytes or cells, infinity for an unlimited buffer; `None`
    /// if `text` is not such a quantity.
    pub fn value(self, text: &str) -> Option<f64> {
        match self {
            Quantity::Time => text.parse::<Ps>().ok().map(Ps::as_secs_f64),
            Quantity::Delay => text
                .parse::<Delay>()
                .ok()
                .map(|delay| delay.0.as_secs_f64()),
            Quantity::Rate => text.parse::<Rate>().ok().map(bits_per_second),
            Quantity::Bytes => text.parse::<Bytes>().ok().map(|bytes| bytes.0 as f64),
            Quantity::Buffer => {
                let buffer = text.parse::<Buffer>().ok()?;
                Some(if buffer.is_infinite() {
                    f64::INFINITY
                } else {
                    buffer.0 as f64
                })
            }
            Quantity::Cells => text.parse::<Cells>().ok().map(|cells| cells.0 as f64),
            Quantity::QueueLength => length(text).map(|length| length.amount() as f64),
        }
    }

    /// The quantity `text` in the one form that a complete scenario uses for its value; `None` if
    /// `text` is not such a quantity.
    pub fn canonical(self, text: &str) -> Option<String> {
        match self {
            Quantity::Time => written(text.parse::<Ps>()),
            Quantity::Delay => written(text.parse::<Delay>()),
            Quantity::Rate => written(text.parse::<Rate>()),
            Quantity::Bytes => written(text.parse::<Bytes>()),
            Quantity::Buffer => written(text.parse::<Buffer>()),
            Quantity::Cells => written(text.parse::<Cells>()),
            Quantity::QueueLength => length(text).map(|length| length.to_string()),
        }
    }

    /// Value of `text`, see [`Quantity::value`], if it lies within the limits of the simulation.
    ///
    /// # Errors
    /// The text found, the allowed values and a suggestion.
    pub fn read(self, text: &str) -> Result<f64, String> {
        if let Some(most) = self.beyond(text) {
            return Err(format!("`{text}` is too much: {most}"));
        }
        let hint = || {
            self.hint(text)
                .map_or_else(String::new, |hint| format!("; {hint}"))
        };
        self.value(text)
            .ok_or_else(|| format!("`{text}` is not {}{}", self.allowed(), hint()))
    }

    /// The allowed values in the words of the schema.
    fn allowed(self) -> String {
        let schema = match self {
            Quantity::QueueLength => crate::ethernet::schema(),
            _ => super::schema(),
        };
        let description = &schema["$defs"][format!("{self:?}")]["description"];
        description.as_str().unwrap_or_default().into()
    }

    /// The limit that `text` exceeds; `None` if `text` is within the limits or is not such a
    /// quantity.
    pub fn beyond(self, text: &str) -> Option<String> {
        let most = match self {
            Quantity::Time => exceeded(text.parse(), Some(LONGEST)),
            Quantity::Delay => exceeded(text.parse(), Some(Delay(LONGEST))),
            Quantity::Rate => exceeded(text.parse(), Some(FASTEST)),
            Quantity::Bytes => exceeded::<Bytes>(text.parse(), None),
            Quantity::Buffer => exceeded::<Buffer>(text.parse(), None),
            Quantity::Cells => exceeded::<Cells>(text.parse(), None),
            Quantity::QueueLength => None,
        };
        let of = match self {
            Quantity::Delay => " of propagation",
            _ => "",
        };
        most.map(|most| format!("at most {most}{of}"))
    }

    /// Names of the quantity's units.
    pub(super) fn units(self) -> &'static [&'static str] {
        const TIMES: [&str; 5] = ["ps", "ns", "us", "ms", "s"];
        match self {
            Quantity::Time => &TIMES,
            Quantity::Delay => &["ps", "ns", "us", "ms", "s", "m", "km"],
            Quantity::Rate => &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "cells/s", "cells/ms"],
            Quantity::Bytes => &["bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
            Quantity::Buffer => &["cells", "bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
            Quantity::Cells => &["cells"],
            Quantity::QueueLength => &["packets", "bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
        }
    }

    /// A suggestion to replace `text`, which is not a quantity of this kind; `None` if no quantity
    /// is near.
    pub fn hint(self, text: &str) -> Option<String> {
        let text = text.trim();
        let number_end = text
            .char_indices()
            .find(|(at, c)| {
                let exponent = matches!(c, 'e' | 'E')
                    && text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
                !(c.is_ascii_digit() || "+-._ ".contains(*c) || exponent && *at > 0)
            })
            .map_or(text.len(), |(at, _)| at);
        let (number, unit) = (text[..number_end].trim(), text[number_end..].trim());
        if number.starts_with('-') {
            return Some("it cannot be negative".into());
        }
        if self == Quantity::Rate && number.parse() == Ok(0.0) {
            return Some("it cannot be zero; a key that is left out has its default".into());
        }
        if unit.is_empty() {
            let units = self.units().join(", ");
            return (!number.is_empty()).then(|| format!("add a unit: {units}"));
        }
        if self.units().contains(&unit) {
            return None;
        }
        suggestion(self, number, unit)
    }
}

fn length(text: &str) -> Option<Length> {
    Length::try_from(text.to_string()).ok()
}

/// The limit that a quantity exceeds: `most`, or the greatest value of the type that stores the
/// quantity.
fn exceeded<T: PartialOrd + Display>(
    found: Result<T, UnitError>,
    limit: Option<T>,
) -> Option<String> {
    match (found, limit) {
        (Ok(found), Some(limit)) => (found > limit).then(|| limit.to_string()),
        (Ok(_), None) => None,
        (Err(error), limit) => error
            .most()
            .map(|most| limit.map_or_else(|| most.into(), |limit| limit.to_string())),
    }
}

/// A rate in bit/s, as the float nearest to it. (The integer in millibit/s is divided:
/// multiplication by 0.001 would round differently.)
pub fn bits_per_second(rate: Rate) -> f64 {
    rate.0 as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        for quantity in Quantity::ALL {
            for unit in quantity.units() {
                assert!(
                    quantity.reads(&format!("200 {unit}")),
                    "{quantity:?} in {unit}"
                );
            }
            assert!(!quantity.reads("200"));
        }
    }

    #[test]
    fn a_quantity_is_a_number_in_its_base_unit() {
        assert_eq!(Quantity::Time.read("2.5 ms"), Ok(0.0025));
        assert_eq!(Quantity::Delay.read("1000 km"), Ok(0.005));
        assert_eq!(Quantity::Rate.read("353.2 cells/ms"), Ok(149_756_800.0));
        assert_eq!(Quantity::Bytes.read("64 KiB"), Ok(65_536.0));
        assert_eq!(Quantity::Buffer.read("300 KiB"), Ok(5_796.0));
        assert_eq!(Quantity::Buffer.read("infinite"), Ok(f64::INFINITY));
        assert_eq!(Quantity::Cells.read("100 cells"), Ok(100.0));
        for quantity in Quantity::ALL {
            assert_eq!(Quantity::named(&format!("{quantity:?}")), Some(quantity));
            let error = quantity.read("12 parsecs").unwrap_err();
            assert!(
                error.starts_with("`12 parsecs` is not a") && error.contains("such as"),
                "{error}"
            );
        }
        assert!(
            Quantity::Rate
                .read("155 Mbps")
                .unwrap_err()
                .ends_with("; did you mean `155 Mbit/s`?")
        );
        assert_eq!(
            Quantity::Time.read("2000000 s").unwrap_err(),
            "`2000000 s` is too much: at most 1000000 s"
        );
    }

    #[test]
    fn another_spelling_leads_to_the_unit() {
        assert_eq!(
            Quantity::Rate.hint("155 Mbps").unwrap(),
            "did you mean `155 Mbit/s`?"
        );
        assert_eq!(
            Quantity::Time.hint("5 msec").unwrap(),
            "did you mean `5 ms`?"
        );
        assert_eq!(
            Quantity::Rate.hint("5 mbit/s").unwrap(),
            "did you mean `5 Mbit/s`?"
        );
        assert_eq!(
            Quantity::Time.hint("-5 ms").unwrap(),
            "it cannot be negative"
        );
        assert_eq!(
            Quantity::Delay.hint("1000").unwrap(),
            "add a unit: ps, ns, us, ms, s, m, km"
        );
        assert_eq!(Quantity::Time.hint("soon"), None);
        assert!(
            Quantity::Rate
                .hint("0 Mbit/s")
                .unwrap()
                .starts_with("it cannot be zero")
        );
    }

    #[test]
    fn what_integer_time_cannot_hold_is_beyond() {
        assert_eq!(
            Quantity::Time.beyond("1000001 s").unwrap(),
            "at most 1000000 s"
        );
        assert_eq!(
            Quantity::Delay.beyond("300000000000 km").unwrap(),
            "at most 1000000 s of propagation"
        );
        assert_eq!(
            Quantity::Rate.beyond("10001 Gbit/s").unwrap(),
            "at most 10000000 Mbit/s"
        );
        assert_eq!(
            Quantity::Delay.beyond("1e30 km").unwrap(),
            "at most 1000000 s of propagation"
        );
        assert_eq!(
            Quantity::Rate.beyond("1e999 Gbit/s").unwrap(),
            "at most 10000000 Mbit/s"
        );
        assert_eq!(
            Quantity::Bytes.beyond("1e18 kB").unwrap(),
            "at most 1e18 bytes"
        );
        assert_eq!(
            Quantity::Buffer.beyond("1e16 cells").unwrap(),
            "at most 1e15 cells, or infinite"
        );
        assert_eq!(
            Quantity::Cells.beyond("1e16 cells").unwrap(),
            "at most 1e15 cells"
        );
        assert_eq!(Quantity::Cells.beyond("1e15 cells"), None);
        assert_eq!(Quantity::Buffer.beyond("infinite"), None);
        assert_eq!(Quantity::Time.beyond("1000000 s"), None);
        assert_eq!(Quantity::Rate.beyond("10000 Gbit/s"), None);
    }
}
