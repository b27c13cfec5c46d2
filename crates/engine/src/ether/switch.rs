//! A switch: its output ports, and the table of what arrives.

use alloc::vec::Vec;

use super::frame::Packet;
use super::memory::SharedMemory;
use super::port::{Arriving, Dropped, Outside, Port};
use super::transport::{Arrivals, Frame, Inbox, Links};
use crate::kernel::{Digest, Ps, Tournament};
use crate::net::ChannelId;

/// The way on of frames with one label, and those of them that the switch has dropped.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Channel of the frames.
    pub channel: ChannelId,
    /// Output port.
    pub port: u32,
    /// Label at the node that follows.
    pub label: u32,
    /// Frames dropped.
    pub dropped_packets: u64,
    /// Payload bytes of TCP in them.
    pub dropped_bytes: u64,
}

/// Forwards frames. A frame is forwarded when its last bit has arrived.
#[derive(Clone)]
pub struct Switch {
    /// Output ports.
    pub ports: Vec<Port>,
    /// By label.
    pub routes: Vec<Route>,
    /// The memory that the queues of all ports share, if they do.
    memory: Option<SharedMemory>,
    clocks: Tournament,
    digest: Digest,
    /// Frames dropped just now.
    drops: Vec<Dropped>,
}

impl Switch {
    /// A switch without frames.
    pub fn new(ports: Vec<Port>, routes: Vec<Route>, memory: Option<SharedMemory>) -> Switch {
        Switch {
            memory,
            drops: Vec::new(),
            clocks: Tournament::new(ports.len()),
            ports,
            routes,
            digest: Digest::default(),
        }
    }
    /// Hash of everything that was dropped.
    pub fn digest(&self) -> Digest {
        self.digest
    }
    /// Earliest instant at which a port is due.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.clocks.first().0
    }

    /// Processes everything before `horizon`; at one instant ends of services in the order of the ports,
    /// then arrivals in the order of the inbox.
    pub fn turn(&mut self, inbox: &mut Inbox, links: &mut Links, horizon: Ps) {
        if inbox.is_drawn() {
            self.turn_in_order::<true>(inbox, links, horizon);
        } else {
            self.turn_in_order::<false>(inbox, links, horizon);
        }
    }

    fn turn_in_order<const DRAWN: bool>(
        &mut self,
        inbox: &mut Inbox,
        links: &mut Links,
        horizon: Ps,
    ) {
        let mut arrivals = Arrivals::<DRAWN>::new(inbox, links, horizon);
        loop {
            let (due, port) = self.clocks.first();
            let next = arrivals.next();
            if due.min(next) >= horizon {
                break;
            }
            if due <= next {
                self.at_port(port, due, None, links);
            } else if let Some(frame) = arrivals.take(links) {
                let packet = arrivals.record(frame.info, links);
                let Frame { at, label, info } = frame;
                let Route {
                    port, label: to, ..
                } = self.routes[label as usize];
                let arriving = Arriving {
                    route: label,
                    label: to,
                    info,
                    packet,
                };
                self.at_port(port as usize, at, Some(arriving), links);
            }
        }
        arrivals.end();
    }

    /// Advances a port to `now`, at which a frame may arrive for it.
    #[inline]
    fn at_port(&mut self, number: usize, now: Ps, frame: Option<Arriving>, links: &mut Links) {
        let port = &mut self.ports[number];
        let mut outside = Outside {
            out: links.outlet(port.link),
            memory: self.memory.as_mut(),
            drops: &mut self.drops,
        };
        port.advance(now, &mut outside);
        if let Some(frame) = frame {
            port.arrive(now, frame, &mut outside);
        }
        let due = port.next_due(self.memory.is_some());
        if due != self.clocks.get(number) {
            self.clocks.set(number, due);
        }
        if !self.drops.is_empty() {
            self.note_drops();
        }
    }

    #[cold]
    fn note_drops(&mut self) {
        for Dropped {
            at,
            route,
            info,
            packet,
        } in self.drops.drain(..)
        {
            let route = &mut self.routes[route as usize];
            route.dropped_packets += 1;
            route.dropped_bytes += payload(&packet);
            self.digest.add(at.0 ^ info.bits() << 32);
        }
    }

    /// Ends services until `last` from which nothing follows.
    pub fn settle(&mut self, last: Ps, links: &mut Links) {
        for number in 0..self.ports.len() {
            self.at_port(number, last, None, links);
        }
    }
}

/// Payload bytes of TCP in a packet.
pub fn payload(packet: &Packet) -> u64 {
    match packet {
        Packet::Tcp(segment) => segment.payload() as u64,
        Packet::Udp(_) => 0,
    }
}
