//! A frame that leaves on a tapped line, as its port records it.

use super::frame::{Info, Packet};
use crate::kernel::Ps;

/// A frame that leaves on a tapped line.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Time at which its last bit leaves.
    pub at: Ps,
    /// Label of the frame at the end of the link.
    pub label: u32,
    /// Word of the frame.
    pub info: Info,
    /// The packet in it.
    pub packet: Packet,
}
