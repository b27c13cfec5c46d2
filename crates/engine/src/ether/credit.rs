//! Credit of a node for the node before it, and the frame that carries it.

use super::frame::{Info, Packet};
use crate::credit::Receiver;

/// Credit for one channel, on its way to the node that sends the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Label of the channel at that node: of its frames at a switch, of its end at a host.
    pub label: u32,
    /// The count up to which octets may be sent.
    pub limit: u32,
}

impl Credit {
    /// The frame that carries it.
    pub fn frame(self) -> (Info, Packet) {
        (Info::credit(), Packet::Credit { limit: self.limit })
    }
}

/// Account of a channel that arrives at a node.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    receiver: Receiver,
    /// Port or interface that leads back.
    pub back: u32,
    /// Label of the channel at the node before.
    label: u32,
}

impl Account {
    /// A channel with credit every `n2` octets out of a buffer of `reserve` octets.
    pub fn new((n2, reserve): (u32, u32), back: u32, label: u32) -> Account {
        Account {
            receiver: Receiver::new(n2, reserve),
            back,
            label,
        }
    }
    /// A frame of `octets` on the line has been forwarded, or has arrived where the channel ends. Returns the
    /// credit that is due.
    pub fn forward(&mut self, octets: u32) -> Option<Credit> {
        let limit = self.receiver.forward(octets)?;
        Some(Credit {
            label: self.label,
            limit,
        })
    }
}
