//! Time stamps of segments (RFC 7323 sections 3 to 5): the option, and its processing at each end.
//!
//! The clock is that of the retransmission timer, as in Net/3, with one tick per `granularity`. RFC
//! 7323 section 5.4 requires ticks of 1 ms to 1 s. Stamps are 32 bits wide and wrap.

use super::ticks::Ticks;
use crate::kernel::Ps;

/// Bytes of the time stamp option in the header: two NOPs, kind, length and two stamps (RFC 7323
/// appendix A).
pub const STAMP_BYTES: u32 = 12;

/// The time stamp option of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// TSval: number of ticks of the sending end's clock.
    pub value: u32,
    /// TSecr: the TSval of the other end that the sending end echoes; 0 in a SYN.
    pub echo: u32,
}

/// State of the time stamps at one end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamping {
    ticks: Ticks,
    /// TS.Recent, and the number of ticks of this end's clock at the time when TS.Recent was set; `None` before
    /// the first time stamp of the other end.
    recent: Option<(u32, u64)>,
    /// Last.ACK.sent: the last acknowledgement number sent.
    last_ack: u64,
}

impl Stamping {
    /// State before the first stamp of the other end.
    pub fn new(ticks: Ticks) -> Stamping {
        Stamping {
            ticks,
            recent: None,
            last_ack: 0,
        }
    }
    /// The time stamp option of a segment sent at `now`.
    pub fn stamps(&self, now: Ps) -> Stamps {
        Stamps {
            value: self.ticks.count(now) as u32,
            echo: self.recent.map_or(0, |(value, _)| value),
        }
    }
    /// The time stamp option of an acknowledgement sent at `now` with the number `ack`.
    pub fn acknowledge(&mut self, now: Ps, ack: u64) -> Stamps {
        self.last_ack = ack;
        self.stamps(now)
    }
    /// Processes the TSval of a segment whose first byte is `seq`. Returns false if PAWS refuses the segment,
    /// because TSval is before TS.Recent (RFC 7323 section 5.3 R1). Only a segment that begins at or below
    /// Last.ACK.sent changes TS.Recent. So a delayed acknowledgement echoes its first segment, and an
    /// acknowledgement after a gap echoes the last segment in order (section 4.3 (2)). If TS.Recent is older than
    /// 2^31 ticks, no segment is refused, as time stamps may have wrapped (section 5.5).
    pub fn accepts(&mut self, now: Ps, value: u32, seq: u64) -> bool {
        let count = self.ticks.count(now);
        let valid = self.recent.is_none_or(|(recent, set)| {
            count - set >= 1 << 31 || (value.wrapping_sub(recent) as i32) >= 0
        });
        if valid && seq <= self.last_ack {
            self.recent = Some((value, count));
        }
        valid
    }
    /// Number of ticks of the clock at the time when the clock showed the time stamp `echo`. Of the possible
    /// numbers, the latest that is not after `now`.
    pub fn tick_of(&self, now: Ps, echo: u32) -> u64 {
        let count = self.ticks.count(now);
        count.saturating_sub((count as u32).wrapping_sub(echo) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamping() -> Stamping {
        Stamping::new(Ticks::new(Ps(10), Ps(3)))
    }

    /// RFC 7323 section 4.3, first example: A, B and C arrive in order and are acknowledged
    /// together.
    #[test]
    fn a_delayed_acknowledgement_echoes_its_first_segment() {
        let mut end = stamping();
        for (seq, value) in [(0, 1), (1, 2), (2, 3)] {
            assert!(end.accepts(Ps::ZERO, value, seq));
            assert_eq!(end.stamps(Ps::ZERO).echo, 1);
        }
        assert_eq!(end.acknowledge(Ps::ZERO, 3).echo, 1);
    }

    /// RFC 7323 section 4.3, second example: C and E arrive before B and D. Segments A to E have
    /// the numbers 0 to 4. Columns are number, TSval, acknowledgement, TSecr.
    #[test]
    fn an_acknowledgement_after_a_gap_echoes_the_last_segment_in_order() {
        let mut end = stamping();
        for (seq, value, ack, echo) in [
            (0, 1, 1, 1),
            (2, 3, 1, 1),
            (1, 2, 3, 2),
            (4, 5, 3, 2),
            (3, 4, 5, 4),
        ] {
            assert!(end.accepts(Ps::ZERO, value, seq));
            assert_eq!(end.acknowledge(Ps::ZERO, ack).echo, echo);
        }
    }

    /// RFC 7323 section 5.2: stamps are compared modulo 2^32.
    #[test]
    fn paws_refuses_stamps_before_the_recent_one_also_where_they_wrap() {
        let mut end = stamping();
        assert!(end.accepts(Ps::ZERO, u32::MAX, 0));
        assert!(!end.accepts(Ps::ZERO, u32::MAX - 1, 0));
        assert!(end.accepts(Ps::ZERO, u32::MAX, 0));
        assert!(end.accepts(Ps::ZERO, 1, 0));
        assert!(!end.accepts(Ps::ZERO, u32::MAX, 0));
        assert_eq!(end.stamps(Ps::ZERO).echo, 1);
        // RFC 7323 section 5.5: after 2^31 ticks without a segment an old stamp is not refused.
        let half = Ps(10 << 31);
        assert!(!end.accepts(Ps(half.0 - 10), 1 << 31 | 1, 0));
        assert!(end.accepts(half, 1 << 31 | 1, 0));
    }

    #[test]
    fn a_stamp_counts_ticks_and_its_echo_gives_them_back() {
        let end = stamping();
        // The clock ticks at 3, 13, 23 and so on.
        assert_eq!([2, 3, 29].map(|at| end.stamps(Ps(at)).value), [0, 1, 3]);
        assert_eq!(end.tick_of(Ps(29), 1), 1);
        // 2^32 + 5 ticks: the clock showed a stamp of 2^32 - 1 six ticks ago.
        let late = Ps(3 + 10 * ((1 << 32) + 4));
        assert_eq!(end.stamps(late).value, 5);
        assert_eq!(end.tick_of(late, u32::MAX), u32::MAX as u64);
    }
}
