//! The PDUs in flight on every channel, which tell the contents of each captured cell.

use std::collections::VecDeque;

use cellrate_engine::atm::cell::Info;
use cellrate_engine::atm::{PduStart, Plan};

/// The PDUs of one channel whose cells may still pass a tap (a place of capture), in the order
/// sent.
#[derive(Default)]
pub struct Channel {
    pdus: VecDeque<PduStart>,
    /// Number of PDUs that were removed from the front of the list.
    gone: u64,
    /// Number of cells of all PDUs in the list.
    cells: u32,
    /// For each tapped link of the channel, the number of the PDU whose cells pass the link now.
    cursors: Vec<u64>,
}

/// A PDU and its number on its channel.
pub type Numbered = (u64, PduStart);

impl Channel {
    /// An empty list of PDUs for every channel of a plan.
    pub fn of_all(plan: &Plan) -> Vec<Channel> {
        plan.channels().map(|_| Channel::default()).collect()
    }

    /// Adds a tapped link that the channel's cells pass. Returns the number of the link among the
    /// tapped links of the channel.
    pub fn tap(&mut self) -> usize {
        self.cursors.push(0);
        self.cursors.len() - 1
    }

    /// Adds a PDU whose first cell is sent. Removes the oldest PDUs whose cell numbers are used
    /// again by now. A tapped link whose cells are all lost before it therefore does not fill the
    /// memory.
    pub fn begin(&mut self, pdu: &PduStart) {
        if !self.cursors.is_empty() {
            self.pdus.push_back(*pdu);
            self.cells += u32::from(pdu.sent);
            while self.cells > Info::NUMBERS {
                self.forget_first();
            }
        }
    }

    /// Returns the PDU of a cell that passes a tapped link. Cells reach the link in the order in
    /// which they were sent, so a PDU that has passed every tapped link is removed.
    ///
    /// Returns `None` if the PDU has been removed already, because more cells were sent after it
    /// than there are cell numbers.
    pub fn pdu_of(&mut self, place: usize, info: Info) -> Option<Numbered> {
        let mut number = self.cursors[place].max(self.gone);
        loop {
            let pdu = *self.pdus.get((number - self.gone) as usize)?;
            if index(&pdu, info) < u32::from(pdu.sent) {
                self.cursors[place] = number;
                let needed = self.cursors.iter().copied().min().unwrap_or(0);
                while self.gone < needed {
                    self.forget_first();
                }
                return Some((number, pdu));
            }
            number += 1;
        }
    }

    fn forget_first(&mut self) {
        if let Some(pdu) = self.pdus.pop_front() {
            self.cells -= u32::from(pdu.sent);
            self.gone += 1;
        }
    }
}

/// Number of a cell within its PDU. If the cell belongs to another PDU, the result is at least the
/// number of cells of `pdu`.
pub fn index(pdu: &PduStart, info: Info) -> u32 {
    info.number().wrapping_sub(pdu.first) % Info::NUMBERS
}

#[cfg(test)]
mod tests {
    use cellrate_engine::kernel::Ps;
    use cellrate_engine::net::ChannelId;
    use cellrate_engine::tcp::Segment;

    use super::*;

    const CELLS: u16 = 1_000;

    fn pdu(number: u64) -> PduStart {
        let first = (number * u64::from(CELLS) % u64::from(Info::NUMBERS)) as u32;
        let segment = Segment::data(number, 1);
        PduStart {
            at: Ps::ZERO,
            channel: ChannelId::forward(0),
            first,
            cells: CELLS,
            sent: CELLS,
            segment,
        }
    }

    #[test]
    fn a_place_that_sees_nothing_keeps_no_more_than_is_on_its_way() {
        let mut channel = Channel::default();
        let (busy, idle) = (channel.tap(), channel.tap());
        let most = (Info::NUMBERS / u32::from(CELLS)) as usize;
        for number in 0..3 * most as u64 {
            channel.begin(&pdu(number));
            let seen = channel.pdu_of(busy, Info::data(pdu(number).first)).unwrap();
            assert_eq!(seen, (number, pdu(number)));
            assert!(
                channel.pdus.len() <= most,
                "{} PDUs after {number}",
                channel.pdus.len()
            );
        }
        // The last cell must not be taken for a cell of the earlier PDU with the same cell numbers.
        let last = 3 * most as u64 - 1;
        let seen = channel.pdu_of(
            idle,
            Info::end_of_message(pdu(last).first + u32::from(CELLS) - 1),
        );
        assert_eq!(seen, Some((last, pdu(last))));
        assert_eq!(channel.pdus.len(), 1, "both places are at it");
    }

    #[test]
    fn a_cell_that_was_overtaken_by_all_numbers_has_no_pdu() {
        let mut channel = Channel::default();
        let place = channel.tap();
        let before = u64::from(Info::NUMBERS / u32::from(CELLS));
        (0..=before).for_each(|number| channel.begin(&pdu(number)));
        assert_eq!(channel.pdu_of(place, Info::data(pdu(0).first + 900)), None);
        assert_eq!(
            channel.pdu_of(place, Info::data(pdu(1).first)),
            Some((1, pdu(1)))
        );
    }
}
