//! Keys of results in the binary form in which segments contain them.

use std::io;

/// A key as it is stored in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(pub [u8; 32]);

impl Key {
    /// Reads a key from its text.
    ///
    /// # Errors
    /// If `text` is not 64 hexadecimal digits in lower case.
    pub fn parse(text: &str) -> io::Result<Key> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut key = [0; 32];
        let mut wrong = text.len() != 64;
        for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            match (digit(pair[0]), digit(pair[1])) {
                (Some(high), Some(low)) => *byte = high << 4 | low,
                _ => wrong = true,
            }
        }
        if wrong {
            let message =
                format!("`{text}` is not a key; allowed: 64 hexadecimal digits in lower case");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(Key(key))
    }

    /// The key as 64 hexadecimal digits.
    pub fn text(&self) -> String {
        let digit = |value: u8| char::from_digit(value.into(), 16);
        self.0
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .flatten()
            .collect()
    }
}
