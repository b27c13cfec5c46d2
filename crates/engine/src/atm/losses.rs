//! Losses of each channel at a port: cells, bytes, and packets. A packet counts once, even if it
//! loses cells at several ports.

use alloc::vec::Vec;

use super::cell::{Body, Info};

/// Losses of one channel at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Cells that the port refused.
    pub cells: u64,
    /// Application bytes in the refused cells.
    pub bytes: u64,
    /// PDUs of which at least one cell was refused. If the end of a PDU was lost before this port,
    /// the PDU and the next one count as one.
    pub packets: u64,
    /// Number of `packets` that had already lost cells at an earlier port, and were counted there.
    /// The port finds this out when the end of the PDU passes.
    pub repeated: u64,
    /// Cells that the link of the port has lost.
    pub cells_on_link: u64,
    /// Application bytes in the cells that the link has lost.
    pub bytes_on_link: u64,
}

/// Stands for no cell; no cell has this number.
const NONE: u32 = u32::MAX;

/// Losses of all channels of a port.
#[derive(Clone)]
pub struct LossCounts {
    losses: Vec<Losses>,
    /// Number of the cell that each channel has lost last at this port, since the end of a PDU passed.
    last: Vec<u32>,
    /// Number of channels that have lost a cell since the end of a PDU passed.
    open: u32,
}

impl LossCounts {
    /// Counts of zero for `channels` channels.
    pub fn new(channels: usize) -> LossCounts {
        LossCounts {
            losses: alloc::vec![Losses::default(); channels],
            last: alloc::vec![NONE; channels],
            open: 0,
        }
    }

    /// Losses of the channel in `slot`.
    pub fn of(&self, slot: u32) -> Losses {
        self.losses[slot as usize]
    }

    /// Counts a lost cell of the channel in `slot`.
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

    /// Counts a cell of the channel in `slot` that the link has lost.
    #[cold]
    pub fn add_on_link(&mut self, slot: u32, info: Info) {
        let losses = &mut self.losses[slot as usize];
        losses.cells_on_link += 1;
        losses.bytes_on_link += info.payload() as u64;
    }

    /// Notes that a cell has passed or was lost. After the end of a PDU, further losses belong to
    /// another PDU.
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
            // The loss was before the first cell of this PDU, so it was of earlier PDUs whose ends
            // were lost.
            _ => self.losses[slot as usize].repeated += 1,
        }
    }
}
