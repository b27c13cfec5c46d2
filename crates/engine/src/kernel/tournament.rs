//! The earliest of many clocks: a winner tree over a fixed set of components.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use super::time::Ps;

/// Keeps one time per component and knows the earliest; equal times go to the lower component.
///
/// A key is one 128-bit integer (time, component), so a match is a single branch-free comparison.
pub struct Tournament {
    leaves: usize,
    keys: Vec<u128>,
}

fn key(at: Ps, component: usize) -> u128 {
    (at.0 as u128) << 64 | component as u128
}

impl Tournament {
    /// `components` clocks, none of them scheduled.
    pub fn new(components: usize) -> Tournament {
        let leaves = components.next_power_of_two().max(1);
        let mut keys = alloc::vec![0; 2 * leaves];
        for leaf in 0..leaves {
            keys[leaves + leaf] = key(Ps::NEVER, leaf);
        }
        for node in (1..leaves).rev() {
            keys[node] = keys[2 * node];
        }
        Tournament { leaves, keys }
    }
    /// The earliest clock; `NEVER` if none is scheduled.
    #[inline]
    pub fn first(&self) -> (Ps, usize) {
        // SAFETY: there are at least two keys; index 1 is the root, or the only leaf.
        let root = unsafe { *self.keys.get_unchecked(1) };
        (Ps((root >> 64) as u64), root as u64 as usize)
    }
    /// The earliest clock but that of `component`.
    pub fn first_except(&self, component: usize) -> Ps {
        let mut node = self.leaves + component;
        let mut winner = u128::MAX;
        while node > 1 {
            winner = winner.min(self.keys[node ^ 1]);
            node >>= 1;
        }
        Ps((winner >> 64) as u64)
    }
    /// The clock of `component`.
    #[inline]
    pub fn get(&self, component: usize) -> Ps {
        Ps((self.keys[self.leaves + component] >> 64) as u64)
    }
    /// Sets the clock of `component` without telling anybody: [`Tournament::rebuild`] must follow.
    #[inline]
    pub fn put(&mut self, component: usize, at: Ps) {
        self.keys[self.leaves + component] = key(at, component);
    }
    /// Plays all matches again.
    pub fn rebuild(&mut self) {
        for node in (1..self.leaves).rev() {
            self.keys[node] = self.keys[2 * node].min(self.keys[2 * node + 1]);
        }
    }
    /// Sets the clock of `component` to a time that is not later than its own: cheaper than
    /// [`Tournament::set`] unless it comes to be the first.
    #[inline]
    pub fn bring_forward(&mut self, component: usize, at: Ps) {
        debug_assert!(at <= self.get(component));
        let key = key(at, component);
        let mut node = self.leaves + component;
        while node > 0 && key <= self.keys[node] {
            self.keys[node] = key;
            node >>= 1;
        }
    }
    /// Sets the clock of `component`.
    #[inline]
    pub fn set(&mut self, component: usize, at: Ps) {
        assert!(component < self.leaves);
        let mut node = self.leaves + component;
        let mut winner = key(at, component);
        if node == 1 {
            self.keys[1] = winner;
            return;
        }
        // SAFETY: `node` starts below `2 * leaves`, the length, and only shrinks; `node ^ 1` is its sibling.
        unsafe {
            *self.keys.get_unchecked_mut(node) = winner;
            while node > 1 {
                let sibling = *self.keys.get_unchecked(node ^ 1);
                winner = select_unpredictable(sibling < winner, sibling, winner);
                node >>= 1;
                *self.keys.get_unchecked_mut(node) = winner;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_earliest_and_breaks_ties_by_component() {
        for components in [1, 2, 3, 15, 64] {
            let mut tree = Tournament::new(components);
            let mut model = alloc::vec![Ps::NEVER; components];
            let mut state = 7u64;
            for _ in 0..500 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let component = (state >> 33) as usize % components;
                let at = Ps(state >> 59);
                tree.set(component, at);
                model[component] = at;
                let expected = model.iter().enumerate().map(|(i, at)| (*at, i)).min().unwrap();
                assert_eq!(tree.first(), expected);
                assert_eq!(tree.get(component), at);
                let sooner = Ps(at.0 - at.0 / 3);
                tree.bring_forward(component, sooner);
                model[component] = sooner;
                let expected = model.iter().enumerate().map(|(i, at)| (*at, i)).min().unwrap();
                assert_eq!(tree.first(), expected);
                let others = model.iter().enumerate().filter(|(i, _)| *i != component).map(|(_, at)| *at);
                assert_eq!(tree.first_except(component), others.min().unwrap_or(Ps::NEVER));
            }
        }
    }
}
