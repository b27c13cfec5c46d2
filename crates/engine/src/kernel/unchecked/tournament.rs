//! The earliest of many clocks (times of next events): a winner tree over a fixed number of components.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use super::super::time::Ps;
use super::{item, item_mut};

/// The time of a component's next event and the index of the component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clock {
    at: u64,
    component: u64,
}

impl Clock {
    /// The earlier of this clock, at tree index `node`, and its sibling. Of two equal times the left clock, which
    /// has the component of the lower index, is chosen. The processor cannot predict the choice, so the code
    /// selects each word without a branch.
    #[inline(always)]
    fn play(self, sibling: Clock, node: usize) -> Clock {
        let is_right = node & 1 == 1;
        let loses = (sibling.at < self.at) | ((sibling.at == self.at) & is_right);
        Clock {
            at: select_unpredictable(loses, sibling.at, self.at),
            component: select_unpredictable(loses, sibling.component, self.component),
        }
    }
}

/// Stores one time (clock) per component and finds the earliest. If several times are equal, the component with
/// the lowest index counts as earliest.
#[derive(Clone, Debug)]
pub struct Tournament {
    leaves: usize,
    /// Clocks of the binary tree: the root has index 1, the leaves have the indices from `leaves`
    /// on.
    clocks: Vec<Clock>,
}

impl Tournament {
    /// A tournament of `components` clocks, all set to `NEVER`.
    pub fn new(components: usize) -> Tournament {
        let leaves = components.next_power_of_two().max(1);
        let never = |component: usize| Clock {
            at: Ps::NEVER.0,
            component: component as u64,
        };
        let mut clocks = alloc::vec![never(0); 2 * leaves];
        for leaf in 0..leaves {
            clocks[leaves + leaf] = never(leaf);
        }
        let mut tree = Tournament { leaves, clocks };
        tree.rebuild();
        tree
    }
    /// The earliest time and its component; `NEVER` if no clock is set.
    #[inline]
    pub fn first(&self) -> (Ps, usize) {
        // SAFETY: there are at least two clocks; index 1 is the root, or the only leaf.
        let root = unsafe { *item(&self.clocks, 1) };
        (Ps(root.at), root.component as usize)
    }
    /// The earliest time of all clocks except that of `component`.
    pub fn first_except(&self, component: usize) -> Ps {
        let mut node = self.leaves + component;
        let mut first = Ps::NEVER;
        while node > 1 {
            first = first.min(Ps(self.clocks[node ^ 1].at));
            node >>= 1;
        }
        first
    }
    /// Calls `visit` with every component whose clock equals `at`, in order; `at` must be the
    /// earliest time.
    pub fn for_each_at(&self, at: Ps, visit: &mut impl FnMut(usize)) {
        self.visit_below(1, at, visit);
    }
    fn visit_below(&self, node: usize, at: Ps, visit: &mut impl FnMut(usize)) {
        if self.clocks[node].at != at.0 {
            return;
        }
        if node >= self.leaves {
            return visit(node - self.leaves);
        }
        self.visit_below(2 * node, at, visit);
        self.visit_below(2 * node + 1, at, visit);
    }
    /// Time of the clock of `component`.
    #[inline]
    pub fn get(&self, component: usize) -> Ps {
        Ps(self.clocks[self.leaves + component].at)
    }
    /// Sets the clock of `component` without updating the tree: [`Tournament::rebuild`] must
    /// follow.
    #[inline]
    pub fn put(&mut self, component: usize, at: Ps) {
        self.clocks[self.leaves + component].at = at.0;
    }
    /// Recomputes the whole tree, after [`Tournament::put`].
    pub fn rebuild(&mut self) {
        for node in (1..self.leaves).rev() {
            self.clocks[node] = self.clocks[2 * node].play(self.clocks[2 * node + 1], 2 * node);
        }
    }
    /// Sets the clock of `component` to `at`, which must not be later than the present time of this
    /// clock. Cheaper than [`Tournament::set`], unless the clock becomes the earliest.
    #[inline]
    pub fn bring_forward(&mut self, component: usize, at: Ps) {
        assert!(component < self.leaves);
        debug_assert!(at <= self.get(component));
        let clock = Clock {
            at: at.0,
            component: component as u64,
        };
        let mut node = self.leaves + component;
        // SAFETY: `node` starts below `2 * leaves`, the length, and only shrinks.
        unsafe {
            *item_mut(&mut self.clocks, node) = clock;
            while node > 1 {
                node >>= 1;
                let winner = item_mut(&mut self.clocks, node);
                if (winner.at, winner.component) < (clock.at, clock.component) {
                    return;
                }
                *winner = clock;
            }
        }
    }
    /// Sets the clock of `component` to `at`; `NEVER` means that the component has no event.
    #[inline]
    pub fn set(&mut self, component: usize, at: Ps) {
        assert!(component < self.leaves);
        let mut node = self.leaves + component;
        let mut winner = Clock {
            at: at.0,
            component: component as u64,
        };
        // SAFETY: `node` starts below `2 * leaves`, the length, and only shrinks; `node ^ 1` is its
        // sibling, and at least 2 where it is read.
        unsafe {
            *item_mut(&mut self.clocks, node) = winner;
            while node > 1 {
                winner = winner.play(*item(&self.clocks, node ^ 1), node);
                node >>= 1;
                *item_mut(&mut self.clocks, node) = winner;
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
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let component = (state >> 33) as usize % components;
                let at = Ps(state >> 59);
                tree.set(component, at);
                model[component] = at;
                let expected = model
                    .iter()
                    .enumerate()
                    .map(|(i, at)| (*at, i))
                    .min()
                    .unwrap();
                assert_eq!(tree.first(), expected);
                assert_eq!(tree.get(component), at);
                let mut together = Vec::new();
                tree.for_each_at(expected.0, &mut |component| together.push(component));
                let like = model
                    .iter()
                    .enumerate()
                    .filter(|(_, at)| **at == expected.0)
                    .map(|(i, _)| i);
                assert!(
                    together
                        .iter()
                        .copied()
                        .filter(|i| *i < components)
                        .eq(like)
                );
                let sooner = Ps(at.0 - at.0 / 3);
                tree.bring_forward(component, sooner);
                model[component] = sooner;
                let expected = model
                    .iter()
                    .enumerate()
                    .map(|(i, at)| (*at, i))
                    .min()
                    .unwrap();
                assert_eq!(tree.first(), expected);
                let others = model
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i != component)
                    .map(|(_, at)| *at);
                assert_eq!(
                    tree.first_except(component),
                    others.min().unwrap_or(Ps::NEVER)
                );
            }
        }
    }
}
