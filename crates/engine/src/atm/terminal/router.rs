//! A terminal at a router: some segments leave the ATM network here, and others enter it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{App, Outside, Terminal};
use crate::atm::event::What;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::tcp::Segment;

impl Terminal {
    /// Turns this terminal into a terminal of a router, which needs no time to process a segment.
    pub fn become_router(&mut self) {
        self.app = App::Router(Box::default());
        self.processing = None;
        self.note_wake();
    }
    /// Segments that have arrived at the router and have not been removed yet, in order, each with its arrival
    /// time. `None` if the terminal does not belong to a router.
    pub fn arrived(&mut self) -> Option<&mut Vec<(Ps, Segment)>> {
        match &mut self.app {
            App::Router(router) => Some(&mut router.arrived),
            _ => None,
        }
    }
    /// Puts a segment into the source queue at `at`, which must not be before the last segment's
    /// time.
    pub fn enter(&mut self, at: Ps, segment: Segment) {
        if let App::Router(router) = &mut self.app {
            router.entering.push((at, segment));
            self.note_wake();
        }
    }

    /// Puts the segments that enter the ATM network at `now` into the source queue.
    pub(super) fn send_entering<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        while let App::Router(router) = &mut self.app
            && router.next() == now
            && let Some((_, segment)) = router.entering.pop()
        {
            if !self.queue.push(now, segment) {
                self.digest.add(now.0 ^ segment.sequence().unwrap_or(0));
                let what = What::Refusal {
                    seq: segment.sequence(),
                };
                out.log.note(now, self.channel, what);
            }
        }
        self.note_limits(now);
    }
}
