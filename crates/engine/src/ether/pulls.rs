//! Pulls of receiver credits at a host: which endpoint pulls next, and when.

use alloc::collections::VecDeque;

use crate::kernel::Ps;

/// Endpoints that want to pull, in their order, and the time of the next pull.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    round: VecDeque<usize>,
    next: Ps,
}

impl Pulls {
    /// Puts an endpoint at the end of the round, unless it is in it; true if it was not.
    pub fn enrol(&mut self, number: usize) -> bool {
        let is_new = !self.round.contains(&number);
        if is_new {
            self.round.push_back(number);
        }
        is_new
    }
    /// Takes the endpoint whose turn it is.
    pub fn take(&mut self) -> Option<usize> {
        self.round.pop_front()
    }
    /// The next pull is not before `at`.
    pub fn hold_until(&mut self, at: Ps) {
        self.next = at;
    }
    /// Time of the next pull, from `now` on; `NEVER` if no endpoint has packets to pull.
    pub fn next(&self, now: Ps) -> Ps {
        match self.round.is_empty() {
            true => Ps::NEVER,
            false => self.next.max(now),
        }
    }
}
