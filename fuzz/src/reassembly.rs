//! AAL5: the result of reassembly compared with a list of the cells that arrived.

use cellrate_engine::atm::aal5::{Outcome, Reassembler};
use cellrate_engine::atm::cell::{Info, Pdu};
use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::Segment;

use super::input::Input;

/// The input gives the length of PDU after PDU, and the cells that arrive.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let mut reassembler = Reassembler::default();
    // Just before the numbers wrap, or at their beginning.
    let mut first = if input.byte() & 1 == 0 {
        Info::NUMBERS - 20
    } else {
        0
    };
    let mut arrived: Vec<u32> = Vec::new();
    while !input.is_empty() {
        let cells = u16::from(input.byte() % 40) + 1;
        let mask = input.long();
        let segment = Segment::data(u64::from(first) + 1, cells);
        let pdu = Pdu {
            segment,
            sent: Ps::ZERO,
            first,
            cells,
            hit: false,
            // Masks of at most 40 cells leave this bit free.
            errored: mask >> 63 == 1,
        };
        for index in (0..u32::from(cells)).filter(|index| mask >> (index % 64) & 1 == 0) {
            let number = (first + index) % Info::NUMBERS;
            arrived.push(number);
            if index + 1 < u32::from(cells) {
                reassembler.on_cell(Info::data(number));
            } else {
                let expected = if is_all(&arrived, &pdu) {
                    match pdu.errored {
                        true => Outcome::Errored,
                        false => Outcome::Delivered(segment),
                    }
                } else {
                    Outcome::Corrupt
                };
                assert_eq!(
                    reassembler.on_eom(Info::end_of_message(number), &pdu),
                    expected,
                    "{arrived:?} for {pdu:?}"
                );
                arrived.clear();
            }
        }
        first = (first + u32::from(cells)) % Info::NUMBERS;
    }
}

/// True if exactly the cells of `pdu` have arrived, in order.
fn is_all(arrived: &[u32], pdu: &Pdu) -> bool {
    let numbers = (0..u32::from(pdu.cells)).map(|index| (pdu.first + index) % Info::NUMBERS);
    numbers.eq(arrived.iter().copied())
}
