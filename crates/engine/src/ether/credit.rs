//! Credit that a node returns to the previous node, and the frame that carries the credit.

use super::frame::{Info, Packet};
use crate::credit::Receiver;

/// Credit for one channel (FCVC), on its way to the node that sends the frames of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Label at the node that sends the frames of the channel: at a switch the label of the channel's frames, at a host
    /// the index of the endpoint.
    pub label: u32,
    /// Limit of the channel: the count of octets on the line, since the start of the run, up to which it may send.
    pub limit: u32,
}

impl Credit {
    /// The frame that carries the credit.
    pub fn frame(self) -> (Info, Packet) {
        (Info::credit(), Packet::Credit { limit: self.limit })
    }
}

/// Buffer account of a channel that arrives at a node, by which the node returns credits.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    receiver: Receiver,
    /// Number of the port or interface that sends the credit back.
    pub back: u32,
    /// Label of the channel at the previous node.
    label: u32,
}

impl Account {
    /// The account of a channel with a buffer of `reserve` octets, which returns a credit every `n2` octets.
    pub fn new((n2, reserve): (u32, u32), back: u32, label: u32) -> Account {
        Account {
            receiver: Receiver::new(n2, reserve),
            back,
            label,
        }
    }
    /// Counts a frame of `octets` on the line that has been forwarded, or has arrived at the end of the
    /// channel. Returns a credit if one is due.
    pub fn forward(&mut self, octets: u32) -> Option<Credit> {
        let limit = self.receiver.forward(octets)?;
        Some(Credit {
            label: self.label,
            limit,
        })
    }
}
