//! A switch that processes every event at its own time: with credit control, or links that lose
//! cells.

use alloc::boxed::Box;

use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::network::inbox::{Arrivals, Inbox};
use crate::network::links::Links;
use crate::network::switch::Switch;

impl<S: Server> Switch<S> {
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
            let event = prompt.next_event().min(self.timers.first().0);
            let now = event.min(arrivals.next());
            if now >= horizon {
                arrivals.end();
                return prompt;
            }
            let outputs = &mut Outputs {
                ports: &mut self.ports,
                links,
            };
            if prompt.go_on(now, self.timers.first().0.min(arrivals.next()), outputs) {
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
                self.wake_until(now, links);
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
                let alone = event > now && arrivals.next() > now && !cell.info.has_body();
                if !alone || !self.take_alone(cell, &mut prompt, links) {
                    let body = if cell.info.has_body() {
                        arrivals.body(links)
                    } else {
                        None
                    };
                    self.take(cell, body, &mut prompt, links);
                }
            }
            if !self.relays.is_empty() {
                // Virtual sources may send through any port.
                prompt.touch_all();
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

    #[inline]
    fn take(&mut self, cell: Cell, mut body: Option<Body>, prompt: &mut Prompt, links: &mut Links) {
        if let Some(Body::Credit(credit)) = body {
            let outputs = &mut Outputs {
                ports: &mut self.ports,
                links,
            };
            return prompt.receive(cell, credit, outputs, |_, _| {});
        }
        let port = self.table[cell.label as usize].port;
        if (port as usize) < self.ports.len() {
            prompt.touch(port);
        }
        self.forward(cell, body.as_mut(), links);
    }

    /// Handles a cell without a body if it is the only event at this instant, and its port admits
    /// all cells. Returns false, with nothing changed, if not.
    #[inline]
    fn take_alone(&mut self, cell: Cell, prompt: &mut Prompt, links: &mut Links) -> bool {
        let route = &self.table[cell.label as usize];
        let Some((port, link)) = self.ports.get_mut(route.port as usize) else {
            return false;
        };
        if !port.takes_all() || !prompt.is_untouched() || !self.relays.is_empty() {
            return false;
        }
        let arrival = route.arrival(cell.info);
        port.arrive_alone(cell.at, arrival, &mut links.outlet(*link));
        prompt.note(route.port, port);
        true
    }
}
