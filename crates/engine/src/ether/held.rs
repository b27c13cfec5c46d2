//! The frames on links and in queues of a network at one instant.

use super::frame::{Info, PREAMBLE, Packet};
use super::line::OctetClock;
use super::lossless::Gate;
use super::node::Node;
use super::pause::Order;
use super::simulation::Simulation;
use super::switch::payload;
use crate::kernel::Ps;
use crate::net::ChannelId;
use alloc::vec::Vec;

/// A frame on a link, or in a queue in front of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The link that carries the frame, or that the frame's queue feeds.
    pub link: usize,
    /// Channel of the frame; `None` for a frame of PFC or CBFC.
    pub channel: Option<ChannelId>,
    /// Contents of a PFC frame; `None` for another frame.
    pub pause: Option<Order>,
    /// Header word of the frame.
    pub info: Info,
    /// True for a packet without payload, such as an acknowledgement, part of a handshake, a rate record (the
    /// fields of an RM cell), or a credit.
    pub is_empty: bool,
    /// Time at which the last bit arrives at the end of the link; `None` while the frame waits in a queue.
    pub arrives: Option<Ps>,
}

impl Held {
    fn new(link: usize, channel: Option<ChannelId>, info: Info, packet: Option<&Packet>) -> Held {
        Held {
            link,
            channel,
            pause: match packet {
                Some(Packet::Pause(order)) => Some(*order),
                _ => None,
            },
            info,
            is_empty: !info.is_udp() && packet.is_none_or(is_without_payload),
            arrives: None,
        }
    }
}

/// True for a packet without payload, also if a switch has cut its payload off.
fn is_without_payload(packet: &Packet) -> bool {
    match packet {
        Packet::Roce(packet) => !packet.has_data(),
        _ => payload(packet) == 0,
    }
}

impl Simulation {
    /// All frames in the network: first the frames on links, in order of links and arrival times, then the
    /// frames in queues of switches, in order of queues. A frame in transmission counts as on its link.
    pub fn frames(&self) -> impl Iterator<Item = Held> {
        self.on_links().chain(self.queued())
    }

    fn on_links(&self) -> impl Iterator<Item = Held> {
        let mut waiting = alloc::vec![0; self.links.len()];
        for port in self.ports() {
            waiting[port.link as usize] = port.waiting_on_link();
        }
        self.links.iter().enumerate().flat_map(move |(link, ring)| {
            let sent = ring.len() - waiting[link];
            let frames = self.sent_last(link, ring.len()).take(sent);
            frames.map(|(held, arrives)| Held {
                arrives: Some(arrives),
                ..held
            })
        })
    }

    /// The last `count` frames that have been put onto a link, in the form of frames that wait in a queue.
    /// Each comes with the time at which it will arrive.
    fn sent_last(&self, link: usize, count: usize) -> impl Iterator<Item = (Held, Ps)> {
        let to = self.network.plan.links[link].to;
        let frames = self.links[link].sent_last(count);
        frames.map(move |(frame, packet)| {
            let of_channel = !frame.info.is_of_link();
            let channel = of_channel.then(|| self.channel_at(to, frame.label, frame.info));
            (Held::new(link, channel, frame.info, packet), frame.at)
        })
    }

    fn queued(&self) -> impl Iterator<Item = Held> {
        self.ports().flat_map(move |port| {
            let link = port.link as usize;
            let to = self.network.plan.links[link].to;
            let in_queues = port.waiting().map(move |frame| {
                let channel = self.channel_at(to, frame.label, frame.info);
                Held::new(link, Some(channel), frame.info, Some(&frame.packet))
            });
            let on_link = self.sent_last(link, port.waiting_on_link());
            // The bit errors of such a frame are drawn already, but none of its bits has left.
            let still = |held: Held| Held {
                info: held.info.intact(),
                ..held
            };
            in_queues.chain(on_link.map(move |(held, _)| still(held)))
        })
    }

    /// Links at which PFC or CBFC now holds back frames of at least one priority.
    pub fn held_links(&self) -> Vec<usize> {
        let now = self.now();
        let mut found = Vec::new();
        let mut add = |(link, gate): (u32, &Gate)| {
            if gate.holds(now) {
                found.push(link as usize);
            }
        };
        for station in &self.stations {
            match &station.node {
                Node::Host(host) => host.gates().for_each(&mut add),
                Node::Switch(switch) => {
                    let ports = switch.ports.iter();
                    let under = ports.filter_map(|port| Some((port.link, port.gate()?.gate())));
                    under.for_each(&mut add);
                }
            }
        }
        found
    }

    /// The positions of the first and the last bit of a frame on its link now, as shares of the link's
    /// length: 0 until the bit leaves, and 1 once it arrives. `None` while the frame waits in a queue. A bit
    /// crosses a link without delay at once.
    pub fn head_and_tail(&self, frame: &Held) -> Option<(f64, f64)> {
        let link = &self.network.plan.links[frame.link];
        let arrives = frame.arrives?;
        let lasts = OctetClock::new(link.rate).floor(PREAMBLE + frame.info.octets());
        let gone = |left: Ps| {
            let since = self.now().saturating_sub(left).0 as f64;
            match link.delay {
                Ps::ZERO => f64::from(u8::from(self.now() >= left)),
                delay => (since / delay.0 as f64).min(1.0),
            }
        };
        let last_leaves = arrives.saturating_sub(link.delay);
        Some((gone(last_leaves.saturating_sub(lasts)), gone(last_leaves)))
    }
}
