//! A queue of a prompt server, whose channels share a FIFO or take turns.

use crate::atm::cell::Body;
use crate::atm::server::Queued;
use crate::kernel::{Ring, Stays};

/// Cells of one channel, or of all channels of a queue that share a FIFO.
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

/// A queue of a prompt server: cells in order of arrival, or channels in the order of their turns.
#[derive(Clone, Default)]
pub(super) struct Queue {
    /// Cells in order of arrival, if the channels share a FIFO.
    pub(super) fifo: Lane,
    /// RM cells of the FIFO, if they are served first.
    pub(super) first: Lane,
    /// Slots of the channels that may send, in the order of their turns, if the channels take turns.
    pub(super) turns: Option<Ring<u32>>,
    pub(super) length: u64,
    pub(super) departed: u64,
    pub(super) stays: Stays,
    pub(super) longest: u64,
}
