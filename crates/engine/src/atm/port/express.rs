//! Plain cells at a port that certainly admits them and computes their departures ahead: the short way of
//! [`Port::arrive`], for one cell or for a row of cells.
//!
//! Both forms do what the plain way does with such a cell: they show it to the scheme, serve it by Lindley's
//! recursion and put it on the link. A row is the same computation on copies of the server and of the end of
//! the link's ring buffer, which stay in registers from cell to cell. That is exact, since nothing reads
//! either before they are written back: a scheme sees no server, and each cell of a row is checked against
//! the copy.
//!
//! [`Port::arrive_singly`] is the short way, one by one, to a port whose departures depend on cells to come,
//! that marks, or whose policy keeps a state.

use super::{Port, show};
use crate::atm::cell::{CELL_UNITS, Cell};
use crate::atm::server::{Arrival, Context, FifoRow, Queued, Server, Work};
use crate::atm::transport::Outlet;
use crate::control::Control;
use crate::discard::DiscardPolicy;
use crate::kernel::{Ps, Ring, Tail};

impl<S: Server> Port<S> {
    /// Handles a plain cell as [`Port::arrive`] does, if the cell is certainly admitted and its
    /// departure is known at once. Returns false, with nothing changed, if it is not. If the cell
    /// is stamped, [`Link::push_stamp`](crate::net::link::Link::push_stamp) must follow.
    #[inline(always)]
    pub fn arrive_express(&mut self, now: Ps, arrival: &Arrival, out: &mut Outlet<'_>) -> bool {
        if self.reads_at(now, arrival) {
            return false;
        }
        let Some(server) = self.server.express() else {
            return false;
        };
        if server.backlog(now) >= self.express_backlog {
            return false;
        }
        let cell = shown((&mut self.control, self.ignores_data), now, arrival);
        out.push_plain(server.serve(now, cell));
        true
    }

    /// True if [`Port::arrive_singly`] may take a cell that [`Port::arrive_express`] does not: if the port has
    /// a [`PriorityServer`](crate::atm::server::PriorityServer), marks, or has a policy with a state.
    pub fn takes_singly(&mut self) -> bool {
        let mut queues = self.queues.iter();
        self.marks_later()
            || self.server.priority().is_some()
            || queues.any(|queue| !queue.settings.discard.is_stateless())
    }

    /// Handles a data cell without a body as [`Port::arrive`] does, if the port certainly admits the cell.
    /// Returns false, with nothing changed, if not. For a switch with a port that [`Port::takes_singly`].
    #[inline(always)]
    pub fn arrive_singly(&mut self, now: Ps, arrival: &Arrival, out: &mut Outlet<'_>) -> bool {
        if self.reads_at(now, arrival) {
            return false;
        }
        let Some(server) = self.server.priority() else {
            return self.arrive_in_order(now, arrival, out);
        };
        let index = arrival.queue as usize;
        let limit = self.freely_below;
        if limit != u64::MAX
            && !server.surely_shorter(now, index, limit)
            && !(server.surely_shorter(now, index, self.passing_below)
                && self.queues[index]
                    .settings
                    .discard
                    .passes(arrival.slot, CELL_UNITS))
        {
            return false;
        }
        let cell = shown((&mut self.control, self.ignores_data), now, arrival);
        let context = &mut Context::new(now, &mut self.control, out);
        server.push_plain(arrival.queue, cell, context);
        true
    }

    /// Does what [`Port::arrive_singly`] does, for a port with one queue that is served in order.
    #[inline(always)]
    fn arrive_in_order(&mut self, now: Ps, arrival: &Arrival, out: &mut Outlet<'_>) -> bool {
        let Some(server) = self.server.express() else {
            return false;
        };
        let backlog = server.backlog(now);
        let queue = &mut self.queues[arrival.queue as usize];
        if backlog >= self.free_backlog
            && !(backlog < self.passing_backlog
                && queue.settings.discard.passes(arrival.slot, CELL_UNITS))
        {
            return false;
        }
        let cell = shown((&mut self.control, self.ignores_data), now, arrival);
        server.serve_and_mark(cell, None, &mut Context::new(now, &mut self.control, out));
        true
    }

    /// The port as a row, which takes cells one after the other as [`Port::arrive_express`] does;
    /// [`Row::close`] must follow, or the cells are lost. `None` if the port's server does not compute
    /// departures at arrival, or if the control scheme may read the queue at a cell.
    #[inline(always)]
    pub fn row<'a>(&'a mut self, out: &'a mut Outlet<'_>) -> Option<Row<'a, OnLink<'a>>> {
        if !self.has_rows() {
            return None;
        }
        let (tail, stamps) = out.link.tail();
        self.row_to(OnLink { tail, stamps })
    }

    /// A row as [`Port::row`] makes, of cells that are on the link already. The row serves them
    /// once more after [`Port::resume`].
    #[inline(always)]
    pub fn row_again(&mut self) -> Option<Row<'_, Already>> {
        if !self.has_rows() {
            return None;
        }
        self.row_to(Already(0))
    }

    /// True if the server computes departures at arrival, and the scheme reads the queue at no cell.
    #[inline(always)]
    fn has_rows(&mut self) -> bool {
        !self.reads_some && self.server.express().is_some()
    }

    #[inline(always)]
    fn row_to<E: RowEnd>(&mut self, end: E) -> Option<Row<'_, E>> {
        let server = self.server.express()?;
        Some(Row {
            server: server.row(),
            most: self.express_backlog,
            control: &mut self.control,
            ignores_data: self.ignores_data,
            end,
        })
    }

    /// State of the server to which [`Port::resume`] returns; `None` if the server does not compute
    /// departures at arrival, or if a scheme sees the port's cells.
    #[inline]
    pub fn work(&mut self) -> Option<Work> {
        if !matches!(self.control, Control::None(_)) {
            return None;
        }
        self.server.express().map(|server| server.work())
    }

    /// Returns to the state `work`, as if the last `cells` cells had not come. These cells stay on
    /// the link.
    pub fn resume(&mut self, work: Work, cells: usize) {
        if let Some(server) = self.server.express() {
            server.resume(work, cells);
        }
    }
}

/// A cell without a body after the control scheme has seen it; the scheme does not see the queue.
#[inline(always)]
fn shown(control: (&mut Control, bool), now: Ps, arrival: &Arrival) -> Queued {
    Queued {
        label: arrival.cell.label,
        info: show(control, now, arrival, None, 0),
    }
}

/// The place where a row puts its cells.
pub trait RowEnd {
    /// Number of cells for which there is room.
    fn room(&self) -> usize;
    /// Puts a cell at the end of the row.
    fn push(&mut self, cell: Cell);
    /// Puts the stamp of the last cell beside it.
    fn stamp(&mut self, sent: Ps);
    /// Ends the row; returns the number of cells in it.
    fn close(self) -> usize;
}

/// The end of a link's ring buffer, where a row puts its cells.
pub struct OnLink<'a> {
    tail: Tail<'a, Cell>,
    stamps: &'a mut Ring<Ps>,
}

impl RowEnd for OnLink<'_> {
    #[inline(always)]
    fn room(&self) -> usize {
        self.tail.room()
    }
    #[inline(always)]
    fn push(&mut self, cell: Cell) {
        self.tail.push(cell);
    }
    #[inline(always)]
    fn stamp(&mut self, sent: Ps) {
        self.stamps.push(sent);
    }
    #[inline(always)]
    fn close(self) -> usize {
        self.tail.close()
    }
}

/// Counts cells of a row that are on the link already.
pub struct Already(usize);

impl RowEnd for Already {
    fn room(&self) -> usize {
        usize::MAX
    }
    fn push(&mut self, _cell: Cell) {
        self.0 += 1;
    }
    fn stamp(&mut self, _sent: Ps) {}
    fn close(self) -> usize {
        self.0
    }
}

/// A port whose server and whose link's end stay in registers from cell to cell.
#[must_use]
pub struct Row<'a, E> {
    server: FifoRow<'a>,
    /// Backlog of the line, below which a cell is admitted and nothing is marked.
    most: Ps,
    control: &'a mut Control,
    ignores_data: bool,
    end: E,
}

impl<E: RowEnd> Row<'_, E> {
    /// True if [`Row::arrive`] takes a cell that arrives at `now`.
    #[inline(always)]
    pub fn admits(&self, now: Ps) -> bool {
        self.end.room() > 0 && self.server.backlog(now) < self.most
    }
    /// Handles a plain cell as [`Port::arrive_express`] does. Returns false, with nothing changed,
    /// also if the link's ring buffer would have to grow; for the first cell of a row the buffer
    /// has room.
    #[inline(always)]
    pub fn arrive(&mut self, now: Ps, arrival: &Arrival) -> bool {
        if !self.admits(now) {
            return false;
        }
        let cell = shown((self.control, self.ignores_data), now, arrival);
        self.end.push(self.server.serve(now, cell));
        true
    }
    /// Sends the stamp of the last cell.
    #[inline(always)]
    pub fn stamp(&mut self, sent: Ps) {
        self.end.stamp(sent);
    }
    /// Greatest number of cells for [`Row::arrive_apart`], if they arrive at `first` and then `interval` or more
    /// after one another: each must find the line free, and no scheme may see it.
    #[inline(always)]
    pub fn room_apart(&self, first: Ps, interval: Ps) -> u32 {
        let is_plain = self.ignores_data && self.most > Ps::ZERO;
        if is_plain && self.server.is_free_for(first, interval) {
            u32::try_from(self.end.room()).unwrap_or(u32::MAX)
        } else {
            0
        }
    }
    /// Handles a cell that [`Row::room_apart`] has room for. [`Row::note_apart`] must follow the
    /// last such cell.
    #[inline(always)]
    pub fn arrive_apart(&mut self, now: Ps, cell: Queued) {
        self.end.push(self.server.serve_apart(now, cell));
    }
    /// Records `cells` cells that [`Row::arrive_apart`] has handled, the last of them at `last`.
    #[inline(always)]
    pub fn note_apart(&mut self, cells: u32, last: Ps) {
        self.server.note_apart(cells, last);
    }
    /// Writes the states of server and ring buffer back. Returns the number of cells; if they are on a link,
    /// [`Outlet::note`] must be called with it.
    #[inline(always)]
    pub fn close(self) -> usize {
        let sent = self.end.close();
        self.server.close(sent);
        sent
    }
}
