//! Keys of results: the SHA-256 of everything that a result depends on.

use sha2::{Digest, Sha256};

/// Version of the program. It is a part of every key, so that results of other versions are never
/// used.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Key of the result of a run: SHA-256 over the complete scenario, which includes the seed, and the
/// program version, as 64 hexadecimal digits.
pub fn key(resolved: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(b"cellrate result\0");
    hash.update(VERSION.as_bytes());
    hash.update(b"\0");
    hash.update(resolved.as_bytes());
    let digit = |value: u8| char::from_digit(value.into(), 16);
    hash.finalize()
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .flatten()
        .collect()
}
