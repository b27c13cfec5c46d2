//! A host that processes every event at its own time: with credit control, or links that lose
//! cells.

use alloc::boxed::Box;

use super::messages::Grant;
use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::network::host::Host;
use crate::network::inbox::{Arrivals, Inbox};
use crate::network::links::Links;

impl<S: Server> Host<S> {
    /// Processes everything before `horizon`; at one instant completions, timers, arrivals, service
    /// starts.
    pub(in crate::network) fn turn_promptly<const DRAWN: bool>(
        &mut self,
        mut prompt: Box<Prompt>,
        inbox: &mut Inbox,
        links: &mut Links,
        horizon: Ps,
    ) -> Box<Prompt> {
        let mut arrivals = Arrivals::<DRAWN>::new(inbox, links, horizon);
        loop {
            let event = prompt.next_event().min(self.clocks.first().0);
            let now = event.min(arrivals.next());
            if now >= horizon {
                arrivals.end();
                return prompt;
            }
            let outputs = &mut Outputs {
                ports: &mut self.ports,
                links,
            };
            if prompt.go_on(now, self.clocks.first().0.min(arrivals.next()), outputs) {
                continue;
            }
            if self.run_alone(now, arrivals.next(), &mut prompt, links) {
                continue;
            }
            if event == now {
                prompt.complete(
                    now,
                    &mut Outputs {
                        ports: &mut self.ports,
                        links,
                    },
                    &mut self.log,
                );
                self.run_terminals(now, &mut prompt, links);
                prompt.mark(
                    now,
                    &mut Outputs {
                        ports: &mut self.ports,
                        links,
                    },
                );
            }
            while arrivals.next() == now
                && let Some(cell) = arrivals.take(links)
            {
                let body = if cell.info.has_body() {
                    arrivals.body(links)
                } else {
                    None
                };
                self.take(cell, body, &mut prompt, links);
                self.run_terminals(now, &mut prompt, links);
            }
            prompt.start(
                now,
                &mut Outputs {
                    ports: &mut self.ports,
                    links,
                },
            );
        }
    }

    /// If the only event at `now` is that of one terminal, processes it. Returns false, with
    /// nothing changed, if there is more to do.
    #[inline]
    fn run_alone(&mut self, now: Ps, arrival: Ps, prompt: &mut Prompt, links: &mut Links) -> bool {
        let (timer, index) = self.clocks.first();
        let others = prompt.next_event().min(arrival).min(self.runner_up(index));
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

    /// Processes the terminals' own events at `now`.
    fn run_terminals(&mut self, now: Ps, prompt: &mut Prompt, links: &mut Links) {
        while let (timer, index) = self.clocks.first()
            && timer <= now
        {
            self.touch(index, prompt);
            self.work(index, links, |terminal, out| {
                terminal.run(Ps(now.0 + 1), out)
            });
        }
    }

    fn take(&mut self, cell: Cell, body: Option<Body>, prompt: &mut Prompt, links: &mut Links) {
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
