//! Reassembly without bytes against reassembly of real CPCS-PDUs with their CRC.

use cellrate_engine::atm::aal5::{
    CELL_PAYLOAD, Encapsulation, Outcome, PduLedger, Reassembler, Run, Segmenter, Settled, cell, decode, encode,
};
use cellrate_engine::atm::cell::{Info, Pdu};
use cellrate_engine::tcp::Segment;
use proptest::prelude::*;

/// A PDU as cells of real bytes; the payload bytes of the segment among them are marked.
struct RealPdu {
    bytes: Vec<u8>,
    marked: Vec<bool>,
}

impl RealPdu {
    fn new(pdu: &Pdu, overhead: u32) -> RealPdu {
        let len = pdu.segment.len as usize;
        let overhead = overhead as usize;
        let salt = pdu.segment.seq as usize;
        let payload: Vec<u8> = (0..overhead + len).map(|i| (i * 7 + salt * 13 + (i * salt) % 5) as u8).collect();
        let bytes = encode(&payload);
        let marked = (0..bytes.len()).map(|i| (overhead..overhead + len).contains(&i)).collect();
        RealPdu { bytes, marked }
    }

    fn cell(&self, index: u32) -> &[u8] {
        let at = index as usize * CELL_PAYLOAD as usize;
        &self.bytes[at..at + CELL_PAYLOAD as usize]
    }

    fn payload_in(&self, index: u32) -> u64 {
        let at = index as usize * CELL_PAYLOAD as usize;
        self.marked[at..at + CELL_PAYLOAD as usize].iter().filter(|marked| **marked).count() as u64
    }
}

/// Both receivers and what they must agree on.
struct Both {
    reassembler: Reassembler,
    ledger: PduLedger,
    buffer: Vec<u8>,
    buffered_payload: u64,
    arrived_cells: u64,
}

impl Both {
    fn take(&mut self, real: &RealPdu, pdu: &Pdu, index: u32) -> Option<(Outcome, Settled)> {
        self.buffer.extend_from_slice(real.cell(index));
        self.buffered_payload += real.payload_in(index);
        self.arrived_cells += 1;
        let info = cell(pdu, index);
        if !info.is_eom() {
            self.reassembler.on_cell(info);
            return None;
        }
        let outcome = self.reassembler.on_eom(info, pdu);
        let intact = [Run { first: pdu.first, cells: pdu.cells }];
        let arrived = if matches!(outcome, Outcome::Delivered(_)) { &intact } else { self.reassembler.corrupt_runs() };
        Some((outcome, self.ledger.settle(pdu, arrived)))
    }

    fn check(&mut self, outcome: Outcome, settled: Settled, pdu: &Pdu) {
        let cells = (self.buffer.len() as u64 / CELL_PAYLOAD) as u32;
        let expected = match decode(&self.buffer) {
            Some(_) => Outcome::Delivered(pdu.segment),
            None => Outcome::Corrupt { cells },
        };
        assert_eq!(outcome, expected);
        assert_eq!(settled.arrived, self.buffered_payload);
        self.buffer.clear();
        self.buffered_payload = 0;
    }
}

fn encapsulations() -> impl Strategy<Value = Encapsulation> {
    prop_oneof![Just(Encapsulation::LlcSnap), Just(Encapsulation::VcMux)]
}

/// Lengths of which many are equal, so that merged cells often have a count that fits.
fn lengths() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![Just(512), Just(0), 0u32..300], 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_pdu_is_delivered_exactly_when_its_bytes_would_be(
        lengths in lengths(),
        encapsulation in encapsulations(),
        start in prop_oneof![Just(0), Info::NUMBERS - 400..Info::NUMBERS],
        arrivals in prop::collection::vec(0u8..100, 600),
        loss in 0u8..40,
    ) {
        let mut segmenter = Segmenter::new(40, encapsulation);
        let overhead = segmenter.overhead();
        if start > 0 {
            // An imaginary PDU of `start` cells, so that the numbers wrap during the test.
            segmenter.cut(Segment { len: start * 48 - overhead - 8, ..Segment::default() });
        }
        let mut both = Both {
            reassembler: Reassembler::new(),
            ledger: PduLedger::new(overhead),
            buffer: Vec::new(),
            buffered_payload: 0,
            arrived_cells: 0,
        };
        let mut arrivals = arrivals.iter();
        let (mut sent, mut settled_payload) = (0, 0);
        for (n, len) in lengths.into_iter().enumerate() {
            let pdu = segmenter.cut(Segment { seq: n as u64, len, ..Segment::default() });
            let real = RealPdu::new(&pdu, overhead);
            prop_assert_eq!(real.bytes.len() as u64, pdu.cells as u64 * CELL_PAYLOAD);
            both.ledger.push(&pdu);
            sent += len as u64;
            for index in 0..pdu.cells {
                if arrivals.next().is_some_and(|chance| *chance < loss) {
                    continue;
                }
                if let Some((outcome, settled)) = both.take(&real, &pdu, index) {
                    both.check(outcome, settled, &pdu);
                    settled_payload += settled.sent;
                }
            }
        }
        let stats = both.reassembler.stats();
        let waiting = both.reassembler.cells_waiting() as u64;
        prop_assert_eq!(stats.cells_delivered + stats.cells_corrupt + waiting, both.arrived_cells);
        prop_assert_eq!(settled_payload + both.ledger.unsettled(), sent);
    }
}
