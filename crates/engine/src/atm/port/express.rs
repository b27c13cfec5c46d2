//! Plain cells at a port that certainly admits them and knows their departures: the short
//! way of [`Port::arrive`], alone or in a row.
//!
//! Both do what the plain way does with such a cell: they show it to the scheme, serve it by
//! Lindley's recursion and put it on the link. A row is the same computation on copies of the server
//! and of the end of the link's ring, which stay in registers from cell to cell. That is exact, since
//! nothing reads either before they are written back: a scheme sees no server, and each cell of a row
//! is checked against the copy.

use super::{Port, show};
use crate::atm::cell::Cell;
use crate::atm::link::Outlet;
use crate::atm::server::{Arrival, FifoRow, Queued, Server};
use crate::control::Control;
use crate::kernel::{Ps, Ring, Tail};

impl<S: Server> Port<S> {
    /// [`Port::arrive`] for a plain cell, if it is certainly admitted and its departure is known at
    /// once. Returns false, with nothing changed, if it is not. If the cell is stamped,
    /// [`Link::push_stamp`](crate::atm::link::Link::push_stamp) must follow.
    #[inline(always)]
    pub fn arrive_express(&mut self, now: Ps, arrival: &Arrival, out: &mut Outlet<'_>) -> bool {
        let Some(server) = self.server.express() else {
            return false;
        };
        if server.backlog(now) >= self.free_backlog {
            return false;
        }
        let cell = Queued {
            label: arrival.cell.label,
            info: show(&mut self.control, now, arrival, None, 0),
        };
        out.push_plain(server.serve(now, cell));
        true
    }

    /// The port for [`Port::arrive_express`] of one cell after the other; [`Row::close`] must follow,
    /// or the cells are lost. `None` if its server is not such a one.
    #[inline(always)]
    pub fn row<'a>(&'a mut self, out: &'a mut Outlet<'_>) -> Option<Row<'a>> {
        let server = self.server.express()?;
        let (tail, stamps) = out.link.tail();
        Some(Row {
            server: server.row(),
            most: self.free_backlog,
            control: &mut self.control,
            tail,
            stamps,
        })
    }
}

/// A port whose server and whose link's end stay in registers from cell to cell.
#[must_use]
pub struct Row<'a> {
    server: FifoRow<'a>,
    /// Backlog below which a cell is admitted.
    most: Ps,
    control: &'a mut Control,
    tail: Tail<'a, Cell>,
    stamps: &'a mut Ring<Ps>,
}

impl Row<'_> {
    /// True if [`Row::arrive`] takes a cell that arrives at `now`.
    #[inline(always)]
    pub fn admits(&self, now: Ps) -> bool {
        !self.tail.is_full() && self.server.backlog(now) < self.most
    }
    /// [`Port::arrive_express`]. Returns false, with nothing changed, also if the link's ring would
    /// have to grow; at the first cell of a row it has room.
    #[inline(always)]
    pub fn arrive(&mut self, now: Ps, arrival: &Arrival) -> bool {
        if !self.admits(now) {
            return false;
        }
        let cell = Queued {
            label: arrival.cell.label,
            info: show(self.control, now, arrival, None, 0),
        };
        self.tail.push(self.server.serve(now, cell));
        true
    }
    /// Sends the stamp of the last cell.
    #[inline(always)]
    pub fn stamp(&mut self, sent: Ps) {
        self.stamps.push(sent);
    }
    /// Writes server and ring back. Returns the number of cells, of which [`Outlet::note`] must be
    /// told.
    #[inline(always)]
    pub fn close(self) -> usize {
        let sent = self.tail.close();
        self.server.close(sent);
        sent
    }
}
