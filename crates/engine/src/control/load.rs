//! The load of a port over averaging intervals, as several schemes measure it.

use crate::kernel::Ps;
use crate::kernel::units::Cells;

/// What arrived over one interval, in cells/s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Cells under control.
    pub input: f64,
    /// Cells of other classes.
    pub background: f64,
}

impl Load {
    /// Input as a share of `capacity` (cells/s); infinite without capacity.
    pub fn factor(self, capacity: f64) -> f64 {
        if capacity > 0.0 { self.input / capacity } else { f64::INFINITY }
    }
}

/// Counts the cells of intervals that end after a time or, if earlier, after a number of cells under
/// control; the cell that completes an interval belongs to it.
#[derive(Clone, Debug)]
pub(super) struct LoadMeter {
    started: Ps,
    interval: Ps,
    interval_cells: u64,
    input: u64,
    background: u64,
}

impl LoadMeter {
    /// Intervals of a fixed length.
    pub fn by_time(interval: Ps) -> LoadMeter {
        LoadMeter::new(interval, Cells(u64::MAX))
    }
    /// Intervals of at most `interval` and, but for simultaneous cells, `interval_cells`.
    pub fn new(interval: Ps, interval_cells: Cells) -> LoadMeter {
        LoadMeter { started: Ps::ZERO, interval, interval_cells: interval_cells.0, input: 0, background: 0 }
    }
    /// A cell under control arrives; the load if it completes an interval. Simultaneous cells make no
    /// interval: it ends with the first later one.
    #[inline]
    pub fn count(&mut self, now: Ps) -> Option<Load> {
        self.input += 1;
        if self.input >= self.interval_cells { self.end(now) } else { None }
    }
    /// A cell of another class arrives.
    #[inline]
    pub fn count_background(&mut self) {
        self.background += 1;
    }
    /// When the interval ends by time.
    #[inline]
    pub fn due(&self) -> Ps {
        self.started.saturating_add(self.interval)
    }
    /// The load of the interval that ends at `now`, if any time has passed.
    pub fn end(&mut self, now: Ps) -> Option<Load> {
        let seconds = (now - self.started).as_secs_f64();
        if seconds <= 0.0 {
            return None;
        }
        let load = Load { input: self.input as f64 / seconds, background: self.background as f64 / seconds };
        (self.started, self.input, self.background) = (now, 0, 0);
        Some(load)
    }
}
