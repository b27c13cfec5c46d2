//! State of a whole ATM network that belongs to no node: the plan, the channels, the measurement
//! window.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::plan::Plan;
use super::window::Window;
use crate::net::channel::{Channel, ChannelId};
use crate::net::node;
use crate::net::simulation::NOWHERE;

/// State of a simulation, or of one of its parts, that belongs to no node.
#[derive(Clone)]
pub struct Network {
    /// The plan of the whole network.
    pub plan: Arc<Plan>,
    /// The path of each channel.
    pub channels: Arc<[Channel]>,
    /// If links lose cells at ports that are not event-driven: for each link, the channels of its port in the
    /// order of their indices at the port (slots). Otherwise empty.
    pub lossy_channels: Arc<[Vec<ChannelId>]>,
    /// For each channel: the index of the node where the channel begins, and of the terminal there.
    pub begins: Vec<(usize, usize)>,
    /// The measurement window.
    pub window: Window,
    /// Number of changes of the plan that have been applied.
    pub changed: usize,
    /// In a part of a partitioned simulation: for each sample, the sum of the part's queue lengths
    /// in cells.
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
