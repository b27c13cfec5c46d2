//! A host: the terminals (ends of flows) at this node, and the output ports of the node.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::credited::{Prompt, instants};
use super::log::Log;
use super::plan::FlowChange;
use super::terminal::{Outside, Terminal};
use super::transport::Inbox;
use super::transport::Links;
use crate::atm::cell::Cell;
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::atm::transport::Link;
use crate::kernel::{Ps, Tournament};
use crate::net::channel::ChannelId;

/// An end system. Channels begin and end at its terminals.
#[derive(Clone)]
pub struct Host<S> {
    /// Ends of the flows at this host. The labels (VPI/VCI) of arriving cells are indices into this list.
    pub terminals: Vec<Terminal>,
    /// Output ports, each with the index of the link that the port feeds.
    pub ports: Vec<(Port<S>, u32)>,
    /// Log of the events of this host.
    pub log: Log,
    pub(super) clocks: Tournament,
    /// State of an event-driven host, which processes each event at the time of the event; `None` for other
    /// hosts.
    prompt: Option<Box<Prompt>>,
    /// For an event-driven host: the index of the terminal that sends the cells of a channel, by port and slot
    /// (index of the channel at the port).
    pub(super) senders: Vec<Vec<u32>>,
}

impl<S: Server> Host<S> {
    /// A host at time zero, before its first event.
    pub fn new(
        terminals: Vec<Terminal>,
        ports: Vec<(Port<S>, u32)>,
        log: Log,
        prompt: Option<Box<Prompt>>,
    ) -> Host<S> {
        let mut clocks = Tournament::new(terminals.len());
        for (i, terminal) in terminals.iter().enumerate() {
            clocks.set(i, terminal.wake_at());
        }
        let mut senders = Vec::new();
        if let Some(prompt) = &prompt {
            let numbered = (0..)
                .zip(&terminals)
                .map(|(number, terminal)| (terminal.channel, number));
            let sender: BTreeMap<ChannelId, u32> = numbered.collect();
            senders = prompt.channels_sent(|channel| sender.get(&channel).copied().unwrap_or(0));
        }
        Host {
            terminals,
            ports,
            log,
            clocks,
            prompt,
            senders,
        }
    }
    /// True if the host is event-driven: if it must process each arrival at the time of the arrival.
    pub fn is_prompt(&self) -> bool {
        self.prompt.is_some()
    }

    /// Time of the earliest timer of a terminal, or of the earliest event of an event-driven port, whichever is
    /// earlier.
    #[inline]
    pub fn next_event(&self) -> Ps {
        let port = self
            .prompt
            .as_ref()
            .map_or(Ps::NEVER, |prompt| prompt.next_due(&self.ports));
        self.clocks.first().0.min(port)
    }

    /// Processes all events before `horizon`; at one instant timers come before arrivals. If the host has one
    /// terminal and one incoming link, the terminal also sends cells ahead of time, up to `ahead`. Until `ahead`,
    /// no sample or report reads the state of the host.
    #[inline(never)]
    pub fn turn(&mut self, inbox: &mut Inbox, links: &mut Links, horizon: Ps, ahead: Ps) {
        if let Some(prompt) = self.prompt.take() {
            self.prompt = Some(instants::turn(self, prompt, inbox, links, horizon));
            return;
        }
        if let Some(only) = inbox.only() {
            self.turn_with(only as usize, links, horizon);
            if ahead > horizon && self.terminals.len() == 1 {
                self.work(0, links, |terminal, out| {
                    terminal.send_ahead(horizon, ahead, out)
                });
            }
            return inbox.note_due(links[only as usize].due());
        }
        if inbox.is_drawn() {
            self.merge::<true>(inbox, links, horizon);
        } else {
            self.merge::<false>(inbox, links, horizon);
        }
    }

    /// Does the work of [`Host::turn`] for a host with several incoming links.
    fn merge<const DRAWN: bool>(&mut self, inbox: &mut Inbox, links: &mut Links, horizon: Ps) {
        loop {
            let (timer, index) = self.clocks.first();
            let (arrival, input) = inbox.next::<DRAWN>();
            if timer <= arrival {
                if timer >= horizon {
                    return;
                }
                let limit = self.limit(horizon, timer, arrival, index);
                self.work(index, links, |terminal, out| terminal.run(limit, out));
            } else {
                if arrival >= horizon {
                    return;
                }
                let Some(cell) = inbox.receive(input, links) else {
                    return;
                };
                let terminal = &mut self.terminals[cell.label as usize];
                if !cell.info.has_body() {
                    terminal.receive_plain(cell);
                } else if cell.info.is_stamped() {
                    let link = &mut links[inbox.links()[input] as usize];
                    terminal.receive_row::<true>([cell].iter(), || link.pop_stamp());
                } else {
                    let body = inbox.record(input, cell.info, links);
                    self.work(cell.label as usize, links, |terminal, out| {
                        terminal.receive(cell, body, out)
                    });
                }
            }
        }
    }

    /// Does the work of [`Host::turn`] for a host with a single incoming link.
    fn turn_with(&mut self, incoming: usize, links: &mut Links, horizon: Ps) {
        loop {
            let (timer, index) = self.clocks.first();
            let link = &mut links[incoming];
            let limit = horizon.min(timer);
            let taken = self.receive_rows::<false>(link.stretch(), || None, limit);
            link.discard(taken);
            if link.begins_stamped() && self.receive_stamped(link, limit) {
                continue;
            }
            let arrival = link.next_arrival();
            if timer.min(arrival) >= horizon {
                return;
            }
            if timer <= arrival {
                let limit = self.limit(horizon, timer, arrival, index);
                self.work(index, links, |terminal, out| terminal.run(limit, out));
            } else {
                let Some((cell, _)) = link.pop() else {
                    return;
                };
                if !cell.info.has_body() {
                    // The cell lies behind the wrap of the ring buffer, so the contiguous slice did
                    // not contain it.
                    self.terminals[cell.label as usize].receive_plain(cell);
                    continue;
                }
                let body = link.pop_record(cell.info);
                self.work(cell.label as usize, links, |terminal, out| {
                    terminal.take_back(cell.at, out);
                    terminal.receive(cell, body, out)
                });
            }
        }
    }

    /// Receives cells with stamps (sending times) that arrive before `limit`, up to the first cell without a
    /// stamp. Returns false if no cell was received.
    #[inline(never)]
    fn receive_stamped(&mut self, link: &mut Link, limit: Ps) -> bool {
        let (cells, stamps) = link.stamped_stretch();
        let taken = self.receive_rows::<true>(cells, || stamps.pop(), limit);
        link.discard(taken);
        taken > 0
    }

    /// Receives plain cells (data cells that do not end a PDU) from `cells` that arrive before `limit`. All have
    /// stamps (`STAMPED`) or all have none, up to the first cell that differs. `stamp` removes the sending time
    /// of one cell from the link. Returns the number of cells received. Plain cells change no timer of a
    /// terminal.
    #[inline(always)]
    fn receive_rows<const STAMPED: bool>(
        &mut self,
        cells: &[Cell],
        mut stamp: impl FnMut() -> Option<Ps>,
        limit: Ps,
    ) -> usize {
        let mut received = 0;
        let is_plain = |cell: &&Cell| cell.at < limit && cell.info.is_of_row::<STAMPED>();
        while let Some(first) = cells.get(received).filter(is_plain) {
            let row = cells[received..].iter().take_while(is_plain);
            let row = row.take_while(|cell| cell.label == first.label);
            received +=
                self.terminals[first.label as usize].receive_row::<STAMPED>(row, &mut stamp);
        }
        received
    }

    /// Time up to which the terminal `index`, which has the earliest timer, may be processed without the other
    /// terminals. The limit is the next arrival, which comes after timers of its instant, or the timer of the
    /// next terminal.
    #[inline]
    fn limit(&self, horizon: Ps, timer: Ps, arrival: Ps, index: usize) -> Ps {
        let others = self.runner_up(index).max(Ps(timer.0 + 1));
        horizon.min(Ps(arrival.0.saturating_add(1))).min(others)
    }

    #[inline]
    pub(super) fn runner_up(&self, first: usize) -> Ps {
        if self.terminals.len() == 1 {
            Ps::NEVER
        } else {
            self.clocks.first_except(first)
        }
    }

    /// Replaces the settings of a terminal's flow from `now` on; the state of the terminal is kept.
    pub fn change(&mut self, now: Ps, terminal: usize, to: &FlowChange) {
        self.at_terminal(terminal, |terminal| terminal.change(now, to));
    }
    /// Calls `act` on a terminal between two calls of [`Host::turn`], and updates the terminal's
    /// timer.
    pub fn at_terminal(&mut self, number: usize, act: impl FnOnce(&mut Terminal)) {
        let terminal = &mut self.terminals[number];
        act(terminal);
        self.clocks.set(number, terminal.wake_at());
    }

    #[inline]
    pub(super) fn work(
        &mut self,
        index: usize,
        links: &mut Links,
        act: impl FnOnce(&mut Terminal, &mut Outside<'_, S>),
    ) {
        let terminal = &mut self.terminals[index];
        let before = terminal.wake_at();
        let port = self.ports.get_mut(terminal.port as usize);
        let mut out = Outside {
            way: port.map(|(port, link)| (port, links.outlet(*link))),
            alone: false,
            log: &mut self.log,
        };
        act(terminal, &mut out);
        let after = terminal.wake_at();
        if after != before {
            self.clocks.set(index, after);
        }
    }
}
