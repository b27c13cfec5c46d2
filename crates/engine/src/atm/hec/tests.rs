use super::*;
use crate::net::bit_errors::BitErrorConfig;

/// Remainder of the division of a header with errors at `bits` by x^8 + x^2 + x + 1, by long division.
fn remainder(bits: &[u64]) -> u8 {
    let mut word = bits
        .iter()
        .fold(0_u64, |word, bit| word ^ 1 << (HEADER_BITS - 1 - bit));
    for power in (8..HEADER_BITS).rev() {
        if word >> power & 1 == 1 {
            word ^= 0b1_0000_0111 << (power - 8);
        }
    }
    word as u8
}

/// The code has the distance 4: all single-bit errors have different syndromes, and two errors never have the syndrome 0 or
/// that of one error.
#[test]
fn syndromes_are_remainders_and_tell_one_error_from_two() {
    let single: Vec<u8> = (0..HEADER_BITS).map(|bit| remainder(&[bit])).collect();
    assert_eq!(single, SYNDROMES);
    for one in 0..HEADER_BITS {
        for other in 0..one {
            let both = remainder(&[one, other]);
            assert_eq!(both, SYNDROMES[one as usize] ^ SYNDROMES[other as usize]);
            assert!(both != 0 && !single.contains(&both), "{one} {other}");
        }
    }
}

/// Share of lost cells, and of cells that arrive with an errored payload, among 400,000 cells on a line of 155.52 Mbit/s.
/// Every `apart`-th cell time has a cell.
fn shares(hec: Hec, ratio: f64, apart: u64) -> [f64; 2] {
    let rate = Rate::from_bps(155_520_000);
    let errors = BitErrorConfig::independent(ratio)
        .of_link(3, "A->B")
        .unwrap();
    let mut receiver = HecReceiver::new(errors, hec, rate);
    let cells = 400_000;
    let (mut lost, mut errored) = (0, 0);
    for number in 1..=cells {
        // 2,726,337.4 ps for a cell.
        let end = Ps((number * apart) * 27_263_374 / 10);
        match receiver.receive(end) {
            Fate::Whole => {}
            Fate::Errored => errored += 1,
            Fate::Lost => lost += 1,
        }
    }
    [lost, errored].map(|count| count as f64 / cells as f64)
}

/// In detection mode a cell is lost with probability 1 - (1 - p)^40: 0.07696 at p = 0.002. In correction mode a cell is lost
/// if its header has several errors, or one error after a header with errors: (1 - h) m + h h with h = 0.07696 and m = h - 40
/// p (1 - p)^39 = 0.002966. This is 0.008660. Payloads of cells that arrive are errored with probability 1 - (1 - p)^384 =
/// 0.5364. Standard deviations: 0.00042, 0.00015 and 0.0008. The few errors of three bits and more with a single-bit syndrome
/// are lost as well.
#[test]
fn cells_are_lost_by_the_closed_forms_of_both_modes() {
    for apart in [1, 2, 7] {
        let [lost, errored] = shares(Hec::Detection, 0.002, apart);
        assert!((lost - 0.076_96).abs() < 0.001_7, "{apart}: {lost}");
        assert!(
            (errored / (1.0 - lost) - 0.536_4).abs() < 0.003_2,
            "{errored}"
        );
        let [lost, errored] = shares(Hec::Correction, 0.002, apart);
        assert!((lost - 0.008_66).abs() < 0.000_62, "{apart}: {lost}");
        assert!(
            (errored / (1.0 - lost) - 0.536_4).abs() < 0.003_2,
            "{errored}"
        );
    }
}

/// The receiver's state machine, cell by cell: an error is corrected, the same error in the next header is not, and after a
/// header without errors it is corrected again.
#[test]
fn a_correction_leads_to_detection_until_a_header_without_errors() {
    let one = Header {
        syndrome: SYNDROMES[3],
        errors: 1,
    };
    let two = Header {
        syndrome: SYNDROMES[3] ^ SYNDROMES[7],
        errors: 2,
    };
    let mut corrects = true;
    let sequence = [
        (one, true),
        (one, false),
        (Header::default(), true),
        (one, true),
        (Header::default(), true),
        (two, false),
        (one, false),
    ];
    for (number, (header, expected)) in sequence.into_iter().enumerate() {
        assert_eq!(header.reaches(corrects), expected, "{number}");
        corrects = header.syndrome == 0;
    }
}

#[test]
fn an_errored_pdu_is_told_with_its_last_cell_once() {
    let mut errored = Errored::default();
    errored.add(4);
    errored.add(4);
    errored.add(9);
    assert_eq!(
        [9, 4, 4, 1].map(|label| errored.end(label)),
        [true, true, false, false]
    );
}
