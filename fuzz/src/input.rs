//! Numbers and bytes taken from the fuzzer's input; zeros when it is used up.

/// The rest of an input.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// True if nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The next `most` bytes, or all that are left.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }
    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }
    /// A number of two bytes.
    pub fn short(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }
    /// A number of eight bytes.
    pub fn long(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
}
