//! Data cells at a steady rate: between two RM cells a source under the rules of TM 4.0 sends data
//! cells 1/ACR apart.

use super::{AbrSource, Pacing};
use crate::kernel::{Pace, Ps};

/// A source that sends a burst of data cells, with its pace in registers. The result is the same as if
/// [`AbrSource::send_plainly`] sent each cell, all but the first at the earliest time. No cell arrives in this
/// time, so neither ACR nor the next action of the source can change. [`Steady::close`] must follow, or the
/// source does not count the cells.
#[must_use]
pub(crate) struct Steady<'a> {
    source: &'a mut AbrSource,
    pace: Pace,
    /// Greatest number of cells before an RM cell is due. `until` is the time from which on an RM
    /// cell may be due.
    most: u32,
    until: Ps,
    sent: u32,
    /// Time of the last cell, and the fraction of a picosecond at this time. `next` has the same two values for
    /// the next cell.
    last: (Ps, u32),
    next: (Ps, u32),
}

impl AbrSource {
    /// Begins a [`Steady`], which sends a burst of data cells of the source from `at` until an RM cell may be
    /// due. `None` if no data cell can be sent at `at`, or if a law may change ACR with a cell.
    #[inline(always)]
    pub(crate) fn steady(&mut self, at: Ps) -> Option<Steady<'_>> {
        if self.law.is_some() || self.probes() || !self.sends_plainly(at) {
            return None;
        }
        let Pacing {
            trm_at, since_frm, ..
        } = self.pacing;
        let carry = self.carry_to(at);
        Some(Steady {
            pace: self.pace?,
            most: self.limits.nrm_others - since_frm,
            // One of the cells of the burst may be the Mrm-th cell since the last FRM.
            until: trm_at.min(self.trm_after_frm()),
            sent: 0,
            last: (self.pacing.t_last, self.pacing.carry_last),
            next: (at, carry),
            source: self,
        })
    }
}

impl Steady<'_> {
    /// Least time between two cells of the burst.
    #[inline(always)]
    pub fn interval(&self) -> Ps {
        self.pace.floor()
    }
    /// Greatest number of cells in the burst.
    #[inline(always)]
    pub fn most(&self) -> u32 {
        self.most
    }
    /// Time from which on the burst must not send a cell.
    #[inline(always)]
    pub fn until(&self) -> Ps {
        self.until
    }
    /// Time of the next cell of the burst.
    #[inline(always)]
    pub fn next(&self) -> Ps {
        self.next.0
    }
    /// Number of cells that the burst has sent.
    #[inline(always)]
    pub fn sent(&self) -> u32 {
        self.sent
    }
    /// Sends the next cell of the burst.
    #[inline(always)]
    pub fn send(&mut self) {
        self.last = self.next;
        self.next = self.pace.next(self.next.0, self.next.1); // SES rule 1
        self.sent += 1;
    }
    /// Writes the pace back to the source. Returns the times of the last cell and of the next;
    /// `None` if no cell was sent.
    #[inline(always)]
    pub fn close(self) -> Option<(Ps, Ps)> {
        if self.sent == 0 {
            return None;
        }
        let (before, mrm) = (self.source.pacing.since_frm, self.source.limits.mrm);
        let trm = self.source.trm_after_frm();
        let pacing = &mut self.source.pacing;
        pacing.since_frm += self.sent;
        if before < mrm && mrm <= pacing.since_frm {
            pacing.trm_at = trm;
        }
        (pacing.t_last, pacing.carry_last) = self.last;
        (pacing.t_next, pacing.carry) = self.next;
        Some((self.last.0, self.next.0))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::endsystem::AbrConfig;
    use crate::endsystem::source::Emission;
    use crate::kernel::Rate;

    /// Runs a source that always has data up to `end`, where possible in bursts of at most `longest` cells.
    /// Returns times and kinds of the cells, and the state of the source.
    fn sent(config: &AbrConfig, late: Ps, end: Ps, longest: u32) -> (Vec<(Ps, bool)>, String) {
        let mut source = AbrSource::new(config, Rate::from_bps(155_520_000), Ps::from_us(100));
        let (mut sent, mut now) = (Vec::new(), Ps::ZERO);
        while now < end {
            let row = if longest > 0 {
                source.steady(now)
            } else {
                None
            };
            if let Some(mut steady) = row {
                let (until, most) = (steady.until().min(end), steady.most().min(longest));
                for _ in 0..most {
                    if steady.next() >= until {
                        break;
                    }
                    sent.push((steady.next(), true));
                    steady.send();
                }
                if let Some((last, next)) = steady.close() {
                    assert_eq!(
                        (last, source.next_wake(true)),
                        (sent[sent.len() - 1].0, next)
                    );
                    now = next;
                    continue;
                }
            }
            let emission = source.opportunity(now, true).expect("a cell is due");
            sent.push((now, emission == Emission::Data));
            // An RM cell is sent late, so that no fraction is carried to the next cell.
            now = source.next_wake(true).max(now)
                + if emission == Emission::Data {
                    Ps::ZERO
                } else {
                    late
                };
        }
        (sent, alloc::format!("{source:?}"))
    }

    proptest! {
        #[test]
        fn a_steady_row_equals_cells_one_by_one(
            icr in 10_000u64..150_000_000,
            nrm in prop::sample::select(alloc::vec![2u32, 4, 32, 256]),
            mrm in 0u32..40,
            trm in 1u64..160,
            late in prop::sample::select(alloc::vec![0u64, 1, 12_345]),
            longest in 1u32..50,
        ) {
            // Trm is given in quarters of the interval between two cells.
            let interval = 424_000_000_000_000 / icr;
            let config = AbrConfig {
                icr: Some(Rate::from_bps(icr)),
                nrm,
                mrm,
                trm: Ps(interval * trm / 4),
                ..AbrConfig::default()
            };
            let (late, end) = (Ps(late), Ps(300 * interval));
            prop_assert_eq!(sent(&config, late, end, longest), sent(&config, late, end, 0));
        }
    }
}
