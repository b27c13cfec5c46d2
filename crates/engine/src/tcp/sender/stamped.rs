//! Time stamps at the sender (RFC 7323): round trips from echoed stamps, and PAWS.

use super::{TcpSender, Timed};
use crate::kernel::Ps;
use crate::tcp::segment::{DataFlags, Segment};
use crate::tcp::stamps::Stamps;

impl TcpSender {
    /// The time stamp option of a segment sent at `now`; `None` without time stamps.
    pub(super) fn stamps(&self, now: Ps) -> Option<Stamps> {
        self.stamping.as_ref().map(|stamping| stamping.stamps(now))
    }

    /// A segment with payload `seq..seq + len` and the time stamps of `now`.
    #[inline(never)]
    pub(super) fn stamped(&self, now: Ps, flags: DataFlags, seq: u64, len: u16) -> Segment {
        Segment::StampedData {
            flags,
            len,
            window: self.rcv_window,
            stamps: self.stamps(now).unwrap_or_default(),
            seq,
            sent: now,
        }
    }

    /// Processes the time stamps of an acknowledgement with the number `ack`. Returns false if PAWS refuses the
    /// acknowledgement. Every acknowledgement of new data measures the round trip; no other acknowledgement does
    /// (RFC 7323 section 4.1). The gains are those for one sample per round trip, as in Net/3, Linux and ns-3;
    /// the smaller gains of appendix G are optional. The echo shows which copy of a segment was received, so
    /// Karn's rule is not needed.
    #[inline(never)]
    pub(super) fn take_stamps(&mut self, now: Ps, ack: u64, stamps: Stamps) -> bool {
        let Some(stamping) = &mut self.stamping else {
            return true;
        };
        if !stamping.accepts(now, stamps.value, 0) {
            return false;
        }
        if ack > self.snd_una {
            self.timed = Some(Timed {
                seq: self.snd_una,
                since: stamping.tick_of(now, stamps.echo),
            });
        }
        true
    }

    /// Processes the time stamps of a SYN-ACK. If the SYN-ACK has none, the connection does not use time stamps
    /// (RFC 7323 section 3.2).
    pub(super) fn take_answer(&mut self, now: Ps, stamps: Option<Stamps>) {
        match (&mut self.stamping, stamps) {
            (Some(stamping), Some(stamps)) => {
                stamping.accepts(now, stamps.value, 0);
                let since = stamping.tick_of(now, stamps.echo);
                self.timed = Some(Timed { seq: 0, since });
            }
            _ => self.stamping = None,
        }
    }
}
