//! The TCP segment, without its payload bytes.

use super::blocks::Blocks;
use super::handshake::{Handshake, SynOptions};
use super::stamps::{STAMP_BYTES, Stamps};
use crate::kernel::Ps;

/// Bytes of TCP and IPv4 headers without options.
pub const HEADER_BYTES: u32 = 40;

/// Flags of a segment with payload, and the ECN code point of its IP packet (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFlags(u8);

impl DataFlags {
    /// Not-ECT: queues discard the packet instead of marking it.
    pub const NONE: DataFlags = DataFlags(0);
    /// ECT(0): queues may mark the packet.
    pub const ECT_0: DataFlags = DataFlags(1);
    /// ECT(0) and the CWR flag, which only new data carry (RFC 3168 section 6.1.2).
    pub const ECT_0_CWR: DataFlags = DataFlags(3);
    /// The FIN flag: a FIN follows the last byte of the segment.
    pub const FIN: DataFlags = DataFlags(4);
    /// The segment also acknowledges the FIN of the other end.
    pub const ACKS_FIN: DataFlags = DataFlags(8);
    /// ECT(0) and CE: a queue has marked the packet. A router copies the mark into this flag when the next link
    /// layer carries no marks (ATM), so that the mark reaches the receiver.
    pub const CE: DataFlags = DataFlags(16 | 1);

    /// The union of these flags and `others`.
    pub const fn with(self, others: DataFlags) -> DataFlags {
        DataFlags(self.0 | others.0)
    }
    /// True if these flags include all of `others`.
    pub const fn has(self, others: DataFlags) -> bool {
        self.0 & others.0 == others.0
    }
    /// True if the segment carries a FIN or acknowledges one.
    pub const fn closes(self) -> bool {
        self.0 & (DataFlags::FIN.0 | DataFlags::ACKS_FIN.0) != 0
    }
}

/// State of the FIN of an end that sends acknowledgements and no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum OwnFin {
    /// The FIN has not been sent.
    NotYet,
    /// This segment carries the FIN.
    Here,
    /// The FIN has been acknowledged.
    Acknowledged,
}

/// A TCP segment, without its payload bytes. Sequence numbers are 64 bits wide and never wrap:
/// window scaling with protection against wrapped numbers (RFC 7323) is assumed. Data are counted
/// from 0; for real numbers see [`super::handshake`]. Windows are in bytes, already scaled.
///
/// The order of the fields is their order in memory. Window and acknowledgement number have the same place in
/// each variant that has both. Segments with time stamps are separate variants, so that other segments need no
/// memory for time stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Segment {
    /// A segment with payload.
    Data {
        /// Flags, and ECN code point of the packet.
        flags: DataFlags,
        /// Number of payload bytes.
        len: u16,
        /// Receive window in bytes.
        window: u32,
        /// Acknowledgement number: next byte that the sender of this segment expects.
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
        /// FIN state of the end that sends this segment.
        fin: OwnFin,
        /// Receive window in bytes.
        window: u32,
        /// Acknowledgement number: next byte that the sender of this segment expects.
        ack: u64,
        /// SACK blocks: data above `ack` that have arrived.
        blocks: Blocks,
    },
    /// A segment of the connection set-up, or the acknowledgement of a FIN; it acknowledges no
    /// data.
    Setup {
        /// Receive window in bytes.
        window: u32,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
        /// Kind of the segment, with its options or number.
        handshake: Handshake,
    },
    /// A [`Segment::Data`] with time stamps, which acknowledges no data, but may acknowledge a FIN.
    StampedData {
        /// Flags, and ECN code point of the packet.
        flags: DataFlags,
        /// Number of payload bytes.
        len: u16,
        /// Receive window in bytes.
        window: u32,
        /// Time stamp option of the segment.
        stamps: Stamps,
        /// Sequence number of the first payload byte.
        seq: u64,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
    /// A [`Segment::Ack`] with time stamps. Its window is always the whole receive window, which both ends know,
    /// so it is not stored.
    StampedAck {
        /// Acknowledgement number, ECN-Echo flag and FIN state.
        number: StampedNumber,
        /// Time stamp option of the segment.
        stamps: Stamps,
        /// SACK blocks: data above the acknowledgement number that have arrived.
        blocks: Blocks,
    },
    /// A [`Segment::Setup`] with time stamps that is a [`Handshake::Syn`] or [`Handshake::SynAck`].
    StampedSyn {
        /// True for a SYN-ACK, false for a SYN.
        answers: bool,
        /// Receive window in bytes.
        window: u32,
        /// Time stamp option of the segment.
        stamps: Stamps,
        /// The other options of the segment.
        options: SynOptions,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
    /// A [`Segment::Setup`] with time stamps that is a [`Handshake::Ack`] or
    /// [`Handshake::AckOfFin`].
    StampedSetup {
        /// True if the segment acknowledges a FIN.
        closes: bool,
        /// Receive window in bytes.
        window: u32,
        /// Time stamp option of the segment.
        stamps: Stamps,
        /// Sequence number of the next byte that the sender of this segment will send.
        seq: u64,
        /// Time at which the segment was handed to IP, for packet delays.
        sent: Ps,
    },
}

/// An acknowledgement number below 2^53, the ECN-Echo flag and the FIN state, in seven bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StampedNumber([u8; 7]);

impl StampedNumber {
    /// # Panics
    /// If `ack` is 2^53 or more. A connection of 800 Gbit/s would need 25 hours to reach this number.
    pub fn new(ack: u64, ece: bool, fin: OwnFin) -> StampedNumber {
        assert!(ack >> 53 == 0, "an acknowledgement of {ack}");
        let [_, bytes @ ..] = (ack << 3 | (fin as u64) << 1 | ece as u64).to_be_bytes();
        StampedNumber(bytes)
    }
    const fn ack(self) -> u64 {
        self.bits() >> 3
    }
    const fn has_ece(self) -> bool {
        self.bits() & 1 != 0
    }
    const fn fin(self) -> OwnFin {
        match self.bits() >> 1 & 3 {
            0 => OwnFin::NotYet,
            1 => OwnFin::Here,
            _ => OwnFin::Acknowledged,
        }
    }
    const fn bits(self) -> u64 {
        let [b, c, d, e, f, g, h] = self.0;
        u64::from_be_bytes([0, b, c, d, e, f, g, h])
    }
}

impl Segment {
    /// A segment with the data `seq..seq + len`, sent at time 0. Its packet is not ECT, and its sender expects no
    /// data and advertises no window.
    pub const fn data(seq: u64, len: u16) -> Segment {
        Segment::Data {
            flags: DataFlags::NONE,
            seq,
            ack: 0,
            sent: Ps::ZERO,
            window: 0,
            len,
        }
    }

    /// A segment of the connection set-up or the acknowledgement of a FIN, with or without time
    /// stamps.
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
            Handshake::Ack { seq } | Handshake::AckOfFin { seq } => Segment::StampedSetup {
                closes: matches!(handshake, Handshake::AckOfFin { .. }),
                window,
                stamps,
                seq,
                sent,
            },
        }
    }

    /// True if the IP packet carries ECT(0), as only packets with new data do. Not ECT(0) are acknowledgements
    /// without payload (RFC 3168 section 6.1.4), segments of the set-up (6.1.1) and retransmissions (6.1.5). Over
    /// Ethernet, DCTCP sends all packets as ECT(0), which this function does not cover.
    #[inline]
    pub const fn is_ect(&self) -> bool {
        match *self {
            Segment::Data { flags, .. } | Segment::StampedData { flags, .. } => {
                flags.has(DataFlags::ECT_0)
            }
            _ => false,
        }
    }
    /// True if the segment stores the CE mark of its packet, on a link layer without marks.
    #[inline]
    pub const fn is_ce(&self) -> bool {
        match *self {
            Segment::Data { flags, .. } | Segment::StampedData { flags, .. } => {
                flags.has(DataFlags::CE)
            }
            _ => false,
        }
    }
    /// This segment with the CE mark of its packet stored. Only a segment with data stores the mark, because no
    /// end reads the mark of other packets.
    pub const fn marked(mut self) -> Segment {
        if let Segment::Data { flags, .. } | Segment::StampedData { flags, .. } = &mut self {
            *flags = flags.with(DataFlags::CE);
        }
        self
    }
    /// The ECN-Echo flag. In the set-up this flag offers ECN, or agrees to it (RFC 3168 section 6.1.1).
    #[inline]
    pub const fn has_ece(&self) -> bool {
        match *self {
            Segment::Ack { ece, .. } => ece,
            Segment::StampedAck { number, .. } => number.has_ece(),
            _ => match self.handshake() {
                Some(Handshake::Syn(options) | Handshake::SynAck(options)) => options.ecn,
                _ => false,
            },
        }
    }
    /// The CWR flag. In a SYN this flag is part of the offer of ECN (RFC 3168 section 6.1.1).
    #[inline]
    pub const fn has_cwr(&self) -> bool {
        match *self {
            Segment::Data { flags, .. } | Segment::StampedData { flags, .. } => {
                flags.has(DataFlags::ECT_0_CWR)
            }
            _ => match self.handshake() {
                Some(Handshake::Syn(options)) => options.ecn,
                _ => false,
            },
        }
    }
    /// True if the segment carries the FIN flag.
    #[inline]
    pub const fn has_fin(&self) -> bool {
        match *self {
            Segment::Data { flags, .. } | Segment::StampedData { flags, .. } => {
                flags.has(DataFlags::FIN)
            }
            _ => matches!(self.own_fin(), OwnFin::Here),
        }
    }
    /// FIN state of an end that sends acknowledgements without payload.
    const fn own_fin(&self) -> OwnFin {
        match *self {
            Segment::Ack { fin, .. } => fin,
            Segment::StampedAck { number, .. } => number.fin(),
            _ => OwnFin::NotYet,
        }
    }
    /// True if this segment, from the end that sends the data, acknowledges the FIN of the other end. This is not
    /// part of [`Self::ack`], so that the code of `ack` stays short.
    #[inline(never)]
    pub const fn acknowledges_fin(&self) -> bool {
        match *self {
            Segment::Data { flags, .. } | Segment::StampedData { flags, .. } => {
                flags.has(DataFlags::ACKS_FIN)
            }
            _ => matches!(self.handshake(), Some(Handshake::AckOfFin { .. })),
        }
    }
    /// Acknowledgement number: the next byte that the sender of this segment expects; 0 in the
    /// set-up. A FIN counts as a byte.
    #[inline]
    pub const fn ack(&self) -> u64 {
        match *self {
            Segment::Data { ack, .. } | Segment::Ack { ack, .. } => ack,
            Segment::StampedAck { number, .. } => number.ack(),
            _ => self.acknowledges_fin() as u64,
        }
    }
    /// This acknowledgement without payload, with the acknowledgement number `number` instead of
    /// its own.
    pub fn acknowledging(mut self, number: u64) -> Segment {
        let (ece, fin) = (self.has_ece(), self.own_fin());
        match &mut self {
            Segment::Ack { ack, .. } => *ack = number,
            Segment::StampedAck { number: old, .. } => *old = StampedNumber::new(number, ece, fin),
            _ => {}
        }
        self
    }
    /// Receive window in bytes, already scaled. `None` means the whole receive window, which both ends know.
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
    /// Sequence number of the first payload byte, and number of payload bytes; `None` without
    /// payload.
    #[inline]
    pub const fn data_range(&self) -> Option<(u64, u16)> {
        match *self {
            Segment::Data { seq, len, .. } | Segment::StampedData { seq, len, .. } => {
                Some((seq, len))
            }
            _ => None,
        }
    }
    /// Number of payload bytes.
    #[inline]
    pub const fn payload(&self) -> u32 {
        match self.data_range() {
            Some((_, len)) => len as u32,
            None => 0,
        }
    }
    /// The time stamp option; `None` if the segment has no such option.
    pub const fn stamps(&self) -> Option<Stamps> {
        match *self {
            Segment::StampedData { stamps, .. }
            | Segment::StampedAck { stamps, .. }
            | Segment::StampedSyn { stamps, .. }
            | Segment::StampedSetup { stamps, .. } => Some(stamps),
            _ => None,
        }
    }
    /// The kind of a segment of the connection set-up; `None` for other segments.
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
            Segment::StampedSetup { closes, seq, .. } => Some(if closes {
                Handshake::AckOfFin { seq }
            } else {
                Handshake::Ack { seq }
            }),
            _ => None,
        }
    }
    /// The SACK blocks. Only an acknowledgement without payload can have blocks.
    #[inline]
    pub const fn blocks(&self) -> Blocks {
        match *self {
            Segment::Ack { blocks, .. } | Segment::StampedAck { blocks, .. } => blocks,
            _ => Blocks::NONE,
        }
    }
    /// Time at which the segment was handed to IP. `None` for an acknowledgement without payload:
    /// its delay is not measured.
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
    /// Sequence number, counted from the first data byte. `None` for a SYN or SYN-ACK, whose number precedes all
    /// data. Acknowledgements from the end that receives the data, and so sends none, have 0; after the FIN of
    /// this end they have 1.
    pub const fn sequence(&self) -> Option<u64> {
        match *self {
            Segment::Data { seq, .. }
            | Segment::StampedData { seq, .. }
            | Segment::StampedSetup { seq, .. } => Some(seq),
            Segment::Ack { .. } | Segment::StampedAck { .. } => {
                Some(matches!(self.own_fin(), OwnFin::Acknowledged) as u64)
            }
            Segment::StampedSyn { .. } => None,
            Segment::Setup { handshake, .. } => match handshake {
                Handshake::Syn(_) | Handshake::SynAck(_) => None,
                Handshake::Ack { seq } | Handshake::AckOfFin { seq } => Some(seq),
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
    /// Bytes of TCP options of any segment except [`Segment::Data`], which has no options.
    #[inline(never)]
    fn rare_option_bytes(&self) -> u32 {
        match self.handshake() {
            Some(Handshake::Syn(options) | Handshake::SynAck(options)) => options.bytes(),
            _ => {
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
    fn a_marked_segment_keeps_cwr_and_only_data_remember_a_mark() {
        for (ecn, cwr) in [(DataFlags::ECT_0, false), (DataFlags::ECT_0_CWR, true)] {
            let mut data = Segment::data(7, 5);
            if let Segment::Data { flags, .. } = &mut data {
                *flags = ecn;
            }
            assert!(!data.is_ce());
            for marked in [data.marked(), data.marked().marked()] {
                assert!(marked.is_ce() && marked.is_ect());
                assert_eq!((marked.has_cwr(), marked.data_range()), (cwr, Some((7, 5))));
            }
        }
        let setup = Segment::setup(Handshake::Ack { seq: 3 }, 9, Ps(1), None);
        assert_eq!(setup.marked(), setup);
    }

    #[test]
    fn a_stamped_acknowledgement_keeps_number_and_flag() {
        let fins = [OwnFin::NotYet, OwnFin::Here, OwnFin::Acknowledged];
        for (ack, fin) in [0, 1, (1 << 53) - 1].into_iter().zip(fins) {
            for ece in [false, true] {
                let segment = Segment::StampedAck {
                    number: StampedNumber::new(ack, ece, fin),
                    stamps: Stamps { value: 7, echo: 5 },
                    blocks: Blocks::NONE,
                };
                assert_eq!((segment.ack(), segment.has_ece()), (ack, ece));
                let sequence = (fin == OwnFin::Acknowledged) as u64;
                assert_eq!(segment.sequence(), Some(sequence));
                assert_eq!(segment.has_fin(), fin == OwnFin::Here);
                assert_eq!(segment.option_bytes(), 12);
            }
        }
    }
}
