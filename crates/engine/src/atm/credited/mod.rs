//! State of an event-driven node, which processes each event at the time of the event: service ends of its
//! ports, and its part of credit control.

pub mod build;
mod host;
pub mod instants;
mod messages;
mod switch;

use alloc::vec::Vec;

use super::event::Event;
use super::log::Log;
use super::transport::Links;
use crate::atm::port::Port;
use crate::atm::server::{Departure, Server};
use crate::atm::transport::Outlet;
use crate::credit::Receiver;
use crate::credit::allocation::{Notice, Pool};
use crate::discard::Cause;
use crate::kernel::{Ps, Tournament};
use crate::net::channel::ChannelId;

/// Used in place of an index, where there is none.
pub const NONE: u32 = u32::MAX;

/// A channel that leaves this node, at its output port.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The channel whose cells the port sends.
    pub channel: ChannelId,
    /// Label (VPI/VCI) of the channel's cells that arrive at this node; [`NONE`] if the channel begins here.
    pub label_here: u32,
    /// Label (VPI/VCI) of the channel's cells at the node where the link ends.
    pub label_there: u32,
    /// Number of cells that the channel had sent when the last mark (a credit-protocol cell with this number) was
    /// sent for it.
    pub marked: u32,
}

/// A channel that arrives at this node, with the state of the credit that the node returns
/// upstream.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Index of the port to the upstream node; [`NONE`] if the channel is not under credit control.
    pub reverse: u32,
    /// Index of the channel at the port of the upstream node (slot).
    pub upstream: u32,
    /// Index of the output port and slot (index at this port) through which the channel leaves this node; `None`
    /// if the channel ends here.
    pub onward: Option<(u32, u32)>,
    /// Counters of forwarded cells and sent credits. A channel that belongs to a pool does not use these
    /// counters, because the pool counts for its channels.
    pub receiver: Receiver,
    /// Under adaptive allocation: index of the pool, and index of the channel within the pool.
    pub pool: Option<(u32, u32)>,
}

/// A pool of buffer memory and the channels that share it.
#[derive(Clone)]
pub struct Shared {
    /// The pool, with the allocation of each channel.
    pub pool: Pool,
    /// Labels (VPI/VCI) of the channels that share the pool, by index within the pool.
    pub labels: Vec<u32>,
}

/// The output ports of a node and all links: the arguments of methods that send messages.
pub struct Outputs<'a, S> {
    /// The output ports of the node, each with the index of its link.
    pub ports: &'a mut [(Port<S>, u32)],
    /// All links of the simulation.
    pub links: &'a mut Links,
}

impl<S> Outputs<'_, S> {
    /// The port with index `port`, and the outlet to its link.
    #[inline]
    pub fn at(&mut self, port: u32) -> (&mut Port<S>, Outlet<'_>) {
        let (port, link) = &mut self.ports[port as usize];
        (port, self.links.outlet(*link))
    }
}

/// State of an event-driven node in addition to its ports: service ends and credit control.
#[derive(Clone)]
pub struct Prompt {
    /// Time of the next service end at each port whose service ends the node must process.
    completions: Tournament,
    /// Ports with an event at this instant, so that a service may start there.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Ports whose next service starts before the port's next event. `is_behind` is true for each port in this
    /// list.
    behind: Vec<u32>,
    is_behind: Vec<bool>,
    /// Channels that leave the node, by port and by index at this port (slot).
    pub(in crate::atm) ways: Vec<Vec<Way>>,
    /// Channels that arrive at the node, by the label (VPI/VCI) of their cells.
    pub(in crate::atm) accounts: Vec<Account>,
    pub(in crate::atm) pools: Vec<Shared>,
    pub(in crate::atm) mark_interval: Option<Ps>,
    pub(in crate::atm) next_mark: Ps,
    pub(in crate::atm) notices: Vec<Notice>,
}

impl Prompt {
    /// State of a node at time zero, before its first event.
    pub fn new(
        ways: Vec<Vec<Way>>,
        accounts: Vec<Account>,
        pools: Vec<Shared>,
        mark_interval: Option<Ps>,
    ) -> Prompt {
        Prompt {
            completions: Tournament::new(ways.len()),
            touched: Vec::new(),
            is_touched: alloc::vec![false; ways.len()],
            behind: Vec::new(),
            is_behind: alloc::vec![false; ways.len()],
            next_mark: mark_interval.unwrap_or(Ps::NEVER),
            ways,
            accounts,
            pools,
            mark_interval,
            notices: Vec::new(),
        }
    }

    /// Calls `number` for every channel that leaves the node. Returns the results by port and slot (index of the
    /// channel at the port).
    pub fn channels_sent(&self, number: impl Fn(ChannelId) -> u32) -> Vec<Vec<u32>> {
        let ways = |ways: &Vec<Way>| ways.iter().map(|way| number(way.channel)).collect();
        self.ways.iter().map(ways).collect()
    }
    /// Time of the next service end at a port, or time at which the next marks of the credit protocol are sent,
    /// whichever is earlier.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.completions.first().0.min(self.next_mark)
    }
    /// Time of the next service end or service start at `ports`, or of the next marks of the credit protocol,
    /// whichever is earliest.
    pub fn next_due<S: Server>(&self, ports: &[(Port<S>, u32)]) -> Ps {
        let starts = self.behind.iter();
        let starts = starts.map(|port| ports[*port as usize].0.next_start());
        starts.fold(self.next_event(), Ps::min)
    }
    /// Adds `port` to the list of ports with an event at this instant.
    #[inline]
    pub fn touch(&mut self, port: u32) {
        if !core::mem::replace(&mut self.is_touched[port as usize], true) {
            self.touched.push(port);
        }
    }

    /// True if no port has had an event at this instant.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.touched.is_empty()
    }

    /// Adds all ports to the list of ports with an event at this instant.
    pub fn touch_all(&mut self) {
        (0..self.ways.len()).for_each(|port| self.touch(port as u32));
    }

    /// Updates the time of the next service end of port `index`, after a service may have started there. If the
    /// port reports a departure at the start of the service, also counts this departure.
    #[inline(always)]
    pub fn note<S: Server>(&mut self, index: u32, outputs: &mut Outputs<'_, S>) {
        let port = &mut outputs.ports[index as usize].0;
        if let Some(departure) = port.take_departure_ahead() {
            self.forward_ahead(index, departure, outputs);
        }
        let port = &outputs.ports[index as usize].0;
        let next = port.next_event();
        if next != self.completions.get(index as usize) {
            self.completions.set(index as usize, next);
        }
        self.note_start(index, port);
    }

    /// Adds a port to the list `behind` if the port's next service starts before the port's next event.
    #[inline]
    pub(in crate::atm) fn note_start<S: Server>(&mut self, index: u32, port: &Port<S>) {
        let is_behind = &mut self.is_behind[index as usize];
        if !*is_behind && port.next_start() < self.completions.get(index as usize) {
            *is_behind = true;
            self.behind.push(index);
        }
    }

    /// Starts the services before `horizon` at the ports of the list `behind`. No event was needed for the start
    /// of these services.
    pub fn catch_up<S: Server>(&mut self, horizon: Ps, outputs: &mut Outputs<'_, S>) {
        let mut i = 0;
        while i < self.behind.len() {
            let index = self.behind[i];
            let (port, mut out) = outputs.at(index);
            port.advance(horizon, &mut out);
            if port.next_start() < port.next_event() {
                i += 1;
            } else {
                self.is_behind[index as usize] = false;
                self.behind.swap_remove(i);
            }
            self.note(index, outputs);
        }
    }

    /// Starts the next service at a port where a service ends at `now`. Returns false, with nothing changed, if
    /// the node has another event at `now` or must act on the departure. `others` is the time of the node's next
    /// timer.
    #[inline]
    pub fn go_on<S: Server>(&mut self, now: Ps, others: Ps, outputs: &mut Outputs<'_, S>) -> bool {
        let (at, index) = self.completions.first();
        if at != now
            || others
                .min(self.next_mark)
                .min(self.completions.first_except(index))
                == now
        {
            return false;
        }
        if outputs.at(index as u32).0.tells_next() {
            return false;
        }
        self.start_at(now, index as u32, outputs);
        true
    }

    /// Processes the service ends at `now`, port by port, and sends the credits that follow.
    pub fn complete<S: Server>(&mut self, now: Ps, outputs: &mut Outputs<'_, S>, log: &mut Log) {
        while self.completions.first().0 == now {
            let index = self.completions.first().1;
            self.completions.set(index, Ps::NEVER);
            self.touch(index as u32);
            let (port, mut out) = outputs.at(index as u32);
            port.advance(now, &mut out);
            let Some(departure) = port.take_departure() else {
                continue;
            };
            let way = self.ways[index][departure.slot as usize];
            if departure.lost {
                let place = (way.channel, outputs.ports[index].1);
                let Departure { at, info, .. } = departure;
                log.add(Event::loss(at, place, Cause::LinkError, info));
            }
            if way.label_here != NONE {
                self.forward(now, way.label_here, departure.cells, outputs);
            }
        }
    }

    /// Starts the services that begin at `now`, at all ports with an event at this instant.
    pub fn start<S: Server>(&mut self, now: Ps, outputs: &mut Outputs<'_, S>) {
        while let Some(index) = self.touched.pop() {
            self.is_touched[index as usize] = false;
            self.start_at(now, index, outputs);
        }
    }

    /// Starts the service at the port with index `index` at `now`, if a cell waits there.
    #[inline]
    pub fn start_at<S: Server>(&mut self, now: Ps, index: u32, outputs: &mut Outputs<'_, S>) {
        let (port, mut out) = outputs.at(index);
        port.advance(Ps(now.0 + 1), &mut out);
        self.note(index, outputs);
    }
}
