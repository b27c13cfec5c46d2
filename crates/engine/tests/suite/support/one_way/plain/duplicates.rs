//! Reactions to duplicate acknowledgements.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::Recovery;

use super::rules::Rule;
use super::{PlainSender, THRESHOLD};

impl PlainSender {
    pub(super) fn on_duplicate(&mut self, now: Ps) {
        if self.max == self.una {
            return;
        }
        self.duplicates += 1;
        if self.recovering || self.is(Recovery::Reno) && self.duplicates > THRESHOLD {
            self.inflation += 1.0;
        } else if self.duplicates == THRESHOLD || self.head_lost {
            self.on_third(now);
        }
    }

    pub(super) fn on_third(&mut self, now: Ps) {
        let lasts = self.is(Recovery::NewReno);
        let beyond = self.una > self.recover
            || self.una == self.recover && !self.has(Rule::BeginsBeyondRecover);
        let again = lasts && self.recover > 0 && (self.recovering || !beyond);
        if again || self.is(Recovery::TimeoutOnly) {
            return;
        }
        let left = if lasts && !self.has(Rule::CountsFirstTwo) {
            self.inflation + 1.0
        } else {
            3.0
        };
        self.halve((self.nxt - self.una) as f64 - left);
        if self.is(Recovery::Tahoe) {
            self.cwnd = 1.0;
            if !self.has(Rule::GoesOn) {
                self.nxt = self.una;
            }
        } else {
            (self.cwnd, self.inflation) = (self.ssthresh, left);
        }
        self.resend = self.nxt > self.una;
        self.begin(now, lasts);
    }

    pub(super) fn begin(&mut self, now: Ps, lasts: bool) {
        (self.recover, self.recovering, self.partly) = (self.max, lasts, false);
        (self.head_lost, self.head_due) = (false, false);
        if self.has(Rule::FastRestartsTimer) {
            self.timer = Ps(now.0 + self.rto.0);
        }
    }
}
