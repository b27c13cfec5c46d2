//! Routes with the fewest links. A hash of the flow chooses among equal routes.
//!
//! The last switch of a route to a host is one of the host's neighbours. So distances are stored for each set
//! of last switches, and all hosts at the same switches share them. The memory grows with the square of the
//! number of switches.

use std::collections::{HashMap, VecDeque};

use cellrate_engine::ether::ecmp::FlowKey;

use super::Graph;

/// TCP or UDP port of all destinations.
const SERVED: u16 = 100;
/// Distance of a switch from which no path leads to the destination host.
const UNREACHED: u32 = u32::MAX;

/// Finds the shortest paths between hosts, and all next hops of equal cost, in one graph.
pub struct Routes<'a> {
    graph: &'a Graph,
    /// For each node the links that end at it.
    entering: Vec<Vec<usize>>,
    /// For each node the links from it to switches.
    onward: Vec<Vec<usize>>,
    /// For each node its index among the switches; `None` for other nodes.
    number: Vec<Option<u32>>,
    /// For each switch the switches that have a link to it.
    before: Vec<Vec<u32>>,
    /// For each set of last switches before a host: the number of links from each switch to the nearest
    /// switch of the set.
    distances: HashMap<Vec<u32>, Vec<u32>>,
}

impl<'a> Routes<'a> {
    /// A finder of routes in `graph`.
    pub fn new(graph: &'a Graph) -> Routes<'a> {
        let mut entering = vec![Vec::new(); graph.nodes.len()];
        let mut onward = entering.clone();
        for (number, link) in graph.links.iter().enumerate() {
            entering[link.to].push(number);
            if !graph.nodes[link.to].is_host {
                onward[link.from].push(number);
            }
        }
        let mut switches = 0..;
        let number: Vec<Option<u32>> = graph
            .nodes
            .iter()
            .map(|node| if node.is_host { None } else { switches.next() })
            .collect();
        let senders = |links: &Vec<usize>| -> Vec<u32> {
            let senders = links.iter().map(|link| number[graph.links[*link].from]);
            senders.flatten().collect()
        };
        let of_switches = number.iter().zip(&entering);
        Routes {
            graph,
            before: of_switches
                .filter(|(number, _)| number.is_some())
                .map(|(_, links)| senders(links))
                .collect(),
            entering,
            onward,
            number,
            distances: HashMap::new(),
        }
    }

    /// The links of a shortest path from one host to another for one direction of a flow: the backward
    /// direction if `returns` is true. `None` if no path leads there.
    pub fn find(
        &mut self,
        from: usize,
        to: usize,
        flow: usize,
        returns: bool,
    ) -> Option<Vec<usize>> {
        let links = &self.graph.links;
        let senders = self.entering[to].iter().map(|link| links[*link].from);
        let ends: Vec<u32> = senders.filter_map(|node| self.number[node]).collect();
        if !self.distances.contains_key(&ends) {
            let found = self.distances_to(&ends);
            self.distances.insert(ends.clone(), found);
        }
        let distances = &self.distances[&ends];
        // Hosts have addresses from 10.0.0.0 on, and each flow has a port of its own (modulo 50,000).
        let address = |node: usize| 0x0a00_0000 + node as u32;
        let port = (flow % 50_000) as u16 + 10_000;
        let (source_port, destination_port) = if returns {
            (SERVED, port)
        } else {
            (port, SERVED)
        };
        let key = FlowKey {
            source: address(from),
            destination: address(to),
            source_port,
            destination_port,
        };
        let (mut path, mut node) = (Vec::new(), from);
        while node != to {
            let nearest = self.onward_to(node, to, distances);
            if nearest.is_empty() {
                return None;
            }
            let link = nearest[key.next_hop(node as u32, nearest.len())];
            path.push(link);
            node = links[link].to;
        }
        Some(path)
    }

    /// The links from a node on shortest paths to the host `to`; none if no path leads there. `distances` has
    /// the number of links from each switch to the nearest switch before the host.
    fn onward_to(&self, node: usize, to: usize, distances: &[u32]) -> Vec<usize> {
        let links = &self.graph.links;
        let mut last = self.entering[to].iter();
        if let Some(link) = last.find(|link| links[**link].from == node) {
            return vec![*link];
        }
        let distance =
            |link: usize| self.number[links[link].to].map_or(UNREACHED, |n| distances[n as usize]);
        let onward = &self.onward[node];
        let least = onward.iter().map(|link| distance(*link)).min();
        let nearest = onward.iter().copied();
        nearest
            .filter(|link| distance(*link) != UNREACHED && Some(distance(*link)) == least)
            .collect()
    }

    /// The links of all shortest paths to the host `to` that begin with `first`, a link from a host. The
    /// result has a list for each hop, in which the links of one switch follow one another. The result is
    /// empty if there is a single path. [`Routes::find`] must have found a path.
    pub fn all(&self, first: usize, to: usize) -> Vec<Vec<usize>> {
        let links = &self.graph.links;
        let senders = self.entering[to].iter().map(|link| links[*link].from);
        let ends: Vec<u32> = senders.filter_map(|node| self.number[node]).collect();
        let Some(distances) = self.distances.get(&ends) else {
            return Vec::new();
        };
        let mut hops = vec![vec![first]];
        while let Some(hop) = hops.last().filter(|hop| links[hop[0]].to != to) {
            let mut nodes: Vec<usize> = hop.iter().map(|link| links[*link].to).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let onward = nodes
                .iter()
                .flat_map(|node| self.onward_to(*node, to, distances));
            hops.push(onward.collect());
        }
        if hops.iter().all(|hop| hop.len() == 1) {
            hops.clear();
        }
        hops
    }

    /// Number of links from each switch to the nearest switch of `ends`.
    fn distances_to(&self, ends: &[u32]) -> Vec<u32> {
        let mut distances = vec![UNREACHED; self.before.len()];
        let mut open = VecDeque::from(ends.to_vec());
        ends.iter().for_each(|end| distances[*end as usize] = 0);
        while let Some(switch) = open.pop_front() {
            for sender in &self.before[switch as usize] {
                if distances[*sender as usize] == UNREACHED {
                    distances[*sender as usize] = distances[switch as usize] + 1;
                    open.push_back(*sender);
                }
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::Job;

    fn graph(topology: &str, flow: &str) -> Graph {
        let text = format!(
            "link_layer = \"ethernet\"\nrun.duration = \"1 ms\"\ntopology = {topology}\nflow = [{flow}]"
        );
        Job::new(&text, "test", &[], None).unwrap().graph().clone()
    }

    /// A fat tree with k = 8 has 128 hosts and 80 switches. Hosts are at 32 of these switches.
    #[test]
    fn tables_grow_with_switches_and_not_with_hosts() {
        let topology = r#"{ template = "fat-tree", k = 8, rate = "10 Gbit/s", delay = "1 us" }"#;
        let graph = graph(topology, r#"{ name = "f", pattern.kind = "permutation" }"#);
        let hosts: Vec<usize> = (0..graph.nodes.len())
            .filter(|node| graph.nodes[*node].is_host)
            .collect();
        let mut routes = Routes::new(&graph);
        for (number, to) in hosts.iter().enumerate() {
            let from = hosts[(number + 1) % hosts.len()];
            let path = routes.find(from, *to, number, false).unwrap();
            assert!([2, 4, 6].contains(&path.len()), "{path:?}");
        }
        assert_eq!((hosts.len(), routes.distances.len()), (128, 32));
        assert!(routes.distances.values().all(|table| table.len() == 80));
    }

    /// Host b is at switches A and C, and host a is at A alone. A and C are joined through B only.
    #[test]
    fn a_host_at_two_switches_is_reached_by_the_nearer() {
        let switches =
            ["A", "B", "C"].map(|name| format!(r#"{{ kind = "switch", name = "{name}" }}"#));
        let hosts = ["a", "b", "c"].map(|name| format!(r#"{{ kind = "host", name = "{name}" }}"#));
        let nodes = [&switches[..], &hosts[..]].concat().join(", ");
        let links = ["aA", "AB", "BC", "Cb", "Ab", "Cc"].map(|ends| {
            let (from, to) = ends.split_at(1);
            format!(r#"{{ from = "{from}", to = "{to}", rate = "1 Gbit/s", delay = "1 us" }}"#)
        });
        let links = links.join(", ");
        let topology = format!(r#"{{ template = "graph", node = [{nodes}], link = [{links}] }}"#);
        for (from, to, nodes) in [
            ("a", "b", "aAb"),
            ("c", "b", "cCb"),
            ("b", "c", "bCc"),
            ("a", "c", "aABCc"),
        ] {
            let graph = graph(
                &topology,
                &format!(r#"{{ name = "f", from = "{from}", to = "{to}" }}"#),
            );
            let path = graph.flows[0].forward.iter();
            let visited: String = path
                .map(|link| &*graph.nodes[graph.links[*link].to].name)
                .collect();
            assert_eq!(format!("{from}{visited}"), nodes);
        }
    }
}
