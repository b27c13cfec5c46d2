//! The TCP segment, without its payload bytes.

use super::blocks::Blocks;
use super::handshake::{Handshake, SynOptions};
use super::stamps::{STAMP_BYTES, Stamps};
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
/// number of those that have one, are at the same place in each variant. Segments with time stamps
/// are variants of their own, so that others have no place for them.
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
    /// [`Segment::Data`] with time stamps. It acknowledges no data.
    StampedData {
        /// Code point of the packet, and CWR.
        ect: Ect,
        /// Payload bytes.
        len: u16,
        /// Receive window.
        window: u32,
        /// Time stamps.
        stamps: Stamps,
        /// Sequence number of the first payload byte.
        seq: u64,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
    /// [`Segment::Ack`] with time stamps. Its window is the whole receive window, which both ends know.
    StampedAck {
        /// Next byte that the sender of this segment expects, and the ECN-Echo flag.
        number: StampedNumber,
        /// Time stamps.
        stamps: Stamps,
        /// Data that arrived above `ack`.
        blocks: Blocks,
    },
    /// [`Segment::Setup`] with time stamps and [`Handshake::Syn`] or [`Handshake::SynAck`].
    StampedSyn {
        /// True for the answer.
        answers: bool,
        /// Receive window.
        window: u32,
        /// Time stamps.
        stamps: Stamps,
        /// The other options.
        options: SynOptions,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
    /// [`Segment::Setup`] with time stamps and [`Handshake::Ack`].
    StampedSetup {
        /// Receive window.
        window: u32,
        /// Time stamps.
        stamps: Stamps,
        /// Next byte to be sent.
        seq: u64,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
}

/// An acknowledgement number below 2^55, and the ECN-Echo flag, in seven bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StampedNumber([u8; 7]);

impl StampedNumber {
    /// # Panics
    /// If `ack` is 2^55 or more: a connection of 800 Gbit/s needs 100 hours for that.
    pub fn new(ack: u64, ece: bool) -> StampedNumber {
        let [high, bytes @ ..] = (ack << 1 | ece as u64).to_be_bytes();
        assert!(high == 0 && ack >> 55 == 0, "an acknowledgement of {ack}");
        StampedNumber(bytes)
    }
    const fn bits(self) -> u64 {
        let [b, c, d, e, f, g, h] = self.0;
        u64::from_be_bytes([0, b, c, d, e, f, g, h])
    }
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

    /// A segment of the connection set-up, with time stamps or without.
    pub fn setup(handshake: Handshake, window: u32, sent: Ps, stamps: Option<Stamps>) -> Segment {
        let Some(stamps) = stamps else {
            return Segment::Setup {
                window,
                sent,
                handshake,
            };
        };
        match handshake {
            Handshake::Syn(options) | Handshake::SynAck(options) => Segment::StampedSyn {
                answers: matches!(handshake, Handshake::SynAck(_)),
                window,
                stamps,
                options,
                sent,
            },
            Handshake::Ack { seq } => Segment::StampedSetup {
                window,
                stamps,
                seq,
                sent,
            },
        }
    }

    /// True if the IP packet carries ECT(0). Only new data do: neither acknowledgements without
    /// payload (RFC 3168 section 6.1.4; over Ethernet DCTCP sends all packets as ECT(0)) nor segments of the set-up (6.1.1)
    /// nor retransmissions (6.1.5).
    #[inline]
    pub const fn is_ect(&self) -> bool {
        let (Segment::Data { ect, .. } | Segment::StampedData { ect, .. }) = self else {
            return false;
        };
        !matches!(ect, Ect::Not)
    }
    /// The ECN-Echo flag; in the set-up it offers ECN, or agrees to it (RFC 3168 section 6.1.1).
    #[inline]
    pub const fn has_ece(&self) -> bool {
        match *self {
            Segment::Ack { ece, .. } => ece,
            Segment::StampedAck { number, .. } => number.bits() & 1 != 0,
            _ => match self.handshake() {
                Some(Handshake::Syn(options) | Handshake::SynAck(options)) => options.ecn,
                Some(Handshake::Ack { .. }) | None => false,
            },
        }
    }
    /// The CWR flag; in a SYN it offers ECN (RFC 3168 section 6.1.1).
    #[inline]
    pub const fn has_cwr(&self) -> bool {
        match *self {
            Segment::Data { ect, .. } | Segment::StampedData { ect, .. } => {
                matches!(ect, Ect::Ect0Cwr)
            }
            _ => match self.handshake() {
                Some(Handshake::Syn(options)) => options.ecn,
                _ => false,
            },
        }
    }
    /// Next byte that the sender of this segment expects; 0 in the set-up.
    #[inline]
    pub const fn ack(&self) -> u64 {
        match *self {
            Segment::Data { ack, .. } | Segment::Ack { ack, .. } => ack,
            Segment::StampedAck { number, .. } => number.bits() >> 1,
            _ => 0,
        }
    }
    /// Receive window in bytes, already scaled; `None` for the whole receive window.
    #[inline]
    pub const fn window(&self) -> Option<u32> {
        match *self {
            Segment::Data { window, .. }
            | Segment::Ack { window, .. }
            | Segment::Setup { window, .. }
            | Segment::StampedData { window, .. }
            | Segment::StampedSyn { window, .. }
            | Segment::StampedSetup { window, .. } => Some(window),
            Segment::StampedAck { .. } => None,
        }
    }
    /// Sequence number of the first payload byte, and payload bytes; `None` without payload.
    #[inline]
    pub const fn data_range(&self) -> Option<(u64, u16)> {
        match *self {
            Segment::Data { seq, len, .. } | Segment::StampedData { seq, len, .. } => {
                Some((seq, len))
            }
            _ => None,
        }
    }
    /// Payload bytes.
    #[inline]
    pub const fn payload(&self) -> u32 {
        match self.data_range() {
            Some((_, len)) => len as u32,
            None => 0,
        }
    }
    /// The time stamps, if the segment has some.
    pub const fn stamps(&self) -> Option<Stamps> {
        match *self {
            Segment::StampedData { stamps, .. }
            | Segment::StampedAck { stamps, .. }
            | Segment::StampedSyn { stamps, .. }
            | Segment::StampedSetup { stamps, .. } => Some(stamps),
            _ => None,
        }
    }
    /// The segment as one of the connection set-up; `None` for any other.
    #[inline]
    pub const fn handshake(&self) -> Option<Handshake> {
        match *self {
            Segment::Setup { handshake, .. } => Some(handshake),
            Segment::StampedSyn {
                answers, options, ..
            } => Some(if answers {
                Handshake::SynAck(options)
            } else {
                Handshake::Syn(options)
            }),
            Segment::StampedSetup { seq, .. } => Some(Handshake::Ack { seq }),
            _ => None,
        }
    }
    /// The SACK blocks; only an acknowledgement without payload has any.
    #[inline]
    pub const fn blocks(&self) -> Blocks {
        match *self {
            Segment::Ack { blocks, .. } | Segment::StampedAck { blocks, .. } => blocks,
            _ => Blocks::NONE,
        }
    }
    /// Time at which the segment was handed to IP; `None` for an acknowledgement without payload,
    /// whose delay nobody measures.
    #[inline]
    pub const fn sent(&self) -> Option<Ps> {
        match *self {
            Segment::Data { sent, .. }
            | Segment::Setup { sent, .. }
            | Segment::StampedData { sent, .. }
            | Segment::StampedSyn { sent, .. }
            | Segment::StampedSetup { sent, .. } => Some(sent),
            Segment::Ack { .. } | Segment::StampedAck { .. } => None,
        }
    }
    /// Sequence number, counted in data; `None` for a SYN or SYN-ACK, whose number precedes all
    /// data. Acknowledgements from the receiving end have 0, as that end sends no data.
    pub const fn sequence(&self) -> Option<u64> {
        match *self {
            Segment::Data { seq, .. }
            | Segment::StampedData { seq, .. }
            | Segment::StampedSetup { seq, .. } => Some(seq),
            Segment::Ack { .. } | Segment::StampedAck { .. } => Some(0),
            Segment::StampedSyn { .. } => None,
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
            _ => self.rare_option_bytes(),
        }
    }
    /// Bytes of TCP options of a segment of any kind.
    #[inline(never)]
    fn rare_option_bytes(&self) -> u32 {
        match self.handshake() {
            Some(Handshake::Syn(options) | Handshake::SynAck(options)) => options.bytes(),
            Some(Handshake::Ack { .. }) | None => {
                let stamps = if self.stamps().is_some() {
                    STAMP_BYTES
                } else {
                    0
                };
                stamps + self.blocks().option_bytes()
            }
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

    #[test]
    fn a_stamped_acknowledgement_keeps_number_and_flag() {
        for ack in [0, 1, (1 << 55) - 1] {
            for ece in [false, true] {
                let segment = Segment::StampedAck {
                    number: StampedNumber::new(ack, ece),
                    stamps: Stamps { value: 7, echo: 5 },
                    blocks: Blocks::NONE,
                };
                assert_eq!((segment.ack(), segment.has_ece()), (ack, ece));
                assert_eq!(segment.option_bytes(), 12);
            }
        }
    }
}
