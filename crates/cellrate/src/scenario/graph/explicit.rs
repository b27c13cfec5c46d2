//! An explicit graph: named nodes, links between them, flows from host to host.

use std::collections::{HashMap, HashSet};

use cellrate_engine::atm::plan::BranchPlan;

use super::route::Routes;
use super::tree::Leaf;
use super::{Graph, Node};
use crate::scenario::problem::{Problem, place};
use crate::scenario::suggest::nearest;
use crate::scenario::topology::{GraphLink, GraphNode, GraphSwitch, GraphTopology};
use crate::scenario::types::{Scenario, Switch};

/// Builds the graph from its lists of nodes and links.
pub fn expand(scenario: &Scenario, topology: &GraphTopology) -> Result<Graph, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut graph = Graph {
        nodes: Vec::new(),
        links: Vec::new(),
        flows: Vec::new(),
    };
    let names = add_nodes(&mut graph, scenario, topology, &mut problems);
    if problems.is_empty() {
        add_links(&mut graph, &names, topology, &mut problems);
    }
    if problems.is_empty() {
        add_flows(&mut graph, &names, scenario, &mut problems);
    }
    if problems.is_empty() {
        Ok(graph)
    } else {
        Err(problems)
    }
}

/// Index of every node by name.
pub type Names = HashMap<String, usize>;

fn add_nodes(
    graph: &mut Graph,
    scenario: &Scenario,
    topology: &GraphTopology,
    problems: &mut Vec<Problem>,
) -> Names {
    let mut names = Names::new();
    for (index, node) in topology.nodes.iter().enumerate() {
        let added = graph.add_node(match node {
            GraphNode::Host(host) => Node::host(&host.name),
            GraphNode::Switch(own) => Node::switch(&own.name, settings(&scenario.switch, own)),
        });
        if names.insert(node.name().into(), added).is_some() {
            let message = format!("there are two nodes named `{}`", node.name());
            problems.push(Problem::error(
                place!["topology", "node", index, "name"],
                message,
                "give each node a name of its own",
            ));
        }
    }
    names
}

fn settings(common: &Switch, own: &GraphSwitch) -> Switch {
    Switch {
        buffer: own.buffer.unwrap_or(common.buffer),
        clp_threshold: own.clp_threshold.or(common.clp_threshold),
        priority: own
            .priority
            .clone()
            .unwrap_or_else(|| common.priority.clone()),
        control: own
            .control
            .clone()
            .unwrap_or_else(|| common.control.clone()),
        discard: own
            .discard
            .clone()
            .unwrap_or_else(|| common.discard.clone()),
        vsvd: own
            .vsvd
            .clone()
            .or_else(|| common.vsvd.clone().filter(|common| common.is_at(&own.name))),
        rm_first: own.rm_first.unwrap_or(common.rm_first),
        schedule: own.schedule.clone().or_else(|| common.schedule.clone()),
    }
}

fn add_links(
    graph: &mut Graph,
    names: &Names,
    topology: &GraphTopology,
    problems: &mut Vec<Problem>,
) {
    let mut seen = HashSet::new();
    for (index, link) in topology.links.iter().enumerate() {
        match ends(names, link, index) {
            Ok((from, to)) => {
                let directions = if link.duplex {
                    vec![(from, to), (to, from)]
                } else {
                    vec![(from, to)]
                };
                if let Some((from, to)) = directions.iter().find(|ends| !seen.insert(**ends)) {
                    problems.push(second_link(graph, *from, *to, index));
                }
                for (from, to) in directions {
                    let added = graph.add_link(from, to, link.rate, link.delay.0);
                    graph.links[added].errors = link.errors.clone();
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
}

fn second_link(graph: &Graph, from: usize, to: usize, index: usize) -> Problem {
    let message = format!(
        "there is a second link from `{}` to `{}`",
        graph.nodes[from].name, graph.nodes[to].name
    );
    let help = "allowed: at most one link from one node to another; a link has both directions unless `duplex = false`";
    Problem::error(place!["topology", "link", index], message, help)
}

fn ends(names: &Names, link: &GraphLink, index: usize) -> Result<(usize, usize), Problem> {
    let from = node(names, &link.from, place!["topology", "link", index, "from"])?;
    let to = node(names, &link.to, place!["topology", "link", index, "to"])?;
    if from == to {
        let message = format!("a link leads from `{}` to itself", link.from);
        return Err(Problem::error(
            place!["topology", "link", index, "to"],
            message,
            "name another node",
        ));
    }
    Ok((from, to))
}

/// Index of the node with this name.
pub fn node(
    names: &Names,
    name: &str,
    place: crate::scenario::problem::Place,
) -> Result<usize, Problem> {
    names.get(name).copied().ok_or_else(|| {
        let mut known: Vec<&str> = names.keys().map(String::as_str).collect();
        known.sort_unstable();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("nodes: {}", crate::scenario::suggest::listed(&known)),
        };
        Problem::error(place, format!("there is no node `{name}`"), help)
    })
}

fn add_flows(graph: &mut Graph, names: &Names, scenario: &Scenario, problems: &mut Vec<Problem>) {
    let found: Vec<_> = {
        let routes = Routes::new(graph, names);
        scenario
            .flows
            .iter()
            .enumerate()
            .map(|(group, flow)| routes.leaves(group, flow))
            .collect()
    };
    for (group, found) in found.into_iter().enumerate() {
        match found {
            Ok(leaves) => add_leaves(graph, scenario, group, &leaves),
            Err(problem) => problems.push(problem),
        }
    }
}

/// Adds the flows of a group: `count` flows to one host, or one flow for each leaf of a point-to-multipoint flow.
fn add_leaves(graph: &mut Graph, scenario: &Scenario, group: usize, leaves: &[Leaf]) {
    let first = graph.flows.len();
    let flow = &scenario.flows[group];
    let alike = (1..=flow.count).map(|index| (index, &leaves[0]));
    for (index, leaf) in alike.chain((2..).zip(&leaves[1..])) {
        graph.add_flow(
            scenario,
            (group, index),
            leaf.forward.clone(),
            leaf.backward.clone(),
        );
        if let (Some(added), Some(branch)) = (graph.flows.last_mut(), leaf.branch) {
            added.start = flow.start_of(1);
            added.branch = Some(BranchPlan {
                of: first + branch.of,
                ..branch
            });
        }
    }
}
