//! Credits of ExpressPass at the sending end of a flow: messages to the receiver, and the timer.

use super::super::demand::Demand;
use super::super::packet::{Kind, RocePacket};
use super::Sender;
use crate::kernel::Ps;

impl Sender {
    /// True if a message about credits may leave, or a packet for which there is a credit.
    pub(super) fn may_leave(&self, demand: &Demand) -> bool {
        let wants = self.next < self.end();
        demand.message(wants).is_some() || wants && demand.has_credit()
    }
    /// Time without progress after which the retransmission timer expires.
    #[inline]
    pub(super) fn patience(&self) -> Ps {
        match &self.demand {
            None => self.timeout,
            Some(demand) => self.timeout.max(demand.usual_silence()),
        }
    }
    /// Returns the message that requests credits or stops them, sent at `now`. After a request the
    /// timer waits for the first credit.
    #[cold]
    pub(super) fn tell(&mut self, now: Ps, kind: Kind) -> RocePacket {
        if let Some(demand) = &mut self.demand {
            demand.tell(now, kind);
        }
        let packet = RocePacket::empty(kind, self.next, now);
        self.last = (now, self.framing.on_line(packet.octets()));
        if self.next == self.una {
            self.timer = match kind {
                Kind::Request => now.saturating_add(self.patience()),
                _ => Ps::NEVER,
            };
        }
        packet
    }
    /// Processes a credit that arrives at `now`, which shows that the request has arrived.
    pub(super) fn take_credit(&mut self, now: Ps, number: u32) {
        let demand = self.demand.as_mut();
        let is_first = demand.is_some_and(|demand| demand.take(now, number));
        if is_first && self.next == self.una {
            self.timer = Ps::NEVER;
        }
    }
}
