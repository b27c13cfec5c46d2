//! A switch: its output ports, and the table of what arrives.

use alloc::vec::Vec;

use super::frame::{Info, Packet};
use super::port::Port;
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
    clocks: Tournament,
    digest: Digest,
}

impl Switch {
    /// A switch without frames.
    pub fn new(ports: Vec<Port>, routes: Vec<Route>) -> Switch {
        Switch {
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
    /// Earliest start of a service.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.clocks.first().0
    }

    /// Processes everything before `horizon`; at one instant completions in the order of the ports, then
    /// arrivals in the order of the inbox.
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
                self.advance(port, due, links);
            } else if let Some(frame) = arrivals.take(links) {
                let packet = arrivals.record(frame.info, links);
                self.arrive(frame, packet, links);
            }
        }
        arrivals.end();
    }

    fn advance(&mut self, port: usize, now: Ps, links: &mut Links) {
        let at_work = &mut self.ports[port];
        at_work.advance(now, &mut links.outlet(at_work.link));
        self.clocks.set(port, at_work.next_start());
    }

    #[inline]
    fn arrive(&mut self, frame: Frame, packet: Packet, links: &mut Links) {
        let Frame { at, label, info } = frame;
        let route = &mut self.routes[label as usize];
        let number = route.port as usize;
        let port = &mut self.ports[number];
        let accepted = port.arrive(at, route.label, info, packet, &mut links.outlet(port.link));
        let next = port.next_start();
        if next != self.clocks.get(number) {
            self.clocks.set(number, next);
        }
        if !accepted {
            route.dropped_packets += 1;
            route.dropped_bytes += payload(&packet);
            self.note_drop(at, info);
        }
    }

    fn note_drop(&mut self, at: Ps, info: Info) {
        self.digest.add(at.0 ^ info.bits() << 32);
    }

    /// Completes services until `last` from which nothing follows.
    pub fn settle(&mut self, last: Ps, links: &mut Links) {
        for port in &mut self.ports {
            port.advance(last, &mut links.outlet(port.link));
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
