//! A record: one stored result in a segment, a header of 100 bytes and then the result.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic |
//! | 32 | key |
//! | 4 | coding of the result: 0 none, 1 LZ4 |
//! | 8 | length of the coded result |
//! | 8 | length of the result |
//! | 32 | SHA-256 of the coded result |
//! | 8 | first bytes of the SHA-256 of all of the above |
//!
//! Numbers are little-endian. The header has its own checksum, so its length is reliable even if
//! the result is damaged, and the records after it remain readable.

use sha2::{Digest, Sha256};

use super::key::Key;

/// First bytes of every record. The search for the next record after damage looks for these bytes.
pub const MAGIC: [u8; 8] = *b"\x89CRrec1\n";
/// Bytes of the header of a record.
pub const HEADER: usize = 100;
const CHECKED: usize = HEADER - 8;
/// Largest number of bytes to which LZ4 can decompress one byte.
const LONGEST_OF_A_BYTE: u64 = 255;
/// Longest result, in bytes, that is compressed; the limit of LZ4 itself is a little higher.
const LONGEST_CODED: usize = 2_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Plain = 0,
    Lz4 = 1,
}

/// Header of a record in a segment: key, sizes and checksum of a stored result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Key of the result in the record.
    pub key: Key,
    coding: Coding,
    stored: u64,
    plain: u64,
    sum: [u8; 32],
}

impl Header {
    /// Reads the header at the beginning of `bytes`; `None` if there is no complete and undamaged
    /// header.
    pub fn parse(bytes: &[u8]) -> Option<Header> {
        let bytes = bytes.get(..HEADER)?;
        if bytes[..8] != MAGIC || bytes[CHECKED..] != Sha256::digest(&bytes[..CHECKED])[..8] {
            return None;
        }
        let coding = match bytes[40..44] {
            [0, 0, 0, 0] => Coding::Plain,
            [1, 0, 0, 0] => Coding::Lz4,
            _ => return None,
        };
        let number = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        Some(Header {
            key: Key(bytes[8..40].try_into().ok()?),
            coding,
            stored: number(44)?,
            plain: number(52)?,
            sum: bytes[60..92].try_into().ok()?,
        })
    }

    /// Length of the record in bytes, including its header.
    pub fn length(&self) -> u64 {
        self.stored.saturating_add(HEADER as u64)
    }

    fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..40].copy_from_slice(&self.key.0);
        bytes[40] = self.coding as u8;
        bytes[44..52].copy_from_slice(&self.stored.to_le_bytes());
        bytes[52..60].copy_from_slice(&self.plain.to_le_bytes());
        bytes[60..92].copy_from_slice(&self.sum);
        let check = Sha256::digest(&bytes[..CHECKED]);
        bytes[CHECKED..].copy_from_slice(&check[..8]);
        bytes
    }
}

/// Makes the record that stores `result` under `key`, as bytes.
pub fn encode(key: Key, result: &[u8]) -> Vec<u8> {
    let coded = (result.len() <= LONGEST_CODED).then(|| lz4_flex::block::compress(result));
    let coded = coded.filter(|coded| coded.len() < result.len());
    let coding = if coded.is_some() {
        Coding::Lz4
    } else {
        Coding::Plain
    };
    let stored = coded.as_deref().unwrap_or(result);
    let header = Header {
        key,
        coding,
        stored: stored.len() as u64,
        plain: result.len() as u64,
        sum: Sha256::digest(stored).into(),
    };
    let mut record = Vec::with_capacity(HEADER + stored.len());
    record.extend(header.bytes());
    record.extend(stored);
    record
}

/// Returns the result in a record of `key`, or a description of the damage.
pub fn decode(key: Key, record: &[u8]) -> Result<Vec<u8>, &'static str> {
    let header = Header::parse(record).ok_or("its header is damaged")?;
    if header.key != key || header.length() != record.len() as u64 {
        return Err("its header belongs to another result");
    }
    let stored = &record[HEADER..];
    if header.sum != *Sha256::digest(stored) {
        return Err("it does not match the checksum in its header");
    }
    match header.coding {
        Coding::Plain => Ok(stored.to_vec()),
        Coding::Lz4 => {
            // Decompression allocates this much memory, so a damaged length must not be believed.
            if header.plain > stored.len() as u64 * LONGEST_OF_A_BYTE {
                return Err("its header states an impossible length");
            }
            let plain = usize::try_from(header.plain).map_err(|_| "it is longer than memory")?;
            lz4_flex::block::decompress(stored, plain).map_err(|_| "it cannot be decompressed")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_what_its_documentation_says() {
        let key = Key([7; 32]);
        let record = encode(key, b"abc");
        assert_eq!(record.len(), 103);
        assert_eq!(record[..8], MAGIC);
        assert_eq!(record[8..40], [7; 32]);
        assert_eq!(
            record[40..60],
            [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(record[60..92], *Sha256::digest(b"abc"));
        assert_eq!(record[92..100], Sha256::digest(&record[..92])[..8]);
        assert_eq!(&record[100..], b"abc");
    }

    #[test]
    fn what_repeats_is_kept_short_and_what_does_not_as_it_is() {
        let key = Key([1; 32]);
        let (dull, short) = (vec![b'x'; 100_000], b"ab");
        let record = encode(key, &dull);
        assert!(record.len() < 1000, "{}", record.len());
        assert_eq!((record[40], decode(key, &record)), (1, Ok(dull)));
        let record = encode(key, short);
        assert_eq!((record[40], decode(key, &record)), (0, Ok(short.to_vec())));
        assert_eq!(
            decode(Key([2; 32]), &record),
            Err("its header belongs to another result")
        );
    }

    #[test]
    fn no_length_asks_for_more_memory_than_there_can_be_bytes() {
        let key = Key([1; 32]);
        let mut record = encode(key, &[b'x'; 1000]);
        let stored = (record.len() - HEADER) as u64;
        for plain in [stored * 255 + 1, 1 << 40, u64::MAX] {
            record[52..60].copy_from_slice(&plain.to_le_bytes());
            let check = Sha256::digest(&record[..CHECKED]);
            record[CHECKED..HEADER].copy_from_slice(&check[..8]);
            assert_eq!(
                decode(key, &record),
                Err("its header states an impossible length")
            );
        }
    }
}
