//! What a port lost of each channel: cells, bytes, and packets, each packet once on its whole way.

use alloc::vec::Vec;

use super::cell::{Body, Info};

/// What a port counted of one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Cells refused.
    pub cells: u64,
    /// Application bytes in them.
    pub bytes: u64,
    /// PDUs of which at least one cell was refused. Where the end of a PDU was lost before it came
    /// here, it and the next are one.
    pub packets: u64,
    /// Of these, those that had lost cells at a port before, and were counted there. Known when an end
    /// of a PDU passes.
    pub repeated: u64,
    /// Cells that the link has lost.
    pub cells_on_link: u64,
    /// Application bytes in them.
    pub bytes_on_link: u64,
}

/// No cell has this number.
const NONE: u32 = u32::MAX;

/// Losses of all channels of a port.
pub struct LossCounts {
    losses: Vec<Losses>,
    /// Number of the last cell that each channel has lost here since the end of a PDU passed.
    last: Vec<u32>,
    /// Channels that have lost one.
    open: u32,
}

impl LossCounts {
    /// Nothing lost of so many channels.
    pub fn new(channels: usize) -> LossCounts {
        LossCounts {
            losses: alloc::vec![Losses::default(); channels],
            last: alloc::vec![NONE; channels],
            open: 0,
        }
    }

    /// What was lost of the channel in `slot`.
    pub fn of(&self, slot: u32) -> Losses {
        self.losses[slot as usize]
    }

    /// A cell of the channel in `slot` is lost.
    #[cold]
    pub fn add(&mut self, slot: u32, info: Info) {
        let losses = &mut self.losses[slot as usize];
        losses.cells += 1;
        losses.bytes += info.payload() as u64;
        if info.is_data()
            && core::mem::replace(&mut self.last[slot as usize], info.number()) == NONE
        {
            losses.packets += 1;
            self.open += 1;
        }
    }

    /// The link has lost a cell of the channel in `slot`.
    #[cold]
    pub fn add_on_link(&mut self, slot: u32, info: Info) {
        let losses = &mut self.losses[slot as usize];
        losses.cells_on_link += 1;
        losses.bytes_on_link += info.payload() as u64;
    }

    /// A cell passes, or was lost: what is lost behind the end of a PDU is lost of another.
    #[inline]
    pub fn pass(&mut self, slot: u32, info: Info, body: &mut Option<&mut Body>) {
        if self.open > 0 && info.is_eom() {
            self.end_pdu(slot, body);
        }
    }

    #[cold]
    fn end_pdu(&mut self, slot: u32, body: &mut Option<&mut Body>) {
        let last = core::mem::replace(&mut self.last[slot as usize], NONE);
        if last == NONE {
            return;
        }
        self.open -= 1;
        match body {
            Some(Body::Pdu(pdu)) if pdu.holds(last) && !pdu.hit => pdu.hit = true,
            // What was lost before the first cell of this PDU was of PDUs whose ends were lost before.
            _ => self.losses[slot as usize].repeated += 1,
        }
    }
}
