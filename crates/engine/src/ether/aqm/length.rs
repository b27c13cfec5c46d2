//! Length of a queue in octets and in packets, and thresholds that count octets or packets.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::kernel::units::Bytes;

/// Octets of the shortest frame, from header to FCS (IEEE 802.3 clause 4.4.2).
const SHORTEST: u64 = 64;

/// Octets and packets in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Number of octets.
    pub octets: u64,
    /// Number of packets.
    pub packets: u64,
}

/// A length of a queue, counted in octets or in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Length {
    /// This number of octets.
    Octets(u64),
    /// This number of packets.
    Packets(u64),
}

const ALLOWED: &str = "a length of a queue such as \"20 packets\" or \"30 kB\" (units: packets, bytes, kB, MB, GB, KiB, MiB, GiB)";

impl Length {
    /// The number of octets or packets of this length.
    pub fn amount(self) -> u64 {
        match self {
            Length::Octets(amount) | Length::Packets(amount) => amount,
        }
    }
    /// The length of the queue `held`, in octets or packets as `self` counts.
    #[inline]
    pub fn count(self, held: Held) -> u64 {
        match self {
            Length::Octets(_) => held.octets,
            Length::Packets(_) => held.packets,
        }
    }
    /// True if `self` and `other` both count octets, or both count packets.
    pub fn is_counted_as(self, other: Length) -> bool {
        matches!(self, Length::Octets(_)) == matches!(other, Length::Octets(_))
    }
    /// True if no queue of at most `limit` octets is longer than this length.
    pub fn is_never_exceeded(self, limit: u64) -> bool {
        match self {
            Length::Octets(octets) => octets >= limit,
            Length::Packets(packets) => packets.saturating_mul(SHORTEST) >= limit,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Octets(octets) => Bytes(*octets).fmt(f),
            Length::Packets(packets) => write!(f, "{packets} packets"),
        }
    }
}

impl From<Length> for String {
    fn from(length: Length) -> String {
        length.to_string()
    }
}

/// The whole number that `text` stands for; `None` if `text` has other characters than digits and `_`.
fn whole(text: &str) -> Option<u64> {
    let is_written = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let digits = text.replace('_', "");
    text.bytes().all(is_written).then(|| digits.parse().ok())?
}

impl TryFrom<String> for Length {
    type Error = String;
    fn try_from(text: String) -> Result<Length, String> {
        let number = text.trim();
        let packets = number.strip_suffix("packets");
        match packets.or(number.strip_suffix("packet")) {
            Some(number) => whole(number.trim_end()).map(Length::Packets),
            None => text
                .parse()
                .ok()
                .map(|bytes: Bytes| Length::Octets(bytes.0)),
        }
        .ok_or_else(|| format!("`{text}` is not {ALLOWED}"))
    }
}

impl JsonSchema for Length {
    fn schema_name() -> Cow<'static, str> {
        "QueueLength".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^\\s*([0-9][0-9_]*\\s*packets?|[0-9][0-9_.eE+-]*\\s*(bytes?|kB|MB|GB|KiB|MiB|GiB))\\s*$",
            "description": ALLOWED,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let read = |text: &str| Length::try_from(String::from(text));
        assert_eq!(read("20 packets"), Ok(Length::Packets(20)));
        assert_eq!(read("1_000 packets"), Ok(Length::Packets(1_000)));
        assert_eq!(read("1 packet"), Ok(Length::Packets(1)));
        assert_eq!(read("30 kB"), Ok(Length::Octets(30_000)));
        for length in [Length::Packets(0), Length::Octets(2_048), Length::Octets(5)] {
            assert_eq!(read(&String::from(length)), Ok(length));
        }
        for text in ["20", "1.5 packets", "-1 packets", "20 cells", "packets", ""] {
            let message = read(text).expect_err(text);
            assert!(message.starts_with(&format!("`{text}` is not a length")));
        }
    }

    #[test]
    fn a_length_counts_what_it_is_written_in() {
        let held = Held {
            octets: 3_000,
            packets: 2,
        };
        assert_eq!(Length::Octets(1).count(held), 3_000);
        assert_eq!(Length::Packets(1).count(held), 2);
        assert!(Length::Octets(3_000).is_never_exceeded(3_000));
        // 46 frames of 64 octets are 2,944 octets, 47 are 3,008.
        assert!(!Length::Packets(46).is_never_exceeded(3_000));
        assert!(Length::Packets(47).is_never_exceeded(3_000));
    }
}
