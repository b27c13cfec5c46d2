//! Cells that a terminal sends ahead of time.
//!
//! Where links are short, a host that sends at a low rate would have a turn for each of its cells: it
//! may be processed only as far as nothing can reach it. So it also sends the next cells of a PDU,
//! up to the last, as if nothing came. If something comes before they are all sent, those that follow it
//! are taken back from the link.
//!
//! This is exact. A receiver takes only cells that were sent before anything could reach the sender,
//! as without cells ahead, since the clock of the host does not include them; and all of them are sent
//! before the end of the call, so nobody sees them before they are due. Cells without bodies that
//! arrive change nothing that is sent. To take cells back, the terminal returns to its state before the
//! first of them and sends those again that stay.

use alloc::boxed::Box;

use super::cells::WORTH_A_ROW;
use super::{Ahead, Outside, Shaper, Terminal};
use crate::atm::server::Server;
use crate::kernel::Ps;

impl Terminal {
    /// Sends cells of one PDU before its last until `limit` as if nothing came before, if the terminal's
    /// next event is such a cell.
    pub fn send_ahead<S: Server>(&mut self, limit: Ps, out: &mut Outside<'_, S>) {
        if self.wake >= limit || self.queue.cells_before_last() < WORTH_A_ROW {
            return;
        }
        let app = self.app_wake();
        let (first, limit) = (self.wake, limit.min(app));
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
        self.wake = next.min(app);
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

    /// Takes back the cells that were sent ahead after `now`, at which something else than a cell
    /// without a body arrives.
    #[inline]
    pub fn take_back<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        if self.ahead.as_ref().is_some_and(|ahead| now < ahead.last) {
            self.send_less(now, out);
        }
    }

    #[inline(never)]
    fn send_less<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) {
        let (Some(ahead), Some((port, out))) = (self.ahead.as_deref().cloned(), &mut out.way)
        else {
            return;
        };
        let Shaper::Abr(source) = &mut self.shaper else {
            return;
        };
        source.resume(ahead.pacing);
        self.queue.resume(ahead.queue);
        port.take_back(ahead.port, ahead.cells);
        self.now = ahead.now;
        let Some(mut row) = port.row_again() else {
            return;
        };
        // At one instant the terminal's own events come before arrivals.
        let next = self.fill(&mut row, ahead.first, Ps(now.0 + 1));
        let taken_back = ahead.cells - row.close();
        out.take_back(taken_back, self.stamps);
        self.counts.data_sent -= taken_back as u64;
        self.counts.cells_sent -= taken_back as u64;
        self.wake = next.min(self.app_wake());
        if let Some(ahead) = &mut self.ahead {
            ahead.last = self.now;
        }
    }
}
