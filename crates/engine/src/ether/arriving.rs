//! A frame on its way into a port.

use super::frame::{Info, Packet};

/// A frame that arrives at a port.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// Label of the frame at the switch, by which a drop is counted.
    pub route: u32,
    /// Label of the frame at the node that follows.
    pub label: u32,
    /// Word of the frame.
    pub info: Info,
    /// The packet in it.
    pub packet: Packet,
    /// Number of its flow among those under control at the port, if it is one.
    pub slot: Option<u32>,
}
