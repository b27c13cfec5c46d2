//! The event loop of an event-driven node, which processes each event at the time of the event, as credit
//! control and lossy links need.

use alloc::boxed::Box;

use super::{Outputs, Prompt};
use crate::atm::cell::{Body, Cell};
use crate::atm::log::Log;
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::atm::transport::Arrived;
use crate::atm::transport::Links;
use crate::atm::transport::{Arrivals, Inbox};
use crate::kernel::Ps;

/// An event-driven host or switch, as [`turn`] needs it: output ports, timers, and the processing of a cell.
pub trait PromptNode<S> {
    /// The node's output ports, each with the index of its link, and the node's log.
    fn parts(&mut self) -> (&mut [(Port<S>, u32)], &mut Log);
    /// Time of the node's earliest timer.
    fn timer(&self) -> Ps;
    /// Processes the timers of the instant `now`.
    fn run_timers(&mut self, now: Ps, prompt: &mut Prompt, links: &mut Links);
    /// Processes an arrived cell. If the cell moves a timer of a host to the same instant, the host processes
    /// this timer, too. For a switch the loop of [`turn`] processes such a timer next.
    fn take(&mut self, cell: Cell, body: Option<&mut Body>, prompt: &mut Prompt, links: &mut Links);

    /// Processes the instant `now` if the only event at `now` is one timer. If no other event comes between, also
    /// processes later timers before `limit`, which is after `now`. Returns false, with nothing changed, if the
    /// instant has other events.
    #[inline]
    fn run_alone(
        &mut self,
        _now: Ps,
        _limit: Ps,
        _prompt: &mut Prompt,
        _links: &mut Links,
    ) -> bool {
        false
    }
    /// Processes a cell without a body (a data cell that does not end a PDU) that is the only event of its
    /// instant, with all consequences. Returns false, with nothing changed, if the node cannot process the cell
    /// in this way.
    #[inline]
    fn take_alone(&mut self, _cell: Cell, _prompt: &mut Prompt, _links: &mut Links) -> bool {
        false
    }
    /// Receives the leading cells of `cells` that have no bodies and arrive before `limit`, up to
    /// the first cell at which the node must act. Returns the number of cells received.
    #[inline]
    fn take_row(&mut self, _cells: &[Cell], _limit: Ps, _prompt: &mut Prompt) -> usize {
        0
    }
    /// Processes leading cells of `cells` that arrive before `limit`, as [`PromptNode::take_alone`]
    /// processes one cell. Returns the number of cells processed.
    #[inline]
    fn take_sorted(
        &mut self,
        _cells: &[Arrived],
        _limit: Ps,
        _prompt: &mut Prompt,
        _links: &mut Links,
    ) -> usize {
        0
    }
    /// Adds to the list of ports with events at this instant those ports into which the node may have sent cells.
    #[inline]
    fn touch_ports(&self, _prompt: &mut Prompt) {}
}

/// Processes all events of the node before `horizon`. The order at one instant is service ends, timers, arrivals,
/// service starts. Returns the state `prompt`.
pub fn turn<S: Server, N: PromptNode<S>>(
    node: &mut N,
    prompt: Box<Prompt>,
    inbox: &mut Inbox,
    links: &mut Links,
    horizon: Ps,
) -> Box<Prompt> {
    if inbox.is_drawn() {
        turn_in_order::<S, N, true>(node, prompt, inbox, links, horizon)
    } else {
        turn_in_order::<S, N, false>(node, prompt, inbox, links, horizon)
    }
}

fn turn_in_order<S: Server, N: PromptNode<S>, const DRAWN: bool>(
    node: &mut N,
    mut prompt: Box<Prompt>,
    inbox: &mut Inbox,
    links: &mut Links,
    horizon: Ps,
) -> Box<Prompt> {
    let mut arrivals = Arrivals::<DRAWN>::new(inbox, links, horizon);
    loop {
        let (timer, arrival) = (node.timer(), arrivals.next());
        let event = prompt.next_event().min(timer);
        let now = event.min(arrival);
        if now >= horizon {
            arrivals.end();
            let ports = node.parts().0;
            prompt.catch_up(horizon, &mut Outputs { ports, links });
            return prompt;
        }
        let taken = node.take_row(arrivals.stretch(links), event.min(horizon), &mut prompt);
        if taken > 0 {
            arrivals.discard(taken, links);
            continue;
        }
        let taken = node.take_sorted(arrivals.sorted(), timer.min(horizon), &mut prompt, links);
        if taken > 0 {
            arrivals.skip(taken, links);
            continue;
        }
        if event < arrival {
            let ports = node.parts().0;
            let limit = arrival.min(horizon);
            if prompt.go_on(now, timer, &mut Outputs { ports, links })
                || (timer == now && node.run_alone(now, limit, &mut prompt, links))
            {
                continue;
            }
        }
        if event == now {
            let (ports, log) = node.parts();
            prompt.complete(now, &mut Outputs { ports, links }, log);
            node.run_timers(now, &mut prompt, links);
            let ports = node.parts().0;
            prompt.mark(now, &mut Outputs { ports, links });
        }
        while arrivals.next() == now
            && let Some(cell) = arrivals.take(links)
        {
            let has_body = cell.info.has_body();
            let alone = event > now && arrivals.next() > now && !has_body;
            if alone && node.take_alone(cell, &mut prompt, links) {
                continue;
            }
            if has_body {
                let mut body = arrivals.record(cell.info, links);
                node.take(cell, Some(&mut body), &mut prompt, links);
            } else {
                node.take(cell, None, &mut prompt, links);
            }
        }
        node.touch_ports(&mut prompt);
        let ports = node.parts().0;
        prompt.start(now, &mut Outputs { ports, links });
    }
}
