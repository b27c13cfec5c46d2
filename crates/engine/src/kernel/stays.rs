//! The time integral of a queue's length in cells, computed without a multiplication for each cell.

use super::time::Ps;

/// Sum of the departure times of all cells that have left a queue, less the sum of all arrival times, in
/// picoseconds, modulo 2^128. If the present time is added once for each queued cell, the sum is the total time
/// that all cells have spent in the queue. This total is the time integral of the queue's length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stays(u128);

impl Stays {
    /// Counts a cell that arrives at the queue at `now`.
    #[inline(always)]
    pub fn arrive(&mut self, now: Ps) {
        self.0 = self.0.wrapping_sub(now.0 as u128);
    }
    /// Counts `cells` cells that arrive at the queue at `now`.
    #[inline]
    pub fn arrive_together(&mut self, now: Ps, cells: u64) {
        self.0 = self.0.wrapping_sub(now.0 as u128 * cells as u128);
    }
    /// Counts a cell that leaves the queue at `now`.
    #[inline(always)]
    pub fn leave(&mut self, now: Ps) {
        self.0 = self.0.wrapping_add(now.0 as u128);
    }
    /// Time integral, up to `now`, of the length of a queue that now holds `length` cells; in cells
    /// times picoseconds.
    pub fn until(&self, now: Ps, length: u64) -> f64 {
        self.0.wrapping_add(now.0 as u128 * length as u128) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_that_overlap() {
        // Length 1 from 10 to 20, 2 to 25, 1 to 40 ps: 10 + 2 * 5 + 15 = 35 cell ps.
        let mut stays = Stays::default();
        stays.arrive(Ps(10));
        assert_eq!(stays.until(Ps(14), 1), 4.0);
        stays.arrive(Ps(20));
        stays.leave(Ps(25));
        assert_eq!(stays.until(Ps(25), 1), 20.0);
        stays.leave(Ps(40));
        assert_eq!(stays.until(Ps(90), 0), 35.0);
    }

    #[test]
    fn cells_that_come_together() {
        // Three cells from 10 to 15, two until 25: 15 + 20.
        let mut stays = Stays::default();
        stays.arrive_together(Ps(10), 3);
        stays.leave(Ps(15));
        assert_eq!(stays.until(Ps(25), 2), 35.0);
    }
}
