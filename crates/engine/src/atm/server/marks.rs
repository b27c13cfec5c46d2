//! Marks that a queue sets by its length as the service of a cell starts, known before that start.
//!
//! A cell finds more than `above` cells in the queue, including itself, if the cell `above` places behind it
//! has arrived by the instant at which its service starts. Arrivals come before starts at one instant. So
//! when a cell arrives, the cell `above` places in front of it is marked, if the service of that cell has not
//! started before.
//!
//! In a queue without priorities that start is known. It is the end of the service before, if cells are
//! served back to back from there on. Then it lies before the end of all work by the time that `above` cells
//! take. If the cell arrived at this very instant, and the line was idle, it starts now. A service before it
//! would have ended now, too.
//!
//! The cell is on its link already, but no receiver has seen it: it arrives no sooner than a cell time and
//! the propagation after the present event.

use super::Line;
use crate::kernel::Ps;

/// A limit of the queue's length, and the work that stands for it.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    above: u64,
    /// Time that `above` cells take on the line, and the fraction of it in units of `1/rate` ps.
    span: (Ps, u64),
}

impl Marks {
    /// Marks for a queue that holds more than `above` cells; `None` if that many cells take longer than the
    /// greatest time.
    pub fn new(line: &Line, above: u64) -> Option<Marks> {
        let span = line.clock.span(above)?;
        Some(Marks { above, span })
    }
    /// Time until the line is free, below which no cell is marked.
    pub fn least(&self) -> Ps {
        self.span.0
    }
    /// Number of cells behind the cell that is marked, if a cell arrives at a queue with this `work`: time
    /// until the line is free, and the fraction carried then. `None` if no cell is marked.
    #[inline(always)]
    pub fn at(&self, work: (Ps, u64)) -> Option<u64> {
        (work >= self.span).then_some(self.above)
    }
}
