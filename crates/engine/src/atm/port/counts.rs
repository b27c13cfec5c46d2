//! Counters of a port.

use alloc::vec::Vec;

use super::Port;
use crate::atm::server::{Context, Queued, Server};
use crate::atm::transport::Outlet;
use crate::kernel::Ps;

/// Counters of one queue of a port since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueCounts {
    /// Number of cells that arrived, including refused cells.
    pub arrived: u64,
    /// Number of cells that the queue refused.
    pub dropped: u64,
    /// Time integral of the queue length, in cells times picoseconds.
    pub backlog: f64,
}

impl<S: Server> Port<S> {
    /// Counters of each queue up to `now`, and the number of cells that have left the port.
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
    /// Busy time of the line up to `now`, in units of `1/rate` ps, where `rate` is the line rate.
    pub fn served(&mut self, now: Ps, out: &mut Outlet<'_>) -> u128 {
        self.server
            .served(&mut Context::new(now, &mut self.control, out))
    }
    /// Greatest length of `queue`, in cells, since the last call of [`Port::forget_longest`].
    pub fn longest(&self, queue: usize) -> u64 {
        self.server.longest(queue)
    }
    /// Begins new measurements of the greatest lengths of all queues at `now`.
    pub fn forget_longest(&mut self, now: Ps, out: &mut Outlet<'_>) {
        self.server
            .forget_longest(&mut Context::new(now, &mut self.control, out));
        self.forget_front();
    }
    /// Cells in the port's own queues, which are not stored in the ring buffer of the link.
    pub fn held(&self) -> Vec<Queued> {
        self.server.held()
    }
    /// Bytes allocated for queued cells, and number of cells stored.
    pub fn storage(&self) -> (usize, usize) {
        self.server.storage()
    }
}
