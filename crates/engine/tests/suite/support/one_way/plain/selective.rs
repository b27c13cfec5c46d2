//! Recovery with selective acknowledgements (RFC 6675 section 5).

use cellrate_engine::kernel::Ps;

use super::rules::Rule;
use super::{PlainSender, THRESHOLD};

impl PlainSender {
    pub(super) fn on_selective(&mut self, now: Ps) {
        self.duplicates += 1;
        self.allowed = self.duplicates < THRESHOLD;
        if self.duplicates == 1 {
            self.board.out_at_first = self.max;
        }
        let reacted = self.recovering || (self.recover > 0 && self.una < self.recover);
        let lost = self.duplicates == THRESHOLD || self.sees_loss();
        if reacted || !lost {
            return;
        }
        let half = if !self.has(Rule::HalvesFirstFlight) {
            self.flight() / 2.0
        } else if self.has(Rule::HalvesFlight) {
            (self.board.out_at_first - self.una) as f64 / 2.0
        } else {
            (self.usable() / 2.0).floor()
        };
        self.ssthresh = half.max(2.0);
        self.cwnd = self.ssthresh;
        self.board.begin(self.una, self.max);
        self.resend = true;
        self.begin(now, true);
    }

    fn sees_loss(&self) -> bool {
        self.has(Rule::SeesLoss)
            && (self.duplicates > THRESHOLD || self.board.lost_below() > self.una)
    }

    /// Handles a partial acknowledgement.
    pub(super) fn on_selective_part(&mut self, now: Ps) {
        self.board.partly();
        self.forced = !self.has(Rule::PartSendsByPipe) && !self.board.again(self.una);
        self.time(now);
    }

    pub(super) fn next_selective(&self) -> Option<u64> {
        if !self.recovering && self.duplicates > 0 && !self.has(Rule::SendsWhatArrived) {
            let room = self.una as f64 + self.cwnd + self.duplicates as f64;
            return (self.allowed && (self.nxt + 1) as f64 <= room).then_some(self.nxt);
        }
        if !self.recovering {
            let next = self.board.skip(self.nxt);
            let room = (self.cwnd + self.board.below(next) as f64).min(self.start.window as f64)
                + self.una as f64;
            return ((next + 1) as f64 <= room).then_some(next);
        }
        let scoreboard = self.has(Rule::PipeOfScoreboard);
        let pipe = if scoreboard {
            self.board.pipe(self.una, self.max)
        } else {
            self.board.counted
        };
        if (pipe + 1) as f64 > self.cwnd && !self.forced {
            return None;
        }
        let hole = self.board.hole(self.una);
        let lost =
            hole.filter(|hole| !self.has(Rule::FillsWhatIsLost) || *hole < self.board.lost_below());
        let new = (self.max < self.una + self.start.window).then_some(self.max);
        let rescue = || {
            self.board
                .rescue(self.una, self.max)
                .filter(|_| self.has(Rule::Rescues))
        };
        lost.or(new).or(hole).or_else(rescue)
    }
}
