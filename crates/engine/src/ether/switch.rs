//! A switch: its output ports, and its table of routes.

mod credited;
mod guarded;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::arriving::Arriving;
use super::credit::Account;
use super::errors::FcsErrors;
use super::frame::Packet;
use super::log::{Cause, Kind, Log};
use super::lossless::Guard;
use super::memory::SharedMemory;
use super::plan::change::SwitchChange;
use super::port::{Dropped, Outside, Port};
use super::roce::telemetry::{Trail, Trails};
use super::spray::{Sprayer, Way};
use super::transport::{Frame, Links};
use super::turn::Components;
use crate::kernel::{Digest, Ps, Tournament};
use crate::net::ChannelId;
use crate::passing::Contents;

/// The next hop of frames with one label, and the number of these frames that the switch has dropped.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Channel of the frames.
    pub channel: ChannelId,
    /// Output port; [`SPRAYED`] if frames take several ports.
    pub port: u32,
    /// Label at the next node; for a sprayed route the index of the route at the [`Sprayer`].
    pub label: u32,
    /// Number of frames of the route that the switch has dropped.
    pub dropped_packets: u64,
    /// Payload bytes of TCP or RoCE in the dropped frames.
    pub dropped_bytes: u64,
}

/// Takes the place of the port in a route whose frames take several ports.
pub const SPRAYED: u32 = u32::MAX;

/// Numbers by which the control schemes of a switch identify the flow of frames with one label.
#[derive(Clone, Copy, Debug, Default)]
pub struct Controlled {
    /// Index of the flow among the flows under rate control at the output port; `None` for other frames.
    pub slot: Option<u32>,
    /// For backward frames of a flow under rate control: the output port of the forward path, and the flow's index at
    /// this port.
    pub answers: Option<(u32, u32)>,
}

/// A switch, which forwards a frame once its last bit has arrived. At one instant it first ends transmissions, in
/// order of the ports, then processes arriving frames.
#[derive(Clone)]
pub struct Switch {
    /// Output ports.
    pub ports: Vec<Port>,
    /// For each label, the route of frames with this label.
    pub routes: Vec<Route>,
    /// For each label, the numbers of the flow at control schemes; empty without schemes.
    controlled: Vec<Controlled>,
    /// Memory that the queues of all ports share; `None` without shared memory.
    memory: Option<SharedMemory>,
    /// Chooses the next hops of sprayed frames; `None` without sprayed routes.
    sprayer: Option<Box<Sprayer>>,
    /// For each label, the buffer account of the channel and the channel's index at its output port; `None` without
    /// credit control (FCVC).
    accounts: Option<Vec<(Account, u32)>>,
    guard: Option<Box<Guard>>,
    /// Telemetry of the packets that are in the switch.
    trails: Trails,
    /// True if the switch has neither FCVC, PFC nor CBFC.
    is_plain: bool,
    clocks: Tournament,
    digest: Digest,
    /// Frames dropped since the last call of `note_drops`.
    drops: Vec<Dropped>,
    /// Frames that arrived with an errored bit.
    pub(super) errors: FcsErrors,
    /// Captured drops, each with the number of the port; `None` without capture.
    pub(super) tap: Option<Vec<(usize, Dropped)>>,
    /// Log of the switch; `None` if events are not logged.
    pub(super) log: Option<Box<Log>>,
}

impl Switch {
    /// A switch at the start of the run, without frames.
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
            guard: None,
            trails: Trails::default(),
            is_plain: true,
            controlled,
            drops: Vec::new(),
            errors: FcsErrors::default(),
            tap: None,
            log: None,
            clocks: Tournament::new(ports.len()),
            ports,
            routes,
            digest: Digest::default(),
        }
    }
    /// Puts the channels under credit control (FCVC). `accounts` has, by label, the buffer account of a channel and
    /// its index at its output port.
    pub fn set_credit(&mut self, accounts: Vec<(Account, u32)>) {
        self.accounts = Some(accounts);
        self.is_plain = false;
    }
    /// Buffer account of the channel with this label, and the channel's index at its output port.
    pub fn account(&self, label: u32) -> Option<&(Account, u32)> {
        self.accounts.as_ref()?.get(label as usize)
    }
    /// Number of packets in the switch that have space for telemetry.
    pub fn trails(&self) -> usize {
        self.trails.kept()
    }
    /// Hash of all dropped frames, a part of the run's digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }
    /// Time of the next event of any port.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.clocks.first().0
    }

    /// The next hop of a frame with this route. For a sprayed route the [`Sprayer`] chooses it.
    #[inline]
    fn way(&mut self, (port, to): Way) -> Way {
        match &mut self.sprayer {
            _ if port != SPRAYED => (port, to),
            Some(sprayer) => sprayer.choose(to),
            None => unreachable!("a switch with sprayed routes has a sprayer"),
        }
    }

    /// Shows a backward rate record (the fields of an RM cell) to the control scheme of the port on the forward path
    /// of the record's flow.
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
            self.advance_port(port as usize, now, links);
            self.ports[port as usize].on_backward(now, slot, &mut record);
            (frame.info, frame.packet) = frame.info.with_record(&record);
        }
    }

    /// Advances port `number` to `now`.
    fn advance_port(&mut self, number: usize, now: Ps, links: &mut Links) {
        self.at_port(number, now, None, links);
    }

    /// Advances port `number` to `now`. Then `frame`, if there is one, arrives at the port.
    #[inline(always)]
    fn at_port(&mut self, number: usize, now: Ps, frame: Option<&mut Arriving>, links: &mut Links) {
        let port = &mut self.ports[number];
        let mut outside = Outside {
            out: links.outlet(port.link),
            memory: self.memory.as_mut(),
            drops: &mut self.drops,
            log: self.log.as_deref_mut(),
            trails: &mut self.trails,
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

    /// Applies other settings of all ports from `now` on. All events before `now` have been processed. Frames beyond a
    /// smaller limit stay.
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

    /// Ends the transmissions that end at `last` or before and cause no further event.
    pub fn settle(&mut self, last: Ps, links: &mut Links) {
        if !self.is_plain {
            // Under FCVC, PFC or CBFC each end of a transmission has an effect, so it is an event of its own.
            return;
        }
        for number in 0..self.ports.len() {
            self.advance_port(number, last, links);
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
            self.advance_port(port, now, links);
        } else if self.accounts.is_some() {
            self.advance_credited(port, now, links);
        } else {
            self.advance_guarded(port, now, links);
        }
    }
    fn keep(&mut self, packet: &mut Packet, trail: Trail) {
        if let Packet::Roce(packet) = packet {
            packet.trail = self.trails.keep(trail);
        }
    }
    #[cold]
    fn refuse(&mut self, link: u32, frame: Frame, packet: Packet) {
        if self.errors.add(link, frame, payload(&packet))
            && let Some(log) = &mut self.log
        {
            let kind = Kind::Loss(Cause::BitErrors);
            log.at_port(frame.at, (frame.label, link), kind, &packet);
        }
    }
    #[inline]
    fn arrive(&mut self, Frame { at, label, info }: Frame, packet: Packet, links: &mut Links) {
        if !self.is_plain {
            let frame = Frame { at, label, info };
            return match self.accounts {
                Some(_) => self.arrive_credited(frame, packet, links),
                None => self.arrive_guarded(frame, packet, links),
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
        self.at_port(port as usize, at, Some(&mut arriving), links);
    }
}

/// Payload bytes of TCP or RoCE in a packet.
pub fn payload(packet: &Packet) -> u64 {
    match packet {
        Packet::Tcp(segment) => segment.payload() as u64,
        Packet::Roce(packet) => packet.payload.into(),
        Packet::Udp(_)
        | Packet::Rates { .. }
        | Packet::Credit { .. }
        | Packet::Pause(_)
        | Packet::Credits(_)
        | Packet::Hop(_) => 0,
    }
}
