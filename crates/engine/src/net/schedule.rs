//! Order of the nodes by the time of the next event of each node.

use crate::kernel::{Few, FewClocks, Ps, Tournament};

/// The time of the next event of each node.
///
/// For up to 64 nodes a plain list stores the times. If a node processes only one or two events per call, reading
/// the whole list costs less than updating a tournament tree at each call. The list also yields at once all nodes
/// with events before a bound. These nodes do not affect one another before the bound, so one processor core
/// executes instructions of several nodes at the same time, out of order. Above 64 nodes a tournament tree stores
/// the times.
#[derive(Clone)]
pub enum Schedule {
    /// Times of the next events of at most [`FewClocks::MOST`] nodes.
    Few(FewClocks),
    /// Times of the next events of more than [`FewClocks::MOST`] nodes.
    Many(Tournament),
}

/// The nodes that have an event before a given time, the bound of the round. Within the round the nodes do not
/// affect one another.
#[derive(Clone, Copy)]
pub enum Round {
    /// All nodes with an event before the bound.
    Few(Few),
    /// The node with the earliest event, if this event is before the bound; `None` otherwise.
    One(Option<u32>),
}

impl Schedule {
    /// The schedule of nodes with the given event times, by node.
    pub fn new(due: impl ExactSizeIterator<Item = Ps>) -> Schedule {
        if due.len() <= FewClocks::MOST {
            return Schedule::Few(FewClocks::new(due));
        }
        let mut tree = Tournament::new(due.len());
        due.enumerate().for_each(|(node, at)| tree.set(node, at));
        Schedule::Many(tree)
    }
    /// Time of the earliest event of all nodes.
    #[inline]
    pub fn first(&self) -> Ps {
        match self {
            Schedule::Few(due) => due.first(),
            Schedule::Many(tree) => tree.first().0,
        }
    }
    /// Time of the next event of `node`.
    #[inline]
    pub fn get(&self, node: usize) -> Ps {
        match self {
            Schedule::Few(due) => due.get(node),
            Schedule::Many(tree) => tree.get(node),
        }
    }
    /// Sets the time of the next event of `node`.
    #[inline]
    pub fn set(&mut self, node: usize, at: Ps) {
        match self {
            Schedule::Few(due) => due.set(node, at),
            Schedule::Many(tree) => tree.set(node, at),
        }
    }
    /// Sets the time of the next event of `node` to `at`, unless the present time is earlier.
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
    /// All nodes with an event before `bound`, in a network of at most 64 nodes; in a larger
    /// network only the node with the earliest event.
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
