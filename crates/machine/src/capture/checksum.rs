//! The checksum of the Internet protocols (RFC 1071).

/// Sum of the octets as 16-bit words, high octet first; an odd last octet is padded with zero. The
/// sum over several parts is the sum of their sums if all parts but the last have an even length.
pub fn sum(octets: &[u8]) -> u64 {
    let (fours, rest) = octets.as_chunks::<4>();
    let sum: u64 = fours
        .iter()
        .map(|four| u64::from(u32::from_be_bytes(*four)))
        .sum();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    sum + u64::from(u32::from_be_bytes(last))
}

/// Complement of the sum with all carries added.
pub fn fold(mut sum: u64) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 1071 section 3: the sum is ddf2.
    #[test]
    fn the_example_of_the_rfc() {
        let octets = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7];
        assert_eq!(fold(sum(&octets)), !0xDDF2);
        assert_eq!(fold(sum(&octets[..2]) + sum(&octets[2..])), !0xDDF2);
    }

    #[test]
    fn an_odd_octet_is_the_higher_of_its_word() {
        let sums = [
            0xAB00,
            0xABAB,
            0xABAB + 0xAB00,
            2 * 0xABAB,
            2 * 0xABAB + 0xAB00,
        ];
        for (octets, expected) in (1..).zip(sums) {
            assert_eq!(fold(sum(&[0xAB; 8][..octets])), fold(expected));
        }
    }
}
