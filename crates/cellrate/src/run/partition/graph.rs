//! The network as the partition uses it: groups of nodes with their work, and the units (cells or
//! packets) between them.

use std::collections::BTreeMap;

use cellrate_engine::kernel::Ps;

use crate::run::partition::STEPS;

/// Computing time in ns for a unit that crosses a cut, in the part that the unit leaves; `ENTER` is the time in the
/// part that the unit enters.
const LEAVE: f64 = 1.0;
const ENTER: f64 = 2.0;
/// Computing time in ns for each link between two parts, in each step of a run, in the sending part; `ENTER_LINK`
/// is the time in the receiving part. The data of the link are usually not in the cache.
const LEAVE_LINK: f64 = 30.0;
const ENTER_LINK: f64 = 60.0;

/// Computing time of the nodes, and numbers of cells or packets that cross the links, over a whole run.
pub struct Load {
    /// Name of the units: cells or packets.
    pub units: &'static str,
    /// Computing time in ns for each node over the run.
    pub of_nodes: Vec<f64>,
    /// Load of each link.
    pub links: Vec<LinkLoad>,
}

/// A link and the number of units that cross it.
pub struct LinkLoad {
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Least simulated time from an event at the sending node to the effect of the event at the receiving node.
    pub lookahead: Ps,
    /// True if units may cross the link.
    pub is_used: bool,
    /// Number of units that cross the link.
    pub units: f64,
}

/// Number of steps of each thread in a run of `seconds` of simulated time, if `lookahead` is the least lookahead of
/// the cut links.
pub fn steps(seconds: f64, lookahead: Ps) -> f64 {
    STEPS as f64 * seconds / lookahead.as_secs_f64()
}

/// Computing time in ns that a link between two parts costs if `units` cells or packets cross the
/// link in a run of so many [`steps`](fn@steps): in the sending part, and in the receiving part.
pub fn crossing(units: f64, steps: f64) -> (f64, f64) {
    let visits = units.min(steps);
    (
        units * LEAVE + visits * LEAVE_LINK,
        units * ENTER + visits * ENTER_LINK,
    )
}

/// Groups of nodes: links shorter than a given lookahead join the nodes of a group, which therefore
/// belong to one part.
pub struct Groups {
    /// The number of the group that each node is in.
    pub of_nodes: Vec<usize>,
    /// Computing time in ns for each group over the run.
    pub work: Vec<f64>,
    /// For each group, the neighbours. Each entry has the index of the neighbour, and the computing time in ns that
    /// crossings cost the group and the neighbour if the two are in different parts.
    pub between: Vec<Vec<(usize, f64, f64)>>,
}

impl Groups {
    /// The groups that links shorter than `least` join, in a run of `seconds` of simulated time.
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
            // The leader of a group is its node with the lowest number.
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

/// The leader of a node's group (union-find); the path to the leader is shortened.
fn leader(leaders: &mut [usize], mut node: usize) -> usize {
    while leaders[node] != node {
        leaders[node] = leaders[leaders[node]];
        node = leaders[node];
    }
    node
}
