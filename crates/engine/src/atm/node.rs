//! A node of an ATM network: a host or a switch.

use alloc::vec::Vec;

use super::cell::Info;
use super::event::Event;
use super::host::Host;
use super::log::Log;
use super::network::Network;
use super::port::Port;
use super::server::{Departure, Server};
use super::switch::Switch;
use super::transport::{Inbox, Links};
use crate::discard::Cause;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;
use crate::net::node;
use crate::net::storage::{Place, Storage};

/// A node of an ATM simulation.
#[derive(Clone)]
pub enum Node<S> {
    /// An end system; channels begin and end there.
    Host(Host<S>),
    /// A switch, which forwards cells.
    Switch(Switch<S>),
}

impl<S: Server> Node<S> {
    /// True if the node is event-driven: if it must process each arrival at the time of the arrival.
    pub fn is_prompt(&self) -> bool {
        match self {
            Node::Host(host) => host.is_prompt(),
            Node::Switch(switch) => switch.is_prompt(),
        }
    }
    /// Output ports, each with the index of the link that the port feeds.
    pub fn ports(&self) -> &[(Port<S>, u32)] {
        match self {
            Node::Host(host) => &host.ports,
            Node::Switch(switch) => &switch.ports,
        }
    }
    /// Output ports, each with the index of the link that the port feeds; mutable.
    pub fn ports_mut(&mut self) -> &mut [(Port<S>, u32)] {
        match self {
            Node::Host(host) => &mut host.ports,
            Node::Switch(switch) => &mut switch.ports,
        }
    }
    /// Log of the events of this node.
    pub fn log(&self) -> &Log {
        match self {
            Node::Host(host) => &host.log,
            Node::Switch(switch) => &switch.log,
        }
    }
    /// Log of the events of this node, mutable.
    pub fn log_mut(&mut self) -> &mut Log {
        match self {
            Node::Host(host) => &mut host.log,
            Node::Switch(switch) => &mut switch.log,
        }
    }

    /// Logs the cells that links have lost up to `last`. `channels` has, for each link, the channels of its port
    /// in the order of their indices at the port (slots).
    fn log_losses(&mut self, last: Ps, channels: &[Vec<ChannelId>]) {
        let mut losses = Vec::new();
        for (port, link) in self.ports_mut() {
            let channels = &channels[*link as usize];
            let lost = port.take_losses(last).into_iter();
            losses.extend(lost.map(|Departure { at, slot, info, .. }| {
                Event::loss(at, (channels[slot as usize], *link), Cause::LinkError, info)
            }));
        }
        // The sort is stable: losses of one instant stay in the order of the ports.
        losses.sort_by_key(|loss| loss.at);
        self.log_mut().add_losses(losses);
    }
}

impl<S: Server> node::Node for Node<S> {
    type Word = Info;
    type Network = Network;

    #[inline]
    fn next_event(&self) -> Ps {
        match self {
            Node::Host(host) => host.next_event(),
            Node::Switch(switch) => switch.next_event(),
        }
    }
    #[inline(always)]
    fn turn(&mut self, inbox: &mut Inbox, links: &mut Links, horizon: Ps, ahead: Ps) -> Ps {
        match self {
            Node::Host(host) => {
                host.turn(inbox, links, horizon, ahead);
                host.next_event()
            }
            Node::Switch(switch) => {
                switch.turn(inbox, links, horizon);
                switch.next_event()
            }
        }
    }
    /// Completes the services that end at `last` or before and cause no further event: services at event-driven
    /// ports, and services of cells that links lose.
    fn settle(&mut self, last: Ps, links: &mut Links, network: &Network) {
        if !network.lossy_channels.is_empty() {
            self.log_losses(last, &network.lossy_channels);
        }
        if self.is_prompt() {
            self.advance(last, links);
        }
    }

    fn feeds(&self) -> impl Iterator<Item = u32> {
        self.ports().iter().map(|(_, link)| *link)
    }
    fn feeds_unsettled(&self) -> impl Iterator<Item = u32> {
        let marking = self.ports().iter().filter(|(port, _)| port.marks_later());
        marking.map(|(_, link)| *link)
    }
    fn add_storage(&self, held: &mut Storage) {
        for (port, link) in self.ports() {
            let (bytes, cells) = port.storage();
            held.add(Place::Port(*link as usize), cells as u64, bytes);
        }
        match self {
            Node::Switch(switch) => {
                for relay in &switch.relays {
                    let link = switch.ports[relay.port as usize].1 as usize;
                    let cells = relay.held().count() as u64;
                    held.add(Place::Port(link), cells, relay.storage());
                }
            }
            Node::Host(host) => {
                for terminal in &host.terminals {
                    let queue = terminal.queue();
                    let place = Place::Source(terminal.channel);
                    held.add(place, queue.cells(), queue.storage());
                }
            }
        }
    }

    fn next_service(&self) -> Ps {
        let services = self.ports().iter().map(|(port, _)| port.next_event());
        services.min().unwrap_or(Ps::NEVER)
    }
    fn advance(&mut self, now: Ps, links: &mut Links) {
        for (port, link) in self.ports_mut() {
            port.advance(now, &mut links.outlet(*link));
        }
    }
}
