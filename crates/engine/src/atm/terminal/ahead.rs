//! Cells that a terminal sends ahead of time, before their sending times are reached.
//!
//! The scheduler processes a host only up to the time at which an event elsewhere could affect the host. With
//! short links, the scheduler would have to call a host with a low rate for each of its cells. So the host also
//! sends the next cells of a PDU as if no cell arrived. The host sends no further than the PDU's last cell, the
//! next RM cell or the next timer. If a cell with an effect arrives before these sending times have passed, the
//! later cells are taken back from the link.
//!
//! The result is exact. An arrival that takes cells back follows from an event that is still to be processed, so
//! it is later than the earliest such event. Cells sent after this arrival reach other nodes later than the
//! earliest event plus the lookahead of these nodes. No node has been processed up to that time. All sending
//! times are before the end of the call, so no report counts the cells too early. Arriving cells without bodies
//! do not change what is sent. To take cells back, the terminal returns to its state before the first of them,
//! and sends again the cells that stay.

use alloc::boxed::Box;

use super::{Ahead, Outside, Shaper, Terminal};
use crate::atm::server::Server;
use crate::kernel::Ps;

impl Terminal {
    /// Sends cells of one PDU, except its last cell, until `limit`, as if no cell arrived before `limit`. Sends
    /// nothing if the terminal's next event is not such a transmission. All events before `from` must have been
    /// processed.
    pub fn send_ahead<S: Server>(&mut self, from: Ps, limit: Ps, out: &mut Outside<'_, S>) {
        // If the previous call of [`Host::turn`] had only arrivals without bodies, cells sent ahead in an earlier
        // call may still be taken back.
        let is_ahead = self.ahead.as_ref().is_some_and(|ahead| ahead.last >= from);
        if is_ahead || self.wake >= limit || !self.has_row() {
            return;
        }
        let (first, limit) = (self.wake, limit.min(self.app_at));
        let (Shaper::Abr(source), Some((port, _))) = (&self.shaper, &mut out.way) else {
            return;
        };
        let (Some(pacing), Some(port)) = (source.pacing(), port.work()) else {
            return;
        };
        let (now, queue, before) = (self.now, self.queue.mark(), self.counts.data_sent);
        let Some(next) = self.send_row(first, limit, out) else {
            return;
        };
        self.wake = next.min(self.app_at);
        let ahead = Ahead {
            cells: (self.counts.data_sent - before) as usize,
            last: self.now,
            first,
            now,
            pacing,
            queue,
            port,
        };
        match &mut self.ahead {
            Some(known) => **known = ahead,
            None => self.ahead = Some(Box::new(ahead)),
        }
    }

    /// Takes back the cells sent ahead with sending times after `now`, because an RM cell, the last
    /// cell of a PDU or another event arrives at `now`.
    #[inline]
    pub fn take_back<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        if self.ahead.as_ref().is_some_and(|ahead| now < ahead.last) {
            self.send_less(now, out);
        }
    }

    #[inline(never)]
    fn send_less<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        let way = &mut out.way;
        let (Some(ahead), Some((port, out))) = (self.ahead.as_deref().cloned(), way) else {
            return;
        };
        port.resume(ahead.port, ahead.cells);
        let (Shaper::Abr(source), Some(mut row)) = (&mut self.shaper, port.row_again()) else {
            unreachable!("a terminal keeps its shaper and its port");
        };
        source.resume(ahead.pacing);
        self.queue.resume(ahead.queue);
        self.now = ahead.now;
        // At one instant the terminal's own events come before arrivals.
        let next = self.fill(&mut row, ahead.first, Ps(now.0 + 1));
        let taken_back = ahead.cells - row.close();
        out.take_back(taken_back, self.stamps);
        self.counts.data_sent -= taken_back as u64;
        self.counts.cells_sent -= taken_back as u64;
        self.wake = next.min(self.app_at);
        if let Some(ahead) = &mut self.ahead {
            // The cells that stay on the link all have sending times up to `now`.
            ahead.last = now;
        }
    }
}
