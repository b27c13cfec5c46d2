//! The segments that set a connection up (RFC 793 section 3.4), encoded in fields that a segment
//! without payload does not use.
//!
//! On the line a SYN carries the initial sequence number (ISN) of its end, and occupies it. Here
//! data are counted from 0, so byte `n` has the number ISN + 1 + `n` on the line, and an
//! acknowledgement of everything below `n` carries ISN + 1 + `n` with the ISN of the other end. A
//! SYN has no number in that count.

use crate::kernel::units::Bytes;

/// Largest window in 16 bits, as in a SYN, whose window is never scaled (RFC 7323 section 2.2).
pub const UNSCALED_WINDOW: u64 = 65_535;

/// Largest shift count (RFC 7323 section 2.3).
pub const LARGEST_SHIFT: u8 = 14;

/// Largest window of a connection with set-up.
pub const SCALED_WINDOW: Bytes = Bytes(UNSCALED_WINDOW << LARGEST_SHIFT);

/// Options of a SYN or SYN-ACK. On the line: MSS (4 bytes), a NOP and the window scale (1 + 3), and
/// where SACK is permitted two NOPs and that option (2 + 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynOptions {
    /// Largest segment that the end accepts (RFC 1122 section 4.2.2.6).
    pub mss: u16,
    /// Shift count of the windows that the end advertises after this segment (RFC 7323 section
    /// 2.2).
    pub shift: u8,
    /// True if acknowledgements may carry SACK blocks (RFC 2018 section 2).
    pub sack_permitted: bool,
}

impl SynOptions {
    /// Bytes of the options in the header.
    pub const fn bytes(self) -> u32 {
        if self.sack_permitted { 12 } else { 8 }
    }
    /// A window as read from any segment but a SYN (RFC 7323 section 2.3): the shift loses its low
    /// bits.
    pub const fn scaled(self, window: u32) -> u32 {
        window >> self.shift << self.shift
    }
    /// A window as a SYN carries it.
    pub fn unscaled(window: u32) -> u32 {
        window.min(UNSCALED_WINDOW as u32)
    }
}

/// A segment of the set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// From the end that opens the connection, and sends the data.
    Syn(SynOptions),
    /// The answer.
    SynAck(SynOptions),
    /// The acknowledgement of the answer, also of a second one.
    Ack {
        /// Next byte to be sent.
        seq: u64,
    },
}

/// The lowest two bits of the word; those of SACK blocks differ.
const MARK: u64 = 3;

impl Handshake {
    /// The code in the sequence number of a segment without payload.
    pub(super) const fn word(self) -> u64 {
        let (kind, rest) = match self {
            Handshake::Syn(options) => (0, options.word()),
            Handshake::SynAck(options) => (1, options.word()),
            Handshake::Ack { seq } => (2, seq),
        };
        rest << 4 | kind << 2 | MARK
    }
    /// Decodes the sequence number of a segment without payload; `None` if it is not of the set-up.
    pub(super) const fn from_word(word: u64) -> Option<Handshake> {
        let rest = word >> 4;
        match (word & MARK, word >> 2 & 3) {
            (MARK, 0) => Some(Handshake::Syn(SynOptions::from_word(rest))),
            (MARK, 1) => Some(Handshake::SynAck(SynOptions::from_word(rest))),
            (MARK, 2) => Some(Handshake::Ack { seq: rest }),
            _ => None,
        }
    }
    /// True if a segment without payload with this sequence number belongs to the set-up.
    #[inline]
    pub(super) const fn is_word(word: u64) -> bool {
        word & MARK == MARK
    }
}

impl SynOptions {
    const fn word(self) -> u64 {
        (self.mss as u64) << 5 | (self.shift as u64) << 1 | self.sack_permitted as u64
    }
    const fn from_word(word: u64) -> SynOptions {
        SynOptions {
            mss: (word >> 5) as u16,
            shift: (word >> 1 & 15) as u8,
            sack_permitted: word & 1 == 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Ps;
    use crate::tcp::blocks::Blocks;
    use crate::tcp::intervals::Intervals;
    use crate::tcp::{Recovery, Segment, TcpConfig};

    fn options(window: u64) -> SynOptions {
        TcpConfig {
            window: Bytes(window),
            ..TcpConfig::default()
        }
        .syn_options()
    }

    #[test]
    fn the_shift_is_the_least_with_which_the_window_fits() {
        let shifts = [512, 65_535, 65_536, 131_071, 131_072, SCALED_WINDOW.0]
            .map(|window| options(window).shift);
        assert_eq!(shifts, [0, 0, 1, 1, 2, 14]);
        // 100,001 in units of two bytes is 50,000; in a SYN it is the largest number of 16 bits.
        assert_eq!(
            (
                options(100_001).scaled(100_001),
                SynOptions::unscaled(100_001)
            ),
            (100_000, 65_535)
        );
        assert_eq!(
            (options(9_001).scaled(9_001), SynOptions::unscaled(9_001)),
            (9_001, 9_001)
        );
        assert_eq!(
            options(SCALED_WINDOW.0).scaled(SCALED_WINDOW.0 as u32) as u64,
            SCALED_WINDOW.0
        );
    }

    #[test]
    fn every_segment_of_the_set_up_is_told_from_every_other() {
        let widest = SynOptions {
            mss: u16::MAX,
            shift: 14,
            sack_permitted: true,
        };
        let plain = SynOptions {
            mss: 1,
            shift: 0,
            sack_permitted: false,
        };
        let acks = [0, 1, 1 << 50].map(|seq| Handshake::Ack { seq });
        for handshake in [widest, plain]
            .map(Handshake::Syn)
            .into_iter()
            .chain([widest, plain].map(Handshake::SynAck))
            .chain(acks)
        {
            let segment = Segment::of_setup(Ps(5), handshake, 0, 9);
            assert_eq!(
                (segment.handshake(), segment.len, segment.sent),
                (Some(handshake), 0, Ps(5))
            );
            assert_eq!(segment.blocks(), Blocks::default());
            let carries = matches!(handshake, Handshake::Syn(options) | Handshake::SynAck(options) if options == widest);
            let expected = if matches!(handshake, Handshake::Ack { .. }) {
                0
            } else if carries {
                12
            } else {
                8
            };
            assert_eq!(segment.option_bytes(), expected);
        }
        let mut held = Intervals::default();
        for far in [100, 1 << 22] {
            held.insert(far, far + 10);
            let ack = Segment::acknowledgement(Ps(5), 7, 9, Blocks::latest(&held, 7));
            assert_eq!((ack.handshake(), ack.sequence()), (None, Some(0)));
        }
        assert_eq!(
            Segment {
                seq: 3,
                len: 1,
                ..Segment::default()
            }
            .handshake(),
            None
        );
    }

    #[test]
    fn a_selective_end_permits_sack() {
        let selective = TcpConfig {
            recovery: Recovery::Sack,
            ..TcpConfig::default()
        };
        assert_eq!(
            (
                options(512).sack_permitted,
                selective.syn_options().sack_permitted
            ),
            (false, true)
        );
    }
}
