//! Large amounts in words.

/// A size with at least three digits, in the largest binary unit of which it is at least one.
pub fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let exponent = (bytes.max(1).ilog2() / 10) as usize;
    let value = bytes as f64 / (1u64 << (10 * exponent)) as f64;
    let places = if exponent == 0 || value >= 100.0 {
        0
    } else {
        1
    };
    format!("{value:.places$} {}", units[exponent])
}

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(718_000_123), "718,000,123");
        assert_eq!(size(0), "0 bytes");
        assert_eq!(size(1_023), "1023 bytes");
        assert_eq!(size(1_536), "1.5 KiB");
        assert_eq!(size(300 << 20), "300 MiB");
        assert_eq!(size(u64::MAX), "16.0 EiB");
    }
}
