//! The file of an entry: magic, length and SHA-256 of what follows, so that a damaged file is never
//! taken for a result.

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"CRstore1";
const HEADER: usize = 8 + 8 + 32;

/// What comes before `bytes` in the file.
pub fn header(bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..16].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    header[16..].copy_from_slice(&Sha256::digest(bytes));
    header
}

/// The bytes in a file, or what is wrong with it.
pub fn unwrap(mut file: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    let Some((header, bytes)) = file.split_at_checked(HEADER) else {
        return Err("the entry is cut off within its header");
    };
    if &header[..8] != MAGIC {
        return Err("the entry is not one of this program's");
    }
    if header[8..16] != (bytes.len() as u64).to_le_bytes() {
        return Err("the entry does not have the length that its header says");
    }
    if header[16..] != *Sha256::digest(bytes) {
        return Err("the entry does not have the checksum that its header says");
    }
    file.drain(..HEADER);
    Ok(file)
}
