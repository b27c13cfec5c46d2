//! State of a whole network that belongs to no node: the plan, the channels, the measuring window.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::plan::Plan;
use super::window::Window;
use crate::net::channel::{Channel, ChannelId};
use crate::net::node;
use crate::net::simulation::NOWHERE;

/// State of a simulation, or of a part of one, that belongs to no node.
#[derive(Clone)]
pub struct Network {
    /// Plan of the whole network.
    pub plan: Arc<Plan>,
    /// Channels with their hops.
    pub channels: Arc<[Channel]>,
    /// By link and slot, the channels whose cells the link may lose without an event; empty if links
    /// lose none.
    pub lossy_channels: Arc<[Vec<ChannelId>]>,
    /// For each channel: the node and the terminal at which the channel begins.
    pub begins: Vec<(usize, usize)>,
    /// The measuring window.
    pub window: Window,
    /// Number of changes of the plan that have been made.
    pub changed: usize,
    /// In a part of the network, the sum of the part's queues at each sample, in cells.
    pub queued: Vec<u64>,
}

impl node::Network for Network {
    fn part(&mut self, nodes: &[usize], number: &dyn Fn(usize) -> Option<u32>) -> Network {
        let begins = |(node, terminal): &(usize, usize)| {
            let node = number(*node).unwrap_or(NOWHERE);
            (node as usize, *terminal)
        };
        let mut samples = Vec::new();
        if !self.window.samples.is_empty() {
            let of_node = |node: &usize| core::mem::take(&mut self.window.samples[*node]);
            samples = nodes.iter().map(of_node).collect();
        }
        Network {
            plan: self.plan.clone(),
            channels: self.channels.clone(),
            lossy_channels: self.lossy_channels.clone(),
            begins: self.begins.iter().map(begins).collect(),
            window: Window {
                samples,
                ..Window::default()
            },
            changed: self.changed,
            queued: Vec::new(),
        }
    }

    fn join(&mut self, parts: Vec<(Vec<usize>, Network)>) {
        let sampled = parts.first().map_or(0, |(_, part)| part.queued.len());
        let mut queued = alloc::vec![0; sampled];
        let mut samples = alloc::vec![Vec::new(); self.plan.nodes.len()];
        let mut has_samples = false;
        for (nodes, part) in parts {
            assert_eq!(part.queued.len(), sampled, "parts sampled equally often");
            for (sum, of_part) in queued.iter_mut().zip(&part.queued) {
                *sum += of_part;
            }
            for (node, of_node) in nodes.into_iter().zip(part.window.samples) {
                samples[node] = of_node;
                has_samples = true;
            }
        }
        self.window.samples = if has_samples { samples } else { Vec::new() };
        self.window.queued_max = self.window.queued_max.max(queued.into_iter().max());
    }
}
