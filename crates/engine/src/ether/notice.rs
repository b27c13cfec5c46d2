//! Reports of PFC or CBFC from one end of a link to the other.

/// A report of PFC or CBFC about one priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// PFC: true for a pause of this duration in quanta of 512 bit times, false for the end of the pause.
    Pause(bool, u16),
    /// CBFC: count of all credits that the priority has freed, modulo 2^16.
    Freed(u16),
}

/// A [`Notice`] that a port or interface must send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Number of the port or interface that must send it.
    pub port: u32,
    /// Priority of the pause or of the freed credits.
    pub priority: u8,
    /// The pause, the end of a pause, or the count of freed credits.
    pub notice: Notice,
}

/// Contents of a frame of CBFC: the credits that a receiver has freed. The counts are cumulative, so the loss of a frame is
/// repaired by the next frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// A bit for each virtual channel of which the frame carries the count.
    pub channels: u8,
    /// By virtual channel the credits freed so far, modulo 2^16.
    pub freed: [u16; 8],
}

impl Update {
    /// Sets the count of freed credits of a virtual channel.
    pub fn set(&mut self, channel: u8, freed: u16) {
        self.channels |= 1 << channel;
        self.freed[channel as usize] = freed;
    }
}
