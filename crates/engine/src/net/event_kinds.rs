//! The kinds of events that a run logs, which are the same over both link layers.

/// A set of event kinds for the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventKinds {
    /// Cells or frames refused by a buffer, dropped by queue management, or lost by a link.
    pub loss: bool,
    /// Expiries of retransmission timers.
    pub timeout: bool,
    /// Segments and packets sent again.
    pub retransmission: bool,
    /// Congestion marks that ports set: in RM cells and data cells over ATM, CE in frames over Ethernet.
    pub mark: bool,
}
