//! Quantities with units in the notation of scenarios ("155.52 Mbit/s", "5 ms", "1000 km"), parsed
//! and printed.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::decimal;
use super::physical;
use super::time::{CELL_BITS, Ps, Rate};
use super::time_text::{self, Written};

/// Error for the text of a quantity that cannot be read, with the allowed values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    found: String,
    allowed: &'static str,
    most: Option<String>,
}

impl UnitError {
    /// The largest allowed value as text, if the quantity is too large.
    pub fn most(&self) -> Option<&str> {
        self.most.as_deref()
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.most {
            Some(most) => write!(f, "`{}` is too much: at most {most}", self.found),
            None => write!(f, "`{}` is not {}", self.found, self.allowed),
        }
    }
}

impl core::error::Error for UnitError {}

/// Number and unit of `text`, for instance `("155.52", "Mbit/s")`.
fn parts(text: &str) -> (String, &str) {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            !(c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-') || is_exponent(text, i))
        })
        .map_or(text.len(), |(i, _)| i);
    let number = text[..end].chars().filter(|c| *c != '_').collect();
    (number, text[end..].trim())
}

/// Number, as a floating-point number, and unit of `text`. The number is infinity if it is beyond the range of
/// floating-point numbers.
fn split(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = parts(text);
    Some((number.parse().ok()?, unit))
}

fn is_exponent(text: &str, i: usize) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes[i], b'e' | b'E')
        && i > 0
        && bytes
            .get(i + 1)
            .is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'))
}

/// The number found in `text`, if the number is within `range`. `allowed` and `most` are texts for the error
/// message.
///
/// # Errors
/// If the number is not within the range: the text found, and the allowed values.
fn within(
    text: &str,
    number: Option<f64>,
    range: RangeInclusive<f64>,
    allowed: &'static str,
    most: impl fmt::Display,
) -> Result<f64, UnitError> {
    match number {
        Some(number) if range.contains(&number) => Ok(number),
        _ => {
            let most = number
                .filter(|number| number > range.end())
                .map(|_| most.to_string());
            Err(UnitError {
                found: text.into(),
                allowed,
                most,
            })
        }
    }
}

macro_rules! text_quantity {
    ($name:ident, $schema:literal, $pattern:literal, $allowed:expr, $written:expr) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let written: fn(&$name) -> _ = $written;
                serializer.collect_str(&written(self))
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl de::Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($allowed)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $schema.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $allowed })
            }
        }
    };
}

const SPAN_ALLOWED: &str = "a time such as \"5 ms\" (units: ps, ns, us, ms, s)";
text_quantity!(
    Ps,
    "Time",
    "^\\s*[0-9][0-9_.eE+-]*\\s*(ps|ns|us|ms|s)\\s*$",
    SPAN_ALLOWED,
    |time| Written(*time)
);

/// Longest time that can be read, in picoseconds: nearly 2^64.
const LONGEST: Ps = Ps(18_000_000_000_000_000_000);

/// Picoseconds of the time written in `text`. `factor` maps the name of a unit to its picoseconds.
fn picoseconds(
    text: &str,
    factor: impl FnOnce(&str) -> Option<u64>,
    allowed: &'static str,
) -> Result<Ps, UnitError> {
    let (number, unit) = parts(text);
    let found = number.parse::<f64>().ok().zip(factor(unit));
    // A number that rounds to zero picoseconds is accepted as zero, whatever its sign.
    let found = found.filter(|(near, factor)| libm::round(near * *factor as f64) >= 0.0);
    let exact = found.map(|(_, factor)| Ps(decimal::times(&number, factor)));
    exact
        .filter(|time| *time <= LONGEST)
        .ok_or_else(|| UnitError {
            found: text.into(),
            allowed,
            most: exact.map(|_| LONGEST.to_string()),
        })
}

impl FromStr for Ps {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Ps, UnitError> {
        picoseconds(text, time_text::factor, SPAN_ALLOWED)
    }
}

/// A propagation delay, written as a time or as a length of fibre (5 us/km).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delay(pub Ps);

/// Picoseconds of propagation per kilometre of fibre: 5 us/km.
pub const PS_PER_KM: u64 = 5_000_000;

const DELAY_ALLOWED: &str =
    "a delay such as \"5 ms\" or a length such as \"1000 km\" (units: ps, ns, us, ms, s, m, km)";
text_quantity!(
    Delay,
    "Delay",
    "^\\s*[0-9][0-9_.eE+-]*\\s*(ps|ns|us|ms|s|m|km)\\s*$",
    DELAY_ALLOWED,
    |delay| Written(delay.0)
);

impl FromStr for Delay {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Delay, UnitError> {
        let factor = |unit: &str| match unit {
            "km" => Some(PS_PER_KM),
            "m" => Some(PS_PER_KM / 1_000),
            _ => time_text::factor(unit),
        };
        picoseconds(text, factor, DELAY_ALLOWED).map(Delay)
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

const RATE_ALLOWED: &str = "a rate above zero such as \"155.52 Mbit/s\", \"353.2 cells/ms\", \"10 Mbit/s payload\" or \"OC-3c\" \
    (units: bit/s, kbit/s, Mbit/s, Gbit/s, cells/s, cells/ms; 424 bits per cell unless marked as payload; \
    or a physical layer: STS-1, OC-3c, STM-1, OC-12c, STM-4c, OC-48c, STM-16c, OC-192c, STM-64c, DS1, DS3, DS3-PLCP, E1, E3)";
text_quantity!(
    Rate,
    "Rate",
    "^\\s*([0-9][0-9_.eE+-]*\\s*((bit|kbit|Mbit|Gbit)/s|cells?/m?s)(\\s+payload)?|STS-1|OC-(3|12|48|192)c|STM-(1|4c|16c|64c)|DS1|DS3(-PLCP)?|E[13])\\s*$",
    RATE_ALLOWED,
    Clone::clone
);

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Rate, UnitError> {
        if let Some(rate) = physical::rate(text.trim()) {
            return Ok(rate);
        }
        let cell = CELL_BITS as f64;
        let found = split(text).and_then(|(value, unit)| {
            let (unit, line_per_payload) = match unit.strip_suffix("payload") {
                Some(bare) => (bare.trim(), 53.0 / 48.0),
                None => (unit, 1.0),
            };
            let bits = match unit {
                "bit/s" => 1.0,
                "kbit/s" => 1e3,
                "Mbit/s" => 1e6,
                "Gbit/s" => 1e9,
                "cell/s" | "cells/s" => cell,
                "cell/ms" | "cells/ms" => cell * 1e3,
                _ => return None,
            };
            Some(libm::round(value * bits * line_per_payload * 1e3))
        });
        within(text, found, 1.0..=1e18, RATE_ALLOWED, "1e9 Mbit/s")
            .map(|thousandths| Rate(thousandths as u64))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1_000_000) {
            write!(f, "{} Mbit/s", self.0 as f64 / 1e9)
        } else {
            write!(f, "{} bit/s", self.0 as f64 / 1e3)
        }
    }
}

/// A number of bytes: kB is 1000 and KiB 1024 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const BYTES_ALLOWED: &str =
    "a size such as \"512 bytes\" or \"1024 KiB\" (units: bytes, kB, MB, KiB, MiB)";
text_quantity!(
    Bytes,
    "Bytes",
    "^\\s*[0-9][0-9_.eE+-]*\\s*(bytes?|kB|MB|GB|KiB|MiB|GiB)\\s*$",
    BYTES_ALLOWED,
    Clone::clone
);

fn byte_factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "byte" | "bytes" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Bytes, UnitError> {
        let found = split(text).and_then(|(value, unit)| {
            let bytes = value * byte_factor(unit)?;
            (libm::floor(bytes) == bytes).then_some(bytes)
        });
        within(text, found, 0.0..=1e18, BYTES_ALLOWED, "1e18 bytes")
            .map(|bytes| Bytes(bytes as u64))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 && self.0.is_multiple_of(1024) {
            write!(f, "{} KiB", self.0 / 1024)
        } else {
            write!(f, "{} bytes", self.0)
        }
    }
}

/// A buffer size in cells: a number of cells, bytes (rounded down to whole cells of 53 bytes) or
/// "infinite".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Buffer(pub u64);

impl Buffer {
    /// A buffer without limit.
    pub const INFINITE: Buffer = Buffer(u64::MAX);
    /// True if the buffer has no limit.
    pub const fn is_infinite(self) -> bool {
        self.0 == u64::MAX
    }
}

const BUFFER_ALLOWED: &str = "a buffer of at least one cell such as \"500 cells\", \"300 KiB\" or \"infinite\" (units: cells, bytes, kB, KiB, MB, MiB)";
text_quantity!(
    Buffer,
    "Buffer",
    "^\\s*(infinite|[0-9][0-9_.eE+-]*\\s*(cells?|bytes?|kB|MB|GB|KiB|MiB|GiB))\\s*$",
    BUFFER_ALLOWED,
    Clone::clone
);

impl FromStr for Buffer {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Buffer, UnitError> {
        if text.trim() == "infinite" {
            return Ok(Buffer::INFINITE);
        }
        let found = split(text).and_then(|(value, unit)| match unit {
            "cell" | "cells" => (libm::floor(value) == value).then_some(value),
            _ => Some(libm::floor(value * byte_factor(unit)? / 53.0)),
        });
        within(
            text,
            found,
            1.0..=1e15,
            BUFFER_ALLOWED,
            "1e15 cells, or infinite",
        )
        .map(|cells| Buffer(cells as u64))
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_infinite() {
            f.write_str("infinite")
        } else {
            write!(f, "{} cells", self.0)
        }
    }
}

/// A number of cells, which scenarios write as `"500 cells"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cells(pub u64);

const CELLS_ALLOWED: &str = "a whole number of cells such as \"500 cells\"";
text_quantity!(
    Cells,
    "Cells",
    "^\\s*[0-9][0-9_]*\\s*cells?\\s*$",
    CELLS_ALLOWED,
    Clone::clone
);

impl FromStr for Cells {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Cells, UnitError> {
        let found = split(text).and_then(|(value, unit)| {
            (matches!(unit, "cell" | "cells") && libm::floor(value) == value).then_some(value)
        });
        within(text, found, 0.0..=1e15, CELLS_ALLOWED, "1e15 cells")
            .map(|cells| Cells(cells as u64))
    }
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cells", self.0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!("155.52 Mbit/s".parse(), Ok(Rate::from_bps(155_520_000)));
        assert_eq!("353.2 cells/ms".parse(), Ok(Rate::from_bps(149_756_800)));
        assert_eq!("48 Mbit/s payload".parse(), Ok(Rate::from_bps(53_000_000)));
        assert_eq!("2.5 ms".parse(), Ok(Ps::from_us(2_500)));
        assert_eq!("1000 km".parse(), Ok(Delay(Ps::from_ms(5))));
        assert_eq!("1024 KiB".parse(), Ok(Bytes(1_048_576)));
        // 300 * 1024 / 53 = 5796.2
        assert_eq!("300 KiB".parse(), Ok(Buffer(5_796)));
        assert_eq!("infinite".parse(), Ok(Buffer::INFINITE));
    }

    #[test]
    fn a_physical_layer_is_a_rate() {
        assert_eq!(" OC-3c ".parse(), Ok(Rate::from_bps(149_760_000)));
        let ds3: Rate = "DS3".parse().unwrap();
        assert_eq!(ds3.to_string(), "44209694.118 bit/s");
        assert_eq!(ds3.to_string().parse(), Ok(ds3));
        for text in ["OC-3", "oc-3c", "2 OC-3c", "OC-3c payload"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
        let (_, listed) = RATE_ALLOWED.split_once("layer: ").unwrap();
        let names: Vec<&str> = physical::LAYERS.iter().map(|layer| layer.0).collect();
        assert_eq!(listed.trim_end_matches(')'), names.join(", "));
    }

    #[test]
    fn wrong_units_and_impossible_values_are_refused() {
        for text in [
            "155.52",
            "0 Mbit/s",
            "-1 Mbit/s",
            "5 ms",
            "nan bit/s",
            "1e99 Gbit/s",
            "",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
        for text in ["5", "-5 ms", "5 km", "1e40 s", "18000000.000000000001 s"] {
            assert!(text.parse::<Ps>().is_err(), "{text}");
        }
        for text in ["0 cells", "0.5 cells", "10 B", "52 bytes"] {
            assert!(text.parse::<Buffer>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_too_large_is_told_with_what_is_allowed() {
        fn told<T: FromStr<Err = UnitError>>(text: &str) -> String {
            text.parse::<T>().err().unwrap().to_string()
        }
        assert_eq!(
            told::<Ps>("1e8 s"),
            "`1e8 s` is too much: at most 18000000 s"
        );
        assert_eq!(
            told::<Delay>("1e30 km"),
            "`1e30 km` is too much: at most 18000000 s"
        );
        assert_eq!(
            told::<Delay>("1e8 s"),
            "`1e8 s` is too much: at most 18000000 s"
        );
        assert_eq!(
            told::<Rate>("1e999 Gbit/s"),
            "`1e999 Gbit/s` is too much: at most 1e9 Mbit/s"
        );
        assert_eq!(
            told::<Bytes>("1e10 GB"),
            "`1e10 GB` is too much: at most 1e18 bytes"
        );
        assert_eq!(
            told::<Buffer>("1e16 cells"),
            "`1e16 cells` is too much: at most 1e15 cells, or infinite"
        );
        assert_eq!(
            told::<Cells>("1e16 cells"),
            "`1e16 cells` is too much: at most 1e15 cells"
        );
        // A value that is too small, or invalid in another way, has no largest allowed value.
        assert_eq!("0 bit/s".parse::<Rate>().unwrap_err().most(), None);
        assert_eq!("1e99 Mbps".parse::<Rate>().unwrap_err().most(), None);
        assert_eq!("-1e99 s".parse::<Ps>().unwrap_err().most(), None);
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let mut stream = crate::kernel::Stream::new(1, "times", "test");
        let of_any_length =
            (0..1_000).map(|i| stream.below(Ps(18_000_000_000_000_000_000 >> (i % 64))));
        for ps in of_any_length.chain([Ps(0), Ps(2_726_337), Ps::from_ms(5), Ps::from_s(50)]) {
            assert_eq!(ps.to_string().parse(), Ok(ps));
            assert_eq!(Written(ps).to_string().parse(), Ok(ps));
        }
        assert_eq!(
            Delay(Ps::from_us(7)).to_string().parse(),
            Ok(Delay(Ps::from_us(7)))
        );
        for rate in [Rate(1), Rate::from_bps(155_520_000), Rate(149_756_800_123)] {
            assert_eq!(rate.to_string().parse(), Ok(rate));
        }
        for buffer in [Buffer(1), Buffer(5_796), Buffer::INFINITE] {
            assert_eq!(buffer.to_string().parse(), Ok(buffer));
        }
    }
}
