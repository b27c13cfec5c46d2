//! CI beside explicit rates: a switch may answer congestion in several ways at once (TM 4.0, section 5.10.6), so a scheme
//! that lowers ER may also set CI in the backward RM cells that pass while its queue is long. The scheme knows nothing of it.

use super::QueueReading;
use crate::atm::cell::RmCell;
use crate::kernel::units::Cells;

/// Sets CI above a length of the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct CongestionBit {
    /// In cells; `u64::MAX` is never exceeded.
    threshold: u64,
}

impl CongestionBit {
    /// Above `threshold`; never without one.
    pub fn above(threshold: Option<Cells>) -> CongestionBit {
        CongestionBit {
            threshold: threshold.map_or(u64::MAX, |threshold| threshold.0),
        }
    }
    /// A backward RM cell passes. A bit that is set stays.
    #[inline]
    pub fn mark(self, rm: &mut RmCell, queue: u64) {
        rm.ci |= queue > self.threshold;
    }
    /// When the queue is read, beside when the scheme reads it.
    pub fn reads_queue(self, by_scheme: QueueReading) -> QueueReading {
        if self.threshold < u64::MAX && by_scheme == QueueReading::Never {
            QueueReading::AtRmCells
        } else {
            by_scheme
        }
    }
}
