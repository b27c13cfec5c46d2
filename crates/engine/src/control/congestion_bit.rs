//! CI together with explicit rates: TM 4.0 section 5.10.6 lets a switch use several methods at once. So a port
//! whose scheme lowers ER may also set CI in backward RM cells while its queue is long. The scheme itself does
//! not know of these bits.

use super::QueueReading;
use crate::kernel::units::Cells;
use crate::passing::RateRecord;

/// Sets CI in backward RM cells while the queue is longer than a threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct CongestionBit {
    /// Threshold of the queue length in cells; `u64::MAX` for no threshold.
    threshold: u64,
}

impl CongestionBit {
    /// Sets CI while the queue is longer than `threshold`; never sets CI if `threshold` is `None`.
    pub fn above(threshold: Option<Cells>) -> CongestionBit {
        CongestionBit {
            threshold: threshold.map_or(u64::MAX, |threshold| threshold.0),
        }
    }
    /// Sets CI in a backward RM cell if `queue` exceeds the threshold. Never clears CI (TM 4.0
    /// section 5.10.6).
    #[inline]
    pub fn mark(self, rm: &mut RateRecord, queue: u64) {
        rm.ci |= queue > self.threshold; // 5.10.6 1(b)
    }
    /// Occasions on which the control scheme or this threshold reads the queue length. `by_scheme` says on which
    /// occasions the scheme reads it.
    pub fn reads_queue(self, by_scheme: QueueReading) -> QueueReading {
        if self.threshold < u64::MAX && by_scheme == QueueReading::Never {
            QueueReading::AtRmCells
        } else {
            by_scheme
        }
    }
}
