//! Routes with the fewest links; a hash of the flow chooses among equal ones.

use std::collections::{HashMap, VecDeque};

use cellrate_engine::ether::ecmp::FlowKey;

use super::Graph;

/// Finds routes in one graph.
pub struct Routes<'a> {
    graph: &'a Graph,
    /// By node, the links that lead there.
    entering: Vec<Vec<usize>>,
    leaving: Vec<Vec<usize>>,
    /// By destination, the links to it from each node.
    distances: HashMap<usize, Vec<u32>>,
}

/// Distance of a node from which no path leads on.
const UNREACHED: u32 = u32::MAX;

impl<'a> Routes<'a> {
    /// Routes of `graph`.
    pub fn new(graph: &'a Graph) -> Routes<'a> {
        let mut entering = vec![Vec::new(); graph.nodes.len()];
        let mut leaving = entering.clone();
        for (number, link) in graph.links.iter().enumerate() {
            entering[link.to].push(number);
            leaving[link.from].push(number);
        }
        Routes {
            graph,
            entering,
            leaving,
            distances: HashMap::new(),
        }
    }

    /// The links from one host to another, for the flow with this number; in the other direction of the
    /// flow if it `returns`. `None` if there is no path.
    pub fn find(
        &mut self,
        from: usize,
        to: usize,
        flow: usize,
        returns: bool,
    ) -> Option<Vec<usize>> {
        if !self.distances.contains_key(&to) {
            let found = self.distances_to(to);
            self.distances.insert(to, found);
        }
        let distance = &self.distances[&to];
        if distance[from] == UNREACHED {
            return None;
        }
        let mut path = Vec::with_capacity(distance[from] as usize);
        let mut node = from;
        while node != to {
            let closer = |link: &&usize| {
                let next = self.graph.links[**link].to;
                distance[next] < distance[node] && (next == to || !self.graph.nodes[next].is_host)
            };
            let next: Vec<usize> = self.leaving[node].iter().filter(closer).copied().collect();
            // Hosts are numbered from 10.0.0.0 on, and each flow has a port of its own.
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
            let link = next[key.next_hop(node as u32, next.len())];
            path.push(link);
            node = self.graph.links[link].to;
        }
        Some(path)
    }

    /// Links to `to` from each node, through switches.
    fn distances_to(&self, to: usize) -> Vec<u32> {
        let mut distance = vec![UNREACHED; self.graph.nodes.len()];
        distance[to] = 0;
        let mut open = VecDeque::from([to]);
        while let Some(node) = open.pop_front() {
            if node != to && self.graph.nodes[node].is_host {
                continue;
            }
            for link in &self.entering[node] {
                let from = self.graph.links[*link].from;
                if distance[from] == UNREACHED {
                    distance[from] = distance[node] + 1;
                    open.push_back(from);
                }
            }
        }
        distance
    }
}

/// Port of all destinations.
const SERVED: u16 = 100;
