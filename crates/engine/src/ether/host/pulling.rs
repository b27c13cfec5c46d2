//! The pacer of receiver credits at a host: one pull after the other, over all sources that send to the host, in turn.

use alloc::collections::VecDeque;

use super::Host;
use crate::ether::transport::Links;
use crate::kernel::Ps;

/// Endpoints that want to pull, in their order, and the time of the next pull.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulls {
    round: VecDeque<usize>,
    next: Ps,
}

impl Host {
    /// Puts an endpoint that wants to pull into the round of pulls.
    pub(super) fn enrol(&mut self, number: usize, now: Ps) {
        if self.endpoints[number].wants_to_pull() && !self.pulls.round.contains(&number) {
            self.pulls.round.push_back(number);
            self.note_pull(now);
        }
    }

    /// The next endpoint pulls.
    #[cold]
    pub(super) fn pull(&mut self, now: Ps, links: &mut Links) {
        if let Some(number) = self.pulls.round.pop_front()
            && let Some(span) = self.endpoints[number].pull()
        {
            self.pulls.next = now + span;
            self.enrol(number, now);
            self.offer(number, now, links);
        }
        self.note_pull(now);
    }

    fn note_pull(&mut self, now: Ps) {
        let component = self.interfaces.len() + self.endpoints.len();
        let is_empty = self.pulls.round.is_empty();
        let next = self.pulls.next.max(now);
        self.clocks
            .set(component, if is_empty { Ps::NEVER } else { next });
    }
}
