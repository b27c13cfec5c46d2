//! A switch that is event-driven: it processes each event at the time of the event, as credit control
//! needs.

use super::instants::PromptNode;
use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::log::Log;
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::atm::switch::Switch;
use crate::atm::transport::Arrived;
use crate::atm::transport::Links;
use crate::kernel::Ps;

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
    fn take(
        &mut self,
        cell: Cell,
        body: Option<&mut Body>,
        prompt: &mut Prompt,
        links: &mut Links,
    ) {
        if let Some(Body::Credit(credit)) = body {
            let outputs = &mut Outputs {
                ports: &mut self.ports,
                links,
            };
            return prompt.receive(cell, *credit, outputs, |_, _| {});
        }
        let route = self.table[cell.label as usize].port;
        let policed = self.policer_of(cell.label);
        let port = policed.map_or(route, |policed| policed.onward);
        if (port as usize) < self.ports.len() {
            prompt.touch(port);
        }
        self.forward(cell, body, links);
    }

    #[inline]
    fn take_alone(&mut self, cell: Cell, prompt: &mut Prompt, links: &mut Links) -> bool {
        prompt.is_untouched()
            && self.relays.is_empty()
            && self.pass_alone(&cell, prompt, links).is_some()
    }

    /// Forwards the leading cells of `cells` that have no bodies, up to the first cell that arrives together with
    /// another event. Returns the number of cells forwarded.
    #[inline]
    fn take_sorted(
        &mut self,
        cells: &[Arrived],
        limit: Ps,
        prompt: &mut Prompt,
        links: &mut Links,
    ) -> usize {
        if !prompt.is_untouched() || !self.relays.is_empty() {
            return 0;
        }
        let mut taken = 0;
        let mut until = limit.min(prompt.next_event());
        while let Some(Arrived { unit: cell, .. }) = cells.get(taken)
            && cell.at < until
            && !cell.info.has_body()
        {
            let next = cells.get(taken + 1);
            let alone = next.is_none_or(|next| next.unit.at > cell.at);
            if !alone {
                break;
            }
            match self.pass_alone(cell, prompt, links) {
                None => break,
                Some(true) => until = limit.min(prompt.next_event()),
                Some(false) => {}
            }
            taken += 1;
        }
        taken
    }

    /// Adds all ports to the list of ports with events if the switch has virtual sources, branch points or generated
    /// backward RM cells, whose cells may go through any port.
    #[inline]
    fn touch_ports(&self, prompt: &mut Prompt) {
        if !(self.relays.is_empty() && self.notified.is_empty() && self.branch_points.is_empty()) {
            prompt.touch_all();
        }
    }
}

impl<S: Server> Switch<S> {
    /// Forwards a cell without a body (a data cell that does not end a PDU) that is the only event of its
    /// instant. `None`, with nothing changed, if the output port may refuse the cell. Otherwise true if the
    /// port's next event may have become earlier.
    #[inline(always)]
    fn pass_alone(&mut self, cell: &Cell, prompt: &mut Prompt, links: &mut Links) -> Option<bool> {
        let route = &self.table[cell.label as usize];
        let (port, link) = self.ports.get_mut(route.port as usize)?;
        if !port.takes(cell.at, route.queue.into()) {
            return None;
        }
        let (index, arrival) = (route.port, route.arrival(cell.info));
        // It is harmless to process the port's next event too early.
        let comes_forward = port.arrive_alone(cell.at, arrival, &mut links.outlet(*link));
        if comes_forward {
            let outputs = &mut Outputs {
                ports: &mut self.ports,
                links,
            };
            prompt.note(index, outputs);
        }
        Some(comes_forward)
    }
}
