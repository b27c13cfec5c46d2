//! A host: the terminals of its flows and its output ports.

use alloc::vec::Vec;

use super::inbox::Inbox;
use super::log::Log;
use super::terminal::{Outside, Terminal};
use crate::atm::link::Link;
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::kernel::{Ps, Tournament};

/// Ends channels.
pub struct Host<S> {
    /// Ends of flows; labels of arriving cells are indices into it.
    pub terminals: Vec<Terminal>,
    /// Output ports, with the links they feed.
    pub ports: Vec<(Port<S>, u32)>,
    /// Events of this host.
    pub log: Log,
    clocks: Tournament,
}

impl<S: Server> Host<S> {
    /// A host that has done nothing yet.
    pub fn new(terminals: Vec<Terminal>, ports: Vec<(Port<S>, u32)>, log: Log) -> Host<S> {
        let mut clocks = Tournament::new(terminals.len());
        for (i, terminal) in terminals.iter().enumerate() {
            clocks.set(i, terminal.wake_at());
        }
        Host { terminals, ports, log, clocks }
    }

    /// Earliest time at which a terminal has something to do of its own.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.clocks.first().0
    }

    /// Works through everything before `horizon`, timers before arrivals at one instant. Links that
    /// were empty and got a cell are noted in `fresh`.
    #[inline(never)]
    pub fn turn(&mut self, inbox: &mut Inbox, links: &mut [Link], horizon: Ps, fresh: &mut Vec<u32>) {
        loop {
            let (timer, index) = self.clocks.first();
            let (arrival, input) = inbox.first();
            if timer <= arrival {
                if timer >= horizon {
                    return;
                }
                // Alone until the next arrival or the next terminal's clock.
                let others = self.runner_up(index);
                let limit = horizon.min(Ps(arrival.0.saturating_add(1))).min(others.max(Ps(timer.0 + 1)));
                self.work(index, links, fresh, |terminal, out| terminal.run(limit, out));
            } else {
                if arrival >= horizon {
                    return;
                }
                let Some(cell) = inbox.receive(input, links) else { return };
                if cell.info.has_body() {
                    let body = inbox.body(input, links);
                    self.work(cell.label as usize, links, fresh, |terminal, out| terminal.receive(cell, body, out));
                } else {
                    self.terminals[cell.label as usize].receive_plain(cell);
                }
            }
        }
    }

    fn runner_up(&self, first: usize) -> Ps {
        if self.terminals.len() == 1 { Ps::NEVER } else { self.clocks.first_except(first) }
    }

    #[inline]
    fn work(
        &mut self,
        index: usize,
        links: &mut [Link],
        fresh: &mut Vec<u32>,
        act: impl FnOnce(&mut Terminal, &mut Outside<'_, S>),
    ) {
        let terminal = &mut self.terminals[index];
        let before = terminal.wake_at();
        let mut out = Outside { way: None, was_empty: false, log: &mut self.log };
        let mut used = None;
        if let Some((port, link)) = self.ports.get_mut(terminal.port as usize) {
            used = Some(*link);
            out.way = Some((port, &mut links[*link as usize]));
        }
        act(terminal, &mut out);
        if out.was_empty {
            fresh.extend(used);
        }
        let after = terminal.wake_at();
        if after != before {
            self.clocks.set(index, after);
        }
    }
}
