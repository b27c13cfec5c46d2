//! Trimming in a switch: the form of frames whose payload has been cut off.

/// Form of the frames of trimmed packets.
#[derive(Clone, Copy, Debug)]
pub struct Trimming {
    /// Priority of the frames.
    pub priority: u8,
    /// Octets of the frames, from header to FCS.
    pub octets: u32,
}
