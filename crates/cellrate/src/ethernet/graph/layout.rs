//! Nodes and links of the topologies. The hosts and links that a template makes for each flow are added
//! later, with the flows.

use std::collections::{HashMap, HashSet};

use super::{Graph, Part};
use crate::ethernet::topology::{self, FatTree, LeafSpine, Node, Topology};
use crate::scenario::problem::{Problem, place};
use crate::scenario::{GraphLink, NSource, SingleSwitch};

/// Nodes and links of a topology.
pub fn nodes_and_links(topology: &Topology) -> Result<Graph, Vec<Problem>> {
    match topology {
        Topology::NSource(template) => Ok(n_source(template)),
        Topology::SingleSwitch(template) => Ok(single_switch(template)),
        Topology::LeafSpine(template) => Ok(leaf_spine(template)),
        Topology::FatTree(template) => fat_tree(template).map_err(|problem| vec![problem]),
        Topology::Graph(listed) => graph(listed),
    }
}

fn n_source(template: &NSource) -> Graph {
    let mut graph = Graph::default();
    let [a, b] = ["A", "B"].map(|name| graph.add_node(name, false));
    let rate = template.bottleneck_rate.unwrap_or(template.link_rate);
    graph.add_duplex(a, b, rate, template.bottleneck.0);
    graph
}

fn single_switch(template: &SingleSwitch) -> Graph {
    let mut graph = Graph::default();
    let (a, sink) = (graph.add_node("A", false), graph.add_node("sink", true));
    let rate = template.bottleneck_rate.unwrap_or(template.link_rate);
    graph.add_duplex(a, sink, rate, template.bottleneck.0);
    graph
}

fn leaf_spine(template: &LeafSpine) -> Graph {
    let mut graph = Graph::default();
    let named = |name: &str, count: u32| {
        (1..=count)
            .map(|i| format!("{name}{i}"))
            .collect::<Vec<_>>()
    };
    let mut switches = |names: Vec<String>| -> Vec<usize> {
        names
            .into_iter()
            .map(|name| graph.add_node(name, false))
            .collect()
    };
    let leaves = switches(named("leaf", template.leaves));
    let spines = switches(named("spine", template.spines));
    let rate = template.spine_rate.unwrap_or(template.host_rate);
    for leaf in &leaves {
        for spine in &spines {
            graph.add_duplex(*leaf, *spine, rate, template.spine_delay.0);
        }
    }
    let mut number = 0;
    for leaf in leaves {
        for _ in 0..template.hosts_per_leaf {
            number += 1;
            let host = graph.add_node(format!("h{number}"), true);
            graph.add_duplex(host, leaf, template.host_rate, template.host_delay.0);
        }
    }
    graph
}

/// Builds a fat tree (Al-Fares, Loukissas and Vahdat 2008, section 2.2.1 and figure 3).
fn fat_tree(template: &FatTree) -> Result<Graph, Problem> {
    let FatTree { k, rate, delay } = *template;
    if k % 2 != 0 {
        let message = format!("the switches of the fat tree have {k} ports");
        let help = "allowed: an even number, since half of the ports lead up";
        return Err(Problem::error(place!["topology", "k"], message, help));
    }
    let half = k / 2;
    let mut graph = Graph::default();
    let core: Vec<usize> = (1..=half * half)
        .map(|i| graph.add_node(format!("core{i}"), false))
        .collect();
    let (mut edges, mut hosts) = (0, 0);
    for _pod in 0..k {
        let aggregation: Vec<usize> = (0..half)
            .map(|i| graph.add_node(format!("aggregation{}", edges + i + 1), false))
            .collect();
        for (group, switch) in core.chunks(half as usize).zip(&aggregation) {
            for core in group {
                graph.add_duplex(*switch, *core, rate, delay.0);
            }
        }
        for _ in 0..half {
            edges += 1;
            let edge = graph.add_node(format!("edge{edges}"), false);
            for switch in &aggregation {
                graph.add_duplex(edge, *switch, rate, delay.0);
            }
            for _ in 0..half {
                hosts += 1;
                let host = graph.add_node(format!("h{hosts}"), true);
                graph.add_duplex(host, edge, rate, delay.0);
            }
        }
    }
    Ok(graph)
}

fn graph(listed: &topology::Graph) -> Result<Graph, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut graph = Graph::default();
    let mut names = HashMap::new();
    for (index, node) in listed.nodes.iter().enumerate() {
        let number = graph.add_node(node.name(), matches!(node, Node::Host(_)));
        let added = &mut graph.nodes[number];
        match node {
            Node::Host(_) => {}
            Node::Switch(switch) => added.buffer = switch.buffer.map(|buffer| buffer.0),
            Node::Router(router) => {
                added.buffer = router.buffer.map(|buffer| buffer.0);
                added.part = Part::Router(router.forwarding_delay);
            }
            Node::AtmSwitch(switch) => added.part = Part::Atm(switch.buffer),
        }
        if names.insert(node.name(), number).is_some() {
            let message = format!("there are two nodes named `{}`", node.name());
            let place = place!["topology", "node", index, "name"];
            problems.push(Problem::error(
                place,
                message,
                "give each node a name of its own",
            ));
        }
    }
    let mut seen = HashSet::new();
    for (index, link) in listed.links.iter().enumerate() {
        match ends(&names, link, index) {
            Err(problem) => problems.push(problem),
            Ok((from, to)) => {
                let ways = [(from, to), (to, from)];
                for (from, to) in ways.into_iter().take(1 + usize::from(link.duplex)) {
                    if !seen.insert((from, to)) {
                        let place = place!["topology", "link", index];
                        let help = "allowed: at most one link from one node to another";
                        let message = format!(
                            "there is a second link from `{}` to `{}`",
                            link.from, link.to
                        );
                        problems.push(Problem::error(place, message, help));
                    }
                    let added = graph.add_link(from, to, link.rate, link.delay.0);
                    graph.links[added].errors = link.errors.clone();
                }
            }
        }
    }
    if problems.is_empty() {
        Ok(graph)
    } else {
        Err(problems)
    }
}

fn ends(
    names: &HashMap<&str, usize>,
    link: &GraphLink,
    index: usize,
) -> Result<(usize, usize), Problem> {
    let node = |name: &String, key: &'static str| {
        names.get(name.as_str()).copied().ok_or_else(|| {
            let place = place!["topology", "link", index, key];
            Problem::error(
                place,
                format!("there is no node `{name}`"),
                "list the node under `node`, or name another node",
            )
        })
    };
    let (from, to) = (node(&link.from, "from")?, node(&link.to, "to")?);
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
