//! An event of the log: a loss, a timeout, a retransmission or a mark.

use crate::atm::cell::Info;
use crate::discard::Cause;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

/// Kind of an event with its details.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// A buffer refused a cell.
    Loss {
        /// Reason why the cell was lost.
        cause: Cause,
        /// The cell's number among the data cells of its channel, modulo 2^20.
        number: u32,
        /// True if the cell ended its PDU.
        eom: bool,
        /// True for an RM cell, which has no number.
        rm: bool,
    },
    /// A source queue was too full for a whole PDU, or for a bare cell.
    Refusal {
        /// Sequence number of the refused segment, or its acknowledgement number, in bytes; `None`
        /// for a bare cell, a SYN or a SYN-ACK.
        seq: Option<u64>,
    },
    /// A retransmission timer expired.
    Timeout {
        /// Sequence number in bytes of the oldest byte not acknowledged; `None` before the
        /// connection is established.
        seq: Option<u64>,
    },
    /// A segment was retransmitted.
    Retransmission {
        /// Sequence number of the segment's first byte; `None` for a SYN or SYN-ACK.
        seq: Option<u64>,
    },
    /// An RM cell was marked: CI, NI or ER changed, or the destination turned EFCI into CI.
    Mark {
        /// Explicit rate that the cell carries on, in cells/s.
        er: f64,
    },
}

/// An event of one channel at one place in the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time of the event.
    pub at: Ps,
    /// Channel of the event.
    pub channel: ChannelId,
    /// Link of the port of the event, if it was at a port.
    pub link: Option<u32>,
    /// Kind of event, with its details.
    pub what: What,
}

impl Event {
    /// The loss of a cell of `channel` at the port that feeds `link`, or by the link itself.
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
