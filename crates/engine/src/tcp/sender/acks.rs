//! Acknowledgements: new data, duplicates, and the recoveries that they begin, carry on and end.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::recovery::Resend;
use crate::tcp::scoreboard::DUP_THRESH;
use crate::tcp::segment::Segment;

impl TcpSender {
    /// Takes an acknowledgement. Gives the reaction if it was the third duplicate.
    pub fn on_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        self.last_heard = now;
        if segment.is_of_setup() || !self.is_open() {
            self.on_setup_segment(now, segment);
            return None;
        }
        if segment.ack > self.snd_max || segment.ack < self.snd_una {
            // Of data never sent, or overtaken by a later acknowledgement.
            self.dup_acks = 0;
            return None;
        }
        let news = self.update_board(segment);
        if segment.ack > self.snd_una {
            self.on_new_ack(now, segment);
            return None;
        }
        match news {
            Some(news) => self.on_selective_duplicate(now, segment, news),
            None => self.on_old_ack(now, segment),
        }
    }

    fn on_old_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        let unchanged = segment.len == 0 && segment.window as u64 == self.window.rwnd;
        if !unchanged || self.bytes_in_flight() == 0 {
            self.dup_acks = 0;
            self.window.rwnd = self.window.rwnd.max(segment.window as u64);
            return None;
        }
        self.stats.dup_acks += 1;
        self.dup_acks += 1;
        match self.dup_acks {
            DUP_THRESH => self.fast_retransmit(now),
            n if n > DUP_THRESH => {
                if self.recovering || !self.policy.get().recovers_fully() {
                    self.policy.get().on_further_dup_ack(&mut self.window);
                }
                None
            }
            _ => None,
        }
    }

    fn fast_retransmit(&mut self, now: Ps) -> Option<TcpEvent> {
        let lasts = self.policy.get().recovers_fully();
        // RFC 6582: duplicates of what was sent before the last loss may be of its retransmissions.
        if lasts && (self.recovering || self.recover.is_some_and(|recover| self.snd_una <= recover))
        {
            return None;
        }
        match self.policy.get().on_third_dup_ack(&mut self.window)? {
            Resend::Oldest => self.resend = true,
            Resend::GoBack => self.snd_nxt = self.snd_una,
        }
        Some(self.begin_recovery(now, lasts))
    }

    pub(super) fn begin_recovery(&mut self, now: Ps, lasts: bool) -> TcpEvent {
        (self.recover, self.recovering, self.partly_recovered) = (Some(self.snd_max), lasts, false);
        self.timed = None;
        self.time_the_copy(now);
        self.stats.fast_retransmits += 1;
        TcpEvent::FastRetransmit {
            seq: self.snd_una,
            ssthresh: self.window.ssthresh,
        }
    }

    fn on_new_ack(&mut self, now: Ps, segment: &Segment) {
        if self.recovering && self.recover.is_some_and(|recover| segment.ack < recover) {
            return self.on_partial_ack(now, segment);
        }
        let recovered = core::mem::take(&mut self.recovering);
        let lasted = self.policy.get().recovers_fully();
        if recovered || (self.dup_acks >= DUP_THRESH && !lasted) {
            self.policy
                .get()
                .on_recovered(&mut self.window, self.snd_max - segment.ack);
        }
        self.dup_acks = 0;
        self.resend = false;
        self.measure(now, segment.ack);
        if !recovered {
            self.policy
                .get()
                .grow(&mut self.window, segment.ack - self.snd_una);
        }
        self.window.rwnd = segment.window as u64;
        self.snd_una = segment.ack;
        self.snd_nxt = self.snd_nxt.max(segment.ack);
        self.time_the_oldest(now);
    }

    /// RFC 6582 section 3.2 step 3: the next hole is filled at once; the timer is restarted by the first only, so
    /// that many holes end in a timeout rather than in one round trip each. With a scoreboard it says what is sent, and
    /// the timer is restarted whenever data are acknowledged (RFC 6298 section 5.3).
    fn on_partial_ack(&mut self, now: Ps, segment: &Segment) {
        self.measure(now, segment.ack);
        self.policy
            .get()
            .on_partial_ack(&mut self.window, segment.ack - self.snd_una);
        self.window.rwnd = segment.window as u64;
        self.snd_una = segment.ack;
        self.snd_nxt = self.snd_nxt.max(segment.ack);
        self.resend = self.board.is_none();
        if self.board.is_some() {
            self.time_the_oldest(now);
        } else if !core::mem::replace(&mut self.partly_recovered, true) {
            self.time_the_copy(now);
        }
    }

    /// Starts the timer of the oldest segment again, if one is outstanding. With `rtt_excludes_transmission` it waits
    /// for that segment's last cell.
    pub(super) fn time_the_oldest(&mut self, now: Ps) {
        let waits = self.rtt_excludes_transmission && self.transmitted <= self.snd_una;
        let idle = self.bytes_in_flight() == 0 || waits;
        self.rto_at = if idle {
            Ps::NEVER
        } else {
            self.estimator.expiry(now)
        };
    }

    /// The oldest segment is about to be sent again: the timer is that of the copy.
    pub(super) fn time_the_copy(&mut self, now: Ps) {
        self.rto_at = if self.rtt_excludes_transmission {
            Ps::NEVER
        } else {
            self.estimator.expiry(now)
        };
    }

    fn measure(&mut self, now: Ps, ack: u64) {
        if let Some(timed) = self.timed.filter(|timed| ack > timed.seq) {
            self.estimator.on_sample(now, timed.since);
            self.timed = None;
            self.stats.rtt_samples += 1;
        }
    }
}
