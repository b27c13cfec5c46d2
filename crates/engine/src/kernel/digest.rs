//! A hash (digest) that one component of the simulation updates with each of its events. Equal digests show that
//! two runs had the same events.

/// Order-dependent hash of 64-bit words. The hashes of the components are combined in a fixed
/// order. So the result does not depend on the order in which components are processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0x243F_6A88_85A3_08D3)
    }
}

impl Digest {
    /// Adds one word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    /// Adds a string of bytes and its length.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(*byte as u64);
        }
        self.add(bytes.len() as u64);
    }
    /// The hash of all words so far.
    pub fn value(self) -> u64 {
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ mixed >> 32
    }
}
