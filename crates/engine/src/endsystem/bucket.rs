//! A source behind a shaper: cells wait until they conform to the shaper's contract, by a single leaky bucket (PCR) or
//! a dual one (PCR, and SCR with MBS). TM 4.0 section 5.2; ITU-T I.371 section 6.2.5.

use super::source::Emission;
use crate::atm::cell::CELL_UNITS;
use crate::kernel::{Ps, ServiceRate};
use crate::policing::{Buckets, Contract};

/// A source that sends each waiting data cell as soon as it conforms to a contract.
#[derive(Clone, Debug)]
pub struct BucketSource {
    buckets: Buckets,
}

impl BucketSource {
    /// A source that keeps to `contract`, before the first cell.
    pub fn new(contract: &Contract) -> BucketSource {
        BucketSource {
            buckets: Buckets::new(contract, ServiceRate::of_cells),
        }
    }
    /// Earliest time of the next cell, possibly in the past; `NEVER` if no data wait.
    #[inline]
    pub fn next_wake(&self, data_waiting: bool) -> Ps {
        if data_waiting {
            self.buckets.earliest()
        } else {
            Ps::NEVER
        }
    }
    /// The data cell to send at `now`, if a cell waits and the contract permits it.
    #[inline]
    pub fn opportunity(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        if !data_waiting || now < self.buckets.earliest() {
            return None;
        }
        self.buckets.count(now, CELL_UNITS);
        Some(Emission::Data)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::kernel::Rate;
    use crate::kernel::units::Cells;

    /// Sending times in us of `cells` cells that wait from 0 on.
    fn sent(scr: Option<u64>, mbs: Option<u64>, cells: usize) -> Vec<u64> {
        let mut source = BucketSource::new(&Contract {
            pcr: Rate::from_bps(42_400_000), // a cell in 10 us
            cdvt: Ps::ZERO,
            scr: scr.map(Rate::from_bps),
            mbs: mbs.map(Cells),
        });
        let send = |_| {
            let at = source.next_wake(true);
            assert!(at == Ps::ZERO || source.opportunity(Ps(at.0 - 1), true).is_none());
            assert_eq!(source.opportunity(at, true), Some(Emission::Data));
            at.0 / 1_000_000
        };
        (0..cells).map(send).collect()
    }

    #[test]
    fn a_burst_of_mbs_cells_leaves_at_the_peak_rate_and_the_rest_at_the_sustained_rate() {
        assert_eq!(sent(None, None, 4), [0, 10, 20, 30]);
        // A cell in 40 us. tau_s = 2 (40 - 10) us: the fourth cell leaves at 3 x 40 - 60 us.
        let scr = Some(10_600_000);
        assert_eq!(sent(scr, Some(3), 6), [0, 10, 20, 60, 100, 140]);
        assert_eq!(sent(scr, Some(1), 3), [0, 40, 80]);
    }

    #[test]
    fn nothing_is_sent_without_data() {
        let mut source = BucketSource::new(&Contract {
            pcr: Rate::from_bps(42_400_000),
            cdvt: Ps::ZERO,
            scr: None,
            mbs: None,
        });
        assert_eq!(source.next_wake(false), Ps::NEVER);
        assert_eq!(source.opportunity(Ps::from_us(5), false), None);
    }
}
