//! A channel at an event-driven server: its cells, its credit, and the departures to report.

use super::queue::Lane;
use crate::atm::cell::CELL_UNITS;
use crate::credit::Sender;

/// State of a channel at an event-driven server.
#[derive(Clone)]
pub(super) struct Channel {
    /// Index of the queue for the channel's data cells, in whose round-robin order the channel is served.
    /// `rm_queue` is the index of the queue for its RM cells.
    pub(super) queue: u32,
    pub(super) rm_queue: u32,
    /// State of the channel's credit; `None` if the channel is not under credit control.
    pub(super) sender: Option<Sender>,
    pub(super) lane: Lane,
    /// Number of cells of the channel that are in the server, including the cell in service.
    pub(super) here: u32,
    pub(super) longest: u32,
    /// True if the channel is in the round-robin order of its queue.
    pub(super) waits: bool,
    /// Number of departures after which the server reports to the node. `untold` counts the departures since the
    /// last report.
    pub(super) told_every: u32,
    pub(super) untold: u32,
    /// Number of cells that have arrived since the last cell whose departure will be reported.
    pub(super) come: u32,
}

impl Channel {
    /// True if the channel has a waiting cell and the credit to send it.
    pub(super) fn is_ready(&self) -> bool {
        !self.lane.cells.is_empty() && self.has_credit()
    }
    #[inline(always)]
    pub(super) fn has_credit(&self) -> bool {
        self.sender.is_none_or(|sender| sender.allows(CELL_UNITS))
    }
    /// Counts an arriving cell. Returns true if the server will report the departure of this cell to the node.
    #[inline(always)]
    pub(super) fn count_come(&mut self) -> bool {
        self.here += 1;
        self.longest = self.longest.max(self.here);
        self.come += 1;
        let tells = self.come >= self.told_every;
        if tells {
            self.come = 0;
        }
        tells
    }
    /// Counts a departure. If the server must now report to the node, returns the number of departures to report;
    /// `None` otherwise.
    #[inline]
    pub(super) fn count_untold(&mut self) -> Option<u32> {
        self.untold += 1;
        (self.untold >= self.told_every).then(|| core::mem::take(&mut self.untold))
    }
    /// Counts a cell whose service begins at its arrival. Apart from a cell that has just left, the server must
    /// hold no other cell of the channel. If this departure must be reported, returns the number of departures to
    /// report. Only for servers that report departures at their start.
    #[inline(always)]
    pub(super) fn count_alone(&mut self) -> Option<u32> {
        debug_assert_eq!(
            self.come, self.untold,
            "all that have come have been served"
        );
        let told = self.count_untold();
        self.come = self.untold;
        told
    }
    /// True if the next departure must be reported.
    #[inline]
    pub(super) fn tells_next(&self) -> bool {
        self.untold + 1 >= self.told_every
    }
}
