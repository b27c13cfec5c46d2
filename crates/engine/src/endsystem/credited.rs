//! A source under credit control: it hands over only cells that its interface has credit for.

use super::source::Emission;
use super::unshaped::UnshapedSource;
use crate::atm::cell::CELL_UNITS;
use crate::credit::Sender;
use crate::kernel::{Ps, Rate};

/// A source that hands data cells to its interface while some wait and the channel has credit, at
/// most at the rate of the link.
#[derive(Clone, Debug)]
pub struct CreditedSource {
    pace: UnshapedSource,
    /// Credit of the channel: counts the cells handed over, which the interface has sent or will send.
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
    /// Earliest time of the next cell, possibly in the past; `NEVER` without data or without
    /// credit.
    #[inline]
    pub fn next_wake(&self, data_waiting: bool) -> Ps {
        self.pace
            .next_wake(data_waiting && self.handed.allows(CELL_UNITS))
    }
    /// The data cell to be sent at `now`, if one waits, there is credit and its time has come.
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
    /// Number of cells that may be handed over now.
    pub fn balance(&self) -> u32 {
        self.handed.balance()
    }
    /// Sets the number of cells, counted from the start, up to which cells may be handed over.
    pub fn set_limit(&mut self, limit: u32) {
        self.handed.set_limit(limit);
    }
}
