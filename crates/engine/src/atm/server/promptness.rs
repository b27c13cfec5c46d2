//! What a prompt server is built from, tells, and is told.

use alloc::vec::Vec;

use crate::atm::cell::Info;
use crate::atm::errors::Errors;
use crate::credit::{CreditCell, Purpose, Record, Sender};
use crate::kernel::Ps;

/// What a port is told of one channel that sends through it.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSettings {
    /// Queue of its data.
    pub queue: u32,
    /// Queue of its RM cells.
    pub rm_queue: u32,
    /// Its credit, if it is under credit control.
    pub sender: Option<Sender>,
    /// Most cells that it may have here, if it is and comes from another node.
    pub most: Option<u64>,
    /// Departures of which the node is told at once; the last of so many tells of all. [`NEVER_TOLD`] if the node does
    /// not want to know.
    pub told_every: u32,
}

/// Departures of a channel of which nobody wants to know.
pub const NEVER_TOLD: u32 = u32::MAX;

/// What makes a port prompt: credit control, or a link that loses cells.
#[derive(Clone, Debug)]
pub struct PromptSettings {
    /// Channels by slot.
    pub channels: Vec<ChannelSettings>,
    /// For each queue, whether its channels take turns rather than share a FIFO.
    pub by_turns: Vec<bool>,
    /// Whether the others serve their RM cells before their other cells.
    pub rm_first: bool,
    /// Records that a credit cell may carry.
    pub records_per_cell: usize,
    /// Credit cells are served before this queue and those behind it.
    pub records_before: usize,
    /// Label of credit cells at the far end: the port there that feeds the link back.
    pub label: u32,
    /// What the link loses.
    pub errors: Option<Errors>,
}

/// A cell of a channel whose service has completed, and of which the node is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When.
    pub at: Ps,
    /// Slot of its channel.
    pub slot: u32,
    /// Header bits.
    pub info: Info,
    /// Label at the far end.
    pub label: u32,
    /// Whether the link loses it.
    pub lost: bool,
    /// Cells of the channel that have left and were not told before, this one included; 0 if they are to be told later.
    pub cells: u32,
}

/// Something to be told to the node at the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A credit, which may share its cell with others.
    Credit(Record),
    /// How much the channel in `slot` has sent, asked of nobody.
    Mark {
        /// Slot here.
        slot: u32,
        /// Label at the far end.
        label: u32,
    },
    /// A limit that may lie behind the one before, and the number of the reduction.
    Reduction(Record, u32),
    /// That the channel obeys a reduction.
    Confirmation {
        /// Slot here.
        slot: u32,
        /// Label at the far end.
        label: u32,
        /// Number of the reduction.
        reduction: u32,
    },
}

/// Cells of the credit protocol that a port has sent, the one in service not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditCounts {
    /// Cells with credits or reductions.
    pub credits: u64,
    /// Marks and confirmations.
    pub marks: u64,
    /// Of all these, cells that the link lost.
    pub lost: u64,
}

impl CreditCounts {
    /// A cell has been sent.
    pub(super) fn count(&mut self, purpose: Purpose, lost: bool) {
        match purpose {
            Purpose::Credit | Purpose::Reduction => self.credits += 1,
            Purpose::Mark | Purpose::Confirmation => self.marks += 1,
        }
        self.lost += lost as u64;
    }
    /// All of them.
    pub fn cells(self) -> u64 {
        self.credits + self.marks
    }
}

impl Message {
    /// A cell with this message, as the senders here are now.
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
