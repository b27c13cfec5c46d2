//! A host that processes every event at its own time: with credit control, or links that lose
//! cells.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::credits::Grant;
use super::host::Host;
use super::inbox::{Arrivals, Inbox};
use super::prompt::{Gear, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::link::Link;
use crate::atm::server::Server;
use crate::kernel::Ps;

impl<S: Server> Host<S> {
    /// Processes everything before `horizon`; at one instant completions, timers, arrivals, service
    /// starts.
    pub(super) fn turn_promptly<const DRAWN: bool>(
        &mut self,
        mut prompt: Box<Prompt>,
        inbox: &mut Inbox,
        links: &mut [Link],
        horizon: Ps,
        fresh: &mut Vec<u32>,
    ) -> Box<Prompt> {
        let mut arrivals = Arrivals::<DRAWN>::new(inbox, links, horizon);
        loop {
            let event = prompt.next_event().min(self.clocks.first().0);
            let now = event.min(arrivals.next());
            if now >= horizon {
                arrivals.end();
                return prompt;
            }
            let gear = &mut Gear {
                ports: &mut self.ports,
                links,
            };
            if prompt.go_on(now, self.clocks.first().0.min(arrivals.next()), gear, fresh) {
                continue;
            }
            if self.run_alone(now, arrivals.next(), &mut prompt, links, fresh) {
                continue;
            }
            if event == now {
                prompt.complete(
                    now,
                    &mut Gear {
                        ports: &mut self.ports,
                        links,
                    },
                    &mut self.log,
                );
                self.run_terminals(now, &mut prompt, links, fresh);
                prompt.mark(
                    now,
                    &mut Gear {
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
                self.take(cell, body, &mut prompt, links, fresh);
                self.run_terminals(now, &mut prompt, links, fresh);
            }
            prompt.start(
                now,
                &mut Gear {
                    ports: &mut self.ports,
                    links,
                },
                fresh,
            );
        }
    }

    /// If the only event at `now` is that of one terminal, processes it. Returns false, with
    /// nothing changed, if there is more to do.
    #[inline]
    fn run_alone(
        &mut self,
        now: Ps,
        arrival: Ps,
        prompt: &mut Prompt,
        links: &mut [Link],
        fresh: &mut Vec<u32>,
    ) -> bool {
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
        self.work(index, links, fresh, |terminal, out| {
            out.alone = true;
            terminal.run(Ps(now.0 + 1), out);
        });
        prompt.start_at(
            now,
            port,
            &mut Gear {
                ports: &mut self.ports,
                links,
            },
            fresh,
        );
        true
    }

    /// Processes the terminals' own events at `now`.
    fn run_terminals(
        &mut self,
        now: Ps,
        prompt: &mut Prompt,
        links: &mut [Link],
        fresh: &mut Vec<u32>,
    ) {
        while let (timer, index) = self.clocks.first()
            && timer <= now
        {
            self.touch(index, prompt);
            self.work(index, links, fresh, |terminal, out| {
                terminal.run(Ps(now.0 + 1), out)
            });
        }
    }

    fn take(
        &mut self,
        cell: Cell,
        body: Option<Body>,
        prompt: &mut Prompt,
        links: &mut [Link],
        fresh: &mut Vec<u32>,
    ) {
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
            return prompt.receive(cell, credit, &mut Gear { ports, links }, granted);
        }
        let index = cell.label as usize;
        match body {
            None => self.terminals[index].receive_plain(cell),
            Some(_) => {
                self.touch(index, prompt);
                self.work(index, links, fresh, |terminal, out| {
                    terminal.receive(cell, body, out)
                });
            }
        }
        // Cells that have arrived are forwarded to the end system at once.
        prompt.forward(
            cell.at,
            cell.label,
            1,
            &mut Gear {
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
