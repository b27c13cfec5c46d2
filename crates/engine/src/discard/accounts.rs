//! Units of each channel in a queue, computed from the queue length at every arrival alone: the queue
//! serves in the order of arrival, so it holds the cells or frames that it accepted last.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Cells or frames that may be queued before the accounts are settled, besides as many as were in
/// the queue.
const MOST_UNSETTLED: usize = 1_024;

/// Number of units that each channel has in a queue.
#[derive(Clone, Debug)]
pub(crate) struct Accounts {
    /// Slot of the channel and units of each cell or frame in the queue, the oldest first.
    order: VecDeque<(u32, u32)>,
    units: Vec<u64>,
    total: u64,
    active: u64,
    /// Cells or frames in the queue when it was settled last.
    settled: usize,
}

impl Accounts {
    /// Accounts of an empty queue that `channels` share.
    pub fn new(channels: usize) -> Accounts {
        Accounts {
            order: VecDeque::new(),
            units: vec![0; channels],
            total: 0,
            active: 0,
            settled: 0,
        }
    }
    /// True if the accounts must be settled before they grow further. Otherwise they may wait until the
    /// next time at which they are read.
    #[inline]
    pub fn are_overdue(&self) -> bool {
        self.order.len() > 2 * self.settled + MOST_UNSETTLED
    }
    /// Removes the cells or frames that have left a queue which now holds `length` units. A frame
    /// of which a part is still there counts as a whole.
    #[inline]
    pub fn settle(&mut self, length: u64) {
        while let Some((slot, units)) = self.order.front().copied()
            && self.total >= length + u64::from(units)
        {
            self.order.pop_front();
            self.total -= u64::from(units);
            let queued = &mut self.units[slot as usize];
            *queued -= u64::from(units);
            self.active -= (*queued == 0) as u64;
        }
        self.settled = self.order.len();
    }
    /// Adds a cell or frame of channel `slot` that is queued.
    #[inline]
    pub fn add(&mut self, slot: u32, units: u32) {
        self.order.push_back((slot, units));
        self.total += u64::from(units);
        let queued = &mut self.units[slot as usize];
        self.active += (*queued == 0) as u64;
        *queued += u64::from(units);
    }
    /// Units of channel `slot` in the queue (Y_i).
    pub fn units(&self, slot: u32) -> u64 {
        self.units[slot as usize]
    }
    /// Number of channels with units in the queue (N_a).
    pub fn active(&self) -> u64 {
        self.active
    }
    /// Y_i N_a: the units of channel `slot` times the number of channels that have any.
    pub fn weighted(&self, slot: u32) -> f64 {
        self.units[slot as usize] as f64 * self.active as f64
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
            always.add(slot, 1);
            if late.are_overdue() || cell % 5_000 == 4_999 {
                late.settle(length);
                settled += 1;
                late.add(slot, 1);
                let of = |accounts: &Accounts| {
                    let units = [0, 1, 2].map(|slot| accounts.units(slot));
                    (units, accounts.active())
                };
                assert_eq!(of(&late), of(&always));
            } else {
                late.add(slot, 1);
            }
            most = most.max(late.order.len());
        }
        assert!(settled < 30, "{settled}");
        assert!(most < MOST_UNSETTLED + 200, "{most}");
    }

    #[test]
    fn a_frame_counts_until_its_last_octet_has_left() {
        let mut accounts = Accounts::new(2);
        for (slot, octets) in [(0, 1_538), (1, 84), (0, 84)] {
            accounts.add(slot, octets);
        }
        let of = |accounts: &Accounts| (accounts.units(0), accounts.units(1), accounts.active());
        // 1,706 octets; one of the first frame is left, then it is gone, then the second, then all.
        let expected = [
            (169, (1_622, 84, 2)),
            (168, (84, 84, 2)),
            (84, (84, 0, 1)),
            (0, (0, 0, 0)),
        ];
        for (length, expected) in expected {
            accounts.settle(length);
            assert_eq!(of(&accounts), expected, "{length} octets");
        }
    }
}
