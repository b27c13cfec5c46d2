//! Data that a port stores of a frame on a captured link.

use super::frame::{Info, Packet};
use crate::kernel::Ps;

/// A frame that leaves on a captured link.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Time at which the last bit leaves.
    pub at: Ps,
    /// Label of the frame at the end of the link.
    pub label: u32,
    /// Header word of the frame.
    pub info: Info,
    /// Packet in the frame.
    pub packet: Packet,
}
