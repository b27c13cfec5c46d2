//! The segments that set a connection up (RFC 793 section 3.4), and the last segment that closes
//! it.
//!
//! On a real line, the SYN carries the initial sequence number (ISN) of its end, and occupies this number. Here
//! data are counted from 0. So byte `n` has the real number ISN + 1 + `n`. An acknowledgement of all data below
//! `n` has the same real number, with the ISN of the other end. In this count a SYN has no number; a FIN has the
//! number after that of the last byte.

use crate::kernel::units::Bytes;

/// Largest window in bytes that fits into 16 bits, as in a SYN, whose window is never scaled (RFC
/// 7323 section 2.2).
pub const UNSCALED_WINDOW: u64 = 65_535;

/// Largest shift count of window scaling (RFC 7323 section 2.3).
pub const LARGEST_SHIFT: u8 = 14;

/// Largest receive window of a connection with set-up.
pub const SCALED_WINDOW: Bytes = Bytes(UNSCALED_WINDOW << LARGEST_SHIFT);

/// Options of a SYN or SYN-ACK. In a real header: MSS (4 bytes), a NOP and the window scale (1 +
/// 3). If SACK is permitted, two NOPs and its option (2 + 2). Time stamps (10) follow the SACK
/// option instead of its NOPs, or have two NOPs of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynOptions {
    /// Largest payload in bytes of a segment that this end accepts (RFC 1122 section 4.2.2.6).
    pub mss: u16,
    /// Shift count of the windows that this end advertises in later segments (RFC 7323 section
    /// 2.2).
    pub shift: u8,
    /// True if acknowledgements to this end may carry SACK blocks (RFC 2018 section 2).
    pub sack_permitted: bool,
    /// In a SYN, true if this end can use ECN; in a SYN-ACK, true if both ends can. A real header has flags for
    /// this, not an option: ECE and CWR in a SYN, ECE alone in a SYN-ACK (RFC 3168 section 6.1.1).
    pub ecn: bool,
    /// In a SYN, true if this end can use time stamps; in a SYN-ACK, true if both ends can (RFC
    /// 7323 section 3.2).
    pub timestamps: bool,
}

impl SynOptions {
    /// Bytes of all these options in the header.
    pub const fn bytes(self) -> u32 {
        match (self.timestamps, self.sack_permitted) {
            (true, _) => 20,
            (false, true) => 12,
            (false, false) => 8,
        }
    }
    /// The window that the other end reads from a segment without SYN (RFC 7323 section 2.3). The low bits are
    /// zero, because the window is shifted.
    pub const fn scaled(self, window: u32) -> u32 {
        window >> self.shift << self.shift
    }
    /// The window that the other end reads from a SYN: at most 65,535 bytes.
    pub fn unscaled(window: u32) -> u32 {
        window.min(UNSCALED_WINDOW as u32)
    }
}

/// The kind of a segment of the set-up, or of an acknowledgement of a FIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// SYN, from the end that opens the connection and sends the data.
    Syn(SynOptions),
    /// SYN-ACK, the answer to a SYN.
    SynAck(SynOptions),
    /// The acknowledgement of a SYN-ACK, whether the SYN-ACK is the first one or repeated.
    Ack {
        /// Sequence number of the next byte that the sender of this segment will send.
        seq: u64,
    },
    /// The acknowledgement of a FIN by the end that sends the data.
    AckOfFin {
        /// Sequence number of the next byte that the sender of this segment will send. If this sender has sent a
        /// FIN, the number after that FIN.
        seq: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Ps;
    use crate::tcp::blocks::Blocks;
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
        // 100,001 bytes in units of two bytes are 50,000 units. In a SYN the window is the largest number of 16
        // bits.
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
    fn only_a_syn_and_its_answer_have_options() {
        let widest = SynOptions {
            mss: u16::MAX,
            shift: 14,
            sack_permitted: true,
            ecn: false,
            timestamps: false,
        };
        let plain = SynOptions {
            mss: 1,
            shift: 0,
            sack_permitted: false,
            ecn: true,
            timestamps: false,
        };
        let acks = [0, 1, 1 << 50].map(|seq| Handshake::Ack { seq });
        for handshake in [widest, plain]
            .map(Handshake::Syn)
            .into_iter()
            .chain([widest, plain].map(Handshake::SynAck))
            .chain(acks)
        {
            let segment = Segment::Setup {
                handshake,
                sent: Ps(5),
                window: 9,
            };
            assert_eq!(
                (segment.handshake(), segment.payload(), segment.sent()),
                (Some(handshake), 0, Some(Ps(5)))
            );
            assert_eq!(segment.blocks(), Blocks::NONE);
            let carries = matches!(handshake, Handshake::Syn(options) | Handshake::SynAck(options) if options == widest);
            let expected = if matches!(handshake, Handshake::Ack { .. }) {
                0
            } else if carries {
                12
            } else {
                8
            };
            assert_eq!(segment.option_bytes(), expected);
            // RFC 3168 6.1.1: ECE and CWR offer ECN, ECE alone agrees.
            let flags = match handshake {
                Handshake::Syn(options) => (options.ecn, options.ecn),
                Handshake::SynAck(options) => (options.ecn, false),
                Handshake::Ack { .. } | Handshake::AckOfFin { .. } => (false, false),
            };
            assert_eq!((segment.has_ece(), segment.has_cwr()), flags);
            assert!(!segment.is_ect());
        }
    }

    #[test]
    fn time_stamps_use_the_padding_of_sack_permitted() {
        let options = |recovery| {
            TcpConfig {
                recovery,
                timestamps: true,
                ..TcpConfig::default()
            }
            .syn_options()
        };
        // MSS 4 bytes, time stamps with the SACK option or NOPs 12, window scale 4.
        assert_eq!(options(Recovery::Sack).bytes(), 20);
        assert_eq!(options(Recovery::Reno).bytes(), 20);
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
