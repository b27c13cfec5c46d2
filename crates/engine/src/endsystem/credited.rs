//! A source under credit control. The source passes only as many cells to its port as the credit of the channel
//! permits.

use super::source::Emission;
use super::unshaped::UnshapedSource;
use crate::atm::cell::CELL_UNITS;
use crate::credit::Sender;
use crate::kernel::{Ps, Rate};

/// A source that passes data cells to its port while cells wait and the channel has credit, at most
/// at the rate of the link.
#[derive(Clone, Debug)]
pub struct CreditedSource {
    pace: UnshapedSource,
    /// Credit of the channel. Counts the cells that the source has passed to the port, which has sent them or
    /// will send them.
    handed: Sender,
}

impl CreditedSource {
    /// A source whose channel has the credit of `sender`, on a link of `link_rate`.
    pub fn new(sender: Sender, link_rate: Rate) -> CreditedSource {
        CreditedSource {
            pace: UnshapedSource::new(None, link_rate),
            handed: sender,
        }
    }
    /// Earliest time of the next cell, possibly in the past; `NEVER` if no data wait or the channel has no
    /// credit.
    #[inline]
    pub fn next_wake(&self, data_waiting: bool) -> Ps {
        self.pace
            .next_wake(data_waiting && self.handed.allows(CELL_UNITS))
    }
    /// The data cell to be sent at `now`, if a cell waits, the channel has credit and the earliest
    /// time has come.
    #[inline]
    pub fn opportunity(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        let emission = self
            .pace
            .opportunity(now, data_waiting && self.handed.allows(CELL_UNITS));
        if emission.is_some() {
            self.handed.send(CELL_UNITS);
        }
        emission
    }
    /// Number of cells that the source may still send with the present credit.
    pub fn balance(&self) -> u32 {
        self.handed.balance()
    }
    /// Sets the credit limit: the number of cells, counted from the start of the run, up to which the source may
    /// send.
    pub fn set_limit(&mut self, limit: u32) {
        self.handed.set_limit(limit);
    }
}
