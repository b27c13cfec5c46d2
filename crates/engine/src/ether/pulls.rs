//! Pulls (receiver credits) of a host: which endpoint pulls next, and when.

use alloc::collections::VecDeque;

use crate::kernel::Ps;

/// Endpoints that want to pull, in the order in which they do (round robin), and the earliest time
/// of the next pull.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    round: VecDeque<usize>,
    next: Ps,
}

impl Pulls {
    /// Adds an endpoint behind all others, unless it is among them. Returns true if it was added.
    pub fn enrol(&mut self, number: usize) -> bool {
        let is_new = !self.round.contains(&number);
        if is_new {
            self.round.push_back(number);
        }
        is_new
    }
    /// Removes and returns the endpoint that pulls next.
    pub fn take(&mut self) -> Option<usize> {
        self.round.pop_front()
    }
    /// Lets the next pull be no earlier than `at`.
    pub fn hold_until(&mut self, at: Ps) {
        self.next = at;
    }
    /// Time of the next pull, at `now` or later; `NEVER` if no endpoint has packets to pull.
    pub fn next(&self, now: Ps) -> Ps {
        match self.round.is_empty() {
            true => Ps::NEVER,
            false => self.next.max(now),
        }
    }
}
