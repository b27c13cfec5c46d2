//! Acknowledgements at the sender: new data, duplicates, and the recoveries that they begin,
//! continue and end.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::recovery::{Ack, Resend};
use crate::tcp::scoreboard::DUP_THRESH;
use crate::tcp::segment::Segment;

impl TcpSender {
    /// Processes an acknowledgement. If the sender detects a loss by this acknowledgement, returns how the sender
    /// reacts.
    pub fn on_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        self.last_heard = now;
        if segment.handshake().is_some() || !self.is_open() {
            self.on_setup_segment(now, segment);
            return None;
        }
        if self.closing.is_some() {
            return self.on_closing_ack(now, segment);
        }
        self.on_ack_of_data(now, segment)
    }

    /// Processes an acknowledgement of an established connection. The acknowledgement number counts only data,
    /// not a FIN.
    #[inline(always)]
    pub(super) fn on_ack_of_data(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        if segment.ack() > self.snd_max || segment.ack() < self.snd_una {
            // The acknowledgement number is beyond all data sent, or below an earlier acknowledgement number.
            self.dup_acks = 0;
            return None;
        }
        if let Segment::StampedAck { stamps, .. } = segment
            && !self.take_stamps(now, segment.ack(), *stamps)
        {
            return None;
        }
        if self.ecn.is_some() {
            self.take_echo(now, segment);
        }
        if self.frto.is_some() {
            return self.on_suspecting_ack(now, segment);
        }
        self.on_valid_ack(now, segment)
    }

    /// Processes an acknowledgement with a valid number. The ECN-Echo flag of the acknowledgement must have been
    /// processed before.
    #[inline(always)]
    pub(super) fn on_valid_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        if self.records.is_some() {
            return self.on_recorded_ack(now, segment);
        }
        let news = self.update_board(segment);
        self.react(segment, news, &self.ack(now, segment))
    }

    /// Receive window in bytes that a segment advertises.
    #[inline]
    pub(super) fn advertised(&self, segment: &Segment) -> u64 {
        segment.window().unwrap_or(self.rcv_window) as u64
    }

    /// The report of an acknowledgement for the recovery policy, without the part `delivery`.
    #[inline(always)]
    pub(super) fn ack(&self, now: Ps, segment: &Segment) -> Ack {
        Ack {
            now,
            acked: segment.ack() - self.snd_una,
            snd_una: segment.ack(),
            snd_max: self.snd_max,
            starved: self.is_starved(),
            ece: self.ecn.is_some() && segment.has_ece(),
            delivery: None,
        }
    }

    /// True if the application and the receive window leave less than a full segment that was never sent.
    #[inline(always)]
    fn is_starved(&self) -> bool {
        let end = self.snd_end.min(self.snd_una + self.window.rwnd);
        end < self.snd_max + self.window.mss
    }

    /// Reacts to an acknowledgement. If the sender has a scoreboard, the blocks must be in the scoreboard
    /// already. `news` is true if the blocks report new data.
    pub(super) fn react(
        &mut self,
        segment: &Segment,
        news: Option<bool>,
        ack: &Ack,
    ) -> Option<TcpEvent> {
        if ack.acked > 0 {
            self.on_new_ack(segment, ack);
            return None;
        }
        match news {
            Some(news) => self.on_selective_duplicate(ack.now, segment, news),
            None => self.on_old_ack(ack.now, segment),
        }
    }

    fn on_old_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        // RFC 5681 section 2, "duplicate acknowledgment": data are outstanding (a), no payload (b),
        // window unchanged (e).
        let window = self.advertised(segment);
        let unchanged = segment.payload() == 0 && window == self.window.rwnd;
        if !unchanged || self.bytes_in_flight() == 0 {
            self.dup_acks = 0;
            self.window.rwnd = self.window.rwnd.max(window);
            return None;
        }
        self.stats.dup_acks += 1;
        self.dup_acks += 1;
        if self.dup_acks < DUP_THRESH && self.is_overdue(now) {
            let event = self.fast_retransmit(now);
            self.dup_acks = DUP_THRESH;
            return event;
        }
        match self.dup_acks {
            DUP_THRESH => self.fast_retransmit(now), // RFC 5681 3.2 step 2
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
        // RFC 6582 3.2 step 2: a recovery may begin only if the acknowledgement is above `recover`, since
        // retransmissions may cause duplicates up to there.
        if lasts && (self.recovering || self.recover.is_some_and(|recover| self.snd_una <= recover))
        {
            return None;
        }
        let loss = self.loss(now, self.bytes_in_flight());
        match self
            .policy
            .get()
            .on_third_dup_ack(&mut self.window, &loss)?
        {
            Resend::Oldest => self.resend = true,
            Resend::GoBack => self.snd_nxt = self.snd_una,
        }
        Some(self.begin_recovery(now, lasts))
    }

    /// Begins a recovery. If `lasts` is true, the recovery ends when `recover` is acknowledged, otherwise with
    /// the next acknowledgement of new data.
    pub(super) fn begin_recovery(&mut self, now: Ps, lasts: bool) -> TcpEvent {
        (self.recover, self.recovering, self.partly_recovered) = (Some(self.snd_max), lasts, false);
        self.timed = None; // Karn: the segment is sent a second time
        self.time_the_copy(now);
        self.announce_reduction();
        self.stats.fast_retransmits += 1;
        TcpEvent::FastRetransmit {
            seq: self.snd_una,
            ssthresh: self.window.ssthresh,
        }
    }

    fn on_new_ack(&mut self, segment: &Segment, ack: &Ack) {
        let now = ack.now;
        if self.recovering && self.recover.is_some_and(|recover| segment.ack() < recover) {
            return self.on_partial_ack(segment, ack);
        }
        let recovered = core::mem::take(&mut self.recovering);
        let lasted = self.policy.get().recovers_fully();
        if recovered || (self.dup_acks >= DUP_THRESH && !lasted) {
            self.policy.get().on_recovered(&mut self.window, ack);
        }
        self.dup_acks = 0;
        self.resend = false;
        self.measure(now, segment.ack());
        // The acknowledgement that ends a recovery sets cwnd without further growth (RFC 6582 3.2 step 3). An
        // acknowledgement with ECN-Echo does not let the window grow either (RFC 3168 section 6.1.2).
        if !recovered && !ack.ece {
            self.policy.get().grow(&mut self.window, ack);
        }
        self.window.rwnd = self.advertised(segment);
        self.snd_una = segment.ack();
        self.snd_nxt = self.snd_nxt.max(segment.ack());
        self.time_the_oldest(now); // RFC 6298 (5.2), (5.3)
    }

    /// RFC 6582 3.2 step 3: sends the next hole at once. Only the first partial acknowledgement restarts the
    /// timer (the "impatient" variant). So a loss of many segments ends in a timeout, and does not take a round
    /// trip for each hole. With a scoreboard, the scoreboard chooses what is sent, and each acknowledgement of
    /// data restarts the timer (RFC 6298 (5.3)).
    fn on_partial_ack(&mut self, segment: &Segment, ack: &Ack) {
        let now = ack.now;
        self.measure(now, segment.ack());
        self.policy.get().on_partial_ack(&mut self.window, ack);
        self.window.rwnd = self.advertised(segment);
        self.snd_una = segment.ack();
        self.snd_nxt = self.snd_nxt.max(segment.ack());
        self.resend = self.board.is_none();
        if self.board.is_some() {
            self.time_the_oldest(now);
        } else if !core::mem::replace(&mut self.partly_recovered, true) {
            self.time_the_copy(now);
        }
    }

    /// Restarts the timer for the oldest segment (RFC 6298 (5.3)), or stops the timer if no data are outstanding
    /// (5.2). With `rtt_excludes_transmission` the time counts from the instant at which the last bit of that
    /// segment leaves.
    pub(super) fn time_the_oldest(&mut self, now: Ps) {
        let waits = self.rtt_excludes_transmission && self.transmitted <= self.snd_una;
        let idle = self.bytes_in_flight() == 0 || waits;
        self.rto_at = if idle {
            Ps::NEVER
        } else {
            self.estimator.expiry(now)
        };
    }

    /// Restarts the timer for the retransmission of the oldest segment, which is about to be sent
    /// (RFC 6298 (5.6)).
    pub(super) fn time_the_copy(&mut self, now: Ps) {
        self.rto_at = if self.rtt_excludes_transmission {
            Ps::NEVER
        } else {
            self.estimator.expiry(now)
        };
    }

    /// Adds a round-trip sample if an acknowledgement with the number `ack` covers the timed
    /// segment.
    fn measure(&mut self, now: Ps, ack: u64) {
        if let Some(timed) = self.timed.filter(|timed| ack > timed.seq) {
            self.estimator.on_sample(now, timed.since);
            self.timed = None;
            self.stats.rtt_samples += 1;
        }
    }
}
