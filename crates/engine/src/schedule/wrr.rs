//! Weighted round robin by frames (Katevenis, Sidiropoulos and Courcoubetis 1991, "Weighted Round-Robin Cell
//! Multiplexing in a General-Purpose ATM Switch Chip"). The weights are shares of frames, so a queue of large
//! frames gets more octets than a queue of small ones.

use super::weights::Shares;

/// Weighted round robin at one port.
#[derive(Clone, Debug)]
pub struct WeightedRoundRobin {
    shares: Shares,
    /// The queue whose turn it is.
    turn: usize,
    /// Frames that this queue may still send in its turn.
    left: u64,
}

impl WeightedRoundRobin {
    /// The discipline of a port with empty queues.
    pub fn new(shares: Shares) -> WeightedRoundRobin {
        WeightedRoundRobin {
            turn: 0,
            left: shares.of(0),
            shares,
        }
    }
    /// The queue whose first frame is served next; `None` if all queues are empty.
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        // After one full round the first queue of the round has a whole turn.
        for _ in 0..=self.shares.count() {
            if heads[self.turn] > 0 && self.left > 0 {
                return Some(self.turn);
            }
            self.turn = (self.turn + 1) % self.shares.count();
            self.left = self.shares.of(self.turn);
        }
        None
    }
    /// Counts the service of a frame. [`WeightedRoundRobin::next`] must have returned the queue of the frame.
    pub fn on_service(&mut self) {
        self.left -= 1;
    }
}
