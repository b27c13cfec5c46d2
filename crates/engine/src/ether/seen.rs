//! Captured frames, in order of time: frames that have left on chosen links, and frames that switches
//! dropped.

use alloc::vec::Vec;

use super::frame::{Info, Packet};
use super::node::Node;
use super::simulation::Simulation;
use super::tap::Leaving;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// A captured frame, which has left on a link or was dropped.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Time at which the last bit leaves, or time of the drop.
    pub at: Ps,
    /// The link on which the frame has left. For a dropped frame, the link of the port that dropped it.
    pub link: usize,
    /// Channel of the frame; `None` for a frame of PFC or CBFC.
    pub channel: Option<ChannelId>,
    /// Header word of the frame.
    pub info: Info,
    /// Packet in the frame.
    pub packet: Packet,
}

impl Simulation {
    /// Captures from now on the frames that leave on the links with these indices.
    pub fn tap(&mut self, links: &[usize]) {
        for number in 0..self.stations.len() {
            let is_tapped = |link: u32| links.contains(&(link as usize));
            match &mut self.stations[number].node {
                Node::Host(host) => {
                    for line in host
                        .interfaces
                        .iter_mut()
                        .filter(|line| is_tapped(line.link))
                    {
                        line.tap = Some(Vec::new());
                    }
                }
                Node::Switch(switch) => {
                    for port in switch.ports.iter_mut().filter(|port| is_tapped(port.link)) {
                        port.begin_tap();
                    }
                }
            }
        }
    }

    /// Removes and returns the captured frames, in order of time and then of links. The result includes
    /// frames whose transmission has begun, although their last bits leave later.
    pub fn take_seen(&mut self) -> Vec<Seen> {
        let mut found = Vec::new();
        for number in 0..self.stations.len() {
            for (link, tap) in self.stations[number].node.taps() {
                let leaving = tap.as_mut().map(core::mem::take).unwrap_or_default();
                found.extend(leaving.into_iter().map(|leaving| (link as usize, leaving)));
            }
        }
        found.sort_by_key(|(link, leaving)| (leaving.at, *link));
        let seen = |(link, leaving): (usize, Leaving)| Seen {
            at: leaving.at,
            link,
            channel: (!leaving.info.is_of_link()).then(|| {
                let to = self.network.plan.links[link].to;
                self.channel_at(to, leaving.label, leaving.info)
            }),
            info: leaving.info,
            packet: leaving.packet,
        };
        found.into_iter().map(seen).collect()
    }

    /// Captures from now on the frames that switches drop.
    pub fn tap_drops(&mut self) {
        for station in &mut self.stations {
            if let Node::Switch(switch) = &mut station.node {
                switch.tap = Some(Vec::new());
            }
        }
    }

    /// Removes and returns the captured drops, in order of time and then of links.
    pub fn take_dropped(&mut self) -> Vec<Seen> {
        let mut found = Vec::new();
        for station in &mut self.stations {
            if let Node::Switch(switch) = &mut station.node {
                let drops = switch.tap.as_mut().map(core::mem::take).unwrap_or_default();
                found.extend(drops.into_iter().map(|(port, dropped)| Seen {
                    at: dropped.at,
                    link: switch.ports[port].link as usize,
                    channel: Some(switch.routes[dropped.route as usize].channel),
                    info: dropped.info,
                    packet: dropped.packet,
                }));
            }
        }
        found.sort_by_key(|dropped| (dropped.at, dropped.link));
        found
    }
}

impl Node {
    /// The captured frames of a node's ports or interfaces, each list with the index of the link.
    fn taps(&mut self) -> impl Iterator<Item = (u32, &mut Option<Vec<Leaving>>)> {
        let (interfaces, ports) = match self {
            Node::Host(host) => (&mut host.interfaces[..], &mut [][..]),
            Node::Switch(switch) => (&mut [][..], &mut switch.ports[..]),
        };
        let of_host = interfaces.iter_mut().map(|line| (line.link, &mut line.tap));
        of_host.chain(ports.iter_mut().map(|port| (port.link, &mut port.tap)))
    }
}
