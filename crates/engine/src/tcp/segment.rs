//! The TCP segment, without its payload bytes.

use crate::kernel::Ps;

/// TCP and IPv4 headers without options, in bytes.
pub const HEADER_BYTES: u32 = 40;

/// A segment as both ends read it. Sequence numbers are real but 64 bits wide: window scaling with
/// protection against wrapped sequences is assumed (RFC 7323), so they never wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first payload byte.
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
