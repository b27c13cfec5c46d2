//! State of a node that processes every event at its own time: completions of its ports, and its
//! part of credit control.

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

/// Index that stands for the absence of one.
pub const NONE: u32 = u32::MAX;

/// A channel at the output port that sends its cells.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Channel whose cells the port sends.
    pub channel: ChannelId,
    /// Label under which the channel's cells arrive here; [`NONE`] if the channel begins here.
    pub label_here: u32,
    /// Label of the channel's cells at the far end of the link.
    pub label_there: u32,
    /// Number of cells that the channel had sent at its last mark.
    pub marked: u32,
}

/// A channel that arrives at the node, with its credit for the upstream node.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Port to the upstream node; [`NONE`] if the channel is not under credit control.
    pub reverse: u32,
    /// Slot of the channel at the upstream port.
    pub upstream: u32,
    /// Port and slot through which the channel leaves the node; `None` if it ends here.
    pub onward: Option<(u32, u32)>,
    /// Counters of forwarded cells and sent credits; unused if the channel belongs to a pool, which
    /// has counters of its own.
    pub receiver: Receiver,
    /// Index of the pool and of the channel's place in the pool, if allocation is adaptive.
    pub pool: Option<(u32, u32)>,
}

/// A pool of memory and the labels of the channels that share it.
#[derive(Clone)]
pub struct Shared {
    /// The pool with its allocations.
    pub pool: Pool,
    /// Labels of the channels that share the pool.
    pub labels: Vec<u32>,
}

/// Ports of a node, with the links they feed, and all links.
pub struct Outputs<'a, S> {
    /// Ports of the node, each with the link that it feeds.
    pub ports: &'a mut [(Port<S>, u32)],
    /// All links of the simulation.
    pub links: &'a mut Links,
}

impl<S> Outputs<'_, S> {
    /// Port number `port` with the outlet to its link.
    #[inline]
    pub fn at(&mut self, port: u32) -> (&mut Port<S>, Outlet<'_>) {
        let (port, link) = &mut self.ports[port as usize];
        (port, self.links.outlet(*link))
    }
}

/// Completions and credit of a node that processes every event at its own time.
#[derive(Clone)]
pub struct Prompt {
    /// Completion time of each port.
    completions: Tournament,
    /// Ports that may have a service to start at this instant.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Ports whose next service starts before their next event. `is_behind` has for each port if it
    /// is among them.
    behind: Vec<u32>,
    is_behind: Vec<bool>,
    /// Channels that leave the node, by port and slot.
    pub(in crate::atm) ways: Vec<Vec<Way>>,
    /// Channels that arrive at the node, by the label under which they arrive.
    pub(in crate::atm) accounts: Vec<Account>,
    pub(in crate::atm) pools: Vec<Shared>,
    pub(in crate::atm) mark_interval: Option<Ps>,
    pub(in crate::atm) next_mark: Ps,
    pub(in crate::atm) notices: Vec<Notice>,
}

impl Prompt {
    /// State of a node before its first event.
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

    /// The result of `number` for every channel that the node sends, by port and slot.
    pub fn channels_sent(&self, number: impl Fn(ChannelId) -> u32) -> Vec<Vec<u32>> {
        let ways = |ways: &Vec<Way>| ways.iter().map(|way| number(way.channel)).collect();
        self.ways.iter().map(ways).collect()
    }
    /// Time of the next completion or of the next marks.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.completions.first().0.min(self.next_mark)
    }
    /// Time of the next event or service start at `ports`, or of the next marks.
    pub fn next_due<S: Server>(&self, ports: &[(Port<S>, u32)]) -> Ps {
        let starts = self.behind.iter();
        let starts = starts.map(|port| ports[*port as usize].0.next_start());
        starts.fold(self.next_event(), Ps::min)
    }
    /// Notes an event at `port`, which may have a service to start.
    #[inline]
    pub fn touch(&mut self, port: u32) {
        if !core::mem::replace(&mut self.is_touched[port as usize], true) {
            self.touched.push(port);
        }
    }

    /// True if no event at this instant has been noted at any port.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.touched.is_empty()
    }

    /// Notes an event at every port.
    pub fn touch_all(&mut self) {
        (0..self.ways.len()).for_each(|port| self.touch(port as u32));
    }

    /// Updates the time of the next event of a port at which services may have started.
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

    /// Notes a port whose next service starts before its next event.
    #[inline]
    pub(in crate::atm) fn note_start<S: Server>(&mut self, index: u32, port: &Port<S>) {
        let is_behind = &mut self.is_behind[index as usize];
        if !*is_behind && port.next_start() < self.completions.get(index as usize) {
            *is_behind = true;
            self.behind.push(index);
        }
    }

    /// Starts the services before `horizon` that need no event of their own.
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

    /// Processes the only event at `now`, if it is that one port continues with its next cell.
    /// `others` is the time of the next event other than a completion. Returns false, with nothing
    /// changed, if there is more to do.
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

    /// Processes the completions of services at `now`, port by port, and the credit that follows
    /// from them.
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

    /// Starts the services that begin at `now`.
    pub fn start<S: Server>(&mut self, now: Ps, outputs: &mut Outputs<'_, S>) {
        while let Some(index) = self.touched.pop() {
            self.is_touched[index as usize] = false;
            self.start_at(now, index, outputs);
        }
    }

    /// Starts the service at port number `index` at `now`, if a cell waits there.
    #[inline]
    pub fn start_at<S: Server>(&mut self, now: Ps, index: u32, outputs: &mut Outputs<'_, S>) {
        let (port, mut out) = outputs.at(index);
        port.advance(Ps(now.0 + 1), &mut out);
        self.note(index, outputs);
    }
}
