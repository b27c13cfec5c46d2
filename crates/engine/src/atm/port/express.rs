//! Fast paths of [`Port::arrive`] for plain cells that the port always admits and whose departure
//! can be computed at arrival, for one cell or a burst.
//!
//! Both fast paths do the same work as [`Port::arrive`]: pass the cell to the control scheme, serve
//! it by Lindley's recursion, and put it on the link. For a burst, a [`Row`] works on copies of the
//! server and of the end of the link's ring buffer, which stay in registers. The result is exact: a
//! control scheme reads no server, and each cell of a burst is checked against the copy.
//!
//! [`Port::arrive_singly`] is the fast path for single cells at other ports. At such a port, departures depend on
//! later cells, cells are marked on the link, or the discard policy has a state.

use super::{Port, Shown, show};
use crate::atm::cell::{CELL_UNITS, Cell};
use crate::atm::server::{Arrival, Context, FifoRow, Queued, Server, Work};
use crate::atm::transport::Outlet;
use crate::control::Control;
use crate::discard::DiscardPolicy;
use crate::kernel::{Ps, Ring, Tail};

impl<S: Server> Port<S> {
    /// Processes a plain cell (a data cell that does not end a PDU) as [`Port::arrive`] does. The port must
    /// always admit the cell and know its departure now. Returns false, with nothing changed, otherwise. If the
    /// cell is stamped, [`Link::push_stamp`](crate::net::link::Link::push_stamp) must follow.
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
        let cell = shown((&mut self.control, self.shown), now, arrival);
        out.push_plain(server.serve(now, cell));
        true
    }

    /// True if [`Port::arrive_singly`] can process cells that [`Port::arrive_express`] cannot. This holds if the
    /// port has a [`PriorityServer`](crate::atm::server::PriorityServer), marks cells on the link, or has a
    /// discard policy with a state.
    pub fn takes_singly(&mut self) -> bool {
        let mut queues = self.queues.iter();
        self.marks_later()
            || self.server.priority().is_some()
            || queues.any(|queue| !queue.settings.discard.is_stateless())
    }

    /// Processes a data cell without a body as [`Port::arrive`] does, if the port always admits the cell. Returns
    /// false, with nothing changed, otherwise. Must be called only if [`Port::takes_singly`] is true.
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
        let cell = shown((&mut self.control, self.shown), now, arrival);
        let context = &mut Context::new(now, &mut self.control, out);
        server.push_plain(arrival.queue, cell, context);
        true
    }

    /// Does the work of [`Port::arrive_singly`] for a port with one first-in first-out queue.
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
        let cell = shown((&mut self.control, self.shown), now, arrival);
        server.serve_and_mark(cell, None, &mut Context::new(now, &mut self.control, out));
        true
    }

    /// Begins a [`Row`], which processes a burst of cells as [`Port::arrive_express`] processes one cell.
    /// [`Row::close`] must follow, or the cells are lost. `None` if the server does not compute departures at
    /// arrival, or if the control scheme may read the queue at a cell.
    #[inline(always)]
    pub fn row<'a>(&'a mut self, out: &'a mut Outlet<'_>) -> Option<Row<'a, OnLink<'a>>> {
        if !self.has_rows() {
            return None;
        }
        let (tail, stamps) = out.link.tail();
        self.row_to(OnLink { tail, stamps })
    }

    /// Begins a [`Row`] that again serves cells which are already on the link. [`Port::resume`] must precede it.
    #[inline(always)]
    pub fn row_again(&mut self) -> Option<Row<'_, Already>> {
        if !self.has_rows() {
            return None;
        }
        self.row_to(Already(0))
    }

    /// True if the server computes departures at arrival and the control scheme reads the queue at
    /// no data cell.
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
            shown: self.shown,
            end,
        })
    }

    /// Saves the state of the server, for [`Port::resume`]. `None` if the server does not compute
    /// departures at arrival, or if the port has a control scheme.
    #[inline]
    pub fn work(&mut self) -> Option<Work> {
        if !matches!(self.control, Control::None(_)) {
            return None;
        }
        self.server.express().map(|server| server.work())
    }

    /// Returns the server to the state `work`, as if the newest `cells` cells had not arrived. These cells stay
    /// on the link.
    pub fn resume(&mut self, work: Work, cells: usize) {
        if let Some(server) = self.server.express() {
            server.resume(work, cells);
        }
    }
}

/// Passes a cell without a body to the control scheme, which may mark the cell. The scheme does not read the
/// queue at this cell.
#[inline(always)]
fn shown(control: (&mut Control, Shown), now: Ps, arrival: &Arrival) -> Queued {
    Queued {
        label: arrival.cell.label,
        info: show(control, now, arrival, None, 0),
    }
}

/// The place where a [`Row`] (a burst at a port) puts its cells.
pub trait RowEnd {
    /// Number of further cells that fit.
    fn room(&self) -> usize;
    /// Adds a cell to the burst.
    fn push(&mut self, cell: Cell);
    /// Adds the stamp (sending time) of the last cell.
    fn stamp(&mut self, sent: Ps);
    /// Ends the burst. Returns the number of its cells.
    fn close(self) -> usize;
}

/// The end of a link's ring buffer, where a [`Row`] puts new cells.
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

/// Counts the cells of a burst that is already on the link.
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

/// A port that processes a burst of cells. Copies of its server and of the end of its link stay in
/// registers.
#[must_use]
pub struct Row<'a, E> {
    server: FifoRow<'a>,
    /// Backlog, as the time that the line needs for all cells present, below which a cell is admitted and not
    /// marked.
    most: Ps,
    control: &'a mut Control,
    shown: Shown,
    end: E,
}

impl<E: RowEnd> Row<'_, E> {
    /// True if [`Row::arrive`] would process a cell that arrives at `now`.
    #[inline(always)]
    pub fn admits(&self, now: Ps) -> bool {
        self.end.room() > 0 && self.server.backlog(now) < self.most
    }
    /// Processes a plain cell as [`Port::arrive_express`] does. Returns false, with nothing changed, if the port
    /// cannot admit the cell without checks, or if the link's ring buffer would have to grow. There is always a
    /// place for the first cell of a burst.
    #[inline(always)]
    pub fn arrive(&mut self, now: Ps, arrival: &Arrival) -> bool {
        if !self.admits(now) {
            return false;
        }
        let cell = shown((self.control, self.shown), now, arrival);
        self.end.push(self.server.serve(now, cell));
        true
    }
    /// Puts the stamp (sending time) of the last cell on the link.
    #[inline(always)]
    pub fn stamp(&mut self, sent: Ps) {
        self.end.stamp(sent);
    }
    /// Number of cells that [`Row::arrive_apart`] can process, if the first arrives at `first` and each next one
    /// at least `interval` later. Zero unless each cell finds the line free and the control scheme reads no data
    /// cells.
    #[inline(always)]
    pub fn room_apart(&self, first: Ps, interval: Ps) -> u32 {
        let is_plain = self.shown.ignores_data && self.most > Ps::ZERO;
        if is_plain && self.server.is_free_for(first, interval) {
            u32::try_from(self.end.room()).unwrap_or(u32::MAX)
        } else {
            0
        }
    }
    /// Processes one of the cells that [`Row::room_apart`] permits. [`Row::note_apart`] must be called after the
    /// last of these cells.
    #[inline(always)]
    pub fn arrive_apart(&mut self, now: Ps, cell: Queued) {
        self.end.push(self.server.serve_apart(now, cell));
    }
    /// Counts the `cells` cells that [`Row::arrive_apart`] has processed, the last of them at
    /// `last`.
    #[inline(always)]
    pub fn note_apart(&mut self, cells: u32, last: Ps) {
        self.server.note_apart(cells, last);
    }
    /// Writes the copies of server and ring buffer back. Returns the number of cells of the burst. If the cells
    /// are new on the link, [`Outlet::note`] must be called with this number.
    #[inline(always)]
    pub fn close(self) -> usize {
        let sent = self.end.close();
        self.server.close(sent);
        sent
    }
}
