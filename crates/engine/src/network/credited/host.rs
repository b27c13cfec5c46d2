//! A host that processes every event at its own time.

use super::instants::PromptNode;
use super::messages::Grant;
use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::network::host::Host;
use crate::network::links::Links;
use crate::network::log::Log;

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
    fn run_alone(&mut self, now: Ps, prompt: &mut Prompt, links: &mut Links) -> bool {
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
        self.work(index, links, |terminal, out| {
            out.alone = true;
            terminal.run(Ps(now.0 + 1), out);
        });
        prompt.start_at(
            now,
            port,
            &mut Outputs {
                ports: &mut self.ports,
                links,
            },
        );
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

    /// A cell without a body moves no timer, so only a credit may follow from it.
    #[inline]
    fn take_alone(&mut self, cell: Cell, prompt: &mut Prompt, _links: &mut Links) -> bool {
        let passes = prompt.forwards_untold(cell.label);
        if passes {
            self.terminals[cell.label as usize].receive_plain(cell);
        }
        passes
    }

    fn take(&mut self, cell: Cell, body: Option<Body>, prompt: &mut Prompt, links: &mut Links) {
        self.receive(cell, body, prompt, links);
        self.run_timers(cell.at, prompt, links);
    }
}

impl<S: Server> Host<S> {
    fn receive(&mut self, cell: Cell, body: Option<Body>, prompt: &mut Prompt, links: &mut Links) {
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
            return prompt.receive(cell, credit, &mut Outputs { ports, links }, granted);
        }
        let index = cell.label as usize;
        match body {
            None => self.terminals[index].receive_plain(cell),
            Some(_) => {
                self.touch(index, prompt);
                self.work(index, links, |terminal, out| {
                    terminal.receive(cell, body, out)
                });
            }
        }
        // Cells that have arrived are forwarded to the end system at once.
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

    /// Notes that the terminal may send.
    fn touch(&self, index: usize, prompt: &mut Prompt) {
        let port = self.terminals[index].port;
        if (port as usize) < self.ports.len() {
            prompt.touch(port);
        }
    }
}
