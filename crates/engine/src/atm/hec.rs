//! The receiver of a cell line with bit errors: the header error control (HEC) of ITU-T I.432.1 section 4.3.2, and the checks
//! of payloads.
//!
//! A header has five octets; the last is a CRC-8 with the generator x^8 + x^2 + x + 1. In correction mode the receiver
//! corrects a header whose syndrome is that of a single-bit error, and discards the cell if the syndrome is another
//! one, except 0. In both cases the receiver is then in detection mode, in which it discards each cell whose syndrome
//! is not 0. A header with the syndrome 0 leads back to correction mode. So the mode depends only on the previous cell,
//! which is an idle cell if the line was idle.
//!
//! Some errors of several bits have the syndrome 0 or that of a single-bit error. They give the cell another VPI/VCI. Such a
//! cell belongs to no channel of the simulation and is discarded, too.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::time::CELL_BITS;
use crate::kernel::{CellClock, Ps, Rate};
use crate::net::bit_errors::BitErrors;

/// Treatment of an errored header by a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hec {
    /// The receiver corrects single-bit errors in correction mode, and discards the cell in detection mode.
    #[default]
    Correction,
    /// The receiver is always in detection mode: it discards each cell with an errored header.
    Detection,
}

/// Bits of a header, with the HEC.
const HEADER_BITS: u64 = 40;

/// For each bit of a header, in the order on the line, the syndrome of an error of this bit alone.
const SYNDROMES: [u8; HEADER_BITS as usize] = syndromes();

const fn syndromes() -> [u8; HEADER_BITS as usize] {
    let mut found = [0; HEADER_BITS as usize];
    // The last bit has the weight x^0; the exponent rises by one from each bit to the bit before.
    let (mut power, mut bit) = (1_u8, HEADER_BITS as usize);
    while bit > 0 {
        bit -= 1;
        found[bit] = power;
        let carry = power >> 7 == 1;
        power <<= 1;
        if carry {
            power ^= 0b111;
        }
    }
    found
}

/// A header as it arrives: the syndrome of its errors, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Header {
    syndrome: u8,
    errors: u32,
}

impl Header {
    fn add(&mut self, bit: u64) {
        self.syndrome ^= SYNDROMES[bit as usize];
        self.errors += 1;
    }
    /// True if the cell reaches its channel: the header has no error, or one that the receiver corrects. Of errors in several
    /// bits, a correction undoes none.
    fn reaches(self, corrects: bool) -> bool {
        self.errors == 0 || (corrects && self.errors == 1)
    }
}

/// Fate of a cell on a line with bit errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The cell arrives without errors.
    Whole,
    /// The cell arrives with an errored payload.
    Errored,
    /// The receiver discards the cell because of its header.
    Lost,
}

/// The receiver of a line with bit errors.
#[derive(Clone, Debug)]
pub struct HecReceiver {
    errors: BitErrors,
    hec: Hec,
    /// Transmission time of a cell, rounded down to a picosecond.
    cell: Ps,
    /// Time at which the sender sent the last bit of the previous cell.
    last: Ps,
    /// True in correction mode.
    corrects: bool,
}

impl HecReceiver {
    /// The receiver of a line of `rate`, in correction mode.
    pub fn new(errors: BitErrors, hec: Hec, rate: Rate) -> HecReceiver {
        HecReceiver {
            errors,
            hec,
            cell: CellClock::new(rate).complete(Ps::ZERO, 0).0,
            last: Ps::ZERO,
            corrects: hec == Hec::Correction,
        }
    }

    /// Fate of the cell whose last bit the sender sends at `end`. Cells must come in the order in which they are sent.
    pub fn receive(&mut self, end: Ps) -> Fate {
        let start = Ps(end.0.saturating_sub(self.cell.0)).max(self.last);
        if start.0 - self.last.0 >= self.cell.0 {
            // Idle cells fill the line, and the last of them sets the mode.
            let idle = Ps(start.0 - self.cell.0);
            self.cell(idle, start);
        }
        self.last = end;
        self.cell(start, end)
    }

    /// Fate of a cell, idle or not, that the sender sends from `start` to `end`.
    fn cell(&mut self, start: Ps, end: Ps) -> Fate {
        let mut header = Header::default();
        let mut is_errored = false;
        self.errors.each((start, end), CELL_BITS, |bit| {
            if bit < HEADER_BITS {
                header.add(bit);
                return true;
            }
            is_errored = true;
            false
        });
        let corrects = self.corrects;
        self.corrects = self.hec == Hec::Correction && header.syndrome == 0;
        match (header.reaches(corrects), is_errored) {
            (false, _) => Fate::Lost,
            (true, true) => Fate::Errored,
            (true, false) => Fate::Whole,
        }
    }
}

/// Labels (VPI/VCI) of those channels of a link whose present PDU has a cell with an errored payload.
#[derive(Clone, Debug, Default)]
pub struct Errored(Vec<u32>);

impl Errored {
    /// Records that a cell with `label` has an errored payload.
    pub fn add(&mut self, label: u32) {
        if !self.0.contains(&label) {
            self.0.push(label);
        }
    }
    /// Processes the last cell of a PDU with `label`. Returns true if a cell of this PDU had an errored payload.
    pub fn end(&mut self, label: u32) -> bool {
        let place = self.0.iter().position(|one| *one == label);
        place.map(|place| self.0.swap_remove(place)).is_some()
    }
}

#[cfg(test)]
mod tests;
