//! Trimming in a switch: the frames of what remains of a packet.

/// Frames of trimmed packets.
#[derive(Clone, Copy, Debug)]
pub struct Trimming {
    /// Priority of the frames.
    pub priority: u8,
    /// Octets of the frames, from header to FCS.
    pub octets: u32,
}
