//! The estimated load of the nodes and links in a run over Ethernet.

use std::slice;

use cellrate_engine::ether::plan::least_transit;
use cellrate_engine::net::LinkPlan;

use super::describe::packets;
use super::graph::Graph;
use super::types::Scenario;
use crate::run::{LinkLoad, Load};

/// Computing time in nanoseconds for a frame at the nodes that send, forward and receive it. The times were
/// measured step by step in the templates leaf-spine and dctcp. Only the ratios of the times matter, which
/// differ by a factor of two between these templates.
mod nanoseconds {
    /// At the host that sends the frame, in nanoseconds.
    pub const SEND: f64 = 120.0;
    /// At each switch, in nanoseconds.
    pub const FORWARD: f64 = 80.0;
    /// At the host that receives the frame, in nanoseconds.
    pub const RECEIVE: f64 = 120.0;
}

/// The estimated load of each node and link in a run. Each packet of a flow with a backward path counts as
/// acknowledged.
pub fn load(scenario: &Scenario, graph: &Graph) -> Load {
    let link = |link: &LinkPlan| LinkLoad {
        from: link.from,
        to: link.to,
        lookahead: least_transit(link),
        is_used: false,
        units: 0.0,
    };
    let mut load = Load {
        units: "packets",
        of_nodes: vec![0.0; graph.nodes.len()],
        links: graph.links.iter().map(link).collect(),
    };
    for (flow, sent) in graph.flows.iter().zip(packets(scenario, graph)) {
        for (path, sprayed) in [&flow.forward, &flow.backward]
            .into_iter()
            .zip(&flow.sprayed)
        {
            let hops: Vec<&[usize]> = if sprayed.is_empty() {
                path.iter().map(slice::from_ref).collect()
            } else {
                sprayed.iter().map(Vec::as_slice).collect()
            };
            for (hop, links) in hops.iter().enumerate() {
                let share = sent / links.len() as f64;
                for link in *links {
                    let link = &mut load.links[*link];
                    link.is_used = true;
                    link.units += share;
                    if hop == 0 {
                        load.of_nodes[link.from] += share * nanoseconds::SEND;
                    }
                    let at_end = if hop + 1 == hops.len() {
                        nanoseconds::RECEIVE
                    } else {
                        nanoseconds::FORWARD
                    };
                    load.of_nodes[link.to] += share * at_end;
                }
            }
        }
    }
    load
}
