//! Senders whose policy needs a record of each segment: round trips by an exact clock, rates of
//! delivery, and pacing.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::segment::Segment;

impl TcpSender {
    /// The next segment that window, supply and pace permit.
    pub(super) fn poll_recorded(&mut self, now: Ps) -> Option<Segment> {
        self.send_at = Ps::NEVER;
        if now < self.paced_until {
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
            self.policy.get().on_restart();
        }
        let segment = self.poll_permitted(now);
        match &segment {
            Some(segment) => self.note_sent(now, segment, idle),
            None => self.note_limit(),
        }
        segment
    }

    fn note_sent(&mut self, now: Ps, segment: &Segment, idle: bool) {
        let bytes = segment.len as u64;
        if let Some(records) = &mut self.records {
            records.on_sent(now, segment.seq, segment.seq + bytes, idle);
        }
        if let Some(rate) = self.policy.get().pacing_rate() {
            // draft-cardwell-iccrg-bbr-congestion-control-00 4.2.1
            let gap = Ps::from_secs_f64(bytes as f64 / rate);
            // A pace far below the path's must not stop the connection.
            self.paced_until = now.saturating_add(gap.clamp(Ps(1), self.rto()));
        }
    }

    /// Nothing may be sent, whatever the pace. If the application has no data and the window has
    /// room, rates of what is on its way say nothing of the path
    /// (draft-cheng-iccrg-delivery-rate-estimation-00 3.4, which asks when the application writes:
    /// the answer is that of the poll before).
    fn note_limit(&mut self) {
        let pipe = self.pipe();
        if self.snd_max == self.snd_end
            && pipe < self.window.cwnd
            && let Some(records) = &mut self.records
        {
            records.limit(pipe);
        }
    }

    /// Bytes on their way, by the scoreboard if there is one (RFC 6675 SetPipe).
    fn pipe(&self) -> u64 {
        match &self.board {
            Some(board) => board.pipe(self.snd_una, self.snd_max, self.window.mss),
            None => self.bytes_in_flight(),
        }
    }

    /// An acknowledgement, with what it tells of the delivery of segments.
    pub(super) fn on_recorded_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        let mss = self.window.mss;
        let pipe_before = self.pipe();
        let lost_before = self
            .board
            .as_ref()
            .map_or(0, |board| board.lost_below(mss))
            .max(segment.ack);
        let news = self.update_board(segment);
        let mut ack = self.ack(now, segment);
        if let Some(records) = &mut self.records {
            records.on_ack(segment.ack);
            let mut delivery = records.take_news(now);
            delivery.pipe_before = pipe_before;
            (delivery.lost, delivery.pipe) = match &self.board {
                Some(board) => (
                    board.lost_above(lost_before, mss),
                    board.pipe(segment.ack, self.snd_max, mss),
                ),
                None => (0, ack.flight()),
            };
            ack.delivery = Some(delivery);
        }
        let event = self.react(segment, news, &ack);
        self.policy.get().on_ack(&mut self.window, &ack);
        if self.policy.get().holds_back() {
            let pipe = self.pipe();
            if let Some(records) = &mut self.records {
                records.limit(pipe);
            }
        }
        event
    }

    /// True if the policy takes the first or second duplicate for a loss, as the oldest segment is
    /// too old.
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
