//! AAL5 (ITU-T I.363.5, RFC 1483): number of cells of a packet, and reassembly of packets. Cells carry no bytes,
//! only a sequence number and the end-of-message bit.

use core::mem;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cell::{Info, Pdu};
use crate::tcp::Segment;

/// Payload bytes of a cell.
pub const CELL_PAYLOAD: u64 = 48;
/// Bytes of the CPCS trailer, which fills the end of a PDU's last cell.
pub const TRAILER_BYTES: u64 = 8;

const NUMBER_MASK: u32 = Info::NUMBERS - 1;

/// Number of cells of a CPCS-PDU with `payload_bytes` bytes of payload, trailer added.
pub const fn cells_for(payload_bytes: u64) -> u32 {
    (payload_bytes + TRAILER_BYTES).div_ceil(CELL_PAYLOAD) as u32
}

/// Encapsulation of IP packets in AAL5 (RFC 1483).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encapsulation {
    /// Eight bytes of LLC/SNAP before each packet.
    #[default]
    LlcSnap,
    /// No header: the channel carries IP only.
    VcMux,
}

impl Encapsulation {
    /// Number of bytes that the encapsulation puts before each packet.
    pub const fn bytes(self) -> u32 {
        match self {
            Encapsulation::LlcSnap => 8,
            Encapsulation::VcMux => 0,
        }
    }
}

/// Result of reassembly when the last cell of a PDU has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All cells of the PDU have arrived, and no cells of another PDU. The length and CRC checks of AAL5 would
    /// pass.
    Delivered(Segment),
    /// All cells of the PDU have arrived, but the payload of one is errored. The CRC-32 of AAL5 finds the error, but for a share
    /// of 2^-32, which is not modelled; the PDU is discarded.
    Errored,
    /// Cells of the PDU are missing, or cells of an earlier PDU precede the PDU's cells because the earlier PDU's
    /// last cell was lost. All these cells are discarded.
    Corrupt,
}

/// Reassembles the PDUs of one channel. A PDU is delivered if the cells that have arrived since the last end of a
/// PDU are exactly the PDU's cells, in order. A length check and a CRC without collisions would give the same
/// result.
#[derive(Clone, Debug, Default)]
pub struct Reassembler {
    /// Number of the first data cell that has arrived since the last end of a PDU.
    first: u32,
    /// Count of data cells since the last end of a PDU.
    cells: u64,
    /// True if a data cell is missing among the data cells since the last end of a PDU.
    broken: bool,
    /// Number of the next data cell if no cell is lost.
    next: u32,
    merges: u64,
}

impl Reassembler {
    /// Processes a data cell that does not end a PDU.
    #[inline]
    pub fn on_cell(&mut self, info: Info) {
        let number = info.number();
        if number != self.next {
            self.gap(number);
        }
        self.cells += 1;
        self.next = (number + 1) & NUMBER_MASK;
    }

    #[cold]
    fn gap(&mut self, number: u32) {
        if self.cells == 0 {
            self.first = number;
        } else {
            self.broken = true;
        }
    }

    /// Processes the cell that ends `pdu`.
    #[inline]
    pub fn on_eom(&mut self, info: Info, pdu: &Pdu) -> Outcome {
        self.on_cell(info);
        let first = mem::replace(&mut self.first, self.next);
        let cells = mem::take(&mut self.cells);
        let broken = mem::take(&mut self.broken);
        if !broken && first == pdu.first && cells == u64::from(pdu.cells) {
            return match pdu.errored {
                true => Outcome::Errored,
                false => Outcome::Delivered(pdu.segment),
            };
        }
        let begins_before = first.wrapping_sub(pdu.first) & NUMBER_MASK >= u32::from(pdu.cells);
        self.merges += begins_before as u64;
        Outcome::Corrupt
    }

    /// Number of corrupt PDUs that were merged with cells of an earlier PDU, because the earlier PDU's last cell
    /// was lost.
    pub fn merges(&self) -> u64 {
        self.merges
    }
    /// Number of the next data cell if no cell is lost: number of the cell that arrived last, plus 1.
    pub fn next_number(&self) -> u32 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Ps;

    /// A PDU of `cells` cells, the first of which has the number `first`.
    fn pdu(first: u32, cells: u16) -> Pdu {
        let segment = Segment::data(first as u64, 1);
        Pdu {
            segment,
            sent: Ps::ZERO,
            first: first & NUMBER_MASK,
            cells,
            hit: false,
            errored: false,
        }
    }

    /// Passes a cell of `pdu` to the reassembler if `arrives` is true for the index of the cell.
    fn send(r: &mut Reassembler, pdu: &Pdu, arrives: impl Fn(u32) -> bool) -> Option<Outcome> {
        let mut outcome = None;
        let cells = u32::from(pdu.cells);
        for index in (0..cells).filter(|index| arrives(*index)) {
            if index + 1 == cells {
                outcome = Some(r.on_eom(Info::end_of_message(pdu.first + index), pdu));
            } else {
                r.on_cell(Info::data(pdu.first + index));
            }
        }
        outcome
    }

    fn delivered(pdu: &Pdu) -> Option<Outcome> {
        Some(Outcome::Delivered(pdu.segment))
    }

    #[test]
    fn a_512_byte_segment_with_llc_snap_fills_twelve_cells_and_an_acknowledgement_two() {
        // 512 + 40 + 8 + 8 (trailer) = 568 bytes = 11.83 cells of 48; 40 + 8 + 8 = 56; without
        // LLC/SNAP 48.
        assert_eq!([560, 48, 40].map(cells_for), [12, 2, 1]);
        assert_eq!([41, 88, 89].map(cells_for), [2, 2, 3]);
    }

    #[test]
    fn an_intact_pdu_is_delivered_also_where_the_numbers_wrap() {
        let mut r = Reassembler::default();
        for first in [
            0,
            12,
            Info::NUMBERS - 18,
            Info::NUMBERS - 6,
            Info::NUMBERS + 6,
        ] {
            let pdu = pdu(first, 12);
            assert_eq!(send(&mut r, &pdu, |_| true), delivered(&pdu));
        }
        assert_eq!(r.next_number(), 18);
    }

    #[test]
    fn an_errored_pdu_is_discarded_and_harms_no_other() {
        let (mut r, bad, good) = (Reassembler::default(), pdu(0, 12), pdu(12, 12));
        let bad = Pdu {
            errored: true,
            ..bad
        };
        assert_eq!(send(&mut r, &bad, |_| true), Some(Outcome::Errored));
        assert_eq!(send(&mut r, &good, |_| true), delivered(&good));
    }

    #[test]
    fn a_lost_inner_cell_loses_one_pdu() {
        for lost in 0..11 {
            let (mut r, bad, good) = (Reassembler::default(), pdu(0, 12), pdu(12, 12));
            assert_eq!(
                send(&mut r, &bad, |index| index != lost),
                Some(Outcome::Corrupt)
            );
            assert_eq!(send(&mut r, &good, |_| true), delivered(&good));
            assert_eq!(r.merges(), 0);
        }
    }

    #[test]
    fn a_lost_end_merges_two_pdus_and_loses_both() {
        let (mut r, third) = (Reassembler::default(), pdu(24, 12));
        assert_eq!(send(&mut r, &pdu(0, 12), |index| index != 11), None);
        assert_eq!(send(&mut r, &pdu(12, 12), |_| true), Some(Outcome::Corrupt));
        assert_eq!(send(&mut r, &third, |_| true), delivered(&third));
        assert_eq!(r.merges(), 1);
    }

    #[test]
    fn a_merge_whose_count_happens_to_fit_is_corrupt_all_the_same() {
        // Five cells of the first PDU and seven of the second arrive: 12 cells, which is also the length of the
        // second PDU.
        let mut r = Reassembler::default();
        send(&mut r, &pdu(0, 12), |index| index < 5);
        assert_eq!(
            send(&mut r, &pdu(12, 12), |index| index >= 5),
            Some(Outcome::Corrupt)
        );
    }

    #[test]
    fn a_pdu_that_is_lost_whole_harms_no_other() {
        let (mut r, second) = (Reassembler::default(), pdu(12, 12));
        assert_eq!(send(&mut r, &second, |_| true), delivered(&second));
    }
}
