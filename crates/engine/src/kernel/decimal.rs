//! Exact products of a decimal number, given as text, and a whole number. A floating-point product would be
//! rounded.

/// Number of significant digits used. A number with this many digits, times a factor of at most 10^12, fits into
/// 128 bits. Numbers whose product lies half way between two whole numbers have fewer digits, so further digits
/// do not change the rounded product.
const DIGITS: u32 = 26;

/// The decimal `number` times `factor`, rounded to the nearest whole number, halves up. `number` must parse as a
/// floating-point number; its sign is ignored. A product above `u64::MAX` becomes `u64::MAX`.
///
/// # Panics
/// If the factor is above 10^12, or neither a power of ten nor five times a power of ten.
pub fn times(number: &str, factor: u64) -> u64 {
    assert!(factor <= 1_000_000_000_000 && matches!(without_zeros(factor), 1 | 5));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (mut digits, mut count, mut behind, mut dropped) = (0_u128, 0_u32, 0_i64, 0_i64);
    let mut is_fraction = false;
    for byte in mantissa.bytes() {
        match byte {
            b'.' => is_fraction = true,
            b'0'..=b'9' => {
                behind += i64::from(is_fraction);
                if count == DIGITS {
                    dropped += 1;
                } else {
                    digits = 10 * digits + u128::from(byte - b'0');
                    count += u32::from(digits > 0);
                }
            }
            _ => {}
        }
    }
    // An exponent that does not fit into an integer makes the product zero or beyond the largest
    // integer.
    let far = if exponent.starts_with('-') {
        -i64::from(u32::MAX)
    } else {
        i64::from(u32::MAX)
    };
    let power = exponent.parse::<i32>().map_or(far, i64::from) + dropped - behind;
    let product = digits * u128::from(factor);
    let ten_to = |power: i64| {
        let power = u32::try_from(power).ok()?;
        10_u128.checked_pow(power)
    };
    let whole = if product == 0 {
        Some(0)
    } else if power >= 0 {
        ten_to(power).and_then(|scale| product.checked_mul(scale))
    } else {
        // The product is below 10^38. So the quotient by a divisor above 10^38 is below one half and rounds to
        // zero.
        Some(ten_to(-power).map_or(0, |scale| {
            product / scale + u128::from(product % scale >= scale / 2)
        }))
    };
    whole
        .and_then(|whole| u64::try_from(whole).ok())
        .unwrap_or(u64::MAX)
}

fn without_zeros(mut number: u64) -> u64 {
    while number > 0 && number.is_multiple_of(10) {
        number /= 10;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_and_halves_go_up() {
        for (number, factor, expected) in [
            ("0", 1, 0),
            ("2.726337", 1_000_000, 2_726_337),
            ("0.5", 1, 1),
            ("0.4999999999999999999999999999999999", 1, 0),
            ("0.5000000000000000000000000000000001", 1, 1),
            ("1.5", 1, 2),
            ("+2.5e-1", 10, 3),
            (".5e1", 1, 5),
            ("5.", 1_000, 5_000),
            ("1e3", 1_000_000_000_000, 1_000_000_000_000_000),
            // Above 2^53, floating-point numbers do not represent every integer.
            ("9007199254740993", 1, 9_007_199_254_740_993),
            (
                "9007.199254740993",
                1_000_000_000_000,
                9_007_199_254_740_993,
            ),
            (
                "17999999.999999999999",
                1_000_000_000_000,
                17_999_999_999_999_999_999,
            ),
            ("000000000000000000000000000000000000017", 1, 17),
            ("0.00000000000000000000000000000000000000017e41", 1, 17),
            ("17000000000000000000000000000000000000000e-39", 1, 17),
            ("1e-999999999999", 1_000_000_000_000, 0),
            ("1e-40", 1_000_000_000_000, 0),
            ("0e999999999999", 1, 0),
            ("1e999999999999", 1, u64::MAX),
            ("1e20", 1, u64::MAX),
        ] {
            assert_eq!(times(number, factor), expected, "{number} times {factor}");
        }
    }
}
