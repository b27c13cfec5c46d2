//! The load of a run of an ATM network.

use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan, least_transit};
use cellrate_engine::net::LinkPlan;

use super::graph::{LinkLoad, Load};
use crate::run::work::{Cells, cells_of};

/// Computing time in ns for a cell where it is generated, forwarded and received. These times were measured
/// at single nodes, in networks like the workloads W1 and W2 of `cellrate bench` with 15, 100 and
/// 1,000 sources. In larger networks all nodes take longer, since data are not in the caches. Only
/// the ratios matter.
mod nanoseconds {
    /// A cell without TCP and ABR, at the host that sends it.
    pub const GENERATE: f64 = 5.0;
    /// A cell without TCP and ABR, at the host that receives it.
    pub const RECEIVE: f64 = 2.0;
    /// A cell of TCP or ABR, at the host that sends it.
    pub const GENERATE_CLOSED: f64 = 13.0;
    /// A cell of TCP or ABR, at the host that receives it.
    pub const RECEIVE_CLOSED: f64 = 5.0;
    /// A cell at a switch.
    pub const FORWARD: f64 = 6.5;
    /// Additional computing time for a cell at a node that merges the cells of several links.
    pub const MERGE: f64 = 2.0;
    /// Additional computing time for a cell at a node that spreads the cells of one link over
    /// several links, for each factor of ten in the number of these links.
    pub const SPREAD: f64 = 2.0;
    /// Additional computing time for a cell of an ABR flow.
    pub const CONTROL: f64 = 9.0;
    /// Additional computing time for a cell at a virtual source and destination.
    pub const RELAY: f64 = 25.0;
    /// Factor on the computing time for a cell under credit control, where a node must handle many
    /// events singly, each at the instant of the event.
    pub const PROMPT: f64 = 2.0;
}

impl Load {
    /// The load of a run of an ATM network that lasts `seconds` of simulated time.
    pub fn new(plan: &Plan, seconds: f64) -> Load {
        let link = |(link, is_used): (&LinkPlan, bool)| LinkLoad {
            from: link.from,
            to: link.to,
            lookahead: least_transit(link),
            is_used,
            units: 0.0,
        };
        let mut load = Load {
            units: "cells",
            of_nodes: vec![0.0; plan.nodes.len()],
            links: plan.links.iter().zip(used_links(plan)).map(link).collect(),
        };
        let forward = forwarding(plan);
        for (flow, cells) in plan.flows.iter().zip(cells_of(plan, seconds)) {
            let Cells { there, first, back } = cells;
            load.add(plan, flow, &forward, &flow.forward, there);
            load.add(plan, flow, &forward, &flow.backward, back);
            if let Some(link) = flow.forward.first() {
                // Cells that are lost behind the first link were generated and crossed the first
                // link.
                load.links[*link].units += first;
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

    /// Adds the `cells` of a flow on the links `way` to the load. `forward` has, for each link, the
    /// computing time in ns for forwarding a cell at the node at the far end of the link.
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
            self.links[*link].units += cells;
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

/// For each link, the computing time in ns for forwarding a cell without ABR at the node at the far
/// end of the link.
fn forwarding(plan: &Plan) -> Vec<f64> {
    let mut inputs = vec![0u32; plan.nodes.len()];
    for (link, used) in plan.links.iter().zip(used_links(plan)) {
        inputs[link.to] += u32::from(used);
    }
    // For each link, the links on which its cells continue.
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

/// For each link, true if cells may cross it. With credit control any link may carry credit cells.
fn used_links(plan: &Plan) -> Vec<bool> {
    let mut used = vec![plan.fcvc.is_some(); plan.links.len()];
    for flow in &plan.flows {
        let both = flow.forward.iter().chain(&flow.backward);
        both.for_each(|link| used[*link] = true);
    }
    used
}
