//! Counts the units of each channel in a queue. The counts need only the queue length at arrivals: the queue is
//! first-in first-out, so it holds the cells or frames that it accepted last.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Number of cells or frames that may join the queue between two calls of [`Accounts::settle`], in addition to
/// the number present at the earlier call.
const MOST_UNSETTLED: usize = 1_024;

/// The number of units that each channel has in a queue.
#[derive(Clone, Debug)]
pub(crate) struct Accounts {
    /// For each cell or frame in the queue, oldest first: the index of its channel, and its units.
    order: VecDeque<(u32, u32)>,
    units: Vec<u64>,
    total: u64,
    active: u64,
    /// Number of cells or frames in the queue at the last call of [`Accounts::settle`].
    settled: usize,
}

impl Accounts {
    /// Accounts of an empty queue for `channels` channels.
    pub fn new(channels: usize) -> Accounts {
        Accounts {
            order: VecDeque::new(),
            units: vec![0; channels],
            total: 0,
            active: 0,
            settled: 0,
        }
    }
    /// True if [`Accounts::settle`] must be called before the accounts grow further. Otherwise this call may wait
    /// until the accounts are read.
    #[inline]
    pub fn are_overdue(&self) -> bool {
        self.order.len() > 2 * self.settled + MOST_UNSETTLED
    }
    /// Removes from the accounts the cells or frames that have left the queue, which now has `length` units. A
    /// frame that is partly in the queue counts as a whole.
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
    /// Adds a cell or frame of channel `slot`, with `units` units, that has joined the queue.
    #[inline]
    pub fn add(&mut self, slot: u32, units: u32) {
        self.order.push_back((slot, units));
        self.total += u64::from(units);
        let queued = &mut self.units[slot as usize];
        self.active += (*queued == 0) as u64;
        *queued += u64::from(units);
    }
    /// Number of units of channel `slot` in the queue (Y_i).
    pub fn units(&self, slot: u32) -> u64 {
        self.units[slot as usize]
    }
    /// Number of channels with units in the queue (N_a).
    pub fn active(&self) -> u64 {
        self.active
    }
    /// Y_i N_a: the number of units of channel `slot` in the queue, times the number of channels with units in
    /// the queue.
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
        // A queue of at most 40 cells, from channels in an irregular order.
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
        // Of the 1,706 octets, first one octet of the first frame is left. Then only the second and third frame
        // are left, then the third, then none.
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
