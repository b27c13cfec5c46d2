//! The directed graph that a scenario describes, and the route of every flow through it.

mod explicit;
mod parking_lot;
mod route;
mod search;
mod template;
#[cfg(test)]
mod tests;
mod tree;

use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan::{BranchPlan, LinkPlan, loop_round_trip, way_time};
use cellrate_engine::kernel::{CELL_BITS, Ps, Rate};

use super::problem::Problem;
use super::topology::Topology;
use super::types::{Scenario, Switch};

/// Nodes, directed links, and flows with the links that each uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Hosts and switches.
    pub nodes: Vec<Node>,
    /// Directed links, each named `FROM->TO`.
    pub links: Vec<LinkPlan>,
    /// Every flow of every group.
    pub flows: Vec<Instance>,
}

/// A host or a switch of the resolved graph, by index in the list of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// Settings of a switch; `None` for a host.
    pub switch: Option<Switch>,
}

impl Node {
    fn host(name: impl Into<String>) -> Node {
        Node {
            name: name.into(),
            switch: None,
        }
    }
    fn switch(name: impl Into<String>, switch: Switch) -> Node {
        Node {
            name: name.into(),
            switch: Some(switch),
        }
    }
    /// A switch of a template, which takes all its settings from `[switch]`.
    fn named_switch(name: impl Into<String>, common: &Switch) -> Node {
        let name = name.into();
        let vsvd = common.vsvd.clone().filter(|vsvd| vsvd.is_at(&name));
        Node::switch(
            name,
            Switch {
                vsvd,
                ..common.clone()
            },
        )
    }
    /// True for a host.
    pub fn is_host(&self) -> bool {
        self.switch.is_none()
    }
}

/// One flow of a flow group, with the paths of its cells in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Index of the flow's group in the flows of the scenario.
    pub group: usize,
    /// Number within the group, from 1.
    pub index: u32,
    /// Unique name, `GROUP.INDEX`.
    pub name: String,
    /// Start time, before jitter.
    pub start: Ps,
    /// Links of the forward channel, in order.
    pub forward: Vec<usize>,
    /// Links of the backward channel, in order; empty if the flow has no backward traffic.
    pub backward: Vec<usize>,
    /// Set for a further leaf of a point-to-multipoint flow, whose paths begin and end at a branch point. `of` is the
    /// index of a flow of the graph.
    pub branch: Option<BranchPlan>,
}

impl Graph {
    /// True if links may lose or damage cells; `common` are the errors of links without errors of their own.
    pub fn links_lose(&self, common: &LinkErrors) -> bool {
        let own = |link: &LinkPlan| link.errors.as_ref().is_some_and(|errors| errors.occur());
        common.occur() || self.links.iter().any(own)
    }
    /// Expected share of the PDUs of `cells` cells, sent back to back, that have an errored bit on one of the links of `path`.
    pub fn errored_share(&self, path: &[usize], common: &LinkErrors, cells: u32) -> f64 {
        let of_link = |link: &usize| {
            let link = &self.links[*link];
            let errors = link.errors.clone().unwrap_or_else(|| common.of_bits());
            (-errors.loss(u64::from(cells) * CELL_BITS, link.rate)).ln_1p()
        };
        // Shares far below 2^-53 must not vanish in a product of numbers near 1.
        -path.iter().map(of_link).sum::<f64>().exp_m1()
    }
    /// Round trip of a flow through empty queues: the propagation delay and one cell time of every
    /// link, in both directions; at most `Ps::NEVER`.
    pub fn round_trip(&self, flow: &Instance) -> Ps {
        way_time(&self.links, &flow.forward).saturating_add(way_time(&self.links, &flow.backward))
    }
    /// Fixed round-trip time (FRTT) of the ABR control loop that begins at the source of a flow.
    pub fn first_loop(&self, flow: &Instance) -> Ps {
        loop_round_trip(&self.links, &flow.forward, &flow.backward, |node| {
            self.ends_loops(node)
        })
    }
    /// True if a node ends ABR control loops and begins new ones (VS/VD).
    pub fn ends_loops(&self, node: usize) -> bool {
        self.nodes[node]
            .switch
            .as_ref()
            .is_some_and(|switch| switch.vsvd.is_some())
    }
    fn add_link(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) -> usize {
        let name = format!("{}->{}", self.nodes[from].name, self.nodes[to].name);
        self.links.push(LinkPlan {
            name,
            from,
            to,
            rate,
            delay,
            errors: None,
        });
        self.links.len() - 1
    }
    /// Adds a link and the link in the opposite direction.
    fn add_duplex(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) -> (usize, usize) {
        (
            self.add_link(from, to, rate, delay),
            self.add_link(to, from, rate, delay),
        )
    }
    fn add_node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
    fn add_flow(
        &mut self,
        scenario: &Scenario,
        (group, index): (usize, u32),
        forward: Vec<usize>,
        back: Vec<usize>,
    ) {
        let flow = &scenario.flows[group];
        let backward = if flow.needs_backward() {
            back
        } else {
            Vec::new()
        };
        let (name, start) = (flow.instance(index), flow.start_of(index));
        self.flows.push(Instance {
            group,
            index,
            name,
            start,
            forward,
            backward,
            branch: None,
        });
    }
}

/// Builds the graph of `scenario`. The links of a template come in this order: bottlenecks, then
/// the access and egress links of one flow after the other; each link is followed by its opposite.
/// The links of an explicit graph have the order of the file.
///
/// # Errors
/// Names that are missing or used twice; routes that do not exist or contain a loop; ABR flows
/// whose backward route has other nodes than the forward route. Only the first problem of each flow
/// is reported.
pub(super) fn expand(scenario: &Scenario) -> Result<Graph, Vec<Problem>> {
    match &scenario.topology {
        Topology::NSource(template) => template::n_source(scenario, template),
        Topology::SingleSwitch(template) => template::single_switch(scenario, template),
        Topology::ParkingLot(template) => parking_lot::parking_lot(scenario, template),
        Topology::Graph(graph) => explicit::expand(scenario, graph),
    }
}
