//! AAL5 (ITU-T I.363.5, RFC 1483): cutting packets into cells, putting them together again without
//! their bytes, and the line format itself.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cell::{Info, Pdu};
use crate::tcp::Segment;

/// Payload bytes of a cell.
pub const CELL_PAYLOAD: u64 = 48;
/// Bytes of the CPCS trailer, at the end of the last cell.
pub const TRAILER_BYTES: u64 = 8;

const NUMBER_MASK: u32 = Info::NUMBERS - 1;

/// Cells of a CPCS-PDU with `payload_bytes` bytes of payload.
pub const fn cells_for(payload_bytes: u64) -> u32 {
    (payload_bytes + TRAILER_BYTES).div_ceil(CELL_PAYLOAD) as u32
}

/// How IP packets travel in AAL5 (RFC 1483).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encapsulation {
    /// Eight bytes of LLC/SNAP before every packet.
    #[default]
    LlcSnap,
    /// Nothing: the channel carries IP only.
    VcMux,
}

impl Encapsulation {
    /// Bytes before every packet.
    pub const fn bytes(self) -> u32 {
        match self {
            Encapsulation::LlcSnap => 8,
            Encapsulation::VcMux => 0,
        }
    }
}

/// Cuts the segments of one channel into cells and numbers those.
#[derive(Clone, Copy, Debug)]
pub struct Segmenter {
    overhead: u32,
    next: u32,
}

impl Segmenter {
    /// For segments with `header_bytes` of TCP and IP headers; the first cell has number 0.
    pub const fn new(header_bytes: u32, encapsulation: Encapsulation) -> Segmenter {
        Segmenter { overhead: header_bytes + encapsulation.bytes(), next: 0 }
    }
    /// Bytes before the TCP payload in every PDU.
    pub const fn overhead(&self) -> u32 {
        self.overhead
    }
    /// Takes numbers for the cells of `segment`; [`cell`] gives them one by one.
    #[inline]
    pub fn cut(&mut self, segment: Segment) -> Pdu {
        let cells = cells_for(segment.len as u64 + self.overhead as u64);
        let pdu = Pdu { segment, first: self.next, cells };
        self.next = (self.next + cells) & NUMBER_MASK;
        pdu
    }
}

/// Cell `index` (from 0) of a PDU. The last ends it, and the [`Pdu`] travels beside that one.
#[inline]
pub const fn cell(pdu: &Pdu, index: u32) -> Info {
    let number = pdu.first + index;
    if index + 1 == pdu.cells { Info::end_of_message(number) } else { Info::data(number) }
}

/// Consecutive cell numbers of a channel, modulo [`Info::NUMBERS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// First number.
    pub first: u32,
    /// How many.
    pub cells: u32,
}

/// What the end of a PDU brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All its cells and no others: length and CRC are right.
    Delivered(Segment),
    /// Cells are missing, or those of an earlier PDU whose end was lost precede: all are discarded.
    Corrupt {
        /// Cells that had arrived since the last end of a PDU, this one included.
        cells: u32,
    },
}

/// Counts of a reassembler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblerStats {
    /// PDUs given to IP.
    pub pdus_delivered: u64,
    /// Ends of PDUs at which length or CRC were wrong.
    pub pdus_corrupt: u64,
    /// Corrupt PDUs that began with cells of an earlier one.
    pub merges: u64,
    /// Cells of delivered PDUs.
    pub cells_delivered: u64,
    /// Cells that arrived but were discarded with a corrupt PDU.
    pub cells_corrupt: u64,
}

/// Reassembly of one channel. A PDU is delivered if and only if exactly its cells arrived, in order,
/// since the last end of a PDU: what the length and a CRC without collisions establish.
#[derive(Clone, Debug, Default)]
pub struct Reassembler {
    /// The cells that arrived last without a gap.
    run: Run,
    /// Number that would continue `run`.
    next: u32,
    /// What arrived of this PDU before the gaps.
    earlier: Vec<Run>,
    corrupt: Vec<Run>,
    stats: ReassemblerStats,
}

impl Reassembler {
    /// Nothing has arrived.
    pub fn new() -> Reassembler {
        Reassembler::default()
    }

    /// A data cell that does not end a PDU.
    #[inline]
    pub fn on_cell(&mut self, info: Info) {
        let number = info.number();
        if number != self.next {
            self.gap(number);
        }
        self.run.cells += 1;
        self.next = (number + 1) & NUMBER_MASK;
    }

    #[cold]
    fn gap(&mut self, number: u32) {
        if self.run.cells > 0 {
            self.earlier.push(self.run);
        }
        self.run = Run { first: number, cells: 0 };
    }

    /// The cell that ends `pdu`.
    #[inline]
    pub fn on_eom(&mut self, info: Info, pdu: &Pdu) -> Outcome {
        self.on_cell(info);
        let run = mem::replace(&mut self.run, Run { first: self.next, cells: 0 });
        if self.earlier.is_empty() && run == (Run { first: pdu.first, cells: pdu.cells }) {
            self.stats.pdus_delivered += 1;
            self.stats.cells_delivered += run.cells as u64;
            return Outcome::Delivered(pdu.segment);
        }
        self.discard(run, pdu)
    }

    #[cold]
    fn discard(&mut self, run: Run, pdu: &Pdu) -> Outcome {
        self.earlier.push(run);
        mem::swap(&mut self.earlier, &mut self.corrupt);
        self.earlier.clear();
        let cells = total(&self.corrupt);
        let begins_before = distance(pdu.first, self.corrupt[0].first) >= pdu.cells;
        self.stats.pdus_corrupt += 1;
        self.stats.merges += begins_before as u64;
        self.stats.cells_corrupt += cells as u64;
        Outcome::Corrupt { cells }
    }

    /// The cells of the last corrupt PDU, for [`PduLedger::settle`].
    pub fn corrupt_runs(&self) -> &[Run] {
        &self.corrupt
    }
    /// Cells of a PDU whose end has not arrived yet.
    pub fn cells_waiting(&self) -> u32 {
        total(&self.earlier) + self.run.cells
    }
    /// The number that would follow that of the last cell.
    pub fn next_number(&self) -> u32 {
        self.next
    }
    /// Counts since the start.
    pub fn stats(&self) -> &ReassemblerStats {
        &self.stats
    }
}

fn total(runs: &[Run]) -> u32 {
    runs.iter().map(|run| run.cells).sum()
}

/// How far number `to` lies after `from`.
#[inline]
const fn distance(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) & NUMBER_MASK
}

/// TCP payload bytes in the cells `from..to` (indices in the PDU) of a segment of `len` bytes after
/// `overhead` bytes of headers. The first cell may hold headers only, the last the trailer only.
pub fn payload_in_cells(len: u32, overhead: u32, from: u32, to: u32) -> u64 {
    let before = |cell: u32| (cell as u64 * CELL_PAYLOAD).saturating_sub(overhead as u64).min(len as u64);
    before(to) - before(from)
}

/// TCP payload bytes whose fate the end of a PDU settles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Sent in this PDU and in all earlier ones not settled before.
    pub sent: u64,
    /// In those of their cells that arrived. `sent - arrived` was lost on the way.
    pub arrived: u64,
}

/// The PDUs of one channel that are on their way, as its sender cut them. A lost end of a PDU hides
/// from the receiver where that PDU lay, so the exact account of lost bytes needs the sender's cut.
#[derive(Clone, Debug, Default)]
pub struct PduLedger {
    overhead: u32,
    sent: VecDeque<Cut>,
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    run: Run,
    len: u32,
}

impl PduLedger {
    /// For PDUs with `overhead` bytes before the TCP payload ([`Segmenter::overhead`]).
    pub fn new(overhead: u32) -> PduLedger {
        PduLedger { overhead, sent: VecDeque::new() }
    }

    /// `pdu` was cut; once per PDU, in order.
    pub fn push(&mut self, pdu: &Pdu) {
        self.sent.push_back(Cut { run: Run { first: pdu.first, cells: pdu.cells }, len: pdu.segment.len });
    }

    /// The end of `pdu` arrived, and of the PDUs since the last settled one the cells `arrived`:
    /// [`Reassembler::corrupt_runs`], or the one run of a delivered PDU.
    pub fn settle(&mut self, pdu: &Pdu, arrived: &[Run]) -> Settled {
        let mut settled = Settled::default();
        while let Some(cut) = self.sent.pop_front() {
            settled.sent += cut.len as u64;
            settled.arrived += arrived.iter().map(|run| self.payload_of(&cut, run)).sum::<u64>();
            if cut.run.first == pdu.first {
                break;
            }
        }
        settled
    }

    /// Payload bytes sent in PDUs that are not settled.
    pub fn unsettled(&self) -> u64 {
        self.sent.iter().map(|cut| cut.len as u64).sum()
    }

    /// Payload bytes of `cut` in the cells of `run`.
    fn payload_of(&self, cut: &Cut, run: &Run) -> u64 {
        let ahead = distance(cut.run.first, run.first);
        let behind = distance(run.first, cut.run.first);
        // The run begins inside the PDU, or before it and reaches into it, or misses it.
        let (from, to) = if ahead < cut.run.cells {
            (ahead, cut.run.cells.min(ahead + run.cells))
        } else {
            (0, cut.run.cells.min(run.cells.saturating_sub(behind)))
        };
        payload_in_cells(cut.len, self.overhead, from, to)
    }
}

/// CRC register after a whole correct CPCS-PDU, its CRC included, before the final inversion.
pub const CRC_RESIDUE: u32 = 0xC704_DD7B;

const CRC_TABLE: [u32; 256] = crc_table();

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut register = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            let carry = register >> 31;
            register = (register << 1) ^ (carry * 0x04C1_1DB7);
            bit += 1;
        }
        table[byte] = register;
        byte += 1;
    }
    table
}

/// CRC register over `bytes`: polynomial 0x04C11DB7, most significant bit first, from all ones,
/// not inverted at the end.
fn crc_register(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |register, byte| {
        let index = (register >> 24) as u8 ^ byte;
        (register << 8) ^ CRC_TABLE[index as usize]
    })
}

/// CRC-32 of AAL5 (I.363.5) over everything before the CRC field.
pub fn crc32(bytes: &[u8]) -> u32 {
    !crc_register(bytes)
}

/// The CPCS-PDU of `payload` (at most 65,535 bytes): padding, UU and CPI zero, length, CRC-32.
pub fn encode(payload: &[u8]) -> Vec<u8> {
    let cells = cells_for(payload.len() as u64) as usize;
    let mut pdu = Vec::with_capacity(cells * CELL_PAYLOAD as usize);
    pdu.extend_from_slice(payload);
    pdu.resize(cells * CELL_PAYLOAD as usize - 6, 0);
    pdu.extend_from_slice(&(payload.len() as u16).to_be_bytes());
    pdu.extend_from_slice(&crc32(&pdu).to_be_bytes());
    pdu
}

/// The payload of a CPCS-PDU put together from cells, if length, padding and CRC are right.
pub fn decode(pdu: &[u8]) -> Option<&[u8]> {
    let length_at = pdu.len().checked_sub(6)?;
    let length = u16::from_be_bytes([pdu[length_at], pdu[length_at + 1]]) as usize;
    let whole = cells_for(length as u64) as usize * CELL_PAYLOAD as usize == pdu.len();
    (whole && crc_register(pdu) == CRC_RESIDUE).then(|| &pdu[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(len: u32) -> Segment {
        Segment { len, ..Segment::default() }
    }

    fn segmenter() -> Segmenter {
        Segmenter::new(40, Encapsulation::LlcSnap)
    }

    /// Gives the cells of `pdu` whose index passes `arrives`.
    fn send(r: &mut Reassembler, pdu: &Pdu, arrives: impl Fn(u32) -> bool) -> Option<Outcome> {
        let mut outcome = None;
        for info in (0..pdu.cells).filter(|index| arrives(*index)).map(|index| cell(pdu, index)) {
            if info.is_eom() {
                outcome = Some(r.on_eom(info, pdu));
            } else {
                r.on_cell(info);
            }
        }
        outcome
    }

    #[test]
    fn a_512_byte_segment_with_llc_snap_fills_twelve_cells() {
        // 512 + 40 + 8 + 8 (trailer) = 568 = 11.83 * 48
        assert_eq!(segmenter().cut(segment(512)).cells, 12);
        assert_eq!([40, 41, 88, 89].map(cells_for), [1, 2, 2, 3]);
    }

    #[test]
    fn a_bare_acknowledgement_needs_two_cells_with_llc_snap_and_one_without() {
        // 40 + 8 + 8 = 56; 40 + 8 = 48
        assert_eq!(segmenter().cut(segment(0)).cells, 2);
        assert_eq!(Segmenter::new(40, Encapsulation::VcMux).cut(segment(0)).cells, 1);
    }

    #[test]
    fn cells_are_numbered_through_and_the_last_ends_the_pdu() {
        let mut s = segmenter();
        s.next = Info::NUMBERS - 1;
        let pdu = s.cut(segment(0));
        assert_eq!(cell(&pdu, 0), Info::data(Info::NUMBERS - 1));
        assert_eq!(cell(&pdu, 1), Info::end_of_message(0));
        assert_eq!(s.cut(segment(0)).first, 1);
    }

    #[test]
    fn an_intact_pdu_is_delivered_also_where_the_numbers_wrap() {
        let (mut s, mut r) = (segmenter(), Reassembler::new());
        s.next = Info::NUMBERS - 18;
        for _ in 0..3 {
            let pdu = s.cut(segment(512));
            assert_eq!(send(&mut r, &pdu, |_| true), Some(Outcome::Delivered(pdu.segment)));
        }
        assert_eq!(r.stats().cells_delivered, 36);
    }

    #[test]
    fn a_lost_inner_cell_loses_one_pdu() {
        for lost in 0..11 {
            let (mut s, mut r) = (segmenter(), Reassembler::new());
            let (bad, good) = (s.cut(segment(512)), s.cut(segment(512)));
            assert_eq!(send(&mut r, &bad, |index| index != lost), Some(Outcome::Corrupt { cells: 11 }));
            assert_eq!(send(&mut r, &good, |_| true), Some(Outcome::Delivered(good.segment)));
            assert_eq!(r.stats().merges, 0);
        }
    }

    #[test]
    fn a_lost_end_merges_two_pdus_and_loses_both() {
        let (mut s, mut r) = (segmenter(), Reassembler::new());
        let (first, second) = (s.cut(segment(512)), s.cut(segment(512)));
        assert_eq!(send(&mut r, &first, |index| index != 11), None);
        assert_eq!(r.cells_waiting(), 11);
        assert_eq!(send(&mut r, &second, |_| true), Some(Outcome::Corrupt { cells: 23 }));
        assert_eq!((r.stats().merges, r.stats().pdus_corrupt, r.cells_waiting()), (1, 1, 0));
    }

    #[test]
    fn a_merge_whose_count_happens_to_fit_is_corrupt_all_the_same() {
        let (mut s, mut r) = (segmenter(), Reassembler::new());
        let (first, second) = (s.cut(segment(512)), s.cut(segment(512)));
        // 5 cells of the first and 7 of the second: 12, as the length says.
        send(&mut r, &first, |index| index < 5);
        assert_eq!(send(&mut r, &second, |index| index >= 5), Some(Outcome::Corrupt { cells: 12 }));
    }

    #[test]
    fn a_pdu_that_is_lost_whole_harms_no_other() {
        let (mut s, mut r) = (segmenter(), Reassembler::new());
        s.cut(segment(512));
        let pdu = s.cut(segment(512));
        assert_eq!(send(&mut r, &pdu, |_| true), Some(Outcome::Delivered(pdu.segment)));
    }

    #[test]
    fn payload_lies_between_headers_and_trailer() {
        // 40 bytes of headers: 8 of payload in cell 0, then 48 each, and 512 - 8 - 10 * 48 = 24 in cell 11.
        assert_eq!([0, 1, 10].map(|i| payload_in_cells(512, 40, i, i + 1)), [8, 48, 48]);
        assert_eq!(payload_in_cells(512, 40, 11, 12), 24);
        // 48 bytes of headers fill cell 0; an acknowledgement's cell 1 has the trailer only.
        assert_eq!(payload_in_cells(512, 48, 0, 1), 0);
        assert_eq!(payload_in_cells(0, 48, 0, 2), 0);
        assert_eq!(payload_in_cells(512, 48, 0, 12), 512);
    }

    #[test]
    fn the_ledger_splits_payload_into_arrived_and_lost() {
        let (mut s, mut r) = (segmenter(), Reassembler::new());
        let mut ledger = PduLedger::new(s.overhead());
        let pdus = [s.cut(segment(512)), s.cut(segment(512)), s.cut(segment(512))];
        pdus.iter().for_each(|pdu| ledger.push(pdu));
        // Nothing of the first; cells 0, 1, 3 of the second; all but cell 2 of the third.
        send(&mut r, &pdus[1], |index| [0, 1, 3].contains(&index));
        send(&mut r, &pdus[2], |index| index != 2);
        // Second: 0 + 48 + 48; third: 512 - 48.
        let settled = ledger.settle(&pdus[2], r.corrupt_runs());
        assert_eq!(settled, Settled { sent: 1_536, arrived: 560 });
        assert_eq!(ledger.unsettled(), 0);
    }

    #[test]
    fn the_crc_leaves_its_known_residue_and_matches_the_check_value() {
        let pdu = encode(b"123456789");
        assert_eq!(crc_register(&pdu), CRC_RESIDUE);
        assert_eq!(decode(&pdu), Some(&b"123456789"[..]));
        // CRC-32/BZIP2, the same polynomial, order and inversion: check value 0xFC891918.
        assert_eq!(crc32(b"123456789"), 0xFC89_1918);
    }

    #[test]
    fn a_flipped_bit_or_a_missing_cell_is_refused() {
        let pdu = encode(&[7; 100]);
        assert_eq!(pdu.len(), 144);
        assert_eq!(decode(&pdu[48..]), None);
        for at in [0, 99, 120, 137, 143] {
            let mut bad = pdu.clone();
            bad[at] ^= 0x10;
            assert_eq!(decode(&bad), None);
        }
        assert_eq!(decode(&[]), None);
    }
}
