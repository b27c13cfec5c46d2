//! A burst of cells of one PDU that leave a source queue.

use super::{CELL_PAYLOAD, SourceQueue, payload};
use crate::atm::cell::Info;
use crate::kernel::{Ps, Stays};

/// A source queue whose state stays in registers while cells of its first PDU leave. Each cell leaves as by
/// [`SourceQueue::pop_of_pdu`]. [`PduRow::close`] must follow, or the queue still contains these cells.
#[must_use]
pub(crate) struct PduRow<'a> {
    queue: &'a mut SourceQueue,
    /// Header bits of the next cell, without its number of payload bytes.
    next: Info,
    /// Bytes of the PDU before the next cell. `header` is the number of bytes before the segment's
    /// payload, `end` the number before the trailer.
    begin: u32,
    header: u32,
    end: u32,
    stays: Stays,
}

impl SourceQueue {
    /// The queue for a burst of cells of its first PDU, at most [`SourceQueue::cells_before_last`];
    /// `None` if the queue has no PDU.
    #[inline(always)]
    pub(crate) fn row(&mut self) -> Option<PduRow<'_>> {
        let pdu = self.pdus.front_mut()?;
        if pdu.sent == 0 {
            pdu.first = self.number;
        }
        Some(PduRow {
            next: Info::data(self.number),
            begin: pdu.sent * CELL_PAYLOAD,
            header: self.header,
            end: self.header + pdu.segment.payload(),
            stays: self.stays,
            queue: self,
        })
    }
}

impl PduRow<'_> {
    /// Removes the next cell of the PDU. `now` is the time at which this cell leaves the queue.
    #[inline(always)]
    pub fn pop(&mut self, now: Ps) -> Info {
        let info = self
            .next
            .with_payload(payload(self.begin, self.header, self.end));
        self.next = self.next.following();
        self.begin += CELL_PAYLOAD;
        self.stays.leave(now);
        info
    }
    /// Writes the state back to the queue, after `cells` cells have left.
    #[inline(always)]
    pub fn close(self, cells: u32) {
        self.queue.number = self.next.number();
        self.queue.cells -= u64::from(cells);
        self.queue.stays = self.stays;
        if let Some(pdu) = self.queue.pdus.front_mut() {
            pdu.sent += cells;
        }
    }
}
