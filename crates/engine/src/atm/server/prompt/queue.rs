//! A queue of an event-driven server, which is first-in first-out or serves its channels
//! round-robin.

use crate::atm::cell::Body;
use crate::atm::server::Queued;
use crate::kernel::{Ring, Stays};

/// Cells in order of arrival: the cells of one channel, or the cells of all channels of a first-in first-out
/// queue.
#[derive(Clone, Default)]
pub(super) struct Lane {
    pub(super) cells: Ring<(Queued, u32)>,
    pub(super) bodies: Ring<Body>,
}

impl Lane {
    pub(super) fn push(&mut self, cell: Queued, slot: u32, body: Option<&Body>) {
        self.cells.push((cell, slot));
        if let Some(body) = body {
            self.bodies.push(*body);
        }
    }
}

/// A queue of an event-driven server: cells in order of arrival, or channels in round-robin order.
#[derive(Clone, Default)]
pub(super) struct Queue {
    /// Cells in order of arrival, if the queue is first-in first-out.
    pub(super) fifo: Lane,
    /// RM cells of a first-in first-out queue, if RM cells are served before other cells.
    pub(super) first: Lane,
    /// Indices at the port of the channels that may send, in round-robin order; `None` if the queue is
    /// first-in first-out.
    pub(super) turns: Option<Ring<u32>>,
    pub(super) length: u64,
    pub(super) departed: u64,
    pub(super) stays: Stays,
    pub(super) longest: u64,
}
