//! A server of a single queue that computes departures at arrival: it needs no departure event and
//! stores no queue.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use super::{
    Arrival, Context, Line, LineServer, Marks, PromptServer, Queued, Server, ServerCounts,
};
use crate::atm::cell::{Body, Cell};
use crate::atm::server::LineEnd;
use crate::atm::transport::Outlet;
use crate::kernel::Ps;

/// A first-in first-out server by Lindley's recursion. The service of a cell that arrives at `t`
/// starts at `max(t, free_at)`. So the cell enters the link at once, with its time of arrival at
/// the far end. The queue length follows from `free_at` alone, and so do marks by this length.
#[derive(Clone)]
pub struct FifoServer {
    line: Line,
    accepted: u64,
    work: Work,
    /// Computes marks by the queue length; `None` if no cell is marked. A cell whose arrival causes a mark cannot
    /// be part of a burst.
    marks: Option<Marks>,
}

/// The part of the server's state that each served cell changes, except the number of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    free_at: Ps,
    carry: u64,
    sojourns: u128,
    /// Greatest backlog so far: time until the line was free, and the fraction of a picosecond in addition.
    longest: (u64, u64),
}

impl FifoServer {
    /// A server of one queue whose departures cause no further event.
    pub fn new(line: Line) -> FifoServer {
        FifoServer {
            line,
            accepted: 0,
            work: Work {
                free_at: Ps::ZERO,
                carry: 0,
                sojourns: 0,
                longest: (0, 0),
            },
            marks: None,
        }
    }
    /// A server of one queue that also marks cells, as `marks` computes.
    pub fn marking(line: Line, marks: Marks) -> FifoServer {
        FifoServer {
            marks: Some(marks),
            ..FifoServer::new(line)
        }
    }
    /// Backlog, as the time until the line is free, below which an arriving cell causes no mark.
    pub fn unmarked_below(&self) -> Ps {
        self.marks.map_or(Ps::NEVER, |marks| marks.least())
    }
    /// Serves a cell. If the arrival of this cell decides that an earlier cell is marked, marks the earlier cell
    /// on the link.
    #[inline(always)]
    pub fn serve_and_mark(
        &mut self,
        cell: Queued,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        let now = context.now;
        let work = (self.backlog(now), self.work.carry);
        context.out.push(self.serve(now, cell), body);
        if let Some(behind) = self.marks.and_then(|marks| marks.at(work)) {
            let cell = context.out.link.before_newest_mut(behind);
            if cell.info.is_data() {
                cell.info.mark_efci(); // TM 4.0 5.10.6 1(a)
            }
        }
    }
    /// Time from `now` until the line is free.
    #[inline]
    pub fn backlog(&self, now: Ps) -> Ps {
        self.work.free_at.saturating_sub(now)
    }
    /// Serves a cell that arrives at `now`. Returns the cell with its arrival time at the far end
    /// of the link.
    #[inline(always)]
    pub fn serve(&mut self, now: Ps, cell: Queued) -> Cell {
        self.accepted += 1;
        self.work.serve(&self.line, now, cell)
    }
    /// Saves the state of the server, for [`FifoServer::resume`].
    #[inline]
    pub fn work(&self) -> Work {
        self.work
    }
    /// Returns to the state `work`, which was saved before the newest `cells` cells were served.
    pub fn resume(&mut self, work: Work, cells: usize) {
        self.work = work;
        self.accepted -= cells as u64;
    }
    /// The server for a burst of plain cells (data cells that do not end a PDU). [`FifoRow::close`] must follow,
    /// or the server does not count these cells.
    #[inline(always)]
    pub fn row(&mut self) -> FifoRow<'_> {
        FifoRow {
            line: self.line,
            work: self.work,
            server: self,
        }
    }
    #[inline]
    fn length(&self, now: Ps) -> u64 {
        self.line
            .clock
            .cells_until(now, self.work.free_at, self.work.carry)
    }
}

/// Completion time of a cell that arrives at `now`, and the fraction of a picosecond in addition. `free_at` and
/// `carry` are the time at which the line is free, and the fraction in addition.
#[inline(always)]
fn completion(line: &Line, now: Ps, (free_at, carry): (Ps, u64)) -> (Ps, u64) {
    // Near full load a branch predictor cannot predict whether the line is free.
    let idle = now > free_at;
    let start = select_unpredictable(idle, now, free_at);
    let carry = select_unpredictable(idle, 0, carry);
    line.clock.complete(start, carry)
}

/// Updates the greatest backlog. A new maximum is rare, so a branch costs less than a conditional move.
#[inline(always)]
fn note_longest(longest: &mut (u64, u64), backlog: (u64, u64)) {
    if backlog.0 >= longest.0 {
        *longest = (*longest).max(backlog);
    }
}

impl Work {
    /// Serves a cell that arrives at `now`. Returns the cell with its arrival time at the far end
    /// of the link.
    #[inline(always)]
    fn serve(&mut self, line: &Line, now: Ps, cell: Queued) -> Cell {
        (self.free_at, self.carry) = completion(line, now, (self.free_at, self.carry));
        let backlog = self.free_at.0 - now.0;
        self.sojourns += backlog as u128;
        note_longest(&mut self.longest, (backlog, self.carry));
        Cell {
            at: self.free_at + line.delay,
            label: cell.label,
            info: cell.info,
        }
    }
}

/// A copy of a server that serves a burst of cells, so that its state stays in registers.
#[must_use]
pub struct FifoRow<'a> {
    server: &'a mut FifoServer,
    line: Line,
    work: Work,
}

impl FifoRow<'_> {
    /// Time from `now` until the line is free.
    #[inline(always)]
    pub fn backlog(&self, now: Ps) -> Ps {
        self.work.free_at.saturating_sub(now)
    }
    /// Serves a cell that arrives at `now`. Returns the cell with its arrival time at the far end
    /// of the link.
    #[inline(always)]
    pub fn serve(&mut self, now: Ps, cell: Queued) -> Cell {
        self.work.serve(&self.line, now, cell)
    }
    /// True if each of several cells finds the line free. The first cell arrives at `first`, each next one at
    /// least `interval` later.
    #[inline(always)]
    pub fn is_free_for(&self, first: Ps, interval: Ps) -> bool {
        first > self.work.free_at && interval > self.line.clock.floor()
    }
    /// Serves a cell that finds the line free. [`FifoRow::note_apart`] must be called after the last such cell of
    /// the burst.
    #[inline(always)]
    pub fn serve_apart(&self, now: Ps, cell: Queued) -> Cell {
        Cell {
            at: now + self.line.clock.floor() + self.line.delay,
            label: cell.label,
            info: cell.info,
        }
    }
    /// Counts `cells` cells that [`FifoRow::serve_apart`] has served, the last of which arrived at
    /// `last`.
    #[inline(always)]
    pub fn note_apart(&mut self, cells: u32, last: Ps) {
        let (free_at, carry) = self.line.clock.complete(last, 0);
        let backlog = free_at.0 - last.0;
        (self.work.free_at, self.work.carry) = (free_at, carry);
        self.work.sojourns += backlog as u128 * cells as u128;
        note_longest(&mut self.work.longest, (backlog, carry));
    }
    /// Writes the state back to the server and counts `cells` cells, served since
    /// [`FifoServer::row`].
    #[inline(always)]
    pub fn close(self, cells: usize) {
        self.server.work = self.work;
        self.server.accepted += cells as u64;
    }
}

impl Server for FifoServer {
    type Credited = PromptServer;
    #[inline]
    fn queue_length(&mut self, _queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        let now = context.now;
        self.length(now)
    }
    #[inline]
    fn surely_shorter(&self, now: Ps, _queue: usize, limit: u64) -> bool {
        // `limit - 1` whole cells take longer to serve than the line is still busy.
        self.work.free_at.saturating_sub(now).0
            < limit
                .saturating_sub(1)
                .saturating_mul(self.line.clock.floor().0)
    }
    #[inline(always)]
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        self.serve_and_mark(arrival.cell, body, context);
    }
    #[inline]
    fn advance(&mut self, _context: &mut Context<'_, Outlet<'_>>) {}
    #[inline]
    fn next_event(&self) -> Ps {
        Ps::NEVER
    }
}

impl LineServer for FifoServer {
    #[inline(always)]
    fn push_to(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, impl LineEnd>,
    ) {
        let now = context.now;
        debug_assert!(
            self.marks.is_none(),
            "a link that loses cells takes no marks"
        );
        let cell = self.serve(now, arrival.cell);
        context.out.put(cell, body);
    }
    #[inline]
    fn advance_to(&mut self, _context: &mut Context<'_, impl LineEnd>) {}
}

impl ServerCounts for FifoServer {
    fn accepted(&self, _queue: usize) -> u64 {
        self.accepted
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        let now = context.now;
        self.accepted - self.length(now)
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        let now = context.now;
        let cells = self.accepted;
        self.line
            .clock
            .served(cells, now, self.work.free_at, self.work.carry)
    }
    fn backlog_integral(&mut self, _queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        let now = context.now;
        // The time after `now` that the cells present will still spend in the queue does not count.
        (self.work.sojourns
            - self
                .line
                .clock
                .time_left(now, self.work.free_at, self.work.carry)) as f64
    }
    fn longest(&self, _queue: usize) -> u64 {
        self.line
            .clock
            .cells_until(Ps::ZERO, Ps(self.work.longest.0), self.work.longest.1)
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        self.work.longest = (self.work.free_at.saturating_sub(now).0, self.work.carry);
    }
    fn held(&self) -> Vec<Queued> {
        Vec::new()
    }
    fn storage(&self) -> (usize, usize) {
        (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::atm::cell::Info;
    use crate::kernel::{CellClock, Rate, Stream};

    #[test]
    fn cells_taken_back_and_served_again_leave_no_trace() {
        let line = Line {
            clock: CellClock::new(Rate::from_bps(155_520_000)),
            delay: Ps::from_us(3),
        };
        let cell = |label| Queued {
            label,
            info: Info::data(label),
        };
        let serve = |server: &mut FifoServer, from: u32, to: u32| -> Vec<Cell> {
            let at = |label: u32| Ps(label as u64 * 2_000_000);
            (from..to)
                .map(|label| server.serve(at(label), cell(label)))
                .collect()
        };
        let mut server = FifoServer::new(line);
        serve(&mut server, 0, 5);
        let mut straight = server.clone();
        let before = server.work();
        let first = serve(&mut server, 5, 12);
        server.resume(before, 7);
        assert_eq!(serve(&mut server, 5, 9), first[..4]);
        serve(&mut straight, 5, 9);
        assert_eq!(
            (server.work, server.accepted),
            (straight.work, straight.accepted)
        );
    }

    #[test]
    fn a_row_leaves_the_server_as_one_cell_after_the_other_does() {
        let line = Line {
            clock: CellClock::new(Rate::from_bps(155_520_000)),
            delay: Ps::from_us(3),
        };
        let mut stream = Stream::new(1, "row", "test");
        let (mut alone, mut in_rows) = (FifoServer::new(line), FifoServer::new(line));
        let mut now = Ps::ZERO;
        for cells in 0..200 {
            let mut row = in_rows.row();
            for label in 0..cells % 7 {
                now += stream.below(Ps(5_500_000));
                let cell = Queued {
                    label,
                    info: Info::data(label),
                };
                assert_eq!(row.backlog(now), alone.backlog(now));
                assert_eq!(alone.serve(now, cell), row.serve(now, cell));
            }
            row.close(cells as usize % 7);
            let state = |server: &FifoServer| (server.work, server.accepted);
            assert_eq!(state(&in_rows), state(&alone));
        }
        assert!(in_rows.longest(0) > 3);
    }

    proptest! {
        #[test]
        fn cells_that_find_the_line_free_are_served_apart(
            rate in prop::sample::select(alloc::vec![155_520_000u64, 149_760_000, 3_000_000_007]),
            busy in prop::option::of(0u64..6_000_000),
            wait in prop_oneof![0u64..3, 0u64..9_000_000],
            beyond in prop::collection::vec(prop_oneof![0u64..3, 0u64..5_000_000], 1..12),
        ) {
            let line = Line { clock: CellClock::new(Rate::from_bps(rate)), delay: Ps(7) };
            let cell = Queued { label: 3, info: Info::data(0) };
            let mut server = FifoServer::new(line);
            if let Some(busy) = busy {
                server.serve(Ps(busy), cell);
            }
            // The first cell arrives one picosecond before the line is free, or later.
            let first = server.work.free_at.0.saturating_sub(1) + wait;
            // The shortest distance between cells is one picosecond less than a cell time.
            let shortest = line.clock.floor().0 - 1;
            let least = shortest + *beyond.iter().min().unwrap();
            let times: Vec<Ps> = beyond
                .iter()
                .scan(Ps(first), |at, gap| Some(core::mem::replace(at, *at + Ps(shortest + *gap))))
                .collect();
            let mut plain = server.clone();
            let one_by_one: Vec<Cell> = times.iter().map(|at| plain.serve(*at, cell)).collect();
            let mut row = server.row();
            if row.is_free_for(times[0], Ps(least)) {
                let apart: Vec<Cell> = times.iter().map(|at| row.serve_apart(*at, cell)).collect();
                row.note_apart(apart.len() as u32, times[times.len() - 1]);
                row.close(apart.len());
                prop_assert_eq!(apart, one_by_one);
                prop_assert_eq!((server.work, server.accepted), (plain.work, plain.accepted));
            }
        }
    }
}
