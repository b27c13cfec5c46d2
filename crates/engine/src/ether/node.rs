//! A node of a network, and the state of the network that belongs to no node.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::frame::Info;
use super::host::Host;
use super::plan::Plan;
use super::switch::Switch;
use super::transport::{Inbox, Links};
use super::turn::turn;
use super::window::Window;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;
use crate::net::node;
use crate::net::simulation::NOWHERE;
use crate::net::storage::{Place, Storage};

/// A node of the simulation over Ethernet, in the form that the transport [`crate::net`] calls.
#[derive(Clone)]
pub enum Node {
    /// A host, at which flows begin and end.
    Host(Host),
    /// A switch, which forwards frames.
    Switch(Switch),
}

impl node::Node for Node {
    type Word = Info;
    type Network = Network;

    #[inline]
    fn next_event(&self) -> Ps {
        match self {
            Node::Host(host) => host.next_event(),
            Node::Switch(switch) => switch.next_event(),
        }
    }
    #[inline]
    fn turn(&mut self, inbox: &mut Inbox, links: &mut Links, horizon: Ps, _ahead: Ps) -> Ps {
        match self {
            Node::Host(host) => turn(host, inbox, links, horizon),
            Node::Switch(switch) => turn(switch, inbox, links, horizon),
        }
        self.next_event()
    }
    fn settle(&mut self, last: Ps, links: &mut Links, _network: &Network) {
        if let Node::Switch(switch) = self {
            switch.settle(last, links);
        }
    }

    fn feeds(&self) -> impl Iterator<Item = u32> {
        let (interfaces, ports) = match self {
            Node::Host(host) => (&host.interfaces[..], &[][..]),
            Node::Switch(switch) => (&[][..], &switch.ports[..]),
        };
        let of_host = interfaces.iter().map(|interface| interface.link);
        of_host.chain(ports.iter().map(|port| port.link))
    }
    /// Links on which a frame may still change: none over Ethernet, since a frame is complete when it is put onto
    /// its link.
    fn feeds_unsettled(&self) -> impl Iterator<Item = u32> {
        core::iter::empty()
    }
    fn add_storage(&self, held: &mut Storage) {
        match self {
            Node::Switch(switch) => {
                for port in &switch.ports {
                    let (frames, bytes) = port.storage();
                    held.add(Place::Port(port.link as usize), frames, bytes);
                }
                if let Some(log) = &switch.log {
                    held.add(Place::Log, 0, log.storage());
                }
            }
            Node::Host(host) => {
                for endpoint in &host.endpoints {
                    let place = Place::Source(endpoint.channel);
                    held.add(place, endpoint.waiting(), endpoint.storage());
                    if let Some(log) = &endpoint.log {
                        held.add(Place::Log, 0, log.storage());
                    }
                }
            }
        }
    }

    /// Never: the starts and ends of transmissions are among the events of
    /// [`Node::next_event`](node::Node::next_event).
    fn next_service(&self) -> Ps {
        Ps::NEVER
    }
    fn advance(&mut self, _now: Ps, _links: &mut Links) {}
}

/// State of a simulation, or of one partition, that belongs to no node.
#[derive(Clone)]
pub struct Network {
    /// The plan of the simulation.
    pub plan: Arc<Plan>,
    /// For each channel, the node and the endpoint at which the channel begins. In a partition `NOWHERE` stands for
    /// a node of another partition.
    pub begins: Arc<[(usize, usize)]>,
    /// The measuring window.
    pub window: Window,
    /// Number of changes of the plan that have been made so far.
    pub changed: usize,
}

impl Network {
    /// Node and endpoint at which a channel begins.
    pub fn begin(&self, channel: ChannelId) -> (usize, usize) {
        self.begins[channel.index()]
    }
}

impl node::Network for Network {
    fn part(&mut self, nodes: &[usize], number: &dyn Fn(usize) -> Option<u32>) -> Network {
        let begin = |(node, endpoint): &(usize, usize)| {
            let node = number(*node).unwrap_or(NOWHERE);
            (node as usize, *endpoint)
        };
        let mut samples = Vec::new();
        if !self.window.samples.is_empty() {
            let of_node = |node: &usize| core::mem::take(&mut self.window.samples[*node]);
            samples = nodes.iter().map(of_node).collect();
        }
        Network {
            plan: self.plan.clone(),
            begins: self.begins.iter().map(begin).collect(),
            changed: self.changed,
            window: Window {
                samples,
                has_ended: self.window.has_ended,
                ..Window::default()
            },
        }
    }

    fn join(&mut self, parts: Vec<(Vec<usize>, Network)>) {
        let mut samples = alloc::vec![Vec::new(); self.plan.nodes.len()];
        let mut has_samples = false;
        for (nodes, part) in parts {
            for (node, of_node) in nodes.into_iter().zip(part.window.samples) {
                samples[node] = of_node;
                has_samples = true;
            }
        }
        self.window.samples = if has_samples { samples } else { Vec::new() };
    }
}
