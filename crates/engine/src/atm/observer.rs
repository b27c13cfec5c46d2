//! Reports of all traffic that the plain (reference) engine passes to an observer during a run, for
//! packet captures and time-space diagrams.

use super::event::Event;
use crate::atm::cell::{Body, Info};
use crate::kernel::Ps;
use crate::net::channel::ChannelId;
use crate::tcp::Segment;

/// Report of a cell on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Index of the link.
    pub link: u32,
    /// Channel of the cell; `None` for a cell of credit control, which belongs to no channel.
    pub channel: Option<ChannelId>,
    /// Header bits of the cell on this link, and its number among the data cells of the channel,
    /// modulo [`Info::NUMBERS`].
    pub info: Info,
    /// Contents of an RM cell or credit cell on this link, or the PDU that the cell ends. `None`
    /// for other data cells: [`Observer::on_pdu`] has reported their PDU.
    pub body: Option<Body>,
    /// Time at which the last bit of the cell left the sending node.
    pub left: Ps,
    /// Time at which the last bit of the cell arrives at the end of the link.
    pub arrives: Ps,
}

/// Report of a PDU whose first cell leaves the source queue.
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
    /// Number of leading cells of the PDU that are sent; the source queue has refused the rest.
    pub sent: u16,
    /// The TCP segment inside the PDU. Every PDU has one: sources without TCP send raw cells,
    /// without PDUs.
    pub segment: Segment,
}

/// Receives reports of all traffic, in order of time. At one instant PDUs come first, then losses,
/// then cells.
///
/// The reports of a port are of two kinds: cells on the port's link, and cells that the port refuses.
pub trait Observer {
    /// Report of a cell that has been put on a link. The cells of each link come in order.
    fn on_cell(&mut self, _cell: &Crossing) {}
    /// Report of a PDU that begins. The next `sent` data cells of its channel, from the number
    /// `first` on, belong to the PDU.
    fn on_pdu(&mut self, _pdu: &PduStart) {}
    /// Report of a cell that a buffer refused or a link lost
    /// ([`What::Loss`](super::event::What::Loss)), or of a PDU for which a source queue had too
    /// little room ([`What::Refusal`](super::event::What::Refusal)).
    fn on_loss(&mut self, _loss: &Event) {}
}
