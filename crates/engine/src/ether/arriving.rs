//! A frame on its way into a port.

use super::frame::{Info, Packet};

/// A frame that arrives at a port.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// Its label at the switch, by which a drop is counted.
    pub route: u32,
    /// Its label at the node that follows.
    pub label: u32,
    /// Its word.
    pub info: Info,
    /// The packet in it.
    pub packet: Packet,
    /// Number of its flow among those under control at the port, if it is one.
    pub slot: Option<u32>,
}
