//! ECN at the sender (RFC 3168 sections 6.1.2 and 6.1.5).

use super::TcpSender;
use crate::kernel::Ps;
use crate::tcp::segment::{DataFlags, Segment};

/// State of ECN at the sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ecn {
    /// Value of snd_max at the last reaction to ECN-Echo; `None` before the first reaction.
    reduced_at: Option<u64>,
    /// True if the next new data must carry CWR.
    cwr_due: bool,
}

impl TcpSender {
    /// Processes the ECN-Echo flag of an acknowledgement with a valid number. All losses and marks of one window
    /// of data reduce the window once (RFC 3168 section 6.1.2). So after a reduction, ECN-Echo has no effect
    /// until data sent after this reduction are acknowledged.
    pub(super) fn take_echo(&mut self, now: Ps, segment: &Segment) {
        let ack = self.ack(now, segment);
        self.policy.get().on_marks(&ack);
        let sent_before = |reduced: Option<u64>| reduced.is_some_and(|end| ack.snd_una <= end);
        let reduced_at = self.ecn.as_ref().and_then(|ecn| ecn.reduced_at);
        if !ack.ece || sent_before(reduced_at) || sent_before(self.recover) {
            return;
        }
        let loss = self.loss(now, self.bytes_in_flight());
        self.policy.get().on_ecn_echo(&mut self.window, &loss);
        self.stats.ecn_reactions += 1;
        if let Some(ecn) = &mut self.ecn {
            ecn.reduced_at = Some(self.snd_max);
        }
        self.announce_reduction();
    }

    /// Records that the window was reduced, for a loss or for marks. The next new data then carry
    /// CWR (RFC 3168 section 6.1.2).
    pub(super) fn announce_reduction(&mut self) {
        if let Some(ecn) = &mut self.ecn {
            ecn.cwr_due = true;
        }
    }

    /// True if the byte `seq` was sent before the last reaction to ECN-Echo.
    pub(super) fn has_reduced(&self, seq: u64) -> bool {
        let reduced_at = self.ecn.as_ref().and_then(|ecn| ecn.reduced_at);
        reduced_at.is_some_and(|end| seq < end)
    }

    /// Flags of a segment whose first byte has the number `seq`. Only new data are ECT(0), and only they may
    /// carry CWR (RFC 3168 sections 6.1.2 and 6.1.5).
    #[inline]
    pub(super) fn ect(&mut self, seq: u64) -> DataFlags {
        match &mut self.ecn {
            Some(ecn) if seq >= self.snd_max => {
                if core::mem::take(&mut ecn.cwr_due) {
                    DataFlags::ECT_0_CWR
                } else {
                    DataFlags::ECT_0
                }
            }
            _ => DataFlags::NONE,
        }
    }
}
