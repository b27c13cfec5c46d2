//! A switch that processes every event at its own time.

use super::instants::PromptNode;
use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::network::batch::Arrived;
use crate::network::links::Links;
use crate::network::log::Log;
use crate::network::switch::Switch;

impl<S: Server> PromptNode<S> for Switch<S> {
    #[inline]
    fn parts(&mut self) -> (&mut [(Port<S>, u32)], &mut Log) {
        (&mut self.ports, &mut self.log)
    }

    #[inline]
    fn timer(&self) -> Ps {
        self.timers.first().0
    }

    #[inline]
    fn run_timers(&mut self, now: Ps, _prompt: &mut Prompt, links: &mut Links) {
        self.wake_until(now, links);
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

    /// The port must certainly admit the cell.
    #[inline]
    fn take_alone(&mut self, cell: Cell, prompt: &mut Prompt, links: &mut Links) -> bool {
        let route = &self.table[cell.label as usize];
        let Some((port, link)) = self.ports.get_mut(route.port as usize) else {
            return false;
        };
        if !prompt.is_untouched()
            || !self.relays.is_empty()
            || !port.takes(cell.at, route.queue.into())
        {
            return false;
        }
        let arrival = route.arrival(cell.info);
        // A port may be asked for its next event too early.
        if port.arrive_alone(cell.at, arrival, &mut links.outlet(*link)) {
            prompt.note(route.port, port);
        }
        true
    }

    /// Cells without bodies, as long as none of them arrives together with another event.
    #[inline]
    fn take_sorted(
        &mut self,
        cells: &[Arrived],
        limit: Ps,
        prompt: &mut Prompt,
        links: &mut Links,
    ) -> usize {
        let mut taken = 0;
        while let Some(Arrived { cell, .. }) = cells.get(taken)
            && cell.at < limit.min(prompt.next_event())
            && !cell.info.has_body()
        {
            let next = cells.get(taken + 1);
            let alone = next.is_none_or(|next| next.cell.at > cell.at);
            if !alone || !self.take_alone(*cell, prompt, links) {
                break;
            }
            taken += 1;
        }
        taken
    }

    /// Virtual sources may send through any port.
    #[inline]
    fn touch_ports(&self, prompt: &mut Prompt) {
        if !self.relays.is_empty() {
            prompt.touch_all();
        }
    }
}
