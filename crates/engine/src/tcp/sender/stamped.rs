//! Time stamps at the sender (RFC 7323): round trips by echoes, and PAWS.

use super::{TcpSender, Timed};
use crate::kernel::Ps;
use crate::tcp::segment::{DataFlags, Segment};
use crate::tcp::stamps::Stamps;

impl TcpSender {
    /// The time stamps of a segment that is sent now; `None` without any.
    pub(super) fn stamps(&self, now: Ps) -> Option<Stamps> {
        self.stamping.as_ref().map(|stamping| stamping.stamps(now))
    }

    /// The segment with the time stamps of now.
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

    /// Takes the time stamps of an acknowledgement of everything below `ack`. Returns false if PAWS
    /// refuses it. Only an acknowledgement of new data measures the round trip (RFC 7323 section 4.1).
    /// Each such one does, with the gains of one sample in a round trip, as in Net/3, Linux and ns-3:
    /// the smaller gains of appendix G are an option. The echo shows which copy was received, so that
    /// Karn's rule has no meaning.
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

    /// Takes the time stamps of a SYN-ACK. Without any the connection has none (RFC 7323 section 3.2).
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
