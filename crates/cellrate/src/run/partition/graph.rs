//! The network as a partition sees it: groups of nodes with their work, and the cells between them.

use std::collections::BTreeMap;

use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan, least_transit};
use cellrate_engine::kernel::Ps;

use crate::run::partition::STEPS;
use crate::run::work::{Cells, cells_of};

/// Nanoseconds that a cell costs where it is generated, forwarded and received: times of nodes, measured
/// turn by turn in networks like the bench's W1 and W2 with 15 sources, and with 100 and 1,000. Larger networks
/// are further from the caches, and all of their nodes take longer. Only the ratios matter.
mod nanoseconds {
    /// A bare cell, at the host that sends it.
    pub const GENERATE: f64 = 5.0;
    /// A bare cell, at the host that receives it.
    pub const RECEIVE: f64 = 2.0;
    /// A cell of TCP or ABR, at the host that sends it.
    pub const GENERATE_CLOSED: f64 = 13.0;
    /// A cell of TCP or ABR, at the host that receives it.
    pub const RECEIVE_CLOSED: f64 = 5.0;
    /// A cell at a switch.
    pub const FORWARD: f64 = 6.5;
    /// Further nanoseconds of a cell where the cells of several links are merged.
    pub const MERGE: f64 = 2.0;
    /// Further nanoseconds of a cell where the cells of one link are spread over several, for each
    /// factor of ten in the number of these links.
    pub const SPREAD: f64 = 2.0;
    /// Further nanoseconds of a cell where its flow is under ABR.
    pub const CONTROL: f64 = 9.0;
    /// Further nanoseconds of a cell where control loops end and begin.
    pub const RELAY: f64 = 25.0;
    /// Further nanoseconds of a cell that crosses a cut, in the part that it leaves, and in the part that
    /// it enters.
    pub const LEAVE: f64 = 1.0;
    pub const ENTER: f64 = 2.0;
    /// Nanoseconds of each step for a link whose cells cross a cut, in the part that they leave, and in
    /// the part that they enter: the link is far from the cache.
    pub const LEAVE_LINK: f64 = 30.0;
    pub const ENTER_LINK: f64 = 60.0;
    /// Factor on the nanoseconds of a cell under credit control, where many events have an instant
    /// of their own.
    pub const PROMPT: f64 = 2.0;
}

/// Work of nodes and cells on links, over the whole run.
pub struct Load {
    /// Nanoseconds of work of each node.
    pub of_nodes: Vec<f64>,
    /// Cells that cross each link.
    pub on_links: Vec<f64>,
}

impl Load {
    /// The load of a run of `seconds`.
    pub fn new(plan: &Plan, seconds: f64) -> Load {
        let mut load = Load {
            of_nodes: vec![0.0; plan.nodes.len()],
            on_links: vec![0.0; plan.links.len()],
        };
        let forward = forwarding(plan);
        for (flow, cells) in plan.flows.iter().zip(cells_of(plan, seconds)) {
            let Cells { there, first, back } = cells;
            load.add(plan, flow, &forward, &flow.forward, there);
            load.add(plan, flow, &forward, &flow.backward, back);
            if let Some(link) = flow.forward.first() {
                // What is lost behind the first link has been generated, and has crossed it.
                load.on_links[*link] += first;
                load.of_nodes[plan.links[*link].from] += first * nanoseconds::GENERATE;
                load.of_nodes[plan.links[*link].to] += first * forward[*link];
            }
        }
        if plan.fcvc.is_some() {
            let all = load.of_nodes.iter_mut();
            all.for_each(|node| *node *= nanoseconds::PROMPT);
        }
        load
    }

    /// Adds `cells` of a flow on the links `way` to the load; `forward` has, for each link, the
    /// nanoseconds that forwarding one cell takes at its far end.
    fn add(&mut self, plan: &Plan, flow: &FlowPlan, forward: &[f64], way: &[usize], cells: f64) {
        let Some((first, last)) = way.first().zip(way.last()) else {
            return;
        };
        let is_abr = flow.service == cellrate_engine::atm::cell::ServiceClass::Abr;
        let (generate, receive) = if is_abr || flow.source.over_tcp() {
            (nanoseconds::GENERATE_CLOSED, nanoseconds::RECEIVE_CLOSED)
        } else {
            (nanoseconds::GENERATE, nanoseconds::RECEIVE)
        };
        self.of_nodes[plan.links[*first].from] += cells * generate;
        self.of_nodes[plan.links[*last].to] += cells * receive;
        for link in way {
            self.on_links[*link] += cells;
        }
        for link in &way[..way.len() - 1] {
            let node = plan.links[*link].to;
            let mut each = forward[*link];
            if is_abr {
                each += nanoseconds::CONTROL;
                if let NodeKind::Switch(switch) = &plan.nodes[node].kind
                    && switch.vsvd.is_some()
                {
                    each += nanoseconds::RELAY;
                }
            }
            self.of_nodes[node] += cells * each;
        }
    }
}

/// Nanoseconds that the far end of each link takes to forward a cell that is under no control.
fn forwarding(plan: &Plan) -> Vec<f64> {
    let mut inputs = vec![0u32; plan.nodes.len()];
    for (link, used) in plan.links.iter().zip(used_links(plan)) {
        inputs[link.to] += u32::from(used);
    }
    // Each link with those to which its cells go on.
    let flows = plan.flows.iter();
    let ways = flows.flat_map(|flow| [&flow.forward, &flow.backward]);
    let mut pairs: Vec<(usize, usize)> = ways
        .flat_map(|way| way.windows(2).map(|pair| (pair[0], pair[1])))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut outputs = vec![0u32; plan.links.len()];
    pairs.iter().for_each(|(link, _)| outputs[*link] += 1);
    let each = plan.links.iter().zip(outputs).map(|(link, outputs)| {
        let merge = if inputs[link.to] > 1 {
            nanoseconds::MERGE
        } else {
            0.0
        };
        let spread = f64::from(outputs.max(1)).log10() * nanoseconds::SPREAD;
        nanoseconds::FORWARD + merge + spread
    });
    each.collect()
}

/// For each link, true if cells may cross it. With credit any link may carry credit cells.
pub fn used_links(plan: &Plan) -> Vec<bool> {
    let mut used = vec![plan.fcvc.is_some(); plan.links.len()];
    for flow in &plan.flows {
        let both = flow.forward.iter().chain(&flow.backward);
        both.for_each(|link| used[*link] = true);
    }
    used
}

/// Least time from an event at the begin of a link to its effect at the end.
pub fn lookahead(plan: &Plan, link: usize) -> Ps {
    least_transit(&plan.links[link])
}

/// Steps of the threads in a run of `seconds` whose cut links have a least lookahead.
pub fn steps(seconds: f64, lookahead: Ps) -> f64 {
    STEPS as f64 * seconds / lookahead.as_secs_f64()
}

/// Nanoseconds of the `cells` of a cut link in a run of so many steps, in the part that they leave and
/// in the one that they enter.
pub fn crossing(cells: f64, steps: f64) -> (f64, f64) {
    let visits = cells.min(steps);
    (
        cells * nanoseconds::LEAVE + visits * nanoseconds::LEAVE_LINK,
        cells * nanoseconds::ENTER + visits * nanoseconds::ENTER_LINK,
    )
}

/// Nodes that are joined by links shorter than a lookahead, and therefore belong to one part.
pub struct Groups {
    /// The number of the group that each node is in.
    pub of_nodes: Vec<usize>,
    /// Nanoseconds of each group.
    pub work: Vec<f64>,
    /// For each group, those with which it exchanges cells, and what the crossings cost it and them
    /// if they are in another part.
    pub between: Vec<Vec<(usize, f64, f64)>>,
}

impl Groups {
    /// The groups of a network none of whose links between them is shorter than `least`, in a run of
    /// `seconds`.
    pub fn new(plan: &Plan, load: &Load, used: &[bool], least: Ps, seconds: f64) -> Groups {
        let steps = steps(seconds, least);
        let mut leaders: Vec<usize> = (0..plan.nodes.len()).collect();
        for (link, ends) in plan.links.iter().enumerate() {
            if used[link] && lookahead(plan, link) < least {
                let (one, other) = (
                    leader(&mut leaders, ends.from),
                    leader(&mut leaders, ends.to),
                );
                leaders[one.max(other)] = one.min(other);
            }
        }
        let mut numbers = vec![usize::MAX; plan.nodes.len()];
        let (mut of_nodes, mut work) = (Vec::new(), Vec::new());
        for node in 0..plan.nodes.len() {
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
        for (link, ends) in plan.links.iter().enumerate() {
            let (from, to) = (of_nodes[ends.from], of_nodes[ends.to]);
            if used[link] && from != to {
                let (leave, enter) = crossing(load.on_links[link], steps);
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
