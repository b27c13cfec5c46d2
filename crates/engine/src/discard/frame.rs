//! The state machine of all policies that know PDUs: the position of each channel in its present
//! PDU, and what happens to the rest of this PDU.

use alloc::vec;
use alloc::vec::Vec;

use super::tail_drop::room;
use super::{Cause, Verdict};
use crate::passing::Passing;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Accept,
    /// No cell of the PDU has been forwarded, and none will be, not even the last.
    DropAll,
    /// A cell of the PDU was lost, so of the remaining cells only the last one is useful.
    DropRest,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    mode: Mode,
    /// True if the channel's next data cell or frame begins a PDU.
    starts: bool,
    /// True if cells have been forwarded that the receiver counts as part of the present PDU.
    partial: bool,
    /// True if the last cell of a partly forwarded PDU was lost, so that the receiver merges this
    /// PDU with the next one.
    merges: bool,
}

/// Thresholds and rules of a policy for one arriving cell or frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Queue length in units above which no PDU may begin.
    pub begin_limit: u64,
    /// Queue length in units above which only the last cells of partly forwarded PDUs are queued.
    pub end_reserve: u64,
    /// True if the last cell of a PDU that lost a cell is forwarded.
    pub forward_end: bool,
}

/// For each channel of a queue, its state within the present PDU.
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

    /// True if all cells so far of the present PDU of channel `slot` have been accepted. Below the
    /// queue's limits the next data cell is then accepted, too; the cell changes no state unless it
    /// ends the PDU.
    #[inline]
    pub fn passes(&self, slot: u32) -> bool {
        let Frame { mode, starts, .. } = self.0[slot as usize];
        mode == Mode::Accept && !starts
    }

    /// Decides about one cell or frame. A cell without user data, such as an RM cell, is dropped only if the
    /// buffer is full.
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

    /// Decides as [`Frames::admit`] does, with one difference. At the first cell of each PDU it calls `refuses`,
    /// instead of comparing with `begin_limit`. If `refuses` returns true, the PDU may not begin.
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
    /// Begins a PDU. If the receiver merges this PDU with the one before, the PDU is already lost, because AAL5
    /// discards both (Kalyanaraman 1997, section 8.12).
    fn begin(&mut self, refused: bool) {
        self.partial = core::mem::take(&mut self.merges);
        self.mode = match (self.partial, refused) {
            (true, _) => Mode::DropRest,
            (false, true) => Mode::DropAll,
            (false, false) => Mode::Accept,
        };
    }

    /// Decides about a cell or frame with which the queue would have `after` units.
    fn decide(&self, eom: bool, after: u64, buffer: u64, rules: Rules) -> Verdict {
        match self.mode {
            // Early packet discard: the whole PDU including its last cell, as no cell of it was forwarded.
            Mode::DropAll => Verdict::Drop(Cause::EarlyPacket),
            // Partial packet discard: all cells except the last.
            Mode::DropRest if !eom || !rules.forward_end => Verdict::Drop(Cause::PartialPacket),
            _ if after > buffer => Verdict::Drop(Cause::Overflow),
            // Intelligent tail drop, section 8.12: all cells except the last cell of a partly forwarded PDU.
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
