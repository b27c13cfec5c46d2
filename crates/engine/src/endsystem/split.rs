//! A source whose data cells have another class than its RM cells. Only the line paces the data.
//! The RM cells that the ABR channel of the other direction needs are sent by the rules of TM 4.0.

use super::source::{AbrSource, Emission};
use super::unshaped::UnshapedSource;
use crate::kernel::{Ps, Rate};

/// A source that sends RM cells at its ACR, and data at the rate of the link. ACR does not limit the data, and
/// data cause no forward RM cells. The source sends forward RM cells as if it had no data (SES rule 3).
#[derive(Clone, Debug)]
pub struct SplitSource {
    rm: AbrSource,
    data: UnshapedSource,
}

impl SplitSource {
    /// A source on a link of `link_rate`; the ABR source `rm` sends the RM cells.
    pub fn new(rm: AbrSource, link_rate: Rate) -> SplitSource {
        SplitSource {
            rm,
            data: UnshapedSource::new(None, link_rate),
        }
    }
    /// Earliest time of the next cell, possibly in the past; `NEVER` if the source first needs data or feedback.
    #[inline]
    pub fn next_wake(&self, data_waiting: bool) -> Ps {
        self.rm
            .next_wake(false)
            .min(self.data.next_wake(data_waiting))
    }
    /// The cell to send at `now`, if any. At one instant an RM cell comes before a data cell.
    #[inline]
    pub fn opportunity(&mut self, now: Ps, data_waiting: bool) -> Option<Emission> {
        self.rm
            .opportunity(now, false)
            .or_else(|| self.data.opportunity(now, data_waiting))
    }
    /// The ABR source of the RM cells.
    pub fn rm(&self) -> &AbrSource {
        &self.rm
    }
    /// The ABR source of the RM cells, mutable, which gets feedback and turned-round RM cells.
    pub fn rm_mut(&mut self) -> &mut AbrSource {
        &mut self.rm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::cell::{Kind, RmCell};
    use crate::endsystem::AbrConfig;

    /// A source on a line with a cell time of 10 us. ACR for RM cells is 1,000 cells/s.
    fn source() -> SplitSource {
        let link_rate = Rate::from_bps(42_400_000);
        let config = AbrConfig {
            icr: Some(Rate::from_bps(424_000)),
            ..AbrConfig::default()
        };
        SplitSource::new(AbrSource::new(&config, link_rate, Ps::ZERO), link_rate)
    }

    fn sent(source: &mut SplitSource, at: Ps) -> Option<Option<Kind>> {
        source.opportunity(at, true).map(|emission| match emission {
            Emission::Data => None,
            Emission::Rm(info, _) => Some(info.kind()),
        })
    }

    #[test]
    fn data_go_out_at_the_rate_of_the_line_and_call_for_no_forward_rm_cell() {
        let mut source = source();
        for cell in 0..100 {
            let at = Ps::from_us(10 * cell);
            assert_eq!(source.next_wake(true), at);
            assert_eq!(
                (sent(&mut source, at), sent(&mut source, at)),
                (Some(None), None)
            );
        }
        assert_eq!(source.next_wake(false), Ps::NEVER);
    }

    #[test]
    fn at_one_instant_rm_cells_come_first_each_1_acr_after_the_other() {
        let mut source = source();
        let ms = Ps::from_ms;
        let waiting = RmCell {
            er: 1e5,
            ccr: 1e3,
            mcr: 0.0,
            ci: false,
            ni: false,
            bn: false,
        };
        source.rm_mut().offer_brm(waiting);
        // The first cell is an FRM, and the BRM follows after 1 ms. Data can be sent at once.
        assert_eq!(
            [(); 3].map(|()| sent(&mut source, ms(0))),
            [Some(Some(Kind::Frm)), Some(None), None]
        );
        assert_eq!(
            (source.next_wake(false), source.next_wake(true)),
            (ms(1), Ps::from_us(10))
        );
        assert_eq!(sent(&mut source, Ps(ms(1).0 - 1)), Some(None));
        assert_eq!(
            [(); 2].map(|()| sent(&mut source, ms(1))),
            [Some(Some(Kind::Brm)), None]
        );
        assert_eq!(
            sent(&mut source, Ps(ms(1).0 + Ps::from_us(10).0 - 1)),
            Some(None)
        );
        assert_eq!(source.rm().counters().brms, 1);
    }
}
