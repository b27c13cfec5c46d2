//! Relays of a switch (virtual destinations and sources): channels whose ABR loop ends there and
//! begins anew.

use super::Switch;
use crate::atm::cell::{Body, Cell, Kind};
use crate::atm::plan::FlowChange;
use crate::atm::relay::{Relay, Way};
use crate::atm::server::Server;
use crate::atm::transport::Links;
use crate::kernel::Ps;

impl<S: Server> Switch<S> {
    /// Processes a cell that arrives for the channel of the relay with index `relay`.
    pub(super) fn receive(
        &mut self,
        relay: usize,
        cell: Cell,
        body: Option<&Body>,
        links: &mut Links,
    ) {
        let (now, info) = (cell.at, cell.info);
        let Some(Body::Rm(rm)) = body else {
            let next = self.at(relay, links, |relay, way| {
                let is_first = relay.take_data(now, info, body, way);
                is_first.then(|| relay.run(now, way))
            });
            if let Some(next) = next {
                self.note_wake(relay, next);
            }
            return;
        };
        let opposite = opposite(relay);
        if info.kind() == Kind::Brm {
            self.at(relay, links, |relay, way| {
                relay.absorb(now, info, &mut rm.clone(), way)
            });
            self.at(opposite, links, |relay, way| {
                relay.take_feedback(now, rm, way)
            });
        } else {
            let turned = self.at(relay, links, |relay, way| {
                relay.turn_round(now, info, rm, way)
            });
            self.relays[opposite].offer(turned);
        }
        self.run_relay(now, opposite, links);
    }

    /// Does the work of [`Switch::receive`] for a data cell without a body, if its virtual source can send the
    /// cell at once. Returns the time of the virtual source's next transmission; `None`, with nothing changed, if
    /// the cell must be queued.
    #[inline(always)]
    pub(super) fn pass(&mut self, relay: usize, cell: Cell, links: &mut Links) -> Option<Ps> {
        let next = self.at(relay, links, |relay, way| {
            relay.pass_data(cell.at, cell.info, way)
        })?;
        self.note_wake(relay, next);
        Some(next)
    }

    /// Replaces, from `now` on, the parameters of the virtual sources of a flow, and of the ABR source whose rate
    /// the flow's policer follows. Returns true if the switch has virtual sources of this flow.
    pub(in crate::atm) fn change_loops(&mut self, now: Ps, flow: usize, to: &FlowChange) -> bool {
        for policed in &mut self.policed {
            if policed.channel.flow() == flow {
                policed.change(&to.abr);
            }
        }
        let clocks = self.ports.len()..;
        let mut found = false;
        for (clock, relay) in clocks.zip(&mut self.relays) {
            if relay.channel.flow() == flow {
                relay.change(&to.abr);
                // A virtual source that by the new parameters could have sent before `now` sends
                // now.
                let wake = relay.wake_at();
                if wake.is_scheduled() {
                    self.timers.set(clock, wake.max(now));
                }
                found = true;
            }
        }
        found
    }

    /// Sends the cells that a virtual source may send at `now`, and sets its timer.
    pub(super) fn run_relay(&mut self, now: Ps, relay: usize, links: &mut Links) {
        let next = self.at(relay, links, |relay, way| relay.run(now, way));
        self.note_wake(relay, next);
    }

    /// Sets the timer of a virtual source to its next transmission at `next`.
    #[inline]
    fn note_wake(&mut self, relay: usize, next: Ps) {
        let clock = self.ports.len() + relay;
        if self.timers.get(clock) != next {
            self.timers.set(clock, next);
        }
    }

    /// Calls `act` with a relay and its output port.
    #[inline]
    fn at<T>(
        &mut self,
        relay: usize,
        links: &mut Links,
        act: impl FnOnce(&mut Relay, &mut Way<'_, S>) -> T,
    ) -> T {
        let relay = &mut self.relays[relay];
        let index = relay.port as usize;
        let (port, link) = &mut self.ports[index];
        let mut way = Way {
            port,
            out: links.outlet(*link),
            log: &mut self.log,
        };
        let result = act(relay, &mut way);
        if port.next_event().is_scheduled() {
            self.backlog.note(index as u32);
        }
        result
    }
}

/// Index of the relay for the other direction of the flow. The two relays of a flow follow one
/// another.
fn opposite(relay: usize) -> usize {
    relay ^ 1
}
