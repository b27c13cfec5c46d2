//! A channel at a prompt server: its cells, its credit, and which of its departures are reported.

use super::queue::Lane;
use crate::atm::cell::CELL_UNITS;
use crate::credit::Sender;

/// State of a channel at a prompt server.
#[derive(Clone)]
pub(super) struct Channel {
    /// Index of the queue of the channel's data, in which the channel takes turns. `rm_queue` is
    /// that of its RM cells.
    pub(super) queue: u32,
    pub(super) rm_queue: u32,
    /// Credit of the channel; `None` if the channel needs none.
    pub(super) sender: Option<Sender>,
    pub(super) lane: Lane,
    /// Cells of the channel that the server holds, including the one in service.
    pub(super) here: u32,
    pub(super) longest: u32,
    /// True if the channel is among those that wait for their turn.
    pub(super) waits: bool,
    /// Number of departures after which the node is notified. `untold` is the number of departures
    /// since the last notification.
    pub(super) told_every: u32,
    pub(super) untold: u32,
    /// Cells that have arrived since the last cell whose departure will be reported.
    pub(super) come: u32,
}

impl Channel {
    /// True if the channel has a cell and may send it.
    pub(super) fn is_ready(&self) -> bool {
        !self.lane.cells.is_empty() && self.has_credit()
    }
    #[inline(always)]
    pub(super) fn has_credit(&self) -> bool {
        self.sender.is_none_or(|sender| sender.allows(CELL_UNITS))
    }
    /// Counts an arrival of a cell. Returns true if the departure of this cell will be reported.
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
    /// Counts a departure for the node. Returns the number of departures to report, if the node is
    /// to be notified now.
    #[inline]
    pub(super) fn count_untold(&mut self) -> Option<u32> {
        self.untold += 1;
        (self.untold >= self.told_every).then(|| core::mem::take(&mut self.untold))
    }
    /// Counts a cell whose service starts as it arrives, when the server holds no other cell of the channel
    /// but the one that has just left. Returns the number of departures to report, if departures are reported
    /// as their service starts and this departure is to be reported.
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
    /// True if the next departure is to be reported at once.
    #[inline]
    pub(super) fn tells_next(&self) -> bool {
        self.untold + 1 >= self.told_every
    }
}
