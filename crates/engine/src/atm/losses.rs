//! Losses of each channel at a port, in cells, bytes and packets. A packet counts once, even if it
//! loses cells at several ports.

use alloc::vec::Vec;

use super::cell::{Body, Info};

/// Losses of one channel at one port and its link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Cells that the port refused.
    pub cells: u64,
    /// Application bytes in the refused cells.
    pub bytes: u64,
    /// PDUs of which the port refused at least one cell. If a PDU's last cell was lost before this port, the PDU
    /// and the next one count as one PDU.
    pub packets: u64,
    /// Those of the PDUs counted in `packets` that an earlier port has counted, too, because they lost cells there.
    /// The port learns this from the last cell of the PDU.
    pub repeated: u64,
    /// Cells that the link of the port has lost.
    pub cells_on_link: u64,
    /// Application bytes in the cells that the link has lost.
    pub bytes_on_link: u64,
}

/// Entry of `last` for a channel without a lost cell in its present PDU. No cell has this number.
const NONE: u32 = u32::MAX;

/// Losses of all channels at one port and its link.
#[derive(Clone)]
pub struct LossCounts {
    losses: Vec<Losses>,
    /// For each channel, the number of the cell of the present PDU that this port lost last; `NONE` if no cell
    /// was lost.
    last: Vec<u32>,
    /// Number of channels that have lost a cell in their present PDU at this port.
    open: u32,
}

impl LossCounts {
    /// Losses of zero for `channels` channels.
    pub fn new(channels: usize) -> LossCounts {
        LossCounts {
            losses: alloc::vec![Losses::default(); channels],
            last: alloc::vec![NONE; channels],
            open: 0,
        }
    }

    /// Losses of the channel with index `slot` at the port.
    pub fn of(&self, slot: u32) -> Losses {
        self.losses[slot as usize]
    }

    /// Counts a cell of the channel with index `slot` that the port has refused.
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

    /// Counts a cell of the channel with index `slot` that the port's link has lost.
    #[cold]
    pub fn add_on_link(&mut self, slot: u32, info: Info) {
        let losses = &mut self.losses[slot as usize];
        losses.cells_on_link += 1;
        losses.bytes_on_link += info.payload() as u64;
    }

    /// Must be called for each cell that passes or is refused. Losses after the last cell of a PDU belong to the
    /// next PDU.
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
            // The lost cell comes before the first cell of this PDU: it belonged to earlier PDUs whose last cells
            // were lost.
            _ => self.losses[slot as usize].repeated += 1,
        }
    }
}
