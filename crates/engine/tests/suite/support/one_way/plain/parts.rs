//! Recoveries that last: acknowledgements of a part, and of all.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::Recovery;

use super::PlainSender;

impl PlainSender {
    /// NewReno's window at the end of a recovery: no burst.
    pub(super) fn deflate(&mut self) {
        let out = (self.max - self.una) as f64;
        self.cwnd = self.ssthresh.min(out.max(1.0) + 1.0);
    }

    pub(super) fn on_part(&mut self, now: Ps, acked: f64) {
        if self.is(Recovery::Sack) {
            self.board.partly();
            return self.time(now);
        }
        if self.inflation > acked {
            self.inflation -= acked - 1.0;
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
