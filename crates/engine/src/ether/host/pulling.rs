//! The pacer of receiver credits at a host: one pull after the other, over all sources that send to the host, in turn.

use super::Host;
use crate::ether::transport::Links;
use crate::kernel::Ps;

impl Host {
    /// Puts an endpoint that has packets to pull into the round of pulls.
    pub(super) fn enrol(&mut self, number: usize, now: Ps) {
        if self.endpoints[number].wants_to_pull() && self.pulls.enrol(number) {
            self.note_pull(now);
        }
    }

    /// The next endpoint pulls.
    #[cold]
    pub(super) fn pull(&mut self, now: Ps, links: &mut Links) {
        if let Some(number) = self.pulls.take()
            && let Some(span) = self.endpoints[number].pull()
        {
            self.pulls.hold_until(now + span);
            self.enrol(number, now);
            self.offer(number, now, links);
        }
        self.note_pull(now);
    }

    fn note_pull(&mut self, now: Ps) {
        let component = self.interfaces.len() + self.endpoints.len();
        self.clocks.set(component, self.pulls.next(now));
    }
}
