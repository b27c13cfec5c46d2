//! The event log: losses, timeouts, retransmissions and marks, recorded on request.

use alloc::vec::Vec;

use super::channel::ChannelId;
use super::observer::Tap;
use super::plan::EventKinds;
use crate::discard::Cause;
use crate::kernel::Ps;

/// Kind of an event with its details.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// A buffer refused a cell.
    Loss {
        /// Reason of the loss.
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
        /// Sequence number of the segment, or its acknowledgement number, in bytes; `None` for a
        /// bare cell, a SYN or a SYN-ACK.
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
        /// Sequence number in bytes; `None` for a SYN or SYN-ACK.
        seq: Option<u64>,
    },
    /// An RM cell was marked: CI, NI or ER changed, or the destination turned EFCI into CI.
    Mark {
        /// Explicit rate that the cell carries on, in cells/s.
        er: f64,
    },
}

/// An event of one channel at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time of the event.
    pub at: Ps,
    /// Channel to which it happened.
    pub channel: ChannelId,
    /// Link of the port of the event, if it was at a port.
    pub link: Option<u32>,
    /// Kind of event.
    pub what: What,
}

/// Events of one node, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Kinds that are kept.
    pub kinds: EventKinds,
    limit: usize,
    events: Vec<Event>,
    /// Number of events beyond the limit, which were not kept.
    pub omitted: u64,
    /// Records for an observer, if there is one.
    pub tap: Option<Tap>,
}

impl Log {
    /// A log of the given kinds with space for `limit` events.
    pub fn new(kinds: EventKinds, limit: usize) -> Log {
        Log {
            kinds,
            limit,
            events: Vec::new(),
            omitted: 0,
            tap: None,
        }
    }
    /// Keeps an event if its kind is wanted.
    pub fn add(&mut self, event: Event) {
        let wanted = match event.what {
            What::Loss { .. } | What::Refusal { .. } => {
                if let Some(tap) = &mut self.tap {
                    tap.losses.push(event);
                }
                self.kinds.loss
            }
            What::Timeout { .. } => self.kinds.timeout,
            What::Retransmission { .. } => self.kinds.retransmission,
            What::Mark { .. } => self.kinds.mark,
        };
        if !wanted {
        } else if self.events.len() < self.limit {
            self.events.push(event);
        } else {
            self.omitted += 1;
        }
    }
    /// Events kept, in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}
