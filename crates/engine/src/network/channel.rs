//! The path of a channel.

use alloc::vec::Vec;

/// A channel at one of its links: the port that feeds the link, the slot of the channel there, and
/// its label at the far end.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// The link.
    pub link: usize,
    /// Index of the port within its node.
    pub port: u32,
    /// Slot of the channel at that port.
    pub slot: u32,
    /// Label at the node that the link leads to.
    pub label: u32,
}

/// A directed channel: of flow `i`, channel `2 i` is the forward and `2 i + 1` the backward one.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// Its hops in order; empty if the flow has no such channel.
    pub hops: Vec<Hop>,
}
