//! A source without rate control: it sends cells at a constant peak rate (UBR and CBR under TCP).

use super::source::Emission;
use crate::kernel::{CellClock, Ps, Rate};

/// A source that sends waiting data cells at its peak cell rate.
#[derive(Clone, Debug)]
pub struct UnshapedSource {
    clock: CellClock,
    t_next: Ps,
    carry: u64,
}

impl UnshapedSource {
    /// A source with the peak cell rate `pcr`. If `pcr` is `None`, the peak cell rate is the rate of the access
    /// link.
    pub fn new(pcr: Option<Rate>, link_rate: Rate) -> UnshapedSource {
        UnshapedSource {
            clock: CellClock::new(pcr.unwrap_or(link_rate)),
            t_next: Ps::ZERO,
            carry: 0,
        }
    }
    /// Earliest time of the next cell, possibly in the past; `NEVER` if no data wait.
    #[inline]
    pub fn next_wake(&self, data_waiting: bool) -> Ps {
        if data_waiting { self.t_next } else { Ps::NEVER }
    }
    /// The data cell to send at `now`, if a cell waits and the peak rate permits it.
    #[inline]
    pub fn opportunity(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        if !data_waiting || now < self.t_next {
            return None;
        }
        // The fraction of a picosecond is carried only to a cell that is sent at its earliest time.
        let carry = if now == self.t_next { self.carry } else { 0 };
        (self.t_next, self.carry) = self.clock.complete(now, carry);
        Some(Emission::Data)
    }
}
