//! EFCI marks by the queue length at the start of a cell's service, computed before this start.
//!
//! A cell is marked if its service starts while the queue holds more than `above` cells, this cell included. This
//! is so if the cell `above` places behind arrives no later than the start; arrivals precede starts of the same
//! instant. So each arrival decides about the cell `above` places before it, unless the service of that cell has
//! already started.
//!
//! In a first-in first-out queue this start is known. If the line is then busy without a pause, the start is
//! `above` cell times before the end of all work that precedes the arrival. If the cell arrived at this very
//! instant at an idle line, its service starts now, and the same formula holds.
//!
//! The cell to be marked is already in the ring buffer of its link, but the receiving node has not processed it.
//! The cell arrives at least one cell time plus the propagation delay after the present event.

use super::Line;
use crate::kernel::Ps;

/// The queue length above which cells are marked, and the transmission time of so many cells.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    above: u64,
    /// Transmission time of `above` cells on the line, and its fraction in units of `1/rate` ps.
    span: (Ps, u64),
}

impl Marks {
    /// Marks cells at whose service start the queue holds more than `above` cells. `None` if the transmission
    /// time of `above` cells exceeds the range of [`Ps`].
    pub fn new(line: &Line, above: u64) -> Option<Marks> {
        let span = line.clock.span(above)?;
        Some(Marks { above, span })
    }
    /// Backlog, as the time until the line is free, below which an arriving cell causes no mark.
    pub fn least(&self) -> Ps {
        self.span.0
    }
    /// The cell that an arrival marks, given as the number of cells behind it: `above`; `None` if the arrival
    /// marks no cell. `work` is the time until the line is free, without the arriving cell, and the fraction of a
    /// picosecond in addition.
    #[inline(always)]
    pub fn at(&self, work: (Ps, u64)) -> Option<u64> {
        (work >= self.span).then_some(self.above)
    }
}
