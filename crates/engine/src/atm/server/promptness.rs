//! Settings and reports of a prompt server.

use alloc::vec::Vec;

use crate::atm::cell::Info;
use crate::atm::errors::Errors;
use crate::credit::{CreditCell, Purpose, Record, Sender};
use crate::kernel::Ps;

/// Settings of one channel that sends through a port.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSettings {
    /// Queue of its data.
    pub queue: u32,
    /// Queue of its RM cells.
    pub rm_queue: u32,
    /// Its credit, if it is under credit control.
    pub sender: Option<Sender>,
    /// Largest number of cells that the channel may have here, if it is under credit control and
    /// comes from another node.
    pub most: Option<u64>,
    /// Number of departures after which the node is notified, of all of them together.
    /// [`NEVER_TOLD`] if the node needs no notification.
    pub told_every: u32,
}

/// Value of `told_every` for a channel whose departures are not reported.
pub const NEVER_TOLD: u32 = u32::MAX;

/// Settings that make a port prompt: credit control; in the plain reference also a link that loses
/// cells.
#[derive(Clone, Debug)]
pub struct PromptSettings {
    /// Channels by slot.
    pub channels: Vec<ChannelSettings>,
    /// For each queue, true if its channels take turns, false if they share a FIFO.
    pub by_turns: Vec<bool>,
    /// Largest number of records in a credit cell.
    pub records_per_cell: usize,
    /// First queue that is served after credit cells.
    pub records_before: usize,
    /// Label of credit cells at the far end: there it is the port that sends on the opposite link.
    pub label: u32,
    /// Losses of the link.
    pub errors: Option<Errors>,
    /// True if a server may report a departure as soon as its service has started. All of what follows
    /// must be messages, and nobody may look at what they count before the departure; nothing may be lost.
    pub tells_ahead: bool,
}

/// A cell of a channel whose service has completed, as reported to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Completion time.
    pub at: Ps,
    /// Slot of its channel.
    pub slot: u32,
    /// Header bits.
    pub info: Info,
    /// Label at the far end.
    pub label: u32,
    /// True if the link loses the cell.
    pub lost: bool,
    /// Number of cells of the channel that have left and were not reported before, this one
    /// included; 0 if they will be reported later.
    pub cells: u32,
}

/// A message of the credit protocol to the node at the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A credit; several of them may share a cell.
    Credit(Record),
    /// The number of cells that the channel in `slot` has sent, without a request.
    Mark {
        /// Slot at this node.
        slot: u32,
        /// Label at the far end.
        label: u32,
    },
    /// A limit that may be lower than the one before, and the number of the reduction.
    Reduction(Record, u32),
    /// Confirmation that the channel obeys a reduction.
    Confirmation {
        /// Slot at this node.
        slot: u32,
        /// Label at the far end.
        label: u32,
        /// Number of the reduction.
        reduction: u32,
    },
}

/// Cells of the credit protocol that a port has sent, without the one in service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditCounts {
    /// Cells with credits or reductions.
    pub credits: u64,
    /// Marks and confirmations.
    pub marks: u64,
    /// Cells of these that the link lost.
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
    /// Total number of cells.
    pub fn cells(self) -> u64 {
        self.credits + self.marks
    }
}

impl Message {
    /// The cell for this message, with the present counts of the senders.
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
