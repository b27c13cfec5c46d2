//! The reports that an observer of all traffic receives during a run, for packet captures and
//! time-space diagrams.

use super::event::Event;
use crate::atm::cell::{Body, Info};
use crate::kernel::Ps;
use crate::net::channel::ChannelId;
use crate::tcp::Segment;

/// A cell on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Index of the link.
    pub link: u32,
    /// Channel of the cell; `None` for a cell of credit control, which belongs to no channel.
    pub channel: Option<ChannelId>,
    /// Header bits on this link, and the number among the data cells of the channel, modulo
    /// [`Info::NUMBERS`].
    pub info: Info,
    /// Contents on this link of an RM cell or a credit cell, or the PDU that the cell ends; `None`
    /// for other data cells, whose PDU was reported by [`Observer::on_pdu`] before.
    pub body: Option<Body>,
    /// Time at which the last bit of the cell left the sending node.
    pub left: Ps,
    /// Time at which the last bit of the cell arrives at the far end.
    pub arrives: Ps,
}

/// A PDU whose first cell leaves its end system's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PduStart {
    /// Time at which the first cell of the PDU leaves the queue.
    pub at: Ps,
    /// Channel of the PDU.
    pub channel: ChannelId,
    /// Number of the PDU's first cell among the data cells of the channel, modulo [`Info::NUMBERS`].
    pub first: u32,
    /// Number of cells of the PDU.
    pub cells: u16,
    /// Number of leading cells of the PDU that are sent; the source queue has refused the others.
    pub sent: u16,
    /// The TCP segment inside the PDU. Every PDU has one: sources that do not use TCP send cells
    /// without PDUs.
    pub segment: Segment,
}

/// Receives reports of all traffic, in order of time. At one instant PDUs come first, then losses,
/// then cells.
///
/// A port is observed by the cells on its link, and by the cells that it refuses.
pub trait Observer {
    /// Called when a cell has been put on a link; on each link in order.
    fn on_cell(&mut self, _cell: &Crossing) {}
    /// Called when a PDU begins. The next `sent` cells of its channel, from the number `first` on,
    /// belong to the PDU.
    fn on_pdu(&mut self, _pdu: &PduStart) {}
    /// Called when a cell was refused by a buffer or lost by a link
    /// ([`What::Loss`](super::event::What::Loss)), or when an end system's queue was too full for a
    /// whole PDU ([`What::Refusal`](super::event::What::Refusal)).
    fn on_loss(&mut self, _loss: &Event) {}
}
