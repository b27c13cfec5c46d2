//! The TCP segment, without its payload bytes.

use super::blocks::Blocks;
use super::handshake::Handshake;
use crate::kernel::Ps;

/// TCP and IPv4 headers without options, in bytes.
pub const HEADER_BYTES: u32 = 40;

/// ECN of a segment with payload: the code point of its IP packet (RFC 3168 section 5), and the CWR
/// flag, which only new data carry (6.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ect {
    /// Not-ECT: queues discard the packet rather than mark it.
    Not,
    /// ECT(0): queues may mark the packet.
    Ect0,
    /// ECT(0), and the segment carries CWR.
    Ect0Cwr,
}

/// A segment as both ends read it. Sequence numbers are real but 64 bits wide: window scaling with
/// protection against wrapped sequences is assumed (RFC 7323), so they never wrap. They count data
/// from 0; for those on the line see [`super::handshake`]. Windows are in bytes, already scaled.
///
/// The fields stand in the order in which they lie in memory: the window, and the acknowledgement
/// number of those that have one, are at the same place in each variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Segment {
    /// A segment with payload.
    Data {
        /// Code point of the packet, and CWR.
        ect: Ect,
        /// Payload bytes.
        len: u16,
        /// Receive window.
        window: u32,
        /// Next byte that the sender of this segment expects.
        ack: u64,
        /// Sequence number of the first payload byte.
        seq: u64,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
    /// An acknowledgement without payload.
    Ack {
        /// The ECN-Echo flag.
        ece: bool,
        /// Receive window.
        window: u32,
        /// Next byte that the sender of this segment expects.
        ack: u64,
        /// Data that arrived above `ack`.
        blocks: Blocks,
    },
    /// A segment of the connection set-up. It acknowledges no data.
    Setup {
        /// Receive window.
        window: u32,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
        /// Its flags, options and number.
        handshake: Handshake,
    },
}

impl Segment {
    /// Data `seq..seq + len`, sent at time 0, not ECT, by an end that expects no data and has no
    /// window.
    pub const fn data(seq: u64, len: u16) -> Segment {
        Segment::Data {
            ect: Ect::Not,
            seq,
            ack: 0,
            sent: Ps::ZERO,
            window: 0,
            len,
        }
    }

    /// True if the IP packet carries ECT(0). Only new data do: neither acknowledgements without
    /// payload (RFC 3168 section 6.1.4; over Ethernet DCTCP sends all packets as ECT(0)) nor segments of the set-up (6.1.1)
    /// nor retransmissions (6.1.5).
    #[inline]
    pub const fn is_ect(&self) -> bool {
        matches!(self, Segment::Data { ect, .. } if !matches!(ect, Ect::Not))
    }
    /// The ECN-Echo flag; in the set-up it offers ECN, or agrees to it (RFC 3168 section 6.1.1).
    #[inline]
    pub const fn has_ece(&self) -> bool {
        match *self {
            Segment::Data { .. } => false,
            Segment::Ack { ece, .. } => ece,
            Segment::Setup { handshake, .. } => match handshake {
                Handshake::Syn(options) | Handshake::SynAck(options) => options.ecn,
                Handshake::Ack { .. } => false,
            },
        }
    }
    /// The CWR flag; in a SYN it offers ECN (RFC 3168 section 6.1.1).
    #[inline]
    pub const fn has_cwr(&self) -> bool {
        match *self {
            Segment::Data { ect, .. } => matches!(ect, Ect::Ect0Cwr),
            Segment::Setup {
                handshake: Handshake::Syn(options),
                ..
            } => options.ecn,
            Segment::Ack { .. } | Segment::Setup { .. } => false,
        }
    }
    /// Next byte that the sender of this segment expects; 0 in the set-up.
    #[inline]
    pub const fn ack(&self) -> u64 {
        match *self {
            Segment::Data { ack, .. } | Segment::Ack { ack, .. } => ack,
            Segment::Setup { .. } => 0,
        }
    }
    /// Receive window in bytes, already scaled.
    #[inline]
    pub const fn window(&self) -> u32 {
        match *self {
            Segment::Data { window, .. }
            | Segment::Ack { window, .. }
            | Segment::Setup { window, .. } => window,
        }
    }
    /// Payload bytes.
    #[inline]
    pub const fn payload(&self) -> u32 {
        match *self {
            Segment::Data { len, .. } => len as u32,
            Segment::Ack { .. } | Segment::Setup { .. } => 0,
        }
    }
    /// The segment as one of the connection set-up; `None` for any other.
    #[inline]
    pub const fn handshake(&self) -> Option<Handshake> {
        match *self {
            Segment::Setup { handshake, .. } => Some(handshake),
            Segment::Data { .. } | Segment::Ack { .. } => None,
        }
    }
    /// The SACK blocks; only an acknowledgement without payload has any.
    #[inline]
    pub const fn blocks(&self) -> Blocks {
        match *self {
            Segment::Ack { blocks, .. } => blocks,
            Segment::Data { .. } | Segment::Setup { .. } => Blocks::NONE,
        }
    }
    /// Time at which the segment was handed to IP; `None` for an acknowledgement without payload,
    /// whose delay nobody measures.
    #[inline]
    pub const fn sent(&self) -> Option<Ps> {
        match *self {
            Segment::Data { sent, .. } | Segment::Setup { sent, .. } => Some(sent),
            Segment::Ack { .. } => None,
        }
    }
    /// Sequence number, counted in data; `None` for a SYN or SYN-ACK, whose number precedes all
    /// data. Acknowledgements from the receiving end have 0, as that end sends no data.
    pub const fn sequence(&self) -> Option<u64> {
        match *self {
            Segment::Data { seq, .. } => Some(seq),
            Segment::Ack { .. } => Some(0),
            Segment::Setup { handshake, .. } => match handshake {
                Handshake::Syn(_) | Handshake::SynAck(_) => None,
                Handshake::Ack { seq } => Some(seq),
            },
        }
    }
    /// Bytes of TCP options in the header.
    #[inline]
    pub fn option_bytes(&self) -> u32 {
        match *self {
            Segment::Data { .. } => 0,
            Segment::Ack { blocks, .. } => blocks.option_bytes(),
            Segment::Setup { handshake, .. } => handshake.option_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_four_words() {
        assert_eq!(size_of::<Segment>(), 32);
    }
}
