//! The directed graph that a scenario over Ethernet describes, and the route of every flow through it.

mod layout;
mod pairs;
mod routes;

use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::net::LinkPlan;

use self::routes::Routes;
use super::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// Nodes, directed links, and flows by the links they use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Hosts and switches.
    pub nodes: Vec<Node>,
    /// Directed links, each named `FROM->TO`.
    pub links: Vec<LinkPlan>,
    /// Every flow of every group.
    pub flows: Vec<Instance>,
}

/// A host or a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// True for a host.
    pub is_host: bool,
    /// Most bytes of each queue of a switch, if it has a value of its own.
    pub buffer: Option<u64>,
}

/// One flow of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its group: index into the flows of the scenario.
    pub group: usize,
    /// Number within the group, from 1.
    pub index: u32,
    /// Unique name, `GROUP.INDEX`.
    pub name: String,
    /// Start time, before jitter.
    pub start: Ps,
    /// Links from the source to the destination.
    pub forward: Vec<usize>,
    /// Links back; empty for datagrams without rate control.
    pub backward: Vec<usize>,
}

impl Graph {
    fn add_node(&mut self, name: impl Into<String>, is_host: bool) -> usize {
        self.nodes.push(Node {
            name: name.into(),
            is_host,
            buffer: None,
        });
        self.nodes.len() - 1
    }
    fn add_link(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) {
        let name = format!("{}->{}", self.nodes[from].name, self.nodes[to].name);
        self.links.push(LinkPlan {
            name,
            from,
            to,
            rate,
            delay,
        });
    }
    fn add_duplex(&mut self, from: usize, to: usize, rate: Rate, delay: Ps) {
        self.add_link(from, to, rate, delay);
        self.add_link(to, from, rate, delay);
    }
    /// The links of a path in the other direction; `None` if one of them leads one way only.
    fn reverse(&self, path: &[usize]) -> Option<Vec<usize>> {
        let back = |link: &usize| {
            let ends = (self.links[*link].to, self.links[*link].from);
            let leads = |link: &usize| (self.links[*link].from, self.links[*link].to) == ends;
            // Both directions of a line mostly stand one behind the other.
            let near = Some(link ^ 1).filter(|near| *near < self.links.len() && leads(near));
            near.or_else(|| (0..self.links.len()).find(leads))
        };
        path.iter().rev().map(back).collect()
    }
}

/// Builds the graph of `scenario`.
///
/// # Errors
/// Names that are missing or used twice, keys without a meaning in the template, and hosts that cannot be
/// reached.
pub(super) fn expand(scenario: &Scenario) -> Result<Graph, Vec<Problem>> {
    let mut graph = layout::nodes_and_links(&scenario.topology)?;
    let mut problems = Vec::new();
    let mut wanted = Vec::new();
    for (group, flow) in scenario.flows.iter().enumerate() {
        let found = if scenario.topology.lays_out_flows() {
            pairs::of_template(&mut graph, scenario, group)
        } else {
            pairs::of_names(&graph, scenario, group)
        };
        match found {
            Ok(pairs) => {
                let count = if flow.pattern.is_some() {
                    flow.count
                } else {
                    1
                };
                let again = pairs
                    .into_iter()
                    .flat_map(|pair| (0..count).map(move |_| pair));
                wanted.extend((1..).zip(again).map(|(index, ends)| (group, index, ends)));
            }
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut routes = Routes::new(&graph);
    let mut flows = Vec::with_capacity(wanted.len());
    for (number, (group, index, ends)) in wanted.into_iter().enumerate() {
        let flow = &scenario.flows[group];
        let (there, back) = (
            routes.find(ends.0, ends.1, number, false),
            routes.find(ends.1, ends.0, number, true),
        );
        let (Some(forward), Some(backward)) = (there, back) else {
            let [from, to] = [ends.0, ends.1].map(|node| &graph.nodes[node].name);
            problems.push(Problem::error(
                place!["flow", group],
                format!("`{to}` and `{from}` cannot reach each other"),
                "add links through switches; a host does not forward",
            ));
            break;
        };
        // Records of rates come back over the switches that they have passed.
        let backward = match &flow.rate_control {
            Some(_) => {
                let Some(backward) = graph.reverse(&forward) else {
                    problems.push(Problem::error(
                        place!["flow", group, "rate_control"],
                        "a link of the path leads one way only",
                        "records of rates come back over the switches that they have passed",
                    ));
                    break;
                };
                backward
            }
            None if flow.source.over_tcp() => backward,
            None => Vec::new(),
        };
        flows.push(Instance {
            group,
            index,
            name: flow.instance(index),
            start: flow.start_of(index),
            forward,
            backward,
        });
    }
    drop(routes);
    graph.flows = flows;
    if problems.is_empty() {
        Ok(graph)
    } else {
        Err(problems)
    }
}
