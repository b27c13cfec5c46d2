//! Counters of a port.

use alloc::vec::Vec;

use super::Port;
use crate::atm::server::{Context, Queued, Server};
use crate::atm::transport::Outlet;
use crate::kernel::Ps;

/// Counters of one queue over a window.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueCounts {
    /// Cells that arrived, refused ones included.
    pub arrived: u64,
    /// Cells refused.
    pub dropped: u64,
    /// Integral of the length in cell picoseconds.
    pub backlog: f64,
}

impl<S: Server> Port<S> {
    /// Counters up to `now`, and the number of cells whose service has completed.
    pub fn counts(&mut self, now: Ps, out: &mut Outlet<'_>) -> (Vec<QueueCounts>, u64) {
        let departed = self
            .server
            .departed(&mut Context::new(now, &mut self.control, out));
        let counts = self
            .queues
            .iter()
            .enumerate()
            .map(|(i, queue)| QueueCounts {
                arrived: self.server.accepted(i) + queue.dropped,
                dropped: queue.dropped,
                backlog: self
                    .server
                    .backlog_integral(i, &mut Context::new(now, &mut self.control, out)),
            });
        (counts.collect(), departed)
    }
    /// Time for which the line has served cells up to `now`, in units of `1/rate` ps.
    pub fn served(&mut self, now: Ps, out: &mut Outlet<'_>) -> u128 {
        self.server
            .served(&mut Context::new(now, &mut self.control, out))
    }
    /// Greatest length of `queue` since the last call of [`Port::forget_longest`].
    pub fn longest(&self, queue: usize) -> u64 {
        self.server.longest(queue)
    }
    /// Starts new maxima at `now`.
    pub fn forget_longest(&mut self, now: Ps, out: &mut Outlet<'_>) {
        self.server
            .forget_longest(&mut Context::new(now, &mut self.control, out));
        self.forget_front();
    }
    /// Cells held here that are not yet on the link.
    pub fn held(&self) -> Vec<Queued> {
        self.server.held()
    }
    /// Bytes of storage for queued cells, and cells held there.
    pub fn storage(&self) -> (usize, usize) {
        self.server.storage()
    }
}
