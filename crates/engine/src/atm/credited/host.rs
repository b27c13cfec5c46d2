//! A host that is event-driven: it processes each event at the time of the event, as credit control needs.

use super::instants::PromptNode;
use super::messages::Grant;
use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::host::Host;
use crate::atm::log::Log;
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::atm::transport::Links;
use crate::kernel::Ps;

impl<S: Server> PromptNode<S> for Host<S> {
    #[inline]
    fn parts(&mut self) -> (&mut [(Port<S>, u32)], &mut Log) {
        (&mut self.ports, &mut self.log)
    }

    #[inline]
    fn timer(&self) -> Ps {
        self.clocks.first().0
    }

    #[inline]
    fn run_alone(&mut self, now: Ps, limit: Ps, prompt: &mut Prompt, links: &mut Links) -> bool {
        let (timer, index) = self.clocks.first();
        let others = prompt.next_event().min(self.runner_up(index));
        let port = self.terminals[index].port;
        if timer != now
            || others == now
            || !prompt.is_untouched()
            || port as usize >= self.ports.len()
        {
            return false;
        }
        // If the port reports no departures to the host, a cell that the terminal sends causes no further event
        // at the host.
        let until = match self.ports[port as usize].0.tells_nobody() {
            true => limit.min(others),
            false => Ps(now.0 + 1),
        };
        self.work(index, links, |terminal, out| {
            out.alone = true;
            terminal.run(until, out);
        });
        let outputs = &mut Outputs {
            ports: &mut self.ports,
            links,
        };
        prompt.start_at(now, port, outputs);
        true
    }

    fn run_timers(&mut self, now: Ps, prompt: &mut Prompt, links: &mut Links) {
        while let (timer, index) = self.clocks.first()
            && timer <= now
        {
            self.touch(index, prompt);
            self.work(index, links, |terminal, out| {
                terminal.run(Ps(now.0 + 1), out)
            });
        }
    }

    /// Receives a cell without a body: a data cell that does not end a PDU. Such a cell changes no timer, but may
    /// cause a credit. Returns false, with nothing changed, if the cell would cause a credit.
    #[inline]
    fn take_alone(&mut self, cell: Cell, prompt: &mut Prompt, _links: &mut Links) -> bool {
        let passes = prompt.most_untold(cell.label) > 0;
        if passes {
            prompt.forward_untold(cell.label, 1);
            self.terminals[cell.label as usize].receive_plain(cell);
        }
        passes
    }

    /// Receives the leading cells of `cells` that arrive before `limit`, up to the first cell that has a body or
    /// would cause a credit. Returns the number of cells received. Cells without bodies change no timer, so these
    /// cells cause no other event.
    #[inline]
    fn take_row(&mut self, cells: &[Cell], limit: Ps, prompt: &mut Prompt) -> usize {
        let mut taken = 0;
        let is_plain = |cell: &&Cell| cell.at < limit && cell.info.is_of_row::<false>();
        while let Some(Cell { label, .. }) = cells.get(taken).filter(is_plain) {
            let row = cells[taken..].iter().take_while(is_plain);
            let row = row.take_while(|cell| cell.label == *label);
            let row = row.take(prompt.most_untold(*label));
            let received = self.terminals[*label as usize].receive_row::<false>(row, || None);
            if received == 0 {
                break;
            }
            prompt.forward_untold(*label, received);
            taken += received;
        }
        taken
    }

    fn take(
        &mut self,
        cell: Cell,
        body: Option<&mut Body>,
        prompt: &mut Prompt,
        links: &mut Links,
    ) {
        self.receive(cell, body.as_deref(), prompt, links);
        self.run_timers(cell.at, prompt, links);
    }
}

impl<S: Server> Host<S> {
    fn receive(&mut self, cell: Cell, body: Option<&Body>, prompt: &mut Prompt, links: &mut Links) {
        if let Some(Body::Credit(credit)) = body {
            let Host {
                terminals,
                ports,
                clocks,
                senders,
                ..
            } = self;
            let granted = |port: u32, (slot, limit): Grant| {
                let index = senders[port as usize][slot as usize] as usize;
                terminals[index].set_limit(cell.at, limit);
                clocks.set(index, terminals[index].wake_at());
            };
            return prompt.receive(cell, *credit, &mut Outputs { ports, links }, granted);
        }
        let index = cell.label as usize;
        match body {
            None => self.terminals[index].receive_plain(cell),
            Some(body) => {
                self.touch(index, prompt);
                self.work(index, links, |terminal, out| {
                    terminal.receive(cell, *body, out)
                });
            }
        }
        // An arrived cell leaves the buffer of the host at once, so its credit is counted now.
        prompt.forward(
            cell.at,
            cell.label,
            1,
            &mut Outputs {
                ports: &mut self.ports,
                links,
            },
        );
    }

    /// Adds the port of a terminal that may have cells to send to the list of ports with events at this instant.
    fn touch(&self, index: usize, prompt: &mut Prompt) {
        let port = self.terminals[index].port;
        if (port as usize) < self.ports.len() {
            prompt.touch(port);
        }
    }
}
