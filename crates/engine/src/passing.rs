//! Cells and frames as control schemes and discard policies see them, in the same form for both
//! link layers.
//!
//! Schemes and policies count in units of service: an ATM cell is one unit, a frame has one unit
//! for each octet on its line.

/// Kind of contents of a cell or frame, as a port distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// User data.
    Data,
    /// A [`RateRecord`] on its way from the source to the destination.
    Forward,
    /// A [`RateRecord`] on its way back to the source. Only the port that forwards the cell or frame counts it.
    Backward,
}

/// A cell or frame that passes a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Contents of the cell or frame.
    pub contents: Contents,
    /// True if the cell or frame ends a PDU with user data. Each frame is a PDU.
    pub ends_pdu: bool,
    /// Size of the cell or frame in units of service.
    pub units: u32,
    is_marked: bool,
    is_tagged: bool,
}

impl Passing {
    /// An unmarked cell or frame of `units` units. `ends_pdu` has an effect only for user data.
    #[inline(always)]
    pub const fn new(contents: Contents, units: u32, ends_pdu: bool) -> Passing {
        Passing {
            contents,
            ends_pdu,
            units,
            is_marked: false,
            is_tagged: false,
        }
    }
    /// True for user data.
    #[inline(always)]
    pub const fn is_data(self) -> bool {
        matches!(self.contents, Contents::Data)
    }
    /// Sets a congestion mark: EFCI of a cell, CE of a packet whose sender uses ECN. A mark is
    /// never cleared.
    #[inline(always)]
    pub const fn mark(&mut self) {
        self.is_marked = true;
    }
    /// True if this port, or an earlier port on the path, has marked the cell or frame.
    #[inline(always)]
    pub const fn is_marked(self) -> bool {
        self.is_marked
    }
    /// This cell or frame, with a mark if `is_marked` is true.
    #[inline(always)]
    pub const fn marked_if(self, is_marked: bool) -> Passing {
        Passing { is_marked, ..self }
    }
    /// True for a cell with CLP = 1, which queues may refuse before others.
    #[inline(always)]
    pub const fn is_tagged(self) -> bool {
        self.is_tagged
    }
    /// This cell, with CLP = 1 if `is_tagged` is true.
    #[inline(always)]
    pub const fn tagged_if(self, is_tagged: bool) -> Passing {
        Passing { is_tagged, ..self }
    }
}

/// The contents of an RM cell of TM 4.0, also called rate record here because frames carry the same fields. With
/// it, sources and switches exchange rates. Rates are in units of service per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRecord {
    /// Explicit rate (ER), which switches may lower.
    pub er: f64,
    /// Current rate (CCR): ACR of the source at the time when the source sent the record.
    pub ccr: f64,
    /// Minimum rate (MCR) of the channel.
    pub mcr: f64,
    /// Congestion indication (CI): the source must reduce its rate.
    pub ci: bool,
    /// No increase (NI): the source must not raise its rate.
    pub ni: bool,
    /// True if a switch or the destination generated the record (BECN cell), false if the
    /// destination turned it round.
    pub bn: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scheme_sees_fits_a_register_and_keeps_its_mark() {
        assert_eq!(size_of::<Passing>(), 8);
        let mut passing = Passing::new(Contents::Data, 1_538, true);
        assert!(passing.is_data() && !passing.is_marked());
        passing.mark();
        assert_eq!(
            passing,
            Passing::new(Contents::Data, 1_538, true).marked_if(true)
        );
        assert!(!Passing::new(Contents::Forward, 84, false).is_data());
    }
}
