//! The pacer of pulls (receiver credits) at a host: it sends one pull after the other, for all sources that send to
//! the host, round robin.

use super::Host;
use crate::ether::transport::Links;
use crate::kernel::Ps;

impl Host {
    /// Adds an endpoint that has packets to pull to the endpoints that pull round robin.
    pub(super) fn enrol(&mut self, number: usize, now: Ps) {
        if self.endpoints[number].wants_to_pull() && self.pulls.enrol(number) {
            self.note_pull(now);
        }
    }

    /// Lets the next endpoint send a pull.
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
