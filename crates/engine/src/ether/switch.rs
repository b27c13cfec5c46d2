//! A switch: its output ports, and the table of what arrives.

mod credited;
mod lossless;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::arriving::Arriving;
use super::credit::Account;
use super::frame::Packet;
use super::log::{Kind, Log};
use super::memory::SharedMemory;
use super::pfc::Lossless;
use super::plan::change::SwitchChange;
use super::port::{Dropped, Outside, Port};
use super::spray::{Sprayer, Way};
use super::transport::{Frame, Links};
use super::turn::Components;
use crate::kernel::{Digest, Ps, Tournament};
use crate::net::ChannelId;
use crate::passing::Contents;

/// The way on of frames with one label, and those of them that the switch has dropped.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Channel of the frames.
    pub channel: ChannelId,
    /// Output port; [`SPRAYED`] if there are several.
    pub port: u32,
    /// Label at the node that follows; of sprayed frames their number at the [`Sprayer`].
    pub label: u32,
    /// Frames dropped.
    pub dropped_packets: u64,
    /// Payload bytes of TCP or RoCE in them.
    pub dropped_bytes: u64,
}

/// The port of a route whose frames take several ports.
pub const SPRAYED: u32 = u32::MAX;

/// View that control schemes of a switch have of frames with one label.
#[derive(Clone, Copy, Debug, Default)]
pub struct Controlled {
    /// Number of their flow among those under control at their port; `None` if they are not.
    pub slot: Option<u32>,
    /// Of the way back of a flow under control: the port of the way there, and the flow's number at it.
    pub answers: Option<(u32, u32)>,
}

/// Forwards frames. A frame is forwarded when its last bit has arrived; at one instant services end first,
/// in the order of the ports.
#[derive(Clone)]
pub struct Switch {
    /// Output ports.
    pub ports: Vec<Port>,
    /// By label.
    pub routes: Vec<Route>,
    /// By label; empty without control schemes.
    controlled: Vec<Controlled>,
    /// The memory that the queues of all ports share, if they do.
    memory: Option<SharedMemory>,
    /// Chooses the ways of sprayed frames, if there are any.
    sprayer: Option<Box<Sprayer>>,
    /// By label: the account of the channel, and its number at its port; `None` without credit control.
    accounts: Option<Vec<(Account, u32)>>,
    lossless: Option<Box<Lossless>>,
    /// True without credit control and PFC.
    is_plain: bool,
    clocks: Tournament,
    digest: Digest,
    /// Frames dropped just now.
    drops: Vec<Dropped>,
    /// Frames dropped, each with its port, if they are recorded.
    pub(super) tap: Option<Vec<(usize, Dropped)>>,
    /// Log of its events, if they are logged.
    pub(super) log: Option<Box<Log>>,
}

impl Switch {
    /// A switch without frames.
    pub fn new(
        ports: Vec<Port>,
        (routes, controlled): (Vec<Route>, Vec<Controlled>),
        memory: Option<SharedMemory>,
        sprayer: Option<Box<Sprayer>>,
    ) -> Switch {
        Switch {
            memory,
            sprayer,
            accounts: None,
            lossless: None,
            is_plain: true,
            controlled,
            drops: Vec::new(),
            tap: None,
            log: None,
            clocks: Tournament::new(ports.len()),
            ports,
            routes,
            digest: Digest::default(),
        }
    }
    /// Puts the channels under credit control, by label: each with its account and its number at its port.
    pub fn set_credit(&mut self, accounts: Vec<(Account, u32)>) {
        self.accounts = Some(accounts);
        self.is_plain = false;
    }
    /// Account of the channel of a label, and its number at its port.
    pub fn account(&self, label: u32) -> Option<&(Account, u32)> {
        self.accounts.as_ref()?.get(label as usize)
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

    /// The way of a frame that has this route: drawn or in turn if it is sprayed.
    #[inline]
    fn way(&mut self, (port, to): Way) -> Way {
        match &mut self.sprayer {
            _ if port != SPRAYED => (port, to),
            Some(sprayer) => sprayer.choose(to),
            None => unreachable!("a switch with sprayed routes has a sprayer"),
        }
    }

    /// Shows a record on its way back to the scheme of the port that has its flow under control.
    fn on_backward(
        &mut self,
        now: Ps,
        answers: Option<(u32, u32)>,
        frame: &mut Arriving,
        links: &mut Links,
    ) {
        if frame.info.contents() == Contents::Backward
            && let Some((port, slot)) = answers
            && let Some(mut record) = frame.info.record(&frame.packet)
        {
            self.at_port(port as usize, now, None, links);
            self.ports[port as usize].on_backward(now, slot, &mut record);
            (frame.info, frame.packet) = frame.info.with_record(&record);
        }
    }

    /// Advances a port to `now`, at which a frame may arrive for it.
    #[inline]
    fn at_port(&mut self, number: usize, now: Ps, frame: Option<Arriving>, links: &mut Links) {
        let port = &mut self.ports[number];
        let mut outside = Outside {
            out: links.outlet(port.link),
            memory: self.memory.as_mut(),
            drops: &mut self.drops,
            log: self.log.as_deref_mut(),
        };
        port.advance(now, &mut outside);
        if let Some(frame) = frame {
            port.arrive(now, frame, &mut outside);
        }
        let due = port.next_due(self.memory.is_some() || !self.is_plain);
        if due != self.clocks.get(number) {
            self.clocks.set(number, due);
        }
        if !self.drops.is_empty() {
            self.note_drops(number);
        }
    }

    #[cold]
    fn note_drops(&mut self, port: usize) {
        if let Some(tap) = &mut self.tap {
            tap.extend(self.drops.iter().map(|dropped| (port, *dropped)));
        }
        for Dropped {
            at,
            route,
            info,
            packet,
            cause,
        } in self.drops.drain(..)
        {
            if let Some(log) = &mut self.log {
                log.at_port(
                    at,
                    (route, self.ports[port].link),
                    Kind::Loss(cause),
                    &packet,
                );
            }
            let route = &mut self.routes[route as usize];
            route.dropped_packets += 1;
            route.dropped_bytes += payload(&packet);
            self.digest.add(at.0 ^ info.bits() << 32);
        }
    }

    /// Goes on from `now`, before which everything has been processed, with other settings of all ports. Frames
    /// beyond a smaller limit stay.
    pub(super) fn change_settings(&mut self, now: Ps, to: &SwitchChange) {
        if let (Some(memory), Some(config)) = (&mut self.memory, &to.memory) {
            memory.change(config);
        }
        for (number, port) in self.ports.iter_mut().enumerate() {
            port.change(now, to);
            let due = port.next_due(self.memory.is_some() || !self.is_plain);
            self.clocks.set(number, due);
        }
    }

    /// Ends services until `last` from which nothing follows.
    pub fn settle(&mut self, last: Ps, links: &mut Links) {
        if !self.is_plain {
            // Something follows from every end of a service, which so is an event.
            return;
        }
        for number in 0..self.ports.len() {
            self.at_port(number, last, None, links);
        }
    }
}

impl Components for Switch {
    #[inline]
    fn first_due(&self) -> (Ps, usize) {
        self.clocks.first()
    }
    #[inline]
    fn event(&mut self, port: usize, now: Ps, links: &mut Links) {
        if self.is_plain {
            self.at_port(port, now, None, links);
        } else if self.accounts.is_some() {
            self.advance_credited(port, now, links);
        } else {
            self.advance_lossless(port, now, links);
        }
    }
    #[inline]
    fn arrive(&mut self, Frame { at, label, info }: Frame, packet: Packet, links: &mut Links) {
        if !self.is_plain {
            let frame = Frame { at, label, info };
            return match self.accounts {
                Some(_) => self.arrive_credited(frame, packet, links),
                None => self.arrive_lossless(frame, packet, links),
            };
        }
        let route = &self.routes[label as usize];
        let (port, to) = self.way((route.port, route.label));
        let mut arriving = Arriving {
            route: label,
            label: to,
            info,
            packet,
            slot: None,
        };
        if let Some(controlled) = self.controlled.get(label as usize) {
            arriving.slot = controlled.slot;
            self.on_backward(at, controlled.answers, &mut arriving, links);
        }
        self.at_port(port as usize, at, Some(arriving), links);
    }
}

/// Payload bytes of TCP or RoCE in a packet.
pub fn payload(packet: &Packet) -> u64 {
    match packet {
        Packet::Tcp(segment) => segment.payload() as u64,
        Packet::Roce(packet) => packet.payload.into(),
        Packet::Udp(_) | Packet::Rates { .. } | Packet::Credit { .. } | Packet::Pause(_) => 0,
    }
}
