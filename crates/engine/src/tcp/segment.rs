//! The TCP segment, without its payload bytes.

use super::blocks::Blocks;
use super::handshake::Handshake;
use crate::kernel::Ps;

/// TCP and IPv4 headers without options, in bytes.
pub const HEADER_BYTES: u32 = 40;

/// A segment as both ends read it. Sequence numbers are real but 64 bits wide: window scaling with
/// protection against wrapped sequences is assumed (RFC 7323), so they never wrap. They count data
/// from 0; for those on the line see [`super::handshake`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first payload byte. A segment without payload needs neither it nor
    /// `sent`: a pure acknowledgement keeps its SACK blocks in both ([`Segment::blocks`]), a
    /// segment of the connection set-up its kind and options in this field
    /// ([`Segment::handshake`]).
    pub seq: u64,
    /// Next byte that the sender of this segment expects.
    pub ack: u64,
    /// Time at which the segment was handed to IP, for packet delays.
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
        Segment {
            seq,
            ack,
            sent,
            len: 0,
            window,
        }
    }
    /// A segment of the connection set-up.
    pub fn of_setup(now: Ps, handshake: Handshake, ack: u64, window: u32) -> Segment {
        Segment {
            seq: handshake.word(),
            ack,
            sent: now,
            len: 0,
            window,
        }
    }

    /// True if the segment belongs to the connection set-up.
    #[inline]
    pub const fn is_of_setup(&self) -> bool {
        self.len == 0 && Handshake::is_word(self.seq)
    }
    /// The segment as one of the connection set-up; `None` for any other.
    pub const fn handshake(&self) -> Option<Handshake> {
        if self.len == 0 {
            Handshake::from_word(self.seq)
        } else {
            None
        }
    }
    /// The SACK blocks; a segment with payload has none.
    pub const fn blocks(&self) -> Blocks {
        if self.len == 0 && self.seq != 0 && !self.is_of_setup() {
            Blocks::from_words(self.seq, self.sent.0)
        } else {
            Blocks::from_words(0, 0)
        }
    }
    /// Sequence number, counted in data; `None` for a SYN or SYN-ACK, whose number precedes all
    /// data. Acknowledgements from the receiving end have 0, as that end sends no data.
    pub const fn sequence(&self) -> Option<u64> {
        match self.handshake() {
            Some(Handshake::Syn(_) | Handshake::SynAck(_)) => None,
            Some(Handshake::Ack { seq }) => Some(seq),
            None if self.len == 0 => Some(0),
            None => Some(self.seq),
        }
    }
    /// Bytes of TCP options in the header.
    #[inline]
    pub fn option_bytes(&self) -> u32 {
        if self.len > 0 || self.seq == 0 {
            0
        } else {
            self.option_bytes_without_payload()
        }
    }
    #[inline(never)]
    fn option_bytes_without_payload(&self) -> u32 {
        match self.handshake() {
            Some(Handshake::Syn(options) | Handshake::SynAck(options)) => options.bytes(),
            Some(Handshake::Ack { .. }) => 0,
            None => self.blocks().option_bytes(),
        }
    }
}
