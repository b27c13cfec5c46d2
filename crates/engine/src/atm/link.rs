//! A link: the ring of cells on it, with the times at which they arrive at its far end.

use alloc::vec::Vec;

use super::cell::{Body, Cell};
use crate::kernel::{Ps, Ring, Tail};

/// Cells on their way, in order of arrival. A port that computes departures ahead puts a cell here
/// while it is still queued, so the ring may also hold the port's queue.
#[derive(Clone, Default)]
pub struct Link {
    cells: Ring<Cell>,
    /// Bodies, each with the arrival time of its cell.
    bodies: Ring<(Ps, Body)>,
    /// True if the receiver may handle cells without bodies as late as the next cell with a body.
    patient: bool,
}

/// Number of cells without bodies after which even a patient receiver handles them, to limit
/// memory.
const MOST_UNSEEN: usize = 256;

impl Link {
    /// An empty link; `patient` if the receiver's state does not depend on when it handles cells
    /// without bodies.
    pub fn new(patient: bool) -> Link {
        Link {
            patient,
            ..Link::default()
        }
    }
    /// Sends a cell; `cell.at` must not be before the arrival of the cell sent last. Returns true
    /// if [`Link::due`] has changed, which the receiver must then take into account.
    #[inline]
    pub fn push(&mut self, cell: Cell, body: Option<&Body>) -> bool {
        debug_assert_eq!(cell.info.has_body(), body.is_some());
        let unseen = self.cells.len();
        let is_due = if self.patient {
            unseen == MOST_UNSEEN
        } else {
            unseen == 0
        };
        self.cells.push(cell);
        let Some(body) = body else { return is_due };
        let first = self.bodies.is_empty();
        self.bodies.push((cell.at, *body));
        is_due || (self.patient && first)
    }
    /// Room for cells without bodies, in the order of their arrivals; [`Outlet::note`] must follow.
    #[inline(always)]
    pub fn tail(&mut self) -> Tail<'_, Cell> {
        self.cells.tail()
    }
    /// True if the last `count` cells, which have no bodies, have changed [`Link::due`]: one of them
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
    /// Receives the next `count` cells; for each that has a body, [`Link::pop_body`] must follow.
    #[inline]
    pub fn discard(&mut self, count: usize) {
        self.cells.discard(count);
    }
    /// Receives the next cell with its body.
    #[inline]
    pub fn pop_whole(&mut self) -> Option<(Cell, Option<Body>)> {
        let cell = self.cells.pop()?;
        Some((
            cell,
            if cell.info.has_body() {
                self.pop_body()
            } else {
                None
            },
        ))
    }
    /// The body of the cell received last.
    #[inline]
    pub fn pop_body(&mut self) -> Option<Body> {
        self.bodies.pop().map(|(_, body)| body)
    }
    /// Moves all cells and bodies behind those of `cells` and `bodies`.
    pub fn drain_into(&mut self, cells: &mut Vec<Cell>, bodies: &mut Vec<(Ps, Body)>) {
        drain(&mut self.cells, cells);
        drain(&mut self.bodies, bodies);
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
        self.cells.bytes() + self.bodies.bytes()
    }
    /// Cells held, oldest first.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter()
    }
    /// The `count` cells sent last with their bodies, oldest first; the link must hold that many.
    pub fn sent_last(&self, count: usize) -> impl Iterator<Item = (&Cell, Option<&Body>)> {
        let bodies = self
            .cells
            .newest(count)
            .filter(|cell| cell.info.has_body())
            .count();
        let mut bodies = self.bodies.newest(bodies);
        self.cells.newest(count).map(move |cell| {
            let body = if cell.info.has_body() {
                bodies.next()
            } else {
                None
            };
            (cell, body.map(|(_, body)| body))
        })
    }
}

fn drain<T: Copy>(ring: &mut Ring<T>, into: &mut Vec<T>) {
    while !ring.is_empty() {
        let stretch = ring.stretch();
        into.extend_from_slice(stretch);
        let taken = stretch.len();
        ring.discard(taken);
    }
}

/// The link that a port feeds, and the list of links whose receivers must look at them again.
pub struct Outlet<'a> {
    /// The link.
    pub link: &'a mut Link,
    /// Index of the link.
    pub number: u32,
    /// Indices of links whose [`Link::due`] has changed since their receivers looked.
    pub fresh: &'a mut Vec<u32>,
}

impl Outlet<'_> {
    /// Sends a cell, see [`Link::push`].
    #[inline(always)]
    pub fn push(&mut self, cell: Cell, body: Option<&Body>) {
        if self.link.push(cell, body) {
            self.fresh.push(self.number);
        }
    }
    /// Notes that the last `count` cells of the link have been written into its [`Link::tail`].
    #[inline(always)]
    pub fn note(&mut self, count: usize) {
        if self.link.is_due_by(count) {
            self.fresh.push(self.number);
        }
    }
}
