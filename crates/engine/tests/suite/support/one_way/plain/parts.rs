//! Recoveries that last over several acknowledgements: partial acknowledgements, and full ones.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::Recovery;

use super::PlainSender;
use super::rules::Rule;

impl PlainSender {
    /// Sets NewReno's window at the end of a recovery, without a burst.
    pub(super) fn deflate(&mut self) {
        let out = (self.max - self.una) as f64;
        let burst = if self.has(Rule::EndAvoidsBurst) {
            out.max(1.0) + 1.0
        } else {
            f64::INFINITY
        };
        self.cwnd = self.ssthresh.min(burst);
    }

    /// Forgets duplicates after `acked` packets were acknowledged, other than partially.
    pub(super) fn forget_duplicates(&mut self, acked: f64) {
        let stay = !self.has(Rule::DuplicatesEnd) && self.inflation >= acked;
        self.inflation = if stay {
            self.inflation - (acked - 1.0)
        } else {
            0.0
        };
        (self.head_lost, self.head_due) = (stay, stay);
    }

    pub(super) fn on_part(&mut self, now: Ps, acked: f64) {
        if self.is(Recovery::Sack) {
            return self.on_selective_part(now);
        }
        if self.inflation > acked {
            self.inflation -= acked - 1.0;
        } else if !self.has(Rule::PartTakesCwnd) {
            self.inflation = (self.inflation - (acked - 1.0)).max(0.0);
        } else {
            self.cwnd = (self.cwnd - (acked - self.inflation)).max(1.0);
            self.inflation = 1.0;
        }
        self.resend = true;
        if !std::mem::replace(&mut self.partly, true) {
            self.timer = Ps(now.0 + self.rto.0);
        }
    }
}
