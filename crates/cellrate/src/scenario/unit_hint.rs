//! Suggestions for wrong units. A unit that is known outside cellrate is converted, so that the
//! suggestion has the value that was meant. For a unit with two meanings both are suggested.

use super::quantity::Quantity;
use super::suggest::nearest_alone;

/// A possible meaning of a unit.
struct Meaning {
    /// Value of the unit, in the base unit of the quantity.
    value: f64,
    /// Units in which a suggestion may be written.
    units: &'static [(&'static str, f64)],
    /// Condition under which the unit has this meaning; empty if it has no other.
    condition: &'static str,
}

type Units = &'static [(&'static str, f64)];

const TIMES: Units = &[
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
    ("ps", 1e-12),
];
/// Units of length, each with the seconds that light takes for it in fibre.
const LENGTHS: Units = &[("km", 5e-6), ("m", 5e-9)];
const RATES: Units = &[
    ("Gbit/s", 1e9),
    ("Mbit/s", 1e6),
    ("kbit/s", 1e3),
    ("bit/s", 1.0),
];
const CELL_RATES: Units = &[("cells/ms", 424e3), ("cells/s", 424.0)];
const SIZES: Units = &[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)];
const BINARY_SIZES: Units = &[
    ("GiB", 1_073_741_824.0),
    ("MiB", 1_048_576.0),
    ("KiB", 1024.0),
    ("bytes", 1.0),
];
const CELLS: Units = &[("cells", 1.0)];

/// A suggestion to replace `number` of `unit`, because the quantity does not allow this unit;
/// `None` if the unit is unknown.
pub fn suggestion(quantity: Quantity, number: &str, unit: &str) -> Option<String> {
    let (unit, payload) = match unit.strip_suffix("payload") {
        Some(bare) if quantity == Quantity::Rate => (bare.trim(), " payload"),
        _ => (unit, ""),
    };
    let found = meanings(quantity, unit);
    let written = match number.replace('_', "").parse::<f64>() {
        Ok(written) if !found.is_empty() => written,
        _ => {
            let near = nearest_alone(unit, quantity.units().iter().copied())?;
            return Some(format!("did you mean `{number} {near}{payload}`?"));
        }
    };
    let told: Vec<String> = found
        .iter()
        .filter_map(|meaning| {
            let text = format!("{}{payload}", in_units(written, unit, meaning));
            let condition = if meaning.condition.is_empty() {
                String::new()
            } else {
                format!(" {}", meaning.condition)
            };
            quantity
                .reads(&text)
                .then(|| format!("`{text}`{condition}"))
        })
        .collect();
    (!told.is_empty()).then(|| format!("did you mean {}?", told.join(", or ")))
}

/// Text of `written` units in a unit that scenarios allow: the unit with the same prefix, or else
/// the largest in which the number is at least one.
fn in_units(written: f64, unit: &str, meaning: &Meaning) -> String {
    let value = written * meaning.value;
    // `MB/s` and `Mbit/s` have the same prefix; `min` and `ms` only begin with the same letter.
    let same_prefix = |(name, factor): &&(&str, f64)| {
        let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
        first(name) == first(unit) && (0.1..10.0).contains(&(meaning.value / factor))
    };
    let least_one = |(_, factor): &&(&str, f64)| value >= factor * (1.0 - 1e-12);
    let (name, factor) = meaning
        .units
        .iter()
        .find(same_prefix)
        .or_else(|| meaning.units.iter().find(least_one))
        .or(meaning.units.last())
        .copied()
        .unwrap_or(("", 1.0));
    // Twelve digits: a product of floats is not more exact, and nobody writes more.
    let rounded: f64 = format!("{:.11e}", value / factor).parse().unwrap_or(value);
    format!("{rounded} {name}")
}

fn meanings(quantity: Quantity, unit: &str) -> Vec<Meaning> {
    let one = |found: Option<f64>, units| {
        let meaning = |value| Meaning {
            value,
            units,
            condition: "",
        };
        found.map(meaning).into_iter().collect::<Vec<_>>()
    };
    match quantity {
        Quantity::Time => one(seconds(unit), TIMES),
        Quantity::Delay => {
            let length = one(metres(unit).map(|metres| metres * 5e-9), LENGTHS);
            if length.is_empty() {
                one(seconds(unit), TIMES)
            } else {
                length
            }
        }
        Quantity::Rate => match rate(unit) {
            Some((value, units)) => one(Some(value), units),
            None => Vec::new(),
        },
        Quantity::Bytes | Quantity::QueueLength => sizes(unit),
        Quantity::Cells => one(cells(unit), CELLS),
        // A buffer in bytes is suggested in bytes; the scenario later converts the bytes to whole
        // cells.
        Quantity::Buffer => match cells(unit) {
            Some(cells) => one(Some(cells), CELLS),
            None => sizes(unit),
        },
    }
}

/// Factor of a metric prefix; `None` if `text` is not a prefix. For rates and sizes (`of_amounts`),
/// `m` means mega, since thousandths of them do not occur.
fn prefix(text: &str, of_amounts: bool) -> Option<f64> {
    Some(match (text, of_amounts) {
        ("", _) => 1.0,
        ("p" | "pico", false) => 1e-12,
        ("n" | "nano", false) => 1e-9,
        ("u" | "µ" | "μ" | "micro", false) => 1e-6,
        ("m" | "milli", false) => 1e-3,
        ("c" | "centi", false) => 1e-2,
        ("k" | "kilo", _) => 1e3,
        ("K", true) => 1e3,
        ("M" | "m" | "mega", true) => 1e6,
        ("G" | "g" | "giga", true) => 1e9,
        ("T" | "t" | "tera", true) => 1e12,
        ("Ki" | "ki", true) => 1024.0,
        ("Mi" | "mi", true) => 1_048_576.0,
        ("Gi" | "gi", true) => 1_073_741_824.0,
        ("Ti" | "ti", true) => 1_099_511_627_776.0,
        _ => return None,
    })
}

/// Value of `unit`, if it is one of `names` with a metric prefix.
fn with_prefix(unit: &str, names: &[&str], of_amounts: bool) -> Option<f64> {
    names
        .iter()
        .filter_map(|name| unit.strip_suffix(name))
        .find_map(|before| prefix(before, of_amounts))
}

fn seconds(unit: &str) -> Option<f64> {
    let whole = match unit {
        "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hour" | "hours" => Some(3_600.0),
        "d" | "day" | "days" => Some(86_400.0),
        _ => None,
    };
    whole.or_else(|| with_prefix(unit, &["s", "sec", "secs", "second", "seconds"], false))
}

fn metres(unit: &str) -> Option<f64> {
    let names = ["m", "metre", "metres", "meter", "meters"];
    match unit {
        "mi" | "mile" | "miles" => Some(1_609.344),
        // `min` is a unit of time, not "mi" and "n" or a length.
        "min" => None,
        _ => with_prefix(unit, &names, false),
    }
}

fn cells(unit: &str) -> Option<f64> {
    with_prefix(unit, &["cell", "cells"], true)
}

/// Number of bits in a unit of bits or bytes. The letter case must distinguish bits from bytes, as
/// it does in rates.
fn bits(unit: &str) -> Option<f64> {
    let bits = with_prefix(unit, &["b", "bit", "bits", "Bit", "Bits"], true);
    bits.or_else(|| bytes(unit).map(|bytes| 8.0 * bytes))
}

fn bytes(unit: &str) -> Option<f64> {
    let names = ["B", "byte", "bytes", "Byte", "Bytes", "octet", "octets"];
    with_prefix(unit, &names, true)
}

/// One `unit` in bit/s, and the units that a suggestion may use.
fn rate(unit: &str) -> Option<(f64, Units)> {
    let (amount, per) = match unit.split_once('/').or_else(|| unit.split_once(" per ")) {
        Some((amount, time)) => (amount.trim(), seconds(time.trim())?),
        None => (unit.strip_suffix("ps")?, 1.0),
    };
    if let Some(cells) = cells(amount).or(if amount == "c" { Some(1.0) } else { None }) {
        return Some((424.0 * cells / per, CELL_RATES));
    }
    Some((bits(amount)? / per, RATES))
}

/// Meanings of a size: `b` may be bits or bytes, and `K` 1000 or 1024.
fn sizes(unit: &str) -> Vec<Meaning> {
    let meaning = |value, units, condition| Meaning {
        value,
        units,
        condition,
    };
    if let Some((two, ten)) = match unit {
        "k" | "K" | "KB" | "Kbytes" | "Kbyte" => Some((1024.0, 1e3)),
        "m" | "M" => Some((1_048_576.0, 1e6)),
        "g" | "G" => Some((1_073_741_824.0, 1e9)),
        _ => None,
    } {
        return vec![
            meaning(two, BINARY_SIZES, "if a K is 1024"),
            meaning(ten, SIZES, "if it is 1000"),
        ];
    }
    let units = if unit.contains('i') && !unit.contains("bit") {
        BINARY_SIZES
    } else {
        SIZES
    };
    if let Some(prefix) = unit.strip_suffix('b').and_then(|text| prefix(text, true)) {
        return vec![
            meaning(prefix, units, "if b are bytes"),
            meaning(prefix / 8.0, units, "if b are bits"),
        ];
    }
    let known = bytes(unit).or_else(|| bits(unit).map(|bits| bits / 8.0));
    known
        .map(|value| meaning(value, units, ""))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units that scenarios do not allow, with the value of each in seconds, bytes, bit/s or cells,
    /// as dictionaries give it. A unit with two values has two meanings.
    const FOREIGN: [(Quantity, &str, &[f64]); 56] = [
        (Quantity::Time, "sec", &[1.0]),
        (Quantity::Time, "seconds", &[1.0]),
        (Quantity::Time, "msec", &[1e-3]),
        (Quantity::Time, "milliseconds", &[1e-3]),
        (Quantity::Time, "µs", &[1e-6]),
        (Quantity::Time, "μs", &[1e-6]),
        (Quantity::Time, "usec", &[1e-6]),
        (Quantity::Time, "nanoseconds", &[1e-9]),
        (Quantity::Time, "min", &[60.0]),
        (Quantity::Time, "minutes", &[60.0]),
        (Quantity::Time, "h", &[3600.0]),
        (Quantity::Time, "ks", &[1000.0]),
        (Quantity::Delay, "msec", &[1e-3]),
        (Quantity::Delay, "metres", &[5e-9]),
        (Quantity::Delay, "cm", &[5e-11]),
        (Quantity::Delay, "kilometres", &[5e-6]),
        (Quantity::Delay, "miles", &[8.04672e-6]),
        (Quantity::Rate, "bps", &[1.0]),
        (Quantity::Rate, "b/s", &[1.0]),
        (Quantity::Rate, "kbps", &[1e3]),
        (Quantity::Rate, "Kbps", &[1e3]),
        (Quantity::Rate, "Kb/s", &[1e3]),
        (Quantity::Rate, "Mbps", &[1e6]),
        (Quantity::Rate, "mbps", &[1e6]),
        (Quantity::Rate, "mbit/s", &[1e6]),
        (Quantity::Rate, "Mb/s", &[1e6]),
        (Quantity::Rate, "MBit/s", &[1e6]),
        (Quantity::Rate, "Mibit/s", &[1_048_576.0]),
        (Quantity::Rate, "Gbps", &[1e9]),
        (Quantity::Rate, "Tbit/s", &[1e12]),
        (Quantity::Rate, "B/s", &[8.0]),
        (Quantity::Rate, "kB/s", &[8e3]),
        (Quantity::Rate, "KB/s", &[8e3]),
        (Quantity::Rate, "MB/s", &[8e6]),
        (Quantity::Rate, "MBps", &[8e6]),
        (Quantity::Rate, "Mbytes/s", &[8e6]),
        (Quantity::Rate, "GB/s", &[8e9]),
        (Quantity::Rate, "KiB/s", &[8192.0]),
        (Quantity::Rate, "MiB/s", &[8_388_608.0]),
        (Quantity::Rate, "Mbit/min", &[1e6 / 60.0]),
        (Quantity::Rate, "cps", &[424.0]),
        (Quantity::Rate, "kcells/s", &[424e3]),
        (Quantity::Rate, "Mcells/s", &[424e6]),
        (Quantity::Rate, "cells/us", &[424e6]),
        (Quantity::Rate, "cells/min", &[424.0 / 60.0]),
        (Quantity::Bytes, "B", &[1.0]),
        (Quantity::Bytes, "octets", &[1.0]),
        (Quantity::Bytes, "b", &[1.0, 0.125]),
        (Quantity::Bytes, "K", &[1024.0, 1000.0]),
        (Quantity::Bytes, "KB", &[1024.0, 1000.0]),
        (Quantity::Bytes, "kb", &[1000.0, 125.0]),
        (Quantity::Bytes, "kbit", &[125.0]),
        (Quantity::Bytes, "Mbit", &[125e3]),
        (Quantity::Bytes, "TB", &[1e12]),
        (Quantity::Bytes, "mib", &[1_048_576.0, 131_072.0]),
        (Quantity::Cells, "kcells", &[1000.0]),
    ];

    /// The texts that a hint suggests.
    fn suggested(hint: &str) -> Vec<&str> {
        hint.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn a_suggestion_has_the_value_that_was_written() {
        for (quantity, unit, values) in FOREIGN {
            for number in ["155", "0.5", "1_600", "2e3"] {
                let text = format!("{number} {unit}");
                if quantity.reads(&text) {
                    panic!("`{text}` is no foreign unit");
                }
                let written: f64 = number.replace('_', "").parse().unwrap();
                // Halves of bytes and of cells cannot be written in a scenario at all.
                let possible: Vec<f64> = values
                    .iter()
                    .map(|value| written * value)
                    .filter(|value| {
                        !matches!(quantity, Quantity::Bytes | Quantity::Cells)
                            || value.fract() == 0.0
                    })
                    // Thousands of terabits are too much in any unit.
                    .filter(|value| quantity != Quantity::Rate || *value <= 1e15)
                    .collect();
                let hint = quantity.hint(&text);
                let found: Vec<f64> = hint
                    .as_deref()
                    .map(suggested)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|text| quantity.value(text).unwrap())
                    .collect();
                assert_eq!(found.len(), possible.len(), "{text}: {hint:?}");
                for (found, meant) in found.iter().zip(&possible) {
                    assert!(
                        (found - meant).abs()
                            <= 1e-9 * meant
                                + if quantity == Quantity::Rate {
                                    1e-3
                                } else {
                                    1e-12
                                },
                        "{text}: {hint:?}, not {meant}"
                    );
                }
            }
        }
    }

    #[test]
    fn bytes_per_second_are_eight_times_as_many_bits() {
        let told = |quantity: Quantity, text| quantity.hint(text).unwrap();
        for (text, hint) in [
            ("155 MB/s", "did you mean `1240 Mbit/s`?"),
            ("155 MB/s payload", "did you mean `1240 Mbit/s payload`?"),
            ("155.52 Mbps", "did you mean `155.52 Mbit/s`?"),
            ("2 Tbit/s", "did you mean `2000 Gbit/s`?"),
        ] {
            assert_eq!(told(Quantity::Rate, text), hint);
        }
        assert_eq!(
            told(Quantity::Bytes, "64 K"),
            "did you mean `64 KiB` if a K is 1024, or `64 kB` if it is 1000?"
        );
        assert_eq!(
            told(Quantity::Buffer, "512 b"),
            "did you mean `512 bytes` if b are bytes, or `64 bytes` if b are bits?"
        );
        assert_eq!(told(Quantity::Time, "5 min"), "did you mean `300 s`?");
    }

    /// If two units are equally near, the suggestion names neither.
    #[test]
    fn a_slip_leads_to_a_unit_only_if_one_is_nearest() {
        assert_eq!(
            Quantity::Rate.hint("155 Mbt/s").unwrap(),
            "did you mean `155 Mbit/s`?"
        );
        assert_eq!(Quantity::Rate.hint("155 Xbit/s"), None);
    }
}
