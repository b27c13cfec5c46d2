//! Endpoints at routers, which join paths over Ethernet and ATM.

use alloc::vec::Vec;

use super::endpoint::{App, Endpoint};
use super::node::Node;
use super::simulation::Simulation;
use super::transport::Frame;
use crate::kernel::Ps;
use crate::net::ChannelId;
use crate::tcp::{Segment, TcpReceiver, TcpSender};

impl Endpoint {
    /// The TCP sender of the endpoint; `None` if it has none.
    pub(crate) fn tcp_sender(&self) -> Option<&TcpSender> {
        match self.app() {
            App::Sender(sender, _) => Some(sender),
            _ => None,
        }
    }
    /// The TCP receiver of the endpoint; `None` if it has none.
    pub(crate) fn tcp_receiver(&self) -> Option<&TcpReceiver> {
        match self.app() {
            App::Receiver(receiver) => Some(receiver),
            _ => None,
        }
    }
}

impl Simulation {
    /// Makes the endpoint at which `channel` begins an endpoint of a router. The simulation must not have begun.
    pub(crate) fn become_router(&mut self, channel: ChannelId) {
        let (node, number) = self.network.begin(channel);
        if let Node::Host(host) = &mut self.stations[node].node {
            host.become_router(number);
        }
        self.reschedule(node);
    }
    /// Segments that have arrived at the router at which `channel` begins, and that the router has not taken yet, each
    /// with its arrival time, in order of arrival. `None` if the endpoint is not at a router.
    pub(crate) fn arrived(&mut self, channel: ChannelId) -> Option<&mut Vec<(Ps, Segment)>> {
        let (node, number) = self.network.begin(channel);
        match &mut self.stations[node].node {
            Node::Host(host) => {
                let router = host.endpoints[number].router_mut()?;
                Some(&mut router.waiting)
            }
            Node::Switch(_) => None,
        }
    }
    /// For each channel the payload bytes that switches have dropped, and the payload bytes under way.
    pub(crate) fn lost_and_held(&self) -> Vec<[u64; 2]> {
        let (dropped, in_path) = (self.dropped(), self.in_path());
        let both = dropped.iter().zip(&in_path);
        both.map(|(dropped, in_path)| [dropped.bytes, in_path.bytes])
            .collect()
    }
    /// Three counts of the measuring window at the endpoint at which `channel` begins: packets sent, packets
    /// received, and packets received with a mark.
    pub(crate) fn packets(&self, channel: ChannelId) -> [u64; 3] {
        let window = &self.network.window;
        let [then, now] = [&window.begin, &window.end].map(|at| {
            let flow = &at.flows[channel.flow()];
            let end = if channel.is_forward() {
                flow.source
            } else {
                flow.destination
            };
            [end.packets_sent, end.packets_received, end.marked]
        });
        core::array::from_fn(|count| now[count] - then[count])
    }
    /// Puts a segment onto the first link of `channel`, which the router feeds, so that it arrives at the end of this link
    /// at `at`. `at` must not be before [`Simulation::now`](crate::net::simulation::Simulation::now), nor before the
    /// arrival of the previous segment on this link.
    pub(crate) fn enter(&mut self, channel: ChannelId, at: Ps, segment: Segment) {
        let (node, number) = self.network.begin(channel);
        let Node::Host(host) = &mut self.stations[node].node else {
            return;
        };
        let endpoint = &mut host.endpoints[number];
        let (label, port) = (endpoint.label, endpoint.port);
        let (info, packet) = endpoint.send_routed(segment);
        let link = host.interfaces[port as usize].link;
        let frame = Frame { at, label, info };
        self.links.outlet(link).push(frame, Some(&packet));
        self.tell_receivers();
    }
}
