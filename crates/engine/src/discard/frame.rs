//! The state machine of all frame-aware policies: the position of each channel in its PDU, and the
//! treatment of the rest of that PDU.

use alloc::vec;
use alloc::vec::Vec;

use super::tail_drop::room;
use super::{Cause, Verdict};
use crate::passing::Passing;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Accept,
    /// No cell of the PDU was or will be forwarded, not even the last.
    DropAll,
    /// A cell of the PDU was lost: only its last cell is useful.
    DropRest,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    mode: Mode,
    /// True if the next data cell or frame begins a PDU.
    starts: bool,
    /// True if cells were forwarded that the receiver takes for the beginning of this PDU.
    partial: bool,
    /// True if the end of a partly forwarded PDU was lost, so the receiver merges the next PDU with it.
    merges: bool,
}

/// Rules of a policy for one cell or frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Queue length above which no PDU may begin.
    pub begin_limit: u64,
    /// Queue length above which only the ends of partly forwarded PDUs are queued.
    pub end_reserve: u64,
    /// True if the end of a PDU that lost a cell is forwarded.
    pub forward_end: bool,
}

/// The state of every channel of a queue in its PDU.
#[derive(Clone, Debug)]
pub(super) struct Frames(Vec<Frame>);

impl Frames {
    pub fn new(channels: usize) -> Frames {
        Frames(vec![
            Frame {
                mode: Mode::Accept,
                starts: true,
                partial: false,
                merges: false
            };
            channels
        ])
    }

    /// True if a data cell of `slot` is within a PDU of which all cells have been accepted. As long as the
    /// queue is below its limits this cell is accepted, too, and changes no state unless it ends the PDU.
    #[inline]
    pub fn passes(&self, slot: u32) -> bool {
        let Frame { mode, starts, .. } = self.0[slot as usize];
        mode == Mode::Accept && !starts
    }

    /// Decides on one cell or frame. Cells and frames other than user data (PT 0xx) are dropped
    /// only by overflow.
    #[inline]
    pub fn admit(
        &mut self,
        slot: u32,
        passing: Passing,
        queue: u64,
        buffer: u64,
        rules: Rules,
    ) -> Verdict {
        let refuses = || queue > rules.begin_limit;
        self.admit_unless(refuses, slot, passing, (queue, buffer), rules)
    }

    /// Decides as [`Frames::admit`] does, but calls `refuses` at each first cell instead of
    /// comparing with `begin_limit`: if it is true the PDU may not begin.
    #[inline]
    pub fn admit_unless(
        &mut self,
        refuses: impl FnOnce() -> bool,
        slot: u32,
        passing: Passing,
        (queue, buffer): (u64, u64),
        rules: Rules,
    ) -> Verdict {
        if !passing.is_data() {
            return room(passing, queue, buffer);
        }
        let frame = &mut self.0[slot as usize];
        if frame.starts {
            frame.begin(refuses());
        }
        frame.starts = passing.ends_pdu;
        let after = queue + u64::from(passing.units);
        let verdict = frame.decide(passing.ends_pdu, after, buffer, rules);
        frame.record(verdict, passing.ends_pdu, rules.forward_end);
        verdict
    }
}

impl Frame {
    /// Begins a PDU. A PDU that the receiver merges with the one before is lost already, as AAL5
    /// discards both (Kalyanaraman 1997, section 8.12).
    fn begin(&mut self, refused: bool) {
        self.partial = core::mem::take(&mut self.merges);
        self.mode = match (self.partial, refused) {
            (true, _) => Mode::DropRest,
            (false, true) => Mode::DropAll,
            (false, false) => Mode::Accept,
        };
    }

    /// Decides on a cell or frame that would bring the queue to the length `after`.
    fn decide(&self, eom: bool, after: u64, buffer: u64, rules: Rules) -> Verdict {
        match self.mode {
            // Early packet discard: the whole PDU, its end included, as nothing of it was
            // forwarded.
            Mode::DropAll => Verdict::Drop(Cause::EarlyPacket),
            // Partial packet discard: all but the end.
            Mode::DropRest if !eom || !rules.forward_end => Verdict::Drop(Cause::PartialPacket),
            _ if after > buffer => Verdict::Drop(Cause::Overflow),
            // Intelligent tail drop, section 8.12: all but the first end of a PDU.
            _ if after > rules.end_reserve && !(eom && self.partial) => {
                Verdict::Drop(Cause::IntelligentTail)
            }
            _ => Verdict::Accept,
        }
    }

    fn record(&mut self, verdict: Verdict, eom: bool, forward_end: bool) {
        match verdict {
            Verdict::Accept => self.partial = true,
            Verdict::Drop(Cause::Overflow | Cause::IntelligentTail) => {
                self.mode = Mode::DropRest;
                self.merges = eom && self.partial && forward_end;
            }
            Verdict::Drop(_) => {}
        }
    }
}
