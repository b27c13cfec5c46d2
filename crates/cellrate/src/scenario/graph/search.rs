//! Routes with the fewest hops from host to host.

use std::collections::VecDeque;

use super::Graph;

/// For each node its outgoing links, in the order of declaration.
pub fn leaving(graph: &Graph) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); graph.nodes.len()];
    for (index, link) in graph.links.iter().enumerate() {
        leaving[link.from].push(index);
    }
    leaving
}

/// Links of the route through switches with the fewest hops. Among routes with equally many hops it
/// is the one whose first differing link is declared first.
pub fn fewest_hops(
    graph: &Graph,
    leaving: &[Vec<usize>],
    from: usize,
    to: usize,
) -> Option<Vec<usize>> {
    let mut came_by: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for &link in &leaving[node] {
            let next = graph.links[link].to;
            if next == from || came_by[next].is_some() {
                continue;
            }
            came_by[next] = Some(link);
            if next == to {
                return Some(trace(graph, &came_by, from, to));
            }
            if !graph.nodes[next].is_host() {
                queue.push_back(next);
            }
        }
    }
    None
}

fn trace(graph: &Graph, came_by: &[Option<usize>], from: usize, to: usize) -> Vec<usize> {
    let mut links = Vec::new();
    let mut node = to;
    while let Some(link) = came_by[node].filter(|_| node != from) {
        links.push(link);
        node = graph.links[link].from;
    }
    links.reverse();
    links
}
