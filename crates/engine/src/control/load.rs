//! The load of a port over averaging intervals, and the schemes that use it.

use alloc::vec::Vec;

use super::congestion_bit::CongestionBit;
use super::{QueueReading, SwitchControl};
use crate::component::Statistic;
use crate::kernel::Ps;
use crate::kernel::units::Cells;
use crate::passing::{Contents, Passing, RateRecord};

/// Arrival rates over one interval, in units/s.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Arrival rate of cells or frames under control, in units/s.
    pub input: f64,
    /// Arrival rate of cells or frames of other classes, in units/s.
    pub background: f64,
}

impl Load {
    /// Input as a share of `capacity` (units/s); infinite without capacity.
    pub fn factor(self, capacity: f64) -> f64 {
        if capacity > 0.0 {
            self.input / capacity
        } else {
            f64::INFINITY
        }
    }
}

/// Number of units that stands for intervals which end by time alone.
pub const UNCOUNTED: Cells = Cells(u64::MAX);

/// Measures the load of intervals. An interval ends after a time or, if earlier, after a number of
/// units under control; the cell or frame that completes an interval belongs to it.
#[derive(Clone, Debug)]
pub struct LoadMeter {
    started: Ps,
    interval: Ps,
    interval_units: u64,
    input: u64,
    background: u64,
}

impl LoadMeter {
    /// A meter of intervals of a fixed length.
    pub fn by_time(interval: Ps) -> LoadMeter {
        LoadMeter::new(interval, UNCOUNTED)
    }
    /// A meter of intervals of at most `interval` and, except for simultaneous cells, at most
    /// `interval_units`.
    pub fn new(interval: Ps, interval_units: Cells) -> LoadMeter {
        LoadMeter {
            started: Ps::ZERO,
            interval,
            interval_units: interval_units.0,
            input: 0,
            background: 0,
        }
    }
    /// Replaces the lengths of intervals; the new ones hold for the interval that has begun.
    pub fn change(&mut self, interval: Ps, interval_units: Cells) {
        (self.interval, self.interval_units) = (interval, interval_units.0);
    }
    /// Counts the units of a cell or frame under control. Returns the load if the unit completes an interval.
    /// An interval must last longer than zero, so simultaneous units do not complete one: the first later
    /// unit does.
    #[inline]
    pub fn count(&mut self, now: Ps, units: u64) -> Option<Load> {
        self.input += units;
        if self.input >= self.interval_units {
            self.end(now)
        } else {
            None
        }
    }
    /// Counts units of classes that are not under control.
    #[inline]
    pub fn count_background(&mut self, units: u64) {
        self.background += units;
    }
    /// Time at which the present interval ends at the latest.
    #[inline]
    pub fn due(&self) -> Ps {
        self.started.saturating_add(self.interval)
    }
    /// Ends the interval at `now` and returns its load; `None` if no time has passed.
    pub fn end(&mut self, now: Ps) -> Option<Load> {
        let seconds = (now - self.started).as_secs_f64();
        if seconds <= 0.0 {
            return None;
        }
        let load = Load {
            input: self.input as f64 / seconds,
            background: self.background as f64 / seconds,
        };
        (self.started, self.input, self.background) = (now, 0, 0);
        Some(load)
    }
}

/// A scheme that uses the load of intervals. Its hooks are those of [`SwitchControl`]; a meter
/// counts the units for it.
pub trait ByLoad {
    /// Names, units and descriptions of the scheme's statistics.
    const STATISTICS: &'static [Statistic];

    /// An interval ends with this load; the scheme updates its rates.
    fn on_load(&mut self, load: Load);
    /// An interval ends by time with a queue of so many units; [`Self::on_load`] follows.
    fn on_queue(&mut self, _queue: u64) {}
    /// A cell or frame of channel `slot` arrives, after it was counted; `rm` is the record of an RM cell that
    /// is on its way from the source.
    #[inline]
    fn on_forward(&mut self, _slot: u32, _rm: Option<&mut RateRecord>, _queue: u64) {}
    /// A backward RM cell of channel `slot` passes.
    fn on_backward(&mut self, slot: u32, rm: &mut RateRecord, queue: u64);
    /// Present values of [`Self::STATISTICS`], in their order.
    fn counted(&self) -> Vec<f64>;
    /// Occasions on which hooks read `queue`.
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
}

/// A scheme at one output port and the meter of its load.
#[derive(Clone, Debug)]
pub struct Metered<S> {
    meter: LoadMeter,
    scheme: S,
    ci: CongestionBit,
}

impl<S: ByLoad> Metered<S> {
    /// Meters the load for `scheme` before its first interval. While the queue is longer than
    /// `ci_threshold`, CI is also set in backward RM cells.
    pub(super) fn with(scheme: S, meter: LoadMeter, ci_threshold: Option<Cells>) -> Metered<S> {
        Metered {
            meter,
            scheme,
            ci: CongestionBit::above(ci_threshold),
        }
    }

    /// Replaces the intervals and the threshold of CI. Returns the scheme, whose own parameters the
    /// caller replaces.
    pub(super) fn changed(
        &mut self,
        interval: Ps,
        interval_units: Cells,
        ci_threshold: Option<Cells>,
    ) -> &mut S {
        self.meter.change(interval, interval_units);
        self.ci = CongestionBit::above(ci_threshold);
        &mut self.scheme
    }
}

impl<S: ByLoad> SwitchControl for Metered<S> {
    const STATISTICS: &'static [Statistic] = S::STATISTICS;

    #[inline]
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    ) {
        if let Some(load) = self.meter.count(now, passing.units.into()) {
            self.scheme.on_load(load);
        }
        let rm = rm.filter(|_| passing.contents == Contents::Forward);
        self.scheme.on_forward(slot, rm, queue);
    }
    #[inline]
    fn on_background(&mut self, _: Ps, units: u64) {
        self.meter.count_background(units);
    }
    fn on_backward(&mut self, _: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
        self.scheme.on_backward(slot, rm, queue);
        self.ci.mark(rm, queue);
    }
    fn counted(&self) -> Vec<f64> {
        self.scheme.counted()
    }
    fn reads_queue(&self) -> QueueReading {
        self.ci.reads_queue(self.scheme.reads_queue())
    }
    #[inline]
    fn wake_at(&self) -> Ps {
        self.meter.due()
    }
    fn wake(&mut self, now: Ps, queue: u64, _in_service: u64) {
        self.scheme.on_queue(queue);
        if let Some(load) = self.meter.end(now) {
            self.scheme.on_load(load);
        }
    }
}
