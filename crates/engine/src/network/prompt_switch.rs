//! A switch that works instant by instant: credit control, or links that lose cells.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::inbox::Inbox;
use super::prompt::{Gear, Prompt};
use super::switch::Switch;
use crate::atm::cell::{Body, Cell};
use crate::atm::link::Link;
use crate::atm::server::Server;
use crate::kernel::Ps;

impl<S: Server> Switch<S> {
    /// Works through everything before `horizon`; at one instant completions, timers, arrivals, service starts.
    pub(super) fn turn_promptly(
        &mut self,
        mut prompt: Box<Prompt>,
        inbox: &mut Inbox,
        links: &mut [Link],
        horizon: Ps,
        fresh: &mut Vec<u32>,
    ) -> Box<Prompt> {
        loop {
            let event = prompt.next_event().min(self.timers.first().0);
            let now = event.min(inbox.first().0);
            if now >= horizon {
                return prompt;
            }
            if event == now {
                prompt.complete(now, &mut Gear { ports: &mut self.ports, links }, &mut self.log);
                self.wake_until(now, links, fresh);
                prompt.mark(now, &mut Gear { ports: &mut self.ports, links });
            }
            while let (arrival, input) = inbox.first()
                && arrival == now
                && let Some(cell) = inbox.receive(input, links)
            {
                let body = if cell.info.has_body() { inbox.body(input, links) } else { None };
                self.take(cell, body, &mut prompt, links, fresh);
            }
            if !self.relays.is_empty() {
                // Virtual sources send through their own ports.
                prompt.touch_all();
            }
            prompt.start(now, &mut Gear { ports: &mut self.ports, links }, fresh);
        }
    }

    #[inline]
    fn take(
        &mut self,
        cell: Cell,
        mut body: Option<Body>,
        prompt: &mut Prompt,
        links: &mut [Link],
        fresh: &mut Vec<u32>,
    ) {
        if let Some(Body::Credit(credit)) = body {
            let gear = &mut Gear { ports: &mut self.ports, links };
            return prompt.receive(cell, credit, gear, |_, _| {});
        }
        let route = &self.table[cell.label as usize];
        if let Some((port, link)) = self.ports.get_mut(route.port as usize) {
            prompt.touch(route.port);
            if body.is_none() && port.takes_all() {
                let mut was_empty = false;
                port.take(cell.at, route.arrival(cell.info), None, &mut links[*link as usize], &mut was_empty);
                if was_empty {
                    fresh.push(*link);
                }
                return;
            }
        }
        self.forward(cell, body.as_mut(), links, fresh);
    }
}
