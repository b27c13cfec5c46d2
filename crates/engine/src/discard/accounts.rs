//! Number of cells of each channel in a queue, computed from the queue length at every arrival
//! alone: the queue serves in the order of arrival, so it holds the cells that it accepted last.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Cells that may be queued before the accounts are settled, beside as many as were in the queue.
const MOST_UNSETTLED: usize = 1_024;

/// The cells in a queue by channel.
#[derive(Clone, Debug)]
pub(crate) struct Accounts {
    /// Channels of the cells in the queue, the oldest first.
    order: VecDeque<u32>,
    cells: Vec<u32>,
    active: u64,
    /// Cells in the queue as it was settled last.
    settled: usize,
}

impl Accounts {
    /// An empty queue that `channels` share.
    pub fn new(channels: usize) -> Accounts {
        Accounts {
            order: VecDeque::new(),
            cells: vec![0; channels],
            active: 0,
            settled: 0,
        }
    }
    /// True if many cells have been queued since the accounts were settled: they must be now, or their memory
    /// would grow. Otherwise the next time at which somebody reads them is early enough.
    #[inline]
    pub fn are_overdue(&self) -> bool {
        self.order.len() > 2 * self.settled + MOST_UNSETTLED
    }
    /// Forgets the cells that have left a queue that now holds `length`.
    #[inline]
    pub fn settle(&mut self, length: u64) {
        while self.order.len() as u64 > length {
            let Some(slot) = self.order.pop_front() else {
                return;
            };
            let cells = &mut self.cells[slot as usize];
            *cells -= 1;
            self.active -= (*cells == 0) as u64;
        }
        self.settled = self.order.len();
    }
    /// A cell of channel `slot` is queued.
    #[inline]
    pub fn add(&mut self, slot: u32) {
        self.order.push_back(slot);
        let cells = &mut self.cells[slot as usize];
        self.active += (*cells == 0) as u64;
        *cells += 1;
    }
    /// The cells of channel `slot` (Y_i).
    pub fn cells(&self, slot: u32) -> u32 {
        self.cells[slot as usize]
    }
    /// Channels with cells in the queue (N_a).
    pub fn active(&self) -> u64 {
        self.active
    }
    /// Y_i N_a: the cells of channel `slot` times the number of channels that have any.
    pub fn weighted(&self, slot: u32) -> f64 {
        self.cells[slot as usize] as f64 * self.active as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_settled_late_are_those_settled_at_each_cell_and_are_due_before_they_grow() {
        let (mut late, mut always) = (Accounts::new(3), Accounts::new(3));
        let (mut most, mut settled) = (0, 0);
        // A queue that holds 40 cells at most, of channels whose turns differ.
        for cell in 0..20_000u32 {
            let (slot, length) = ((cell / 3 * cell) % 3, u64::from(cell % 41));
            always.settle(length);
            always.add(slot);
            if late.are_overdue() || cell % 5_000 == 4_999 {
                late.settle(length);
                settled += 1;
                late.add(slot);
                let of = |accounts: &Accounts| {
                    let cells = [0, 1, 2].map(|slot| accounts.cells(slot));
                    (cells, accounts.active())
                };
                assert_eq!(of(&late), of(&always));
            } else {
                late.add(slot);
            }
            most = most.max(late.order.len());
        }
        assert!(settled < 30, "{settled}");
        assert!(most < MOST_UNSETTLED + 200, "{most}");
    }
}
