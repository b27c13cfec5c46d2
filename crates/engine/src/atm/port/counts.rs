//! Counters of a port.

use alloc::vec::Vec;

use super::Port;
use crate::atm::server::{Context, Queued, Server};
use crate::atm::transport::Outlet;
use crate::kernel::Ps;

/// Counters of one queue of a port, over a window.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueCounts {
    /// Cells that arrived, including refused ones.
    pub arrived: u64,
    /// Cells that the queue refused.
    pub dropped: u64,
    /// Integral of the queue length over time, in cell picoseconds.
    pub backlog: f64,
}

impl<S: Server> Port<S> {
    /// Counters of each queue up to `now`, and the number of cells whose service has completed.
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
    /// Greatest length of `queue`, in cells, since the last call of [`Port::forget_longest`].
    pub fn longest(&self, queue: usize) -> u64 {
        self.server.longest(queue)
    }
    /// Starts the greatest lengths of all queues anew at `now`.
    pub fn forget_longest(&mut self, now: Ps, out: &mut Outlet<'_>) {
        self.server
            .forget_longest(&mut Context::new(now, &mut self.control, out));
        self.forget_front();
    }
    /// Cells that the port holds and that are not yet on the link.
    pub fn held(&self) -> Vec<Queued> {
        self.server.held()
    }
    /// Bytes of storage for queued cells, and number of cells stored.
    pub fn storage(&self) -> (usize, usize) {
        self.server.storage()
    }
}
