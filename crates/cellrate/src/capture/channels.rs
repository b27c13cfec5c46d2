//! What the cells of every channel carry: the PDUs that are on their way.

use std::collections::VecDeque;

use cellrate_engine::atm::cell::Info;
use cellrate_engine::network::{PduStart, Plan};

/// The PDUs of one channel that some tap may still see, in order.
#[derive(Default)]
pub struct Channel {
    pdus: VecDeque<PduStart>,
    /// PDUs before the first of them.
    gone: u64,
    /// For each tapped link of the channel, the PDU that it is at.
    cursors: Vec<u64>,
    tapped: bool,
}

/// A PDU and its number on its channel.
pub type Numbered = (u64, PduStart);

impl Channel {
    /// Every channel of a plan.
    pub fn of_all(plan: &Plan) -> Vec<Channel> {
        (0..2 * plan.flows.len()).map(|_| Channel::default()).collect()
    }

    /// Another place sees the channel's cells; its number.
    pub fn tap(&mut self) -> usize {
        self.tapped = true;
        self.cursors.push(0);
        self.cursors.len() - 1
    }

    /// A PDU begins.
    pub fn begin(&mut self, pdu: &PduStart) {
        if self.tapped {
            self.pdus.push_back(*pdu);
        }
    }

    /// The PDU that a cell seen at a tapped place belongs to. Cells come there in the order in which they were sent, so what
    /// lies before it everywhere is forgotten.
    ///
    /// # Panics
    /// If no PDU holds it, which no order of events allows.
    pub fn pdu_of(&mut self, place: usize, info: Info) -> Numbered {
        let mut number = self.cursors[place];
        loop {
            let pdu = self.pdus[(number - self.gone) as usize];
            if index(&pdu, info) < u32::from(pdu.cells) {
                self.cursors[place] = number;
                self.forget();
                return (number, pdu);
            }
            number += 1;
        }
    }

    fn forget(&mut self) {
        let needed = self.cursors.iter().copied().min().unwrap_or(0);
        while self.gone < needed {
            self.pdus.pop_front();
            self.gone += 1;
        }
    }
}

/// Number of a cell within its PDU; in another PDU, none that it has.
pub fn index(pdu: &PduStart, info: Info) -> u32 {
    info.number().wrapping_sub(pdu.first) % Info::NUMBERS
}
