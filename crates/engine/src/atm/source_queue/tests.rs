//! Compares the simulated reassembly with that of real bytes and trailers. The queue cuts PDUs into cells, and
//! the channel loses cells.

extern crate std;

use std::vec::Vec;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::atm::aal5::{Outcome, Reassembler};

const HEADER: u32 = 40;

fn segment(number: u64, len: u16) -> Segment {
    Segment::data(number, len)
}

/// Removes the next cell. If the cell ends a PDU, also returns the PDU.
fn pop(queue: &mut SourceQueue) -> Option<(Info, Option<Pdu>)> {
    let info = queue.pop(Ps::ZERO)?;
    Some((info, info.is_eom().then(|| queue.pop_pdu(Ps::ZERO))))
}

fn cut(queue: &mut SourceQueue, segment: Segment) -> Vec<(Info, Option<Pdu>)> {
    assert!(queue.push(Ps::ZERO, segment));
    std::iter::from_fn(|| pop(queue)).collect()
}

#[test]
fn bare_cells_are_counted_while_they_wait() {
    let mut queue = SourceQueue::new(3, Refuses::Pdu, 0, Encapsulation::LlcSnap);
    let pushed: Vec<bool> = (0..4).map(|_| queue.push_bare(Ps::ZERO)).collect();
    assert_eq!(
        (pushed, queue.cells()),
        (Vec::from([true, true, true, false]), 3)
    );
    queue.pop_bare(Ps(1));
    assert_eq!(queue.cells(), 2);
    assert!(queue.push_bare(Ps(2)));
    assert_eq!((queue.cells(), queue.longest()), (3, 3));
}

/// A PDU of 12 cells of 48 bytes. Headers and encapsulation fill the first cell, 512 bytes of
/// payload the next ten cells and 32 bytes of the last.
#[test]
fn single_cells_are_refused_at_the_end_of_a_pdu() {
    let mut queue = SourceQueue::new(20, Refuses::Cell, HEADER, Encapsulation::LlcSnap);
    assert!(queue.push(Ps::ZERO, segment(0, 512)));
    assert!(!queue.push(Ps::ZERO, segment(1, 512)));
    // Eight cells of the second PDU fit, with seven times 48 bytes of payload.
    assert_eq!(
        queue.dropped(),
        Refused {
            bytes: 512 - 336,
            packets: 1,
            cells: 4
        }
    );
    assert_eq!(
        (queue.cells(), queue.longest(), queue.bytes()),
        (20, 20, 512 + 336)
    );
    assert!(!queue.push(Ps::ZERO, segment(2, 512)));
    assert_eq!(
        queue.dropped(),
        Refused {
            bytes: 1_024 - 336,
            packets: 2,
            cells: 16
        }
    );
    (0..12).for_each(|_| assert!(pop(&mut queue).is_some()));
    assert_eq!(
        queue.beginning().map(|(segment, first, cells, sent)| (
            segment.sequence().unwrap(),
            first,
            cells,
            sent
        )),
        Some((1, 12, 12, 8))
    );
    let second: Vec<_> = std::iter::from_fn(|| pop(&mut queue)).collect();
    assert!(
        second
            .iter()
            .all(|(info, pdu)| !info.is_eom() && pdu.is_none())
    );
    let payload: Vec<u32> = second.iter().map(|(info, _)| info.payload()).collect();
    assert_eq!(payload, [0, 48, 48, 48, 48, 48, 48, 48]);
    assert_eq!((queue.cells(), queue.bytes()), (0, 0));
    // The next PDU is merged with these cells at reassembly, and is discarded.
    let mut reassembler = Reassembler::default();
    second
        .iter()
        .for_each(|(info, _)| reassembler.on_cell(*info));
    for expected in [Outcome::Corrupt, Outcome::Delivered(segment(3, 512))] {
        let cells = cut(&mut queue, segment(3, 512));
        for (info, pdu) in cells {
            match pdu {
                Some(pdu) => assert_eq!(reassembler.on_eom(info, &pdu), expected),
                _ => reassembler.on_cell(info),
            }
        }
    }
    assert_eq!(reassembler.merges(), 1);
}

/// CRC-32 of AAL5 (I.363.5): polynomial 0x04C11DB7, most significant bit first, initial value with all bits 1,
/// result inverted.
fn crc32(bytes: &[u8]) -> u32 {
    let shift = |register: u32| (register << 1) ^ if register >> 31 == 1 { 0x04C1_1DB7 } else { 0 };
    !bytes.iter().fold(u32::MAX, |register, byte| {
        (0..8).fold(register ^ (*byte as u32) << 24, |r, _| shift(r))
    })
}

/// A CPCS-PDU with real bytes: headers, payload, padding, length and CRC.
struct RealPdu {
    bytes: Vec<u8>,
    /// Position of the segment's payload in the bytes of the PDU.
    payload: std::ops::Range<usize>,
}

impl RealPdu {
    fn new(segment: &Segment, overhead: u32) -> RealPdu {
        let (overhead, len) = (overhead as usize, segment.payload() as usize);
        let salt = segment.sequence().unwrap() as usize;
        let mut bytes: Vec<u8> = (0..overhead + len)
            .map(|i| (i * 7 + salt * 13 + (i * salt) % 5) as u8)
            .collect();
        bytes.resize((overhead + len + 8).next_multiple_of(48) - 6, 0);
        bytes.extend_from_slice(&((overhead + len) as u16).to_be_bytes());
        let crc = crc32(&bytes);
        bytes.extend_from_slice(&crc.to_be_bytes());
        RealPdu {
            bytes,
            payload: overhead..overhead + len,
        }
    }
    fn cell(&self, index: usize) -> &[u8] {
        &self.bytes[48 * index..48 * (index + 1)]
    }
    fn payload_in(&self, index: usize) -> u32 {
        (48 * index..48 * (index + 1))
            .filter(|at| self.payload.contains(at))
            .count() as u32
    }
}

/// True if the bytes that a receiver has reassembled are a valid PDU.
fn is_intact(bytes: &[u8]) -> bool {
    let Some(at) = bytes.len().checked_sub(6) else {
        return false;
    };
    let length = u16::from_be_bytes([bytes[at], bytes[at + 1]]) as u64;
    cells_for(length) as usize * 48 == bytes.len()
        && crc32(&bytes[..at + 2]).to_be_bytes() == bytes[at + 2..]
}

#[test]
fn the_crc_has_its_check_value() {
    // CRC-32/BZIP2 has the same polynomial, bit order and inversion.
    assert_eq!(crc32(b"123456789"), 0xFC89_1918);
}

#[test]
fn a_flipped_bit_or_a_missing_cell_is_noticed() {
    let pdu = RealPdu::new(&segment(3, 100), HEADER).bytes;
    assert!(pdu.len() == 4 * 48 && is_intact(&pdu) && !is_intact(&pdu[48..]) && !is_intact(&[]));
    for at in [0, 99, 140, 185, 186, 191] {
        let mut bad = pdu.clone();
        bad[at] ^= 0x10;
        assert!(!is_intact(&bad), "{at}");
    }
}

#[test]
fn cells_are_numbered_through_and_the_last_ends_the_pdu() {
    let mut queue = SourceQueue::new(u64::MAX, Refuses::Pdu, HEADER, Encapsulation::LlcSnap);
    queue.number = Info::NUMBERS - 1;
    let numbers: Vec<u32> = cut(&mut queue, segment(0, 0))
        .iter()
        .map(|(info, _)| info.number())
        .collect();
    assert_eq!(numbers, [Info::NUMBERS - 1, 0]);
    let cells = cut(&mut queue, segment(0, 512));
    assert_eq!((cells.len(), cells[0].0.number()), (12, 1));
    assert!(
        cells
            .iter()
            .enumerate()
            .all(|(i, (info, pdu))| (info.is_eom(), pdu.is_some()) == (i == 11, i == 11))
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1997),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_pdu_is_delivered_exactly_when_its_bytes_would_be(
        // Many segments have equal lengths, so that merged cells often have a valid count.
        lengths in prop::collection::vec(prop_oneof![Just(512), Just(0), 0u16..300], 1..40),
        encapsulation in prop_oneof![Just(Encapsulation::LlcSnap), Just(Encapsulation::VcMux)],
        start in prop_oneof![Just(0), Info::NUMBERS - 400..Info::NUMBERS],
        chances in prop::collection::vec(0u8..100, 600),
        loss in 0u8..40,
    ) {
        let mut queue = SourceQueue::new(u64::MAX, Refuses::Pdu, HEADER, encapsulation);
        queue.number = start;
        let (mut reassembler, mut received, mut chances) = (Reassembler::default(), Vec::new(), chances.iter());
        for (number, len) in lengths.into_iter().enumerate() {
            let segment = segment(number as u64, len);
            let real = RealPdu::new(&segment, HEADER + encapsulation.bytes());
            let cells = cut(&mut queue, segment);
            prop_assert_eq!(cells.len() * 48, real.bytes.len());
            for (index, (info, pdu)) in cells.into_iter().enumerate() {
                prop_assert_eq!(info.payload(), real.payload_in(index));
                if chances.next().is_some_and(|chance| *chance < loss) {
                    continue;
                }
                received.extend_from_slice(real.cell(index));
                if let Some(pdu) = pdu {
                    let intact = is_intact(&received);
                    let expected = if intact { Outcome::Delivered(segment) } else { Outcome::Corrupt };
                    prop_assert_eq!(reassembler.on_eom(info, &pdu), expected);
                    received.clear();
                } else {
                    reassembler.on_cell(info);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_row_equals_cells_one_by_one(
        start in prop::sample::select(alloc::vec![0, Info::NUMBERS - 5]),
        lengths in prop::collection::vec(0u16..1_500, 1..4),
        limit in 3u64..80,
        steps in prop::collection::vec((0u32..9, 1u64..1_000_000), 1..40),
    ) {
        let mut rows = SourceQueue::new(limit, Refuses::Cell, HEADER, Encapsulation::LlcSnap);
        rows.number = start;
        for (number, len) in lengths.into_iter().enumerate() {
            rows.push(Ps::ZERO, segment(number as u64, len));
        }
        let mut single = rows.clone();
        let mut now = Ps::ZERO;
        for (cells, gap) in steps {
            let most = rows.cells_before_last().min(cells);
            let one_by_one: Vec<Info> =
                (1..=most as u64).map(|i| single.pop(now + Ps(i * gap)).unwrap()).collect();
            if let Some(mut row) = rows.row() {
                let in_a_row: Vec<Info> =
                    (1..=most as u64).map(|i| row.pop(now + Ps(i * gap))).collect();
                row.close(most);
                prop_assert_eq!(&in_a_row, &one_by_one);
            }
            now += Ps(10 * gap);
            // The next cell, possibly the last of its PDU.
            prop_assert_eq!(pop(&mut rows), pop(&mut single));
            let state = |queue: &SourceQueue| {
                (queue.cells, queue.number, queue.bytes(), queue.beginning(), queue.integral(now))
            };
            prop_assert_eq!(state(&rows), state(&single));
        }
    }
}
