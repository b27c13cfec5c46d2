//! Measurement of a virtual source's sending rate.

use crate::kernel::Ps;

/// The sending rate of a virtual source, measured from each forward RM cell to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    cells: u32,
    since: Ps,
    /// Rate in cells/s; `None` until two forward RM cells have been sent.
    pub rate: Option<f64>,
}

impl Meter {
    /// Counts a cell that was sent in-rate. The rate is SR := n / T: the number n of cells from one forward RM
    /// cell to the next, divided by the time T between them. n is Nrm unless the time clause of source rule 3
    /// caused the next forward RM cell.
    pub fn count(&mut self, now: Ps, is_frm: bool) {
        if is_frm {
            let seconds = (now - self.since).as_secs_f64();
            if self.cells > 0 && seconds > 0.0 {
                self.rate = Some(self.cells as f64 / seconds);
            }
            (self.since, self.cells) = (now, 0);
        }
        self.cells += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_measured_from_frm_to_frm() {
        let mut meter = Meter::default();
        let mut at = |us: u64, is_frm| {
            meter.count(Ps::from_us(us), is_frm);
            meter.rate.map(libm::round)
        };
        assert_eq!(at(0, true), None);
        for cell in 1..32 {
            assert_eq!(at(10 * cell, false), None);
        }
        // 32 cells in 320 us are 100,000 cells/s.
        assert_eq!(at(320, true), Some(100_000.0));
        // The time clause: 3 cells in 100 ms.
        at(330, false);
        at(340, false);
        assert_eq!(at(100_320, true), Some(30.0));
    }
}
