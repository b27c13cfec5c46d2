//! Cells that a terminal sends ahead of time.
//!
//! Where links are short, a host that sends at a low rate would have a turn for each of its cells: the host
//! may be processed only as far as no event can reach it. So it also sends the next cells of a PDU, before
//! the last and before the next RM cell or timer, as if no cell arrived. If one arrives before they are all
//! sent, the cells that follow that arrival are taken back from the link.
//!
//! This is exact. Whatever makes the terminal take cells back follows from an event that is still to be
//! processed, so it arrives later than the earliest of these. Cells sent after it arrive elsewhere later than
//! the lookahead of their receivers from there: no horizon includes them. All are sent before the end of the
//! call, so a report does not see them before they are due. Cells without bodies that arrive change nothing
//! that is sent. To take cells back, the terminal returns to its state before the first of them and sends
//! those again that stay.

use alloc::boxed::Box;

use super::{Ahead, Outside, Shaper, Terminal};
use crate::atm::server::Server;
use crate::kernel::Ps;

impl Terminal {
    /// Sends cells of one PDU, except its last, until `limit`, as if no cell arrived until then.
    /// Nothing is sent unless the terminal's next event is the transmission of such a cell.
    /// Everything before `from` has been processed.
    pub fn send_ahead<S: Server>(&mut self, from: Ps, limit: Ps, out: &mut Outside<'_, S>) {
        // After a turn for cells without bodies alone, those sent ahead before may still be taken back.
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

    /// Takes back the cells that were sent ahead after `now`, when a cell with a body, or another
    /// event, arrives at `now`.
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
            // All that stay were sent by now.
            ahead.last = now;
        }
    }
}
