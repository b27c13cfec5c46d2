//! The CPCS-PDU of AAL5 (ITU-T I.363.5): pad, UU, CPI, length, CRC-32.

/// Octets of payload in a cell.
pub const CELL_PAYLOAD: usize = 48;
const TRAILER: usize = 8;
/// The generator x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 +
/// x^2 + x + 1 of the CRC-32, without its leading term.
const GENERATOR: u32 = 0x04C1_1DB7;

/// Completes the payload to a CPCS-PDU of a whole number of cells: pad, UU 0, CPI 0, length,
/// CRC-32.
///
/// # Panics
/// If the payload is longer than the length field can express, which no scenario allows.
pub fn complete(payload: &mut Vec<u8>) {
    let length = u16::try_from(payload.len()).expect("a PDU has at most 65,535 bytes");
    let whole = (payload.len() + TRAILER).next_multiple_of(CELL_PAYLOAD);
    payload.resize(whole - 6, 0);
    payload.extend(length.to_be_bytes());
    let crc = !payload_crc(payload);
    payload.extend(crc.to_be_bytes());
}

/// CRC remainder of the octets, most significant bit first, starting from all ones.
fn payload_crc(octets: &[u8]) -> u32 {
    let (eights, rest) = octets.as_chunks::<8>();
    let crc = eights
        .iter()
        .fold(u32::MAX, |crc, &[a, b, c, d, e, f, g, h]| {
            let [i, j, k, l] = crc.to_be_bytes();
            let bytes = [a ^ i, b ^ j, c ^ k, d ^ l, e, f, g, h];
            bytes
                .iter()
                .zip(TABLES.iter().rev())
                .fold(0, |sum, (byte, table)| sum ^ table[*byte as usize])
        });
    rest.iter().fold(crc, |crc, octet| {
        crc << 8 ^ TABLES[0][(crc >> 24) as usize ^ *octet as usize]
    })
}

/// Contribution of an octet to the CRC remainder, by the number of octets that follow it.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut octet = 0;
    while octet < 256 {
        let mut crc = (octet as u32) << 24;
        let mut behind = 0;
        while behind < 8 {
            let mut bit = 0;
            while bit < 8 {
                crc = if crc >> 31 == 1 {
                    crc << 1 ^ GENERATOR
                } else {
                    crc << 1
                };
                bit += 1;
            }
            tables[behind][octet] = crc;
            behind += 1;
        }
        octet += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of this CRC, known as CRC-32/BZIP2, and the CRC of no octets.
    #[test]
    fn the_crc_of_nine_digits_is_known() {
        assert_eq!(!payload_crc(b"123456789"), 0xFC89_1918);
        assert_eq!(!payload_crc(b""), 0);
    }

    #[test]
    fn the_remainder_of_a_whole_pdu_is_the_same_for_all() {
        for length in [0usize, 1, 39, 40, 41, 88, 89, 560, 9_188, 65_535] {
            let mut pdu: Vec<u8> = (0..length).map(|n| (n * 7 + n / 256) as u8).collect();
            complete(&mut pdu);
            assert_eq!(pdu.len(), (length + 8).div_ceil(48) * 48);
            assert_eq!(payload_crc(&pdu), 0xC704_DD7B, "{length} octets");
            let trailer = &pdu[pdu.len() - 8..pdu.len() - 4];
            assert_eq!(trailer, [0, 0, (length >> 8) as u8, length as u8]);
            assert!(pdu[length..pdu.len() - 8].iter().all(|pad| *pad == 0));
        }
    }
}
