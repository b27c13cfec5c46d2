//! Results as bytes.

use cellrate::run::Outcome;
use sha2::{Digest, Sha256};

const HEADER: usize = 8 + 4 + 8 + 32;

/// The input is a whole result, or, so that the checksum does not stop the fuzzer, the part after
/// the header.
pub fn check(data: &[u8]) {
    let Some((form, bytes)) = data.split_first() else {
        return;
    };
    let behind_header = form & 1 == 0;
    let bytes = if behind_header {
        with_header(bytes)
    } else {
        bytes.to_vec()
    };
    match Outcome::from_bytes(&bytes) {
        Ok(outcome) => {
            assert_eq!(outcome.to_bytes(), bytes, "written again");
            assert_eq!(outcome.key().len(), 64);
        }
        Err(damaged) => assert!(!damaged.0.is_empty()),
    }
}

fn with_header(fields: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + fields.len());
    bytes.extend(b"CRresult");
    bytes.extend(1u32.to_le_bytes());
    bytes.extend((fields.len() as u64).to_le_bytes());
    bytes.extend(Sha256::digest(fields));
    bytes.extend(fields);
    bytes
}
