//! A frame that a switch hands to an output port.

use super::frame::{Info, Packet};

/// A frame that reaches an output port from inside the switch.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// Label of the frame at this switch. The switch counts drops by this label.
    pub route: u32,
    /// Label of the frame at the next node.
    pub label: u32,
    /// Header word of the frame: octets, ECN, priority and contents.
    pub info: Info,
    /// Packet in the frame.
    pub packet: Packet,
    /// Index of the flow among the flows under rate control at the port; `None` for other flows.
    pub slot: Option<u32>,
}
