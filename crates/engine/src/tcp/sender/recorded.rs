//! Senders that keep a record of each segment, because their recovery policy or pacing needs it: round trips by
//! an exact clock, delivery rates, and the pace.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::recovery::{Ack, Delivery};
use crate::tcp::segment::Segment;

impl TcpSender {
    /// The next segment that window, pace and supply of data permit.
    pub(super) fn poll_recorded(&mut self, now: Ps) -> Option<Segment> {
        self.send_at = Ps::NEVER;
        if now < self.paced_until && !self.continues_burst(now) {
            if self.resend || self.may_send() {
                self.send_at = self.paced_until;
            } else {
                self.note_limit();
            }
            return None;
        }
        let idle = self.bytes_in_flight() == 0;
        let limited = self
            .records
            .as_ref()
            .is_some_and(|records| records.is_app_limited());
        if idle && limited && self.snd_end > self.snd_max {
            self.policy.get().on_restart(now);
        }
        let segment = self.poll_permitted(now);
        match &segment {
            Some(segment) => self.note_sent(now, segment, idle),
            None => self.note_limit(),
        }
        segment
    }

    fn note_sent(&mut self, now: Ps, segment: &Segment, idle: bool) {
        let Some((seq, len)) = segment.data_range() else {
            return;
        };
        let bytes = len as u64;
        if let Some(records) = &mut self.records {
            records.on_sent(now, seq, seq + bytes, idle);
        }
        let flight = self.bytes_in_flight();
        let gap = match self.policy.get().pacing_rate() {
            // draft-cardwell-iccrg-bbr-congestion-control-00 4.2.1
            Some(rate) => Some(Ps::from_secs_f64(bytes as f64 / rate)),
            None => {
                let pacer = self.pacer.as_ref();
                pacer.and_then(|pacer| pacer.gap(&self.window, flight, bytes))
            }
        };
        if let Some(gap) = gap {
            // Even if the pace is far below the rate of the path, the gap is at most one RTO, so that the
            // connection does not stall.
            let gap = gap.clamp(Ps(1), self.rto());
            if let Some(tso) = &mut self.tso {
                tso.on_sent(now, gap, self.paced_until);
            }
            // The gaps of the segments of a burst add up.
            self.paced_until = self.paced_until.max(now).saturating_add(gap);
        }
    }

    /// Must be called when nothing can be sent, whatever the pace. If the application has no data and the window
    /// has room, rate samples of data in flight do not show the rate of the path. The draft
    /// draft-cheng-iccrg-delivery-rate-estimation-00 tests this when the application writes (3.4). This method tests it
    /// at the last `poll_segment` before. Nothing changes in between, so the result is the same.
    fn note_limit(&mut self) {
        if self.snd_max < self.snd_end || self.has_lost_to_send() {
            return;
        }
        let pipe = self.pipe(self.snd_una);
        if pipe < self.window.cwnd
            && let Some(records) = &mut self.records
        {
            records.limit(pipe);
        }
    }

    /// True if some lost data have not been sent again (C.lost_out > C.retrans_out in 3.4).
    fn has_lost_to_send(&self) -> bool {
        match &self.board {
            _ if self.resend => true,
            Some(board) if self.recovering => {
                // By NextSeg() rule (1), only lost holes precede new data. All other holes come after new data
                // and do not count.
                let mss = self.window.mss;
                let hole = board.next_seg(self.snd_una, self.snd_max, mss, true);
                hole.is_some()
            }
            Some(board) => board.skip(self.snd_nxt) < self.snd_max,
            None => self.snd_nxt < self.snd_max,
        }
    }

    /// Value of snd_max at the last timeout, if data that were outstanding at the timeout are still missing once
    /// everything below `una` is acknowledged; `None` otherwise. These data count as lost, and no other recovery
    /// begins (RFC 6675 section 5.1).
    fn recover_after_timeout(&self, una: u64) -> Option<u64> {
        self.recover
            .filter(|recover| !self.recovering && una < *recover)
    }

    /// Number of bytes in flight once everything below `una` is acknowledged, by the scoreboard if there is one
    /// (RFC 6675 SetPipe). After a timeout, all data outstanding at that time count as lost. Retransmissions
    /// since then, and new data, are in flight.
    pub(super) fn pipe(&self, una: u64) -> u64 {
        let (snd_max, mss) = (self.snd_max, self.window.mss);
        match (&self.board, self.recover_after_timeout(una)) {
            (Some(board), Some(recover)) => {
                board.pipe_after_timeout(una, self.snd_nxt, recover, snd_max, mss)
            }
            (Some(board), None) => board.pipe(una, snd_max, mss),
            (None, _) => snd_max - una,
        }
    }

    /// Reacts to an acknowledgement, and to what it shows about the delivery of segments.
    pub(super) fn on_recorded_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        let (news, delivery) = self.take_delivery(now, segment);
        if let Some(pacer) = &mut self.pacer {
            pacer.on_delivery(delivery);
        }
        let ack = Ack {
            delivery,
            ..self.ack(now, segment)
        };
        let event = self.react(segment, news, &ack);
        self.policy.get().on_ack(&mut self.window, &ack);
        if self.policy.get().holds_back() {
            let pipe = self.pipe(self.snd_una);
            if let Some(records) = &mut self.records {
                records.limit(pipe);
            }
        }
        event
    }

    /// Adds an acknowledgement to the scoreboard and the records of segments. Returns two values: true if the
    /// blocks report new data ([`Self::update_board`]), and what the acknowledgement shows about the delivery of
    /// segments.
    pub(super) fn take_delivery(
        &mut self,
        now: Ps,
        segment: &Segment,
    ) -> (Option<bool>, Option<Delivery>) {
        let mss = self.window.mss;
        let pipe_before = self.pipe(self.snd_una);
        // Data that were outstanding at a timeout already count as lost.
        let timed_out = self.recover_after_timeout(self.snd_una).unwrap_or(0);
        let lost_before = self
            .board
            .as_ref()
            .map_or(0, |board| board.lost_below(mss))
            .max(timed_out)
            .max(segment.ack());
        let news = self.update_board(segment);
        let pipe = self.pipe(segment.ack());
        let board = self.board.as_ref();
        let lost = board.map_or(0, |board| board.lost_above(lost_before, mss));
        let delivery = self.records.as_mut().map(|records| {
            records.on_ack(segment.ack());
            Delivery {
                lost,
                pipe_before,
                pipe,
                ..records.take_reports(now)
            }
        });
        (news, delivery)
    }

    /// True if the recovery policy treats the first or second duplicate as a loss, because the oldest segment was
    /// sent too long ago.
    pub(super) fn is_overdue(&mut self, now: Ps) -> bool {
        let sent = self
            .records
            .as_ref()
            .and_then(|records| records.oldest_sent());
        sent.is_some_and(|sent| {
            let age = now.saturating_sub(sent);
            self.policy.get().retransmits_early(age)
        })
    }
}
