//! A bound on the time of the next service whose end must be reported.

use super::{InService, PromptServer};
use crate::atm::server::CreditedServer;
use crate::kernel::{Ps, Ring};

/// Greatest number of waiting channels that are searched for the next departure to report.
const MOST_TURNS: usize = 32;

impl PromptServer {
    /// Lower bound on the start of the next service whose end may have to be reported. Earlier starts need no
    /// event. Their cells are known, because any call that could change the order of service first advances the
    /// server.
    #[inline]
    pub(super) fn next_start_that_matters(&self) -> Ps {
        if self.ready == 0 || (self.tells_ahead && self.telling == 0) || self.tells_nobody {
            return Ps::NEVER;
        }
        let start = self.next_start();
        // The link may lose any cell, and each loss is reported.
        if self.errors.is_some() {
            return start;
        }
        let (mut starts, mut served) = (0, 0);
        for (index, queue) in self.queues.iter().enumerate() {
            if index == self.records_before as usize {
                // The waiting messages need at least one cell, whatever number of credits a cell carries.
                starts += usize::from(!self.messages.is_empty());
                served += self.messages.len();
            }
            let Some(turns) = &queue.turns else {
                // Neither messages nor channels without credit control have departures to report.
                let cells = queue.fifo.cells.len() + queue.first.cells.len();
                (starts, served) = (starts + cells, served + cells);
                continue;
            };
            let Some(slot) = turns.front() else { continue };
            // An arriving cell waits behind all these channels, so it does not change their order.
            let in_turn = turns.iter().take(MOST_TURNS);
            let untold = in_turn
                .take_while(|slot| !self.tells_at_next(**slot))
                .count();
            starts += untold;
            if untold < turns.len() || self.more_wait(turns, *slot) {
                return Ps(start.0 + starts as u64 * self.line.clock.floor().0);
            }
            served += 1;
        }
        if served as u64 == self.ready {
            return Ps::NEVER;
        }
        Ps(start.0 + starts as u64 * self.line.clock.floor().0)
    }
    /// True if the departure of the next waiting cell of the channel with index `slot` must be reported.
    #[inline(always)]
    fn tells_at_next(&self, slot: u32) -> bool {
        let channel = &self.channels[slot as usize];
        let leaves =
            |cell: InService| matches!(cell, InService::Cell { slot: left, .. } if left == slot);
        let before = u32::from(!self.tells_ahead && self.in_service.is_some_and(leaves));
        channel.untold + before + 1 >= channel.told_every
    }
    /// True if the round-robin order has more than one waiting cell; `slot` is the first channel of
    /// the order.
    #[inline]
    fn more_wait(&self, turns: &Ring<u32>, slot: u32) -> bool {
        turns.len() > 1 || self.channels[slot as usize].lane.cells.len() > 1
    }

    /// True if another cell of `queue` cannot make the next event of the server earlier. Either waiting cells of
    /// the queue already determine `next_start_that_matters`, or departures of the queue are not reported.
    #[inline]
    pub(super) fn comes_behind(&self, queue: u32) -> bool {
        let Some(turns) = &self.queues[queue as usize].turns else {
            return self.ready > 0;
        };
        turns
            .front()
            .is_some_and(|slot| self.more_wait(turns, *slot))
    }
}
