//! RM cells as on a real line: the 48-octet payload with its CRC-10, and the 16-bit rate code (TM
//! 4.0 section 5.10.3, table 5-4).

use super::cell::RmCell;

/// Octets of an RM cell's payload, protocol identifier and CRC-10 included.
pub const PAYLOAD_OCTETS: usize = 48;

/// Largest rate that the code can express, in cells/s: 2^31 (1 + 511/512).
pub const MAX_RATE: f64 = 4_290_772_992.0;

const PROTOCOL_ABR: u8 = 1;
const RESERVED: u8 = 0x6A;
const DIR: u8 = 1 << 7;
const BN: u8 = 1 << 6;
const CI: u8 = 1 << 5;
const NI: u8 = 1 << 4;
const NONZERO: u16 = 1 << 14;
/// The generator x^10 + x^9 + x^5 + x^4 + x + 1 of the CRC-10, without its leading term.
const CRC_10: u16 = 0x233;

/// Reason why a payload is not the payload of an ABR RM cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmError {
    /// The CRC-10 over the payload is not zero.
    Crc,
    /// The protocol identifier is not 1 (ABR).
    Protocol(u8),
}

impl core::fmt::Display for RmError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            RmError::Crc => f.write_str("the CRC-10 of the RM cell is wrong"),
            RmError::Protocol(id) => {
                write!(f, "protocol identifier {id} of the RM cell is not 1 (ABR)")
            }
        }
    }
}

impl core::error::Error for RmError {}

/// The 16-bit code of `rate` cells/s: nz, exponent, mantissa. The mantissa is truncated, so that
/// the coded rate never exceeds `rate`. Rates below 1 cell/s become 0, rates above [`MAX_RATE`]
/// become [`MAX_RATE`].
pub fn encode_rate(rate: f64) -> u16 {
    if rate.is_nan() || rate < 1.0 {
        return 0;
    }
    // A floating-point number has the same form, so its exponent and mantissa bits give the code.
    let bits = rate.min(MAX_RATE).to_bits();
    let exponent = ((bits >> 52) & 0x7FF) as u16 - 1023;
    let mantissa = (bits >> 43) as u16 & 0x1FF;
    NONZERO | exponent << 9 | mantissa
}

/// The rate of a 16-bit code in cells/s: nz 2^e (1 + m/512).
pub fn decode_rate(code: u16) -> f64 {
    if code & NONZERO == 0 {
        return 0.0;
    }
    let exponent = (code >> 9) & 0x1F;
    (1u64 << exponent) as f64 * (1.0 + (code & 0x1FF) as f64 / 512.0)
}

/// Rate `rate` in cells/s after coding and decoding. The result is lower than `rate` by at most 1/512 of `rate`.
pub fn quantise(rate: f64) -> f64 {
    decode_rate(encode_rate(rate))
}

/// The 48-octet payload of `rm`; `backward` sets the DIR bit. QL and SN (I.371) are zero.
pub fn encode(rm: &RmCell, backward: bool) -> [u8; PAYLOAD_OCTETS] {
    let mut payload = [RESERVED; PAYLOAD_OCTETS];
    payload[0] = PROTOCOL_ABR;
    payload[1] = flag(backward, DIR) | flag(rm.bn, BN) | flag(rm.ci, CI) | flag(rm.ni, NI);
    for (at, rate) in [(2, rm.er), (4, rm.ccr), (6, rm.mcr)] {
        payload[at..at + 2].copy_from_slice(&encode_rate(rate).to_be_bytes());
    }
    payload[8..16].fill(0);
    payload[46..].fill(0);
    let crc = remainder(&payload);
    payload[46..].copy_from_slice(&crc.to_be_bytes());
    payload
}

/// The RM cell of a 48-octet payload, and its DIR bit: true for backward.
pub fn decode(payload: &[u8; PAYLOAD_OCTETS]) -> Result<(RmCell, bool), RmError> {
    if remainder(payload) != 0 {
        return Err(RmError::Crc);
    }
    if payload[0] != PROTOCOL_ABR {
        return Err(RmError::Protocol(payload[0]));
    }
    let rate = |at: usize| decode_rate(u16::from_be_bytes([payload[at], payload[at + 1]]));
    let has = |bit: u8| payload[1] & bit != 0;
    let rm = RmCell {
        er: rate(2),
        ccr: rate(4),
        mcr: rate(6),
        ci: has(CI),
        ni: has(NI),
        bn: has(BN),
    };
    Ok((rm, has(DIR)))
}

const fn flag(set: bool, bit: u8) -> u8 {
    if set { bit } else { 0 }
}

/// Remainder of the payload, read as a polynomial, modulo the CRC-10 generator.
fn remainder(payload: &[u8; PAYLOAD_OCTETS]) -> u16 {
    payload.iter().fold(0, |crc, octet| {
        (0..8)
            .rev()
            .fold(crc, |crc, bit| shift_in(crc, octet >> bit & 1))
    })
}

fn shift_in(crc: u16, bit: u8) -> u16 {
    let shifted = crc << 1 | bit as u16;
    if shifted & 1 << 10 != 0 {
        (shifted & 0x3FF) ^ CRC_10
    } else {
        shifted
    }
}
