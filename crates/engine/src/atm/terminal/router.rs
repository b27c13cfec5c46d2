//! The end of a channel at a router: segments leave the network here, and others enter it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{App, Outside, Terminal};
use crate::atm::event::What;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::tcp::Segment;

impl Terminal {
    /// Makes the terminal that of a router, which takes no time to process a segment.
    pub fn become_router(&mut self) {
        self.app = App::Router(Box::default());
        self.processing = None;
        self.note_wake();
    }
    /// The segments that have arrived and that the router has not taken yet, in order, with their times.
    pub fn arrived(&mut self) -> Option<&mut Vec<(Ps, Segment)>> {
        match &mut self.app {
            App::Router(router) => Some(&mut router.arrived),
            _ => None,
        }
    }
    /// Lets a segment enter the source queue at `at`, after those that entered before.
    pub fn enter(&mut self, at: Ps, segment: Segment) {
        if let App::Router(router) = &mut self.app {
            router.entering.push((at, segment));
            self.note_wake();
        }
    }

    /// Queues the segments that enter now.
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
