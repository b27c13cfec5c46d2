//! Settings and reports of a prompt server.

use alloc::vec::Vec;

use crate::atm::cell::Info;
use crate::atm::errors::Errors;
use crate::credit::{CreditCell, Purpose, Record, Sender};
use crate::kernel::Ps;

/// Settings of one channel that sends through a port.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSettings {
    /// Index of the queue of the channel's data.
    pub queue: u32,
    /// Index of the queue of the channel's RM cells.
    pub rm_queue: u32,
    /// Credit of the channel, if it is under credit control.
    pub sender: Option<Sender>,
    /// Largest number of cells that the channel may have at the port, if it is under credit control
    /// and comes from another node.
    pub most: Option<u64>,
    /// Number of departures, of data and RM cells together, after which the node is notified.
    /// [`NEVER_TOLD`] if the node needs no notification.
    pub told_every: u32,
}

/// Value of `told_every` for a channel whose departures are not reported.
pub const NEVER_TOLD: u32 = u32::MAX;

/// Settings that make a port prompt: credit control; in the plain reference also a link that loses
/// cells.
#[derive(Clone, Debug)]
pub struct PromptSettings {
    /// Settings of the channels, by slot.
    pub channels: Vec<ChannelSettings>,
    /// For each queue, true if its channels take turns, false if they share a FIFO.
    pub by_turns: Vec<bool>,
    /// Largest number of records in a credit cell.
    pub records_per_cell: usize,
    /// Index of the first queue that is served after credit cells.
    pub records_before: usize,
    /// Label of credit cells at the far end of the link, where it is the number of the port that
    /// sends on the opposite link.
    pub label: u32,
    /// Bit errors of the link; `None` if it loses no cell.
    pub errors: Option<Errors>,
    /// True if a server may report a departure as soon as its service has started. All effects of the report
    /// must be messages, their counts must not be read before the departure, and no cell may be lost.
    pub tells_ahead: bool,
}

/// A cell of a channel whose service has completed, as reported to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Time at which the service of the cell has completed.
    pub at: Ps,
    /// Slot of the channel at the port.
    pub slot: u32,
    /// Header bits of the cell.
    pub info: Info,
    /// Label of the cell at the far end of the link.
    pub label: u32,
    /// True if the link loses the cell.
    pub lost: bool,
    /// Number of cells of the channel that have left and were not reported before, including this
    /// one; 0 if they will be reported later.
    pub cells: u32,
}

/// A message of the credit protocol to the node at the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A credit; several credits may share a cell.
    Credit(Record),
    /// A mark: the number of cells that the channel in `slot` has sent, which answers no request.
    Mark {
        /// Slot of the channel at this node.
        slot: u32,
        /// Label of the channel at the far end of the link.
        label: u32,
    },
    /// A reduction: a limit that may be lower than the one before, and the number of the reduction.
    Reduction(Record, u32),
    /// Confirmation that the channel obeys a reduction.
    Confirmation {
        /// Slot of the channel at this node.
        slot: u32,
        /// Label of the channel at the far end of the link.
        label: u32,
        /// Number of the reduction.
        reduction: u32,
    },
}

/// Cells of the credit protocol that a port has sent, without the one in service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditCounts {
    /// Cells with credits or reductions that the port has sent.
    pub credits: u64,
    /// Cells with marks or confirmations that the port has sent.
    pub marks: u64,
    /// Cells of the credit protocol, of any kind, that the link has lost.
    pub lost: u64,
}

impl CreditCounts {
    /// Counts a sent cell.
    pub(super) fn count(&mut self, purpose: Purpose, lost: bool) {
        match purpose {
            Purpose::Credit | Purpose::Reduction => self.credits += 1,
            Purpose::Mark | Purpose::Confirmation => self.marks += 1,
        }
        self.lost += lost as u64;
    }
    /// Number of cells of both kinds.
    pub fn cells(self) -> u64 {
        self.credits + self.marks
    }
}

impl Message {
    /// The credit cell that carries this message; `sender` has the present counts of a channel.
    pub(super) fn cell(self, sender: impl Fn(u32) -> Sender) -> CreditCell {
        let record = |channel, count| Record { channel, count };
        let (purpose, records) = match self {
            Message::Credit(credit) => (Purpose::Credit, [Some(credit), None, None]),
            Message::Reduction(credit, number) => (
                Purpose::Reduction,
                [Some(credit), Some(record(credit.channel, number)), None],
            ),
            Message::Mark { slot, label } => (
                Purpose::Mark,
                [Some(record(label, sender(slot).sent())), None, None],
            ),
            Message::Confirmation {
                slot,
                label,
                reduction,
            } => {
                let counts = [sender(slot).sent(), sender(slot).limit(), reduction];
                (
                    Purpose::Confirmation,
                    counts.map(|count| Some(record(label, count))),
                )
            }
        };
        let mut cell = CreditCell::new(purpose);
        records
            .into_iter()
            .flatten()
            .for_each(|record| cell.push(record));
        cell
    }
}
