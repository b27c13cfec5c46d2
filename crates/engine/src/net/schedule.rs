//! Order of the nodes by the next instant at which each has an event.

use crate::kernel::{Few, FewClocks, Ps, Tournament};

/// The times at which the nodes are due.
///
/// The times of a few nodes are a plain list. Where a turn is an event or two, reading the whole
/// list costs less than a tournament for each turn. It also finds all nodes that are due in one
/// round: they are independent of one another, so that the processor can begin the next before the
/// last ends.
#[derive(Clone)]
pub enum Schedule {
    /// Times of at most [`FewClocks::MOST`] nodes.
    Few(FewClocks),
    /// Times of more nodes.
    Many(Tournament),
}

/// Nodes that are due in a round.
#[derive(Clone, Copy)]
pub enum Round {
    /// All nodes that are due.
    Few(Few),
    /// The first of the nodes that are due, if there is one.
    One(Option<u32>),
}

impl Schedule {
    /// The schedule of nodes that are due at the given times.
    pub fn new(due: impl ExactSizeIterator<Item = Ps>) -> Schedule {
        if due.len() <= FewClocks::MOST {
            return Schedule::Few(FewClocks::new(due));
        }
        let mut tree = Tournament::new(due.len());
        due.enumerate().for_each(|(node, at)| tree.set(node, at));
        Schedule::Many(tree)
    }
    /// Time at which the first node is due.
    #[inline]
    pub fn first(&self) -> Ps {
        match self {
            Schedule::Few(due) => due.first(),
            Schedule::Many(tree) => tree.first().0,
        }
    }
    /// Time at which `node` is due.
    #[inline]
    pub fn get(&self, node: usize) -> Ps {
        match self {
            Schedule::Few(due) => due.get(node),
            Schedule::Many(tree) => tree.get(node),
        }
    }
    /// Sets the time at which `node` is due.
    #[inline]
    pub fn set(&mut self, node: usize, at: Ps) {
        match self {
            Schedule::Few(due) => due.set(node, at),
            Schedule::Many(tree) => tree.set(node, at),
        }
    }
    /// Sets the time at which `node` is due to `at`, unless it is due before.
    #[inline]
    pub fn bring_forward(&mut self, node: usize, at: Ps) {
        match self {
            Schedule::Few(due) => due.set(node, due.get(node).min(at)),
            Schedule::Many(tree) => {
                if at < tree.get(node) {
                    tree.bring_forward(node, at);
                }
            }
        }
    }
    /// The nodes that are due before `bound`, or only the first of them.
    #[inline]
    pub fn round(&self, bound: Ps) -> Round {
        match self {
            Schedule::Few(due) => Round::Few(due.before(bound)),
            Schedule::Many(tree) => {
                let (at, node) = tree.first();
                Round::One((at < bound).then_some(node as u32))
            }
        }
    }
}

impl Iterator for Round {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        match self {
            Round::Few(nodes) => nodes.next(),
            Round::One(node) => node.take().map(|node| node as usize),
        }
    }
}
