//! Credits of ExpressPass at the sending end: messages to the receiver, and the timer.

use super::super::demand::Demand;
use super::super::packet::{Kind, RocePacket};
use super::Sender;
use crate::kernel::Ps;

impl Sender {
    /// True if a packet with a credit may leave, or a message about credits.
    pub(super) fn may_leave(&self, demand: &Demand) -> bool {
        let wants = self.next < self.end();
        demand.message(wants).is_some() || wants && demand.has_credit()
    }
    /// Time without progress until the timer expires.
    #[inline]
    pub(super) fn patience(&self) -> Ps {
        match &self.demand {
            None => self.timeout,
            Some(demand) => self.timeout.max(demand.usual_silence()),
        }
    }
    /// Requests credits, or stops them. The timer waits for the first credit after a request.
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
    /// A credit arrives, so the request has arrived.
    pub(super) fn take_credit(&mut self, now: Ps, number: u32) {
        let demand = self.demand.as_mut();
        let is_first = demand.is_some_and(|demand| demand.take(now, number));
        if is_first && self.next == self.una {
            self.timer = Ps::NEVER;
        }
    }
}
