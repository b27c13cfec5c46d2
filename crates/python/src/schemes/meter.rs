//! Counts the cells of a port over intervals for a scheme, so that Python is not called for every
//! cell. Over Ethernet each octet on the line counts as a cell.

use cellrate_engine::control::PortFacts;
use cellrate_engine::control::relative_rate::Slots;
use cellrate_engine::kernel::units::Cells;
use cellrate_engine::kernel::{Ps, ServiceRate};

/// Number of the first interval. The number 0 stands for "never", so the interval before the first
/// must not be 0.
const FIRST_EPOCH: u32 = 2;

/// Cells of a channel in the interval with the number `epoch`, and in the interval before that.
#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    epoch: u32,
    cells: u64,
    before: u64,
}

/// Measurements over the last interval, which a scheme in Python reads in `on_interval`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// Length of the interval in seconds.
    pub seconds: f64,
    /// ABR cells that arrived in the interval.
    pub cells: u64,
    /// Cells of other classes that arrived in the interval.
    pub background: u64,
    /// Number of channels of which an ABR cell arrived in the interval.
    pub active: u64,
}

/// Counts cells over intervals. An interval ends after a time, after a number of ABR cells, or
/// after whichever is first; or it lasts a number of cell times of the link.
#[derive(Clone, Debug)]
pub struct Meter {
    rate: ServiceRate,
    started: Ps,
    next: Ps,
    interval: Ps,
    interval_cells: u64,
    slots: Option<Slots>,
    epoch: u32,
    now: Interval,
    /// Counts of the interval that ended last.
    pub last: Interval,
    channels: Vec<Channel>,
}

impl Meter {
    /// Makes a meter whose intervals never end, until one of the functions below sets their length.
    pub fn new(facts: PortFacts) -> Meter {
        Meter {
            rate: facts.rate,
            started: Ps::ZERO,
            next: Ps::NEVER,
            interval: Ps::NEVER,
            interval_cells: u64::MAX,
            slots: None,
            epoch: FIRST_EPOCH,
            now: Interval::default(),
            last: Interval::default(),
            channels: vec![Channel::default(); facts.channels],
        }
    }
    /// Sets intervals that end after the time `interval` or after `cells` ABR cells, whichever is
    /// first. Cells that arrive at one instant may exceed `cells`.
    pub fn every(&mut self, interval: Ps, cells: u64) {
        (self.interval, self.interval_cells, self.slots) = (interval, cells, None);
        self.next = self.started.saturating_add(interval);
    }
    /// Sets intervals of `slots` cell times of the link.
    pub fn every_slots(&mut self, slots: u64) {
        let mut slots = Slots::new(self.rate, Cells(slots));
        self.next = slots.after(self.started);
        (self.interval_cells, self.slots) = (u64::MAX, Some(slots));
    }
    /// Number of channels at the port.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }
    /// Latest time at which the present interval ends.
    #[inline]
    pub fn due(&self) -> Ps {
        self.next
    }
    /// Counts an ABR cell (one unit), or over Ethernet a frame of `units` octets. Returns true if
    /// this completes the interval. An interval must last longer than zero, so cells at the instant
    /// of its start do not complete it.
    #[inline]
    pub fn count(&mut self, now: Ps, slot: u32, units: u32) -> bool {
        let channel = &mut self.channels[slot as usize];
        if channel.epoch != self.epoch {
            channel.before = match channel.epoch + 1 == self.epoch {
                true => channel.cells,
                false => 0,
            };
            (channel.epoch, channel.cells) = (self.epoch, 0);
            self.now.active += 1;
        }
        channel.cells += u64::from(units);
        self.now.cells += u64::from(units);
        self.now.cells >= self.interval_cells && now > self.started
    }
    /// Counts a cell of another class, or over Ethernet a frame of `units` octets.
    #[inline]
    pub fn count_background(&mut self, units: u64) {
        self.now.background += units;
    }
    /// Ends the interval at `now`, which must be later than its start.
    pub fn end(&mut self, now: Ps) {
        let seconds = (now - self.started).as_secs_f64();
        self.last = Interval {
            seconds,
            ..self.now
        };
        self.now = Interval::default();
        self.epoch += 1;
        self.started = now;
        self.next = match &mut self.slots {
            Some(slots) => slots.after(now),
            None => now.saturating_add(self.interval),
        };
    }
    /// Counts so far of the present interval; `seconds` is 0.
    pub fn running(&self) -> Interval {
        self.now
    }
    /// True if an interval that ends at `now` would last longer than zero.
    pub fn has_begun(&self, now: Ps) -> bool {
        now > self.started
    }
    /// ABR cells of a channel in the last interval; `None` if the channel does not exist.
    pub fn cells_of(&self, slot: usize) -> Option<u64> {
        let channel = self.channels.get(slot)?;
        Some(match self.epoch - channel.epoch {
            0 => channel.before,
            1 => channel.cells,
            _ => 0,
        })
    }
}
