//! A link: the ring of cells on it, with the times at which they arrive at its far end.

use alloc::vec::Vec;

use super::cell::{Body, Cell, Info};
use crate::kernel::{Ps, Ring, Tail};

/// Cells on their way, in order of arrival. A port that computes departures ahead puts a cell here
/// while it is still queued, so the ring may also hold the port's queue.
#[derive(Clone, Default)]
pub struct Link {
    cells: Ring<Cell>,
    /// Bodies other than stamps, each with the arrival time of its cell.
    bodies: Ring<(Ps, Body)>,
    /// Stamps, which are so many, where they are, that they lie apart: the sending times of plain cells.
    stamps: Ring<Ps>,
    /// True if the receiver may handle plain cells as late as the next other one.
    patient: bool,
}

/// Number of plain cells after which even a patient receiver handles them, to limit
/// memory.
const MOST_UNSEEN: usize = 256;

impl Link {
    /// An empty link; `patient` if the receiver's state does not depend on when it handles plain
    /// cells.
    pub fn new(patient: bool) -> Link {
        Link {
            patient,
            ..Link::default()
        }
    }
    /// Sends a cell; `cell.at` must not be before the arrival of the cell sent last. Returns true
    /// if [`Link::due`] has changed, which the receiver must then take into account.
    #[inline(always)]
    pub fn push(&mut self, cell: Cell, body: Option<&Body>) -> bool {
        debug_assert_eq!(cell.info.has_body(), body.is_some());
        let is_due = self.push_plain(cell);
        match body {
            None => is_due,
            Some(body) => self.push_body(cell.at, body) || is_due,
        }
    }
    /// Sends the body of the cell sent last, which arrives at `at`. Returns true if that has changed
    /// [`Link::due`].
    #[inline]
    fn push_body(&mut self, at: Ps, body: &Body) -> bool {
        if let Body::Stamp(sent) = body {
            self.push_stamp(*sent);
            return false;
        }
        let first = self.bodies.is_empty();
        self.bodies.push((at, *body));
        self.patient && first
    }
    /// [`Link::push`] of a plain cell; if it is stamped, [`Link::push_stamp`] must follow.
    #[inline(always)]
    pub fn push_plain(&mut self, cell: Cell) -> bool {
        let unseen = self.cells.len();
        let is_due = if self.patient {
            unseen == MOST_UNSEEN
        } else {
            unseen == 0
        };
        self.cells.push(cell);
        is_due
    }
    /// Asks for the place of the next cell that is sent.
    #[inline(always)]
    pub fn prefetch_tail(&self) {
        self.cells.prefetch_tail();
    }
    /// Sends the stamp of a plain cell.
    #[inline(always)]
    pub fn push_stamp(&mut self, sent: Ps) {
        self.stamps.push(sent);
    }
    /// The stamp of the next stamped cell that has been received without it.
    #[inline(always)]
    pub fn pop_stamp(&mut self) -> Option<Ps> {
        self.stamps.pop()
    }
    /// True if stamps are on the link.
    #[inline(always)]
    pub fn has_stamps(&self) -> bool {
        !self.stamps.is_empty()
    }
    /// Moves the next `count` stamps, those of stamped cells that have been received without them, behind
    /// `stamps`.
    pub fn move_stamps(&mut self, mut count: usize, stamps: &mut Vec<Ps>) {
        drain(&mut self.stamps, stamps, |next| {
            let ready = count.min(next.len());
            count -= ready;
            ready
        });
    }
    /// Free places for cells without a record, in the order of their arrivals, and the list of time
    /// stamps. Each stamped cell needs one time stamp. [`Outlet::note`] must follow.
    #[inline(always)]
    pub fn tail(&mut self) -> (Tail<'_, Cell>, &mut Ring<Ps>) {
        (self.cells.tail(), &mut self.stamps)
    }
    /// True if the last `count` cells, which are plain, have changed [`Link::due`]: one of them
    /// was that for which [`Link::push`] would have returned true.
    #[inline(always)]
    fn is_due_by(&self, count: usize) -> bool {
        let due = if self.patient { MOST_UNSEEN } else { 0 };
        let unseen = self.cells.len() - count;
        unseen <= due && due < self.cells.len()
    }
    /// Time at which the receiver must handle cells at the latest; `NEVER` if there is no need.
    #[inline]
    pub fn due(&self) -> Ps {
        if self.patient && self.cells.len() <= MOST_UNSEEN {
            return self.bodies.front().map_or(Ps::NEVER, |(at, _)| *at);
        }
        self.next_arrival()
    }
    /// Arrival of the next cell; `NEVER` if there is none on its way.
    #[inline]
    pub fn next_arrival(&self) -> Ps {
        self.cells.front().map_or(Ps::NEVER, |cell| cell.at)
    }
    /// Receives the next cell; if it has a body, [`Link::pop_body`] must follow. Also returns the
    /// arrival of the cell behind it, `NEVER` if there is none.
    #[inline]
    pub fn pop(&mut self) -> Option<(Cell, Ps)> {
        let (cell, behind) = self.cells.pop_and_peek()?;
        Some((cell, behind.map_or(Ps::NEVER, |cell| cell.at)))
    }
    /// The next cells, as many as are contiguous in memory; [`Link::discard`] receives them.
    #[inline]
    pub fn stretch(&self) -> &[Cell] {
        self.cells.stretch()
    }
    /// True if the next cell is stamped.
    #[inline(always)]
    pub fn begins_stamped(&self) -> bool {
        let next = self.cells.front();
        next.is_some_and(|cell| cell.info.is_stamped())
    }
    /// The same with the stamps of all cells, oldest first.
    #[inline]
    pub fn stamped_stretch(&mut self) -> (&[Cell], &mut Ring<Ps>) {
        (self.cells.stretch(), &mut self.stamps)
    }
    /// Receives the next `count` cells; for each that has a body, [`Link::pop_body`] must follow.
    #[inline]
    pub fn discard(&mut self, count: usize) {
        self.cells.discard(count);
    }
    /// The body of the cell received last, which has one; `info` is its word.
    ///
    /// Not an `Option`, here and wherever a body is handed on: it would be stored in two parts that are
    /// loaded as one at the next copy, for which a processor waits.
    #[inline]
    pub fn pop_body(&mut self, info: Info) -> Body {
        if info.is_plain() {
            Body::Stamp(
                self.stamps
                    .pop()
                    .expect("a stamp lies on the link of its cell"),
            )
        } else {
            let (_, body) = *self
                .bodies
                .front()
                .expect("a body lies on the link of its cell");
            self.bodies.discard(1);
            body
        }
    }
    /// Sets EFCI in the cell behind which `behind` others are on the link, if it is a data cell. The receiver
    /// must not have received it.
    #[inline]
    pub fn mark_efci(&mut self, behind: u64) {
        let cell = self.cells.before_newest_mut(behind as usize);
        if cell.info.is_data() {
            cell.info.mark_efci();
        }
    }
    /// Takes the last `count` cells back, which are plain, all stamped or all not; none of them may
    /// have been received.
    pub fn take_back(&mut self, count: usize, stamped: bool) {
        self.cells.take_back(count);
        if stamped {
            self.stamps.take_back(count);
        }
    }
    /// Moves the cells that arrive before `limit`, bodies and stamps behind those of `cells`, `bodies`
    /// and `stamps`. Returns the number of cells.
    pub fn drain_into(
        &mut self,
        limit: Ps,
        cells: &mut Vec<Cell>,
        bodies: &mut Vec<(Ps, Body)>,
        stamps: &mut Vec<Ps>,
    ) -> usize {
        let before = cells.len();
        drain(&mut self.cells, cells, |next| {
            next.partition_point(|cell| cell.at < limit)
        });
        drain(&mut self.bodies, bodies, |next| {
            next.partition_point(|(at, _)| *at < limit)
        });
        let drained = &cells[before..];
        let mut stamped = if self.cells.is_empty() {
            self.stamps.len()
        } else {
            drained.iter().filter(|cell| cell.info.is_stamped()).count()
        };
        drain(&mut self.stamps, stamps, |next| {
            let ready = stamped.min(next.len());
            stamped -= ready;
            ready
        });
        drained.len()
    }
    /// Cells held.
    pub fn len(&self) -> usize {
        self.cells.len()
    }
    /// True if the link holds no cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.cells.bytes() + self.bodies.bytes() + self.stamps.bytes()
    }
    /// Cells held, oldest first.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter()
    }
    /// The `count` cells sent last with their bodies other than stamps, oldest first; the link must
    /// hold that many.
    pub fn sent_last(&self, count: usize) -> impl Iterator<Item = (&Cell, Option<&Body>)> {
        let bodies = self
            .cells
            .newest(count)
            .filter(|cell| !cell.info.is_plain())
            .count();
        let mut bodies = self.bodies.newest(bodies);
        self.cells.newest(count).map(move |cell| {
            let body = if cell.info.is_plain() {
                None
            } else {
                bodies.next()
            };
            (cell, body.map(|(_, body)| body))
        })
    }
}

/// Moves the oldest values, as many of the next ones as are `ready`.
fn drain<T: Copy>(ring: &mut Ring<T>, into: &mut Vec<T>, mut ready: impl FnMut(&[T]) -> usize) {
    loop {
        let next = ring.stretch();
        let (all, taken) = (next.len(), ready(next));
        into.extend_from_slice(&next[..taken]);
        ring.discard(taken);
        if taken < all || ring.is_empty() {
            return;
        }
    }
}

/// The link that a port feeds, and the list of links whose receivers must look at them again.
pub struct Outlet<'a> {
    /// The link.
    pub link: &'a mut Link,
    /// Index of the link.
    pub number: u32,
    /// Indices of links whose [`Link::due`] may have changed since their receivers looked.
    pub fresh: &'a mut Vec<u32>,
}

/// The end of a line, which a server's cells reach in the order of their service.
pub trait LineEnd {
    /// Takes a cell whose service ends as many picoseconds before `cell.at` as the propagation takes.
    fn put(&mut self, cell: Cell, body: Option<&Body>);
}

impl LineEnd for Outlet<'_> {
    #[inline(always)]
    fn put(&mut self, cell: Cell, body: Option<&Body>) {
        self.push(cell, body);
    }
}

impl Outlet<'_> {
    /// Sends a cell, see [`Link::push`].
    #[inline(always)]
    pub fn push(&mut self, cell: Cell, body: Option<&Body>) {
        if self.link.push(cell, body) {
            self.fresh.push(self.number);
        }
    }
    /// [`Outlet::push`] of a plain cell; if it is stamped, [`Link::push_stamp`] must follow.
    #[inline(always)]
    pub fn push_plain(&mut self, cell: Cell) {
        if self.link.push_plain(cell) {
            self.fresh.push(self.number);
        }
    }
    /// [`Outlet::push`] of cells without bodies, in the order of their arrivals.
    pub fn push_row(&mut self, mut cells: &[Cell]) {
        debug_assert!(cells.iter().all(|cell| !cell.info.has_body()));
        while !cells.is_empty() {
            let (mut tail, _) = self.link.tail();
            let mut fitting = cells.iter();
            while !tail.is_full()
                && let Some(cell) = fitting.next()
            {
                tail.push(*cell);
            }
            let count = tail.close();
            self.note(count);
            cells = &cells[count..];
        }
    }
    /// [`Link::take_back`].
    pub fn take_back(&mut self, count: usize, stamped: bool) {
        self.link.take_back(count, stamped);
        // The receiver may have been told of a cell that will not come.
        self.fresh.push(self.number);
    }
    /// Notes that the last `count` cells of the link have been written into its [`Link::tail`].
    #[inline(always)]
    pub fn note(&mut self, count: usize) {
        if self.link.is_due_by(count) {
            self.fresh.push(self.number);
        }
    }
}
