//! The network as a partition sees it: groups of nodes with their work, and the units between them.

use std::collections::BTreeMap;

use cellrate_engine::kernel::Ps;

use crate::run::partition::STEPS;

/// Nanoseconds of a unit that crosses a cut, in the part that it leaves, and in the one that it enters.
const LEAVE: f64 = 1.0;
const ENTER: f64 = 2.0;
/// Nanoseconds of each step for a link whose units cross a cut, in the part that they leave, and in the part
/// that they enter: the link is far from the cache.
const LEAVE_LINK: f64 = 30.0;
const ENTER_LINK: f64 = 60.0;

/// Work of nodes and units on links, over a whole run.
pub struct Load {
    /// Name of the units: cells or packets.
    pub units: &'static str,
    /// Nanoseconds of work of each node.
    pub of_nodes: Vec<f64>,
    /// Each link.
    pub links: Vec<LinkLoad>,
}

/// A link with its units.
pub struct LinkLoad {
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Least time from an event at its begin to the effect at its end.
    pub lookahead: Ps,
    /// True if units may cross it.
    pub is_used: bool,
    /// Units that cross it.
    pub units: f64,
}

/// Steps of the threads in a run of `seconds` whose cut links have a least lookahead.
pub fn steps(seconds: f64, lookahead: Ps) -> f64 {
    STEPS as f64 * seconds / lookahead.as_secs_f64()
}

/// Nanoseconds that the `units` of a cut link cost in a run of so many steps: in the sending part, and in
/// the receiving part.
pub fn crossing(units: f64, steps: f64) -> (f64, f64) {
    let visits = units.min(steps);
    (
        units * LEAVE + visits * LEAVE_LINK,
        units * ENTER + visits * ENTER_LINK,
    )
}

/// Nodes that are joined by links shorter than a lookahead, and therefore belong to one part.
pub struct Groups {
    /// The number of the group that each node is in.
    pub of_nodes: Vec<usize>,
    /// Nanoseconds of each group.
    pub work: Vec<f64>,
    /// For each group, its neighbours, each with the nanoseconds that crossings between two parts cost
    /// the group and the neighbour.
    pub between: Vec<Vec<(usize, f64, f64)>>,
}

impl Groups {
    /// The groups of nodes that links shorter than `least` join, in a run of `seconds`.
    pub fn new(load: &Load, least: Ps, seconds: f64) -> Groups {
        let steps = steps(seconds, least);
        let mut leaders: Vec<usize> = (0..load.of_nodes.len()).collect();
        for link in &load.links {
            if link.is_used && link.lookahead < least {
                let (one, other) = (
                    leader(&mut leaders, link.from),
                    leader(&mut leaders, link.to),
                );
                leaders[one.max(other)] = one.min(other);
            }
        }
        let mut numbers = vec![usize::MAX; load.of_nodes.len()];
        let (mut of_nodes, mut work) = (Vec::new(), Vec::new());
        for node in 0..load.of_nodes.len() {
            // A leader has the lowest number of its group.
            let of = leader(&mut leaders, node);
            if of == node {
                numbers[node] = work.len();
                work.push(0.0);
            }
            of_nodes.push(numbers[of]);
            work[numbers[of]] += load.of_nodes[node];
        }
        let mut between: Vec<BTreeMap<usize, (f64, f64)>> = vec![BTreeMap::new(); work.len()];
        for link in &load.links {
            let (from, to) = (of_nodes[link.from], of_nodes[link.to]);
            if link.is_used && from != to {
                let (leave, enter) = crossing(link.units, steps);
                let (here, there) = between[from].entry(to).or_default();
                (*here, *there) = (*here + leave, *there + enter);
                let (here, there) = between[to].entry(from).or_default();
                (*here, *there) = (*here + enter, *there + leave);
            }
        }
        let list = |of: BTreeMap<usize, (f64, f64)>| {
            let each = of.into_iter();
            each.map(|(other, (here, there))| (other, here, there))
                .collect()
        };
        Groups {
            of_nodes,
            work,
            between: between.into_iter().map(list).collect(),
        }
    }
}

/// The leader of a node's group; ways to it are made shorter.
fn leader(leaders: &mut [usize], mut node: usize) -> usize {
    while leaders[node] != node {
        leaders[node] = leaders[leaders[node]];
        node = leaders[node];
    }
    node
}
