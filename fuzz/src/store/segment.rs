//! Pieces of segments: sound records, records with a valid header that contains wrong values,
//! rubbish.

use cellrate::run::key;
use sha2::{Digest, Sha256};

use super::super::input::Input;
use super::NAMES;

/// A piece of a segment.
pub enum Piece {
    /// A correct record.
    Sound {
        name: String,
        result: Vec<u8>,
        record: Vec<u8>,
    },
    /// A record whose checksums are right, but whose other values may be wrong.
    Tampered(Vec<u8>),
    /// Arbitrary bytes.
    Rubbish(Vec<u8>),
}

/// The next piece of the input.
pub fn piece(input: &mut Input<'_>) -> Piece {
    let kind = input.byte();
    let name = format!("r{}", kind >> 4 & (NAMES - 1));
    let length = usize::from(input.byte());
    match kind & 3 {
        0 | 1 => {
            let result = input.bytes(length).to_vec();
            let record = record(
                &name,
                0,
                result.len() as u64,
                result.len() as u64,
                &result,
                true,
            );
            Piece::Sound {
                name,
                result,
                record,
            }
        }
        2 => {
            let (coding, told, plain) = (input.byte(), input.long(), input.long());
            let result = input.bytes(length);
            let stored = if kind & 4 == 0 {
                result.len() as u64
            } else {
                told
            };
            Piece::Tampered(record(&name, coding, stored, plain, result, kind & 8 == 0))
        }
        _ => Piece::Rubbish(input.bytes(length).to_vec()),
    }
}

/// A record under the key of `name`, with a valid header; its second checksum is right if `fits`.
fn record(name: &str, coding: u8, stored: u64, plain: u64, result: &[u8], fits: bool) -> Vec<u8> {
    let mut bytes = b"\x89CRrec1\n".to_vec();
    let digits = key(name);
    bytes.extend(
        (0..32).map(|i| {
            u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("a key is hexadecimal")
        }),
    );
    bytes.extend([coding, 0, 0, 0]);
    bytes.extend(stored.to_le_bytes());
    bytes.extend(plain.to_le_bytes());
    let sum = Sha256::digest(result);
    bytes.extend(sum.iter().map(|byte| if fits { *byte } else { !byte }));
    let check = Sha256::digest(&bytes);
    bytes.extend(&check[..8]);
    bytes.extend(result);
    bytes
}
