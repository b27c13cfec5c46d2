//! Marks by the queue length at the start of a cell's service (EFCI), computed before this start.
//!
//! A cell is marked if its service starts while the queue holds more than `above` cells, the cell
//! included. So it is marked if the cell `above` places behind it arrives no later than this start;
//! arrivals come before starts of one instant. Each arrival thus decides on the cell `above` places
//! before it, unless the service of that cell has already started.
//!
//! In a first-in first-out queue this start is known. If the line then serves back to back, the
//! start is `above` cell times before the end of all work that precedes the arrival. If the cell
//! has arrived at this very instant at an idle line, its service starts now, and the same formula
//! holds.
//!
//! The cell is already on its link, but the receiving node has not processed it. It arrives at
//! least one cell time plus the propagation delay after the present event.

use super::Line;
use crate::kernel::Ps;

/// The limit of a queue's length for marks, and the transmission time of that many cells.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    above: u64,
    /// Transmission time of `above` cells on the line, and its fraction in units of `1/rate` ps.
    span: (Ps, u64),
}

impl Marks {
    /// Marks at the service starts for which the queue holds more than `above` cells. `None` if the
    /// transmission time of so many cells exceeds the range of [`Ps`].
    pub fn new(line: &Line, above: u64) -> Option<Marks> {
        let span = line.clock.span(above)?;
        Some(Marks { above, span })
    }
    /// Time until the line is free, below which an arriving cell leads to no mark.
    pub fn least(&self) -> Ps {
        self.span.0
    }
    /// Number of cells behind the cell that an arrival marks: `above`; `None` if the arrival marks
    /// none. `work` is the time until the line is free, without the arriving cell, and the fraction
    /// carried then.
    #[inline(always)]
    pub fn at(&self, work: (Ps, u64)) -> Option<u64> {
        (work >= self.span).then_some(self.above)
    }
}
