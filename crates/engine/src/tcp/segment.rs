//! The TCP segment, without its payload bytes.

use super::blocks::Blocks;
use crate::kernel::Ps;

/// TCP and IPv4 headers without options, in bytes.
pub const HEADER_BYTES: u32 = 40;

/// A segment as both ends read it. Sequence numbers are real but 64 bits wide: window scaling with
/// protection against wrapped sequences is assumed (RFC 7323), so they never wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first payload byte. Without payload nobody reads it, nor `sent`: a pure
    /// acknowledgement keeps its SACK blocks in the two ([`Segment::blocks`]).
    pub seq: u64,
    /// Next byte that the sender of this segment expects.
    pub ack: u64,
    /// When the segment was handed to IP, for packet delays.
    pub sent: Ps,
    /// Payload bytes; 0 for a pure acknowledgement.
    pub len: u32,
    /// Receive window in bytes, already scaled.
    pub window: u32,
}

impl Segment {
    /// An acknowledgement without payload.
    pub fn acknowledgement(now: Ps, ack: u64, window: u32, blocks: Blocks) -> Segment {
        let (seq, high) = blocks.words();
        let sent = if seq == 0 { now } else { Ps(high) };
        Segment { seq, ack, sent, len: 0, window }
    }

    /// The SACK blocks; none of a segment with payload.
    pub const fn blocks(&self) -> Blocks {
        if self.len == 0 && self.seq != 0 {
            Blocks::from_words(self.seq, self.sent.0)
        } else {
            Blocks::from_words(0, 0)
        }
    }
}
