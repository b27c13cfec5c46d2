//! An event of the log: a loss, a timeout, a retransmission or a mark.

use crate::atm::cell::Info;
use crate::discard::Cause;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// Kind of a logged event, with its details.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// A buffer refused a cell, or a link lost a cell.
    Loss {
        /// Reason of the loss.
        cause: Cause,
        /// The cell's number among the data cells of its channel, modulo 2^20.
        number: u32,
        /// True if the cell was the last cell of a PDU.
        eom: bool,
        /// True for an RM cell; `number` is then without meaning, because only data cells are numbered.
        rm: bool,
    },
    /// A source queue had too little room for a whole PDU, or for one cell of a source without TCP.
    Refusal {
        /// Sequence number in bytes of the refused segment, or its acknowledgement number; `None` for a SYN, a
        /// SYN-ACK, or a cell of a source without TCP.
        seq: Option<u64>,
    },
    /// A retransmission timer expired.
    Timeout {
        /// Sequence number in bytes of the oldest byte not acknowledged; `None` before the
        /// connection is established.
        seq: Option<u64>,
    },
    /// TCP sent a segment again.
    Retransmission {
        /// Sequence number of the segment's first byte; `None` for a SYN or SYN-ACK.
        seq: Option<u64>,
    },
    /// An RM cell was marked: a switch changed CI, NI or ER, or the destination turned EFCI into
    /// CI. Also a backward RM cell that a switch generated.
    Mark {
        /// Explicit rate in the cell after the mark, in cells/s.
        er: f64,
    },
}

/// A logged event of one channel at one place in the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time of the event.
    pub at: Ps,
    /// Channel of the event.
    pub channel: ChannelId,
    /// Index of the link whose port had the event; `None` at an end system.
    pub link: Option<u32>,
    /// Kind of the event, with its details.
    pub what: What,
}

impl Event {
    /// The event of a cell of `channel` that was refused by the port of `link` or lost on `link`.
    pub fn loss(at: Ps, (channel, link): (ChannelId, u32), cause: Cause, info: Info) -> Event {
        Event {
            at,
            channel,
            link: Some(link),
            what: What::Loss {
                cause,
                number: info.number(),
                eom: info.is_eom(),
                rm: !info.is_data(),
            },
        }
    }
}
