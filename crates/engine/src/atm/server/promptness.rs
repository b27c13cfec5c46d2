//! Settings of an event-driven server, and its reports to its node.

use alloc::vec::Vec;

use crate::atm::cell::Info;
use crate::atm::errors::Errors;
use crate::credit::{CreditCell, Purpose, Record, Sender};
use crate::kernel::Ps;

/// Settings of one channel through an event-driven port.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSettings {
    /// Index of the queue for the channel's data cells.
    pub queue: u32,
    /// Index of the queue for the channel's RM cells.
    pub rm_queue: u32,
    /// Initial credit of the channel; `None` without credit control.
    pub sender: Option<Sender>,
    /// Largest number of cells that the channel may have at the port; `None` without credit
    /// control, or if the channel begins at this node.
    pub most: Option<u64>,
    /// Number of departures, of data and RM cells together, after which the server reports to the node;
    /// [`NEVER_TOLD`] if the server need not report.
    pub told_every: u32,
}

/// Value of `told_every` for a channel whose departures are never reported.
pub const NEVER_TOLD: u32 = u32::MAX;

/// Settings of an event-driven server. A port has such a server for credit control, and in the plain engine also
/// for a link that loses cells.
#[derive(Clone, Debug)]
pub struct PromptSettings {
    /// Settings of the channels, by index at the port (slot).
    pub channels: Vec<ChannelSettings>,
    /// For each queue: true if its channels are served round-robin, false if the queue is first-in
    /// first-out.
    pub by_turns: Vec<bool>,
    /// Largest number of credits in one credit cell.
    pub records_per_cell: usize,
    /// Index of the first queue that has a lower priority than credit cells.
    pub records_before: usize,
    /// Label of credit cells for the node at the far end of the link: the index of that node's port
    /// on the opposite link.
    pub label: u32,
    /// Error process of the link; `None` if the link loses no cell.
    pub errors: Option<Errors>,
    /// True if the server may report a departure as soon as its service has started. This is permitted if a
    /// report only causes messages, if no cell is lost, and if the counts of messages are not read before the
    /// departure.
    pub tells_ahead: bool,
}

/// Report of a departure: a cell of a channel whose service ends at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Time at which the service of the cell ends.
    pub at: Ps,
    /// Index of the cell's channel at the port (slot).
    pub slot: u32,
    /// Header bits of the cell.
    pub info: Info,
    /// Label (VPI/VCI) of the cell for the node at the far end of the link.
    pub label: u32,
    /// True if the link loses the cell.
    pub lost: bool,
    /// Number of departed cells of the channel that have not been reported yet, including this
    /// cell; 0 if a later report counts them.
    pub cells: u32,
}

/// A message of the credit protocol for the node at the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A credit: a new limit of a channel. Several credits may share a cell.
    Credit(Record),
    /// A mark: tells the receiver the number of cells that the channel with index `slot` has sent, so that the
    /// receiver can find lost cells. A mark requests no credit.
    Mark {
        /// Index of the channel at the sending port.
        slot: u32,
        /// Label (VPI/VCI) of the channel's cells at the far end of the link.
        label: u32,
    },
    /// A reduction: a limit that may be lower than the previous limit, and the sequence number of this reduction.
    Reduction(Record, u32),
    /// Confirmation of a reduction: the channel obeys the new limit.
    Confirmation {
        /// Index of the channel at the sending port.
        slot: u32,
        /// Label (VPI/VCI) of the channel's cells at the far end of the link.
        label: u32,
        /// Sequence number of the confirmed reduction.
        reduction: u32,
    },
}

/// Numbers of credit-protocol cells that a port has sent. The cell in service does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditCounts {
    /// Cells with credits or reductions.
    pub credits: u64,
    /// Cells with marks (counts of cells sent) or confirmations.
    pub marks: u64,
    /// Cells of the credit protocol that the link has lost.
    pub lost: u64,
}

impl CreditCounts {
    /// Counts a sent cell of the credit protocol; `lost` if the link has lost it.
    pub(super) fn count(&mut self, purpose: Purpose, lost: bool) {
        match purpose {
            Purpose::Credit | Purpose::Reduction => self.credits += 1,
            Purpose::Mark | Purpose::Confirmation => self.marks += 1,
        }
        self.lost += lost as u64;
    }
    /// Number of all cells of the credit protocol.
    pub fn cells(self) -> u64 {
        self.credits + self.marks
    }
}

impl Message {
    /// The credit cell that carries this message. `sender` returns the state of the credit of a
    /// channel, by its index at the port.
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
