//! Notices from one end of a link to the other, under flow control by priority.

/// A notice about a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// PFC: true for a pause of this duration in quanta of 512 bit times, false for its end.
    Pause(bool, u16),
    /// CBFC: count of all credits that the priority has freed, modulo 2^16.
    Freed(u16),
}

/// A notice that a port or interface must send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The port or interface.
    pub port: u32,
    /// The priority.
    pub priority: u8,
    /// The notice.
    pub notice: Notice,
}

/// Contents of a frame of CBFC: the credits that a receiver has freed. The counts are cumulative, so the next frame repairs the
/// loss of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// A bit for each virtual channel whose count the frame carries.
    pub channels: u8,
    /// By virtual channel the credits freed so far, modulo 2^16.
    pub freed: [u16; 8],
}

impl Update {
    /// Adds the count of a virtual channel.
    pub fn set(&mut self, channel: u8, freed: u16) {
        self.channels |= 1 << channel;
        self.freed[channel as usize] = freed;
    }
}
