//! The load of a port over averaging intervals, and the trait of control schemes that use it.

use alloc::vec::Vec;

use super::congestion_bit::CongestionBit;
use super::{QueueReading, SwitchControl};
use crate::component::Statistic;
use crate::kernel::Ps;
use crate::kernel::units::Cells;
use crate::passing::{Contents, Passing, RateRecord};

/// Arrival rates at a port over one interval.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Arrival rate of the controlled classes, in units/s.
    pub input: f64,
    /// Arrival rate of other classes, in units/s.
    pub background: f64,
}

impl Load {
    /// Load factor: arrival rate of the controlled classes divided by `capacity` (units/s); infinite if the
    /// capacity is zero.
    pub fn factor(self, capacity: f64) -> f64 {
        if capacity > 0.0 {
            self.input / capacity
        } else {
            f64::INFINITY
        }
    }
}

/// Number of units per interval that is never reached, so that an interval ends only by its length.
pub const UNCOUNTED: Cells = Cells(u64::MAX);

/// Measures the arrival rates over intervals. An interval ends after a time, or after a number of units of the
/// controlled classes if this comes earlier. The cell or frame that completes an interval belongs to this
/// interval.
#[derive(Clone, Debug)]
pub struct LoadMeter {
    started: Ps,
    interval: Ps,
    interval_units: u64,
    input: u64,
    background: u64,
}

impl LoadMeter {
    /// A meter whose intervals have the fixed length `interval`.
    pub fn by_time(interval: Ps) -> LoadMeter {
        LoadMeter::new(interval, UNCOUNTED)
    }
    /// A meter whose intervals have at most the length `interval` and `interval_units` units. If cells arrive at
    /// the same instant, an interval may have more units.
    pub fn new(interval: Ps, interval_units: Cells) -> LoadMeter {
        LoadMeter {
            started: Ps::ZERO,
            interval,
            interval_units: interval_units.0,
            input: 0,
            background: 0,
        }
    }
    /// Replaces the limits of an interval (length and number of units). The new limits already hold for the
    /// present interval.
    pub fn change(&mut self, interval: Ps, interval_units: Cells) {
        (self.interval, self.interval_units) = (interval, interval_units.0);
    }
    /// Counts a cell or frame of `units` units of a controlled class. If it completes the interval, returns the
    /// load. An interval must be longer than zero, so units that arrive at the same instant do not complete
    /// another interval; the first later unit does.
    #[inline]
    pub fn count(&mut self, now: Ps, units: u64) -> Option<Load> {
        self.input += units;
        if self.input >= self.interval_units {
            self.end(now)
        } else {
            None
        }
    }
    /// Counts `units` units of classes that are not controlled.
    #[inline]
    pub fn count_background(&mut self, units: u64) {
        self.background += units;
    }
    /// Time at which the present interval ends at the latest.
    #[inline]
    pub fn due(&self) -> Ps {
        self.started.saturating_add(self.interval)
    }
    /// Ends the interval at `now`. Returns its load; `None` if the interval began at `now`.
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

/// A control scheme that uses the load of intervals. The methods are those of [`SwitchControl`], but a
/// [`LoadMeter`] counts the units for the scheme.
pub trait ByLoad {
    /// Names, units and descriptions of the scheme's statistics.
    const STATISTICS: &'static [Statistic];

    /// An interval has ended with this load, and the scheme must update its rates.
    fn on_load(&mut self, load: Load);
    /// The interval ends because its time has passed, while the queue has `queue` units. [`Self::on_load`]
    /// follows.
    fn on_queue(&mut self, _queue: u64) {}
    /// A cell or frame of channel `slot` arrives, and has been counted. `rm` is the contents of a
    /// forward RM cell.
    #[inline]
    fn on_forward(&mut self, _slot: u32, _rm: Option<&mut RateRecord>, _queue: u64) {}
    /// A backward RM cell of channel `slot` passes through the switch in the other direction.
    fn on_backward(&mut self, slot: u32, rm: &mut RateRecord, queue: u64);
    /// Present values of [`Self::STATISTICS`], in their order.
    fn counted(&self) -> Vec<f64>;
    /// Occasions on which the methods read `queue`. On other occasions the port may pass 0 as `queue`.
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
}

/// A control scheme at one output port, together with the meter that measures the load for the scheme.
#[derive(Clone, Debug)]
pub struct Metered<S> {
    meter: LoadMeter,
    scheme: S,
    ci: CongestionBit,
}

impl<S: ByLoad> Metered<S> {
    /// Combines `scheme` with a `meter`, before the first interval. While the queue is longer than
    /// `ci_threshold`, CI is also set in backward RM cells.
    pub(super) fn with(scheme: S, meter: LoadMeter, ci_threshold: Option<Cells>) -> Metered<S> {
        Metered {
            meter,
            scheme,
            ci: CongestionBit::above(ci_threshold),
        }
    }

    /// Replaces the limits of an interval and the threshold of CI. Returns the scheme, so that
    /// the scheme's own parameters can be replaced.
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
