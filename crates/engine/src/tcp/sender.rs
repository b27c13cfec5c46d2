//! The sending half of a connection (4.3BSD Net/3, RFC 793, RFC 1122), without a clock of its own.

use super::config::TcpConfig;
use super::estimator::RttEstimator;
use super::recovery::{Policy, Resend};
use super::segment::Segment;
use super::window::Window;
use crate::kernel::Ps;

/// Duplicate acknowledgements that trigger a fast retransmission.
const DUP_ACKS: u32 = 3;

/// What a sender did about a loss, for the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TcpEvent {
    /// The retransmission timer expired; everything from `seq` on is sent again.
    Timeout {
        /// snd_una in bytes.
        seq: u64,
        /// ssthresh after the timeout, in bytes.
        ssthresh: u64,
        /// Timeouts since the last valid round trip, this one included.
        backoff: u32,
    },
    /// The third duplicate acknowledgement; the segment at `seq` is sent again at once.
    FastRetransmit {
        /// snd_una in bytes.
        seq: u64,
        /// ssthresh after the reaction, in bytes.
        ssthresh: u64,
    },
}

/// Counts since the start of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Payload bytes sent for the first time.
    pub bytes_sent_once: u64,
    /// Segments that began with bytes sent before.
    pub segments_retransmitted: u64,
    /// Payload bytes sent again.
    pub bytes_retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Duplicate acknowledgements counted as such.
    pub dup_acks: u64,
    /// Round trips measured.
    pub rtt_samples: u64,
    /// Slow starts after an idle time.
    pub idle_restarts: u64,
    /// When the retransmission timer expired last.
    pub last_timeout: Option<Ps>,
}

/// The one segment whose round trip is being measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    seq: u64,
    since: u64,
}

/// A sender. The host calls [`Self::poll_segment`] until it gives nothing after every other call,
/// and [`Self::on_timer`] when [`Self::next_timer`] has come.
#[derive(Clone, Debug)]
pub struct TcpSender {
    window: Window,
    policy: Policy,
    estimator: RttEstimator,
    snd_una: u64,
    snd_nxt: u64,
    snd_max: u64,
    /// End of the data supplied so far.
    snd_end: u64,
    dup_acks: u32,
    /// snd_max when the last loss was noticed (`recover` of RFC 6582); nothing before the first.
    recover: Option<u64>,
    /// A recovery that lasts until `recover` is acknowledged goes on; whether it has been in part.
    recovering: bool,
    partly_recovered: bool,
    /// The segment at snd_una is to be sent again, wherever snd_nxt is.
    resend: bool,
    timed: Option<Timed>,
    rto_at: Ps,
    last_heard: Ps,
    idle_restart: bool,
    rtt_excludes_transmission: bool,
    /// End of the data whose last cell has left the host since the last going back; with
    /// `rtt_excludes_transmission` only.
    transmitted: u64,
    rcv_window: u32,
    stats: SenderStats,
}

impl TcpSender {
    /// A sender without data. Its clock ticks at `phase + k * granularity`.
    pub fn new(config: &TcpConfig, phase: Ps) -> TcpSender {
        TcpSender {
            window: Window::new(config),
            policy: Policy::new(config),
            estimator: RttEstimator::new(config, phase),
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            snd_end: 0,
            dup_acks: 0,
            recover: None,
            recovering: false,
            partly_recovered: false,
            resend: false,
            timed: None,
            rto_at: Ps::NEVER,
            last_heard: Ps::ZERO,
            idle_restart: config.idle_restart,
            rtt_excludes_transmission: config.rtt_excludes_transmission,
            transmitted: 0,
            rcv_window: config.window.0 as u32,
            stats: SenderStats::default(),
        }
    }

    /// The application writes `bytes` more; `u64::MAX` is an endless supply.
    pub fn supply(&mut self, bytes: u64) {
        self.snd_end = self.snd_end.saturating_add(bytes);
    }

    /// The next segment that window and supply permit. Only full segments are sent, except the last
    /// of the supply (sender-side silly window avoidance, RFC 1122 4.2.3.4).
    pub fn poll_segment(&mut self, now: Ps) -> Option<Segment> {
        if self.resend {
            self.resend = false;
            return Some(self.emit(now, self.snd_una));
        }
        self.restart_after_idle(now);
        self.may_send().then(|| self.emit(now, self.snd_nxt))
    }

    /// Payload of a segment at `seq`.
    #[inline]
    fn len_at(&self, seq: u64) -> u64 {
        self.window.mss.min(self.snd_end - seq)
    }

    #[inline]
    fn may_send(&self) -> bool {
        let len = self.len_at(self.snd_nxt);
        len > 0 && self.snd_nxt + len <= self.snd_una + self.window.usable()
    }

    fn emit(&mut self, now: Ps, seq: u64) -> Segment {
        let len = self.len_at(seq);
        let end = seq + len;
        self.count_sent(seq, end);
        if end > self.snd_max {
            // Karn: only a segment that carries nothing but new data is timed. One that is sent again may be longer
            // than before, if the application has written since.
            if seq >= self.snd_max {
                self.timed.get_or_insert_with(|| Timed { seq, since: self.estimator.tick(now) });
            }
            self.snd_max = end;
        }
        self.snd_nxt = self.snd_nxt.max(end);
        if !self.rto_at.is_scheduled() && !self.rtt_excludes_transmission {
            self.rto_at = self.estimator.expiry(now);
        }
        Segment { seq, ack: 0, sent: now, len: len as u32, window: self.rcv_window }
    }

    fn count_sent(&mut self, seq: u64, end: u64) {
        let again = end.min(self.snd_max).saturating_sub(seq);
        self.stats.segments_sent += 1;
        self.stats.bytes_sent_once += end - seq - again;
        self.stats.segments_retransmitted += (again > 0) as u64;
        self.stats.bytes_retransmitted += again;
    }

    /// Slow start after an idle time of an RTO (Jacobson 1988; Net/3 tcp_output).
    fn restart_after_idle(&mut self, now: Ps) {
        let idle = self.idle_restart && self.snd_una == self.snd_max && self.snd_end > self.snd_max;
        if idle && self.snd_max > 0 && self.window.cwnd > self.window.mss && self.silent_for_an_rto(now) {
            self.window.cwnd = self.window.mss;
            self.stats.idle_restarts += 1;
        }
    }

    fn silent_for_an_rto(&self, now: Ps) -> bool {
        self.estimator.rto_since(self.last_heard, now)
    }

    /// Takes an acknowledgement. Gives the reaction if it was the third duplicate.
    pub fn on_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        self.last_heard = now;
        if segment.ack > self.snd_max || segment.ack < self.snd_una {
            // Of data never sent, or overtaken by a later acknowledgement.
            self.dup_acks = 0;
            return None;
        }
        if segment.ack > self.snd_una {
            self.on_new_ack(now, segment);
            return None;
        }
        self.on_old_ack(now, segment)
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
            DUP_ACKS => self.fast_retransmit(now),
            n if n > DUP_ACKS => {
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
        if lasts && (self.recovering || self.recover.is_some_and(|recover| self.snd_una <= recover)) {
            return None;
        }
        match self.policy.get().on_third_dup_ack(&mut self.window)? {
            Resend::Oldest => self.resend = true,
            Resend::GoBack => self.snd_nxt = self.snd_una,
        }
        (self.recover, self.recovering, self.partly_recovered) = (Some(self.snd_max), lasts, false);
        self.timed = None;
        self.time_the_copy(now);
        self.stats.fast_retransmits += 1;
        Some(TcpEvent::FastRetransmit { seq: self.snd_una, ssthresh: self.window.ssthresh })
    }

    fn on_new_ack(&mut self, now: Ps, segment: &Segment) {
        if self.recovering && self.recover.is_some_and(|recover| segment.ack < recover) {
            return self.on_partial_ack(now, segment);
        }
        let recovered = core::mem::take(&mut self.recovering);
        let lasted = self.policy.get().recovers_fully();
        if recovered || (self.dup_acks >= DUP_ACKS && !lasted) {
            self.policy.get().on_recovered(&mut self.window, self.snd_max - segment.ack);
        }
        self.dup_acks = 0;
        self.resend = false;
        self.measure(now, segment.ack);
        if !recovered {
            self.policy.get().grow(&mut self.window, segment.ack - self.snd_una);
        }
        self.window.rwnd = segment.window as u64;
        self.snd_una = segment.ack;
        self.snd_nxt = self.snd_nxt.max(segment.ack);
        self.time_the_oldest(now);
    }

    /// RFC 6582 section 3.2 step 3: the next hole is filled at once; the timer is restarted by the first only, so
    /// that many holes end in a timeout rather than in one round trip each.
    fn on_partial_ack(&mut self, now: Ps, segment: &Segment) {
        self.measure(now, segment.ack);
        self.policy.get().on_partial_ack(&mut self.window, segment.ack - self.snd_una);
        self.window.rwnd = segment.window as u64;
        self.snd_una = segment.ack;
        self.snd_nxt = self.snd_nxt.max(segment.ack);
        self.resend = true;
        if !core::mem::replace(&mut self.partly_recovered, true) {
            self.time_the_copy(now);
        }
    }

    /// Starts the timer of the oldest segment again, if one is outstanding. With `rtt_excludes_transmission` it waits
    /// for that segment's last cell.
    fn time_the_oldest(&mut self, now: Ps) {
        let waits = self.rtt_excludes_transmission && self.transmitted <= self.snd_una;
        let idle = self.bytes_in_flight() == 0 || waits;
        self.rto_at = if idle { Ps::NEVER } else { self.estimator.expiry(now) };
    }

    /// The oldest segment is about to be sent again: the timer is that of the copy.
    fn time_the_copy(&mut self, now: Ps) {
        self.rto_at = if self.rtt_excludes_transmission { Ps::NEVER } else { self.estimator.expiry(now) };
    }

    fn measure(&mut self, now: Ps, ack: u64) {
        if let Some(timed) = self.timed.filter(|timed| ack > timed.seq) {
            self.estimator.on_sample(now, timed.since);
            self.timed = None;
            self.stats.rtt_samples += 1;
        }
    }

    /// The last cell of `segment` left the host, or the host refused it. Needed only with `rtt_excludes_transmission`,
    /// where the round trip, and the timer of the oldest segment, start here; otherwise without effect.
    pub fn on_transmitted(&mut self, now: Ps, segment: &Segment) {
        if !self.rtt_excludes_transmission {
            return;
        }
        if let Some(timed) = self.timed.as_mut().filter(|timed| timed.seq == segment.seq) {
            timed.since = self.estimator.tick(now);
        }
        let end = segment.seq + segment.len as u64;
        self.transmitted = self.transmitted.max(end);
        if segment.seq <= self.snd_una && self.snd_una < end {
            self.time_the_oldest(now);
        }
    }

    /// When [`Self::on_timer`] is due; `NEVER` if nothing is outstanding.
    #[inline]
    pub fn next_timer(&self) -> Ps {
        self.rto_at
    }

    /// Goes back to snd_una with a window of one segment and a doubled RTO, if the timer is due.
    pub fn on_timer(&mut self, now: Ps) -> Option<TcpEvent> {
        if now < self.rto_at {
            return None;
        }
        self.estimator.on_timeout();
        self.policy.get().on_timeout(&mut self.window);
        self.timed = None;
        self.dup_acks = 0;
        (self.recover, self.recovering) = (Some(self.snd_max), false);
        self.resend = false;
        self.snd_nxt = self.snd_una;
        self.transmitted = self.snd_una;
        self.time_the_copy(now);
        self.stats.timeouts += 1;
        self.stats.last_timeout = Some(now);
        let (ssthresh, backoff) = (self.window.ssthresh, self.estimator.backoff());
        Some(TcpEvent::Timeout { seq: self.snd_una, ssthresh, backoff })
    }

    /// There is data to send but the window forbids it.
    pub fn is_window_limited(&self) -> bool {
        !self.resend && self.snd_end > self.snd_nxt && !self.may_send()
    }
    /// Everything supplied so far has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.snd_una == self.snd_end
    }
    /// Bytes sent and not yet acknowledged cumulatively (FlightSize of RFC 5681).
    pub fn bytes_in_flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }
    /// Congestion window in bytes.
    pub fn cwnd(&self) -> u64 {
        self.window.cwnd
    }
    /// Slow start threshold in bytes.
    pub fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }
    /// Receive window that was advertised last, in bytes.
    pub fn rwnd(&self) -> u64 {
        self.window.rwnd
    }
    /// Oldest byte not acknowledged.
    pub fn snd_una(&self) -> u64 {
        self.snd_una
    }
    /// Next byte to send; below [`Self::snd_max`] while going back.
    pub fn snd_nxt(&self) -> u64 {
        self.snd_nxt
    }
    /// One above the highest byte ever sent. A polled segment that begins below it is a
    /// retransmission (ask before polling).
    pub fn snd_max(&self) -> u64 {
        self.snd_max
    }
    /// Current nominal retransmission timeout, backoff included.
    pub fn rto(&self) -> Ps {
        self.estimator.rto()
    }
    /// Smoothed round trip, `None` before the first sample.
    pub fn srtt(&self) -> Option<Ps> {
        self.estimator.srtt()
    }
    /// Counts since the start.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::kernel::units::Bytes;
    use crate::tcp::Recovery;

    const MSS: u64 = 1_000;

    fn config(recovery: Recovery) -> TcpConfig {
        TcpConfig { recovery, mss: Bytes(MSS), window: Bytes(64_000), ..TcpConfig::default() }
    }

    fn greedy(recovery: Recovery, initial_window: u32) -> TcpSender {
        let mut sender = TcpSender::new(&TcpConfig { initial_window, ..config(recovery) }, Ps::ZERO);
        sender.supply(u64::MAX);
        sender
    }

    /// Numbers of the segments sent at `now`.
    fn drain(sender: &mut TcpSender, now: Ps) -> Vec<u64> {
        core::iter::from_fn(|| sender.poll_segment(now)).map(|segment| segment.seq / MSS).collect()
    }

    fn ack(number: u64) -> Segment {
        Segment { ack: number * MSS, window: 64_000, ..Segment::default() }
    }

    fn acks(sender: &mut TcpSender, now: Ps, number: u64, times: usize) -> Option<TcpEvent> {
        (0..times).map(|_| sender.on_ack(now, &ack(number))).last().flatten()
    }

    #[test]
    fn slow_start_sends_two_segments_for_every_acknowledgement() {
        let mut s = greedy(Recovery::Tahoe, 1);
        assert_eq!(drain(&mut s, Ps(1)), [0]);
        for (number, sent) in [(1, [1, 2]), (2, [3, 4]), (3, [5, 6])] {
            s.on_ack(Ps(2), &ack(number));
            assert_eq!(drain(&mut s, Ps(2)), sent);
        }
        assert!(s.is_window_limited());
    }

    #[test]
    fn only_the_last_segment_of_the_supply_is_short() {
        let mut s = TcpSender::new(&TcpConfig { initial_window: 4, ..config(Recovery::Tahoe) }, Ps::ZERO);
        s.supply(2_300);
        let lens: Vec<u32> = core::iter::from_fn(|| s.poll_segment(Ps(1))).map(|segment| segment.len).collect();
        assert_eq!(lens, [1_000, 1_000, 300]);
        assert!(!s.is_window_limited() && s.bytes_in_flight() == 2_300);
    }

    #[test]
    fn a_window_with_room_for_less_than_a_segment_sends_nothing() {
        let mut s = greedy(Recovery::Tahoe, 1);
        s.window.cwnd = 1_999;
        assert_eq!(drain(&mut s, Ps(1)), [0]);
        assert!(s.is_window_limited());
    }

    #[test]
    fn the_third_duplicate_and_no_other_triggers_the_fast_retransmission() {
        let mut s = greedy(Recovery::Tahoe, 8);
        drain(&mut s, Ps(1));
        assert_eq!(acks(&mut s, Ps(2), 0, 2), None);
        assert!(drain(&mut s, Ps(2)).is_empty());
        // min(8, 64)/2 = 4 segments
        let event = Some(TcpEvent::FastRetransmit { seq: 0, ssthresh: 4 * MSS });
        assert_eq!(acks(&mut s, Ps(2), 0, 1), event);
        assert_eq!(drain(&mut s, Ps(2)), [0]);
        assert_eq!(acks(&mut s, Ps(2), 0, 4), None);
        assert!(drain(&mut s, Ps(2)).is_empty());
        assert_eq!((s.stats.fast_retransmits, s.stats.dup_acks, s.snd_nxt), (1, 7, 8 * MSS));
    }

    /// Segments 0 and 3 of eight are lost.
    fn two_holes() -> TcpSender {
        let mut s = greedy(Recovery::NewReno, 8);
        drain(&mut s, Ps(1));
        acks(&mut s, Ps(2), 0, 3);
        assert_eq!(drain(&mut s, Ps(2)), [0]);
        // min(8, 64) / 2 = 4 segments, and three that left: 7; three more duplicates make 10, of which 8 are out.
        acks(&mut s, Ps(3), 0, 3);
        assert_eq!((s.ssthresh(), s.cwnd()), (4 * MSS, 10 * MSS));
        assert_eq!(drain(&mut s, Ps(3)), [8, 9]);
        s
    }

    #[test]
    fn newreno_fills_one_hole_per_partial_acknowledgement() {
        let mut s = two_holes();
        // 10 - 3 + 1 = 8 from segment 3 on: the hole, and segment 10.
        assert_eq!(acks(&mut s, Ps(4), 3, 1), None);
        assert_eq!((drain(&mut s, Ps(4)), s.cwnd()), (alloc::vec![3, 10], 8 * MSS));
        // Segments 8 and 9 arrived: 10 from segment 3 on.
        acks(&mut s, Ps(5), 3, 2);
        assert_eq!(drain(&mut s, Ps(5)), [11, 12]);
        // Everything up to 8 is acknowledged, with 3 outstanding: min(4, 3 + 1), and no growth beyond.
        acks(&mut s, Ps(6), 10, 1);
        assert_eq!((s.cwnd(), s.stats.fast_retransmits, s.stats.timeouts), (4 * MSS, 1, 0));
        assert_eq!(drain(&mut s, Ps(6)), [13]);
        acks(&mut s, Ps(7), 11, 1);
        assert_eq!(s.cwnd(), 5 * MSS);
    }

    #[test]
    fn only_the_first_partial_acknowledgement_restarts_the_timer() {
        let mut s = two_holes();
        acks(&mut s, Ps::from_ms(700), 3, 1);
        let restarted = s.next_timer();
        assert_eq!(restarted, Ps::from_ms(3_500));
        acks(&mut s, Ps::from_ms(1_700), 5, 1);
        assert_eq!(s.next_timer(), restarted);
    }

    #[test]
    fn newreno_does_not_enter_twice_for_what_was_out_at_the_last_loss() {
        let mut s = greedy(Recovery::NewReno, 8);
        drain(&mut s, Ps(1));
        s.on_timer(s.next_timer());
        assert_eq!(drain(&mut s, Ps::from_s(3)), [0]);
        // The retransmission was for nothing: the receiver has all but segment 5.
        acks(&mut s, Ps::from_s(4), 5, 1);
        drain(&mut s, Ps::from_s(4));
        let cwnd = s.cwnd();
        assert_eq!(acks(&mut s, Ps::from_s(4), 5, 6), None);
        assert_eq!((s.stats.fast_retransmits, s.cwnd()), (0, cwnd));
        // From beyond all of it on, it may.
        acks(&mut s, Ps::from_s(5), 8, 1);
        drain(&mut s, Ps::from_s(5));
        acks(&mut s, Ps::from_s(5), 9, 1);
        drain(&mut s, Ps::from_s(5));
        assert!(acks(&mut s, Ps::from_s(5), 9, 3).is_some());
    }

    #[test]
    fn a_fast_retransmission_restarts_the_timer_and_ends_the_measurement() {
        let mut s = greedy(Recovery::Tahoe, 8);
        drain(&mut s, Ps(1));
        assert_eq!(s.next_timer(), Ps::from_s(3));
        acks(&mut s, Ps::from_ms(700), 0, 3);
        // Six boundaries of 500 ms after 0.7 s.
        assert_eq!(s.next_timer(), Ps::from_ms(3_500));
        drain(&mut s, Ps::from_ms(700));
        s.on_ack(Ps::from_ms(800), &ack(8));
        assert_eq!(s.stats.rtt_samples, 0);
    }

    #[test]
    fn a_timeout_forgets_the_duplicates_before_it() {
        let mut s = greedy(Recovery::Tahoe, 8);
        drain(&mut s, Ps(1));
        acks(&mut s, Ps(2), 0, 2);
        s.on_timer(Ps::from_s(3));
        drain(&mut s, Ps::from_s(3));
        assert_eq!(acks(&mut s, Ps::from_s(4), 0, 2), None);
        assert!(acks(&mut s, Ps::from_s(4), 0, 1).is_some());
    }

    #[test]
    fn a_fast_retransmission_not_yet_sent_is_dropped_when_the_data_is_acknowledged() {
        let mut s = TcpSender::new(&TcpConfig { initial_window: 8, ..config(Recovery::Tahoe) }, Ps::ZERO);
        s.supply(8 * MSS);
        drain(&mut s, Ps(1));
        acks(&mut s, Ps(2), 0, 3);
        s.on_ack(Ps(2), &ack(8));
        assert!(s.is_done() && s.poll_segment(Ps(2)).is_none());
    }

    #[test]
    fn the_receive_window_bounds_what_is_outstanding() {
        let mut s = greedy(Recovery::Tahoe, 4);
        drain(&mut s, Ps(1));
        s.on_ack(Ps(2), &Segment { window: 4_999, ..ack(1) });
        assert_eq!((s.cwnd(), drain(&mut s, Ps(2))), (5 * MSS, Vec::from([4])));
        s.on_ack(Ps(3), &Segment { window: 5_000, ..ack(1) });
        assert_eq!(drain(&mut s, Ps(3)), [5]);
    }

    #[test]
    fn tahoe_starts_slowly_after_the_restored_snd_nxt() {
        let mut s = greedy(Recovery::Tahoe, 8);
        drain(&mut s, Ps(1));
        acks(&mut s, Ps(2), 0, 7);
        drain(&mut s, Ps(2));
        s.on_ack(Ps(3), &ack(8));
        assert_eq!((s.cwnd(), drain(&mut s, Ps(3))), (2 * MSS, Vec::from([8, 9])));
    }

    #[test]
    fn tahoe_without_restoring_goes_back_to_the_lost_segment() {
        let mut s = TcpSender::new(
            &TcpConfig { initial_window: 8, restore_snd_nxt: false, ..config(Recovery::Tahoe) },
            Ps::ZERO,
        );
        s.supply(u64::MAX);
        drain(&mut s, Ps(1));
        acks(&mut s, Ps(2), 0, 3);
        assert_eq!(drain(&mut s, Ps(2)), [0]);
        s.on_ack(Ps(3), &ack(1));
        assert_eq!(drain(&mut s, Ps(3)), [1, 2]);
    }

    #[test]
    fn reno_keeps_sending_on_duplicates_and_deflates_afterwards() {
        let mut s = greedy(Recovery::Reno, 8);
        drain(&mut s, Ps(1));
        acks(&mut s, Ps(2), 0, 3);
        assert_eq!(drain(&mut s, Ps(2)), [0]);
        // cwnd = 4 + 3 + 2 = 9: segment 8 may go with the second further duplicate.
        acks(&mut s, Ps(2), 0, 2);
        assert_eq!(drain(&mut s, Ps(2)), [8]);
        s.on_ack(Ps(3), &ack(9));
        // Deflated to 4, then Net/3's growth at ssthresh.
        assert_eq!(s.cwnd(), 5 * MSS);
    }

    #[test]
    fn duplicates_with_payload_or_another_window_or_nothing_outstanding_do_not_count() {
        let mut s = greedy(Recovery::Tahoe, 8);
        acks(&mut s, Ps(1), 0, 5);
        drain(&mut s, Ps(1));
        for odd in [Segment { len: 1, ..ack(0) }, Segment { window: 63_000, ..ack(0) }] {
            acks(&mut s, Ps(2), 0, 2);
            assert_eq!(s.on_ack(Ps(2), &odd), None);
            assert_eq!(acks(&mut s, Ps(2), 0, 2), None);
            s.on_ack(Ps(2), &odd);
        }
        assert_eq!(s.stats.fast_retransmits, 0);
    }

    #[test]
    fn after_a_timeout_everything_is_sent_again_unless_acknowledged_meanwhile() {
        let mut s = greedy(Recovery::TimeoutOnly, 8);
        assert_eq!(drain(&mut s, Ps(1)), [0, 1, 2, 3, 4, 5, 6, 7]);
        let due = s.next_timer();
        // 3 s in ticks of 500 ms from the boundary at 0: boundary 6.
        assert_eq!(due, Ps::from_s(3));
        assert_eq!(s.on_timer(Ps(due.0 - 1)), None);
        assert_eq!(s.on_timer(due), Some(TcpEvent::Timeout { seq: 0, ssthresh: 4 * MSS, backoff: 1 }));
        assert_eq!(drain(&mut s, due), [0]);
        s.on_ack(due, &ack(1));
        assert_eq!(drain(&mut s, due), [1, 2]);
        // A cumulative acknowledgement jumps over what had arrived.
        s.on_ack(due, &ack(6));
        assert_eq!(drain(&mut s, due), [6, 7, 8]);
        assert_eq!((s.stats.bytes_retransmitted, s.stats.segments_retransmitted), (5 * MSS, 5));
    }

    #[test]
    fn a_retransmitted_segment_is_never_timed_and_keeps_the_backoff() {
        let mut s = greedy(Recovery::Tahoe, 1);
        drain(&mut s, Ps(1));
        for (timeout, rto) in [(3, 6), (9, 12), (21, 24), (45, 48)] {
            assert_eq!(s.next_timer(), Ps::from_s(timeout));
            s.on_timer(Ps::from_s(timeout));
            drain(&mut s, Ps::from_s(timeout));
            assert_eq!(s.rto(), Ps::from_s(rto));
        }
        s.on_ack(Ps::from_s(46), &ack(1));
        assert_eq!((s.stats.rtt_samples, s.rto()), (0, Ps::from_s(48)));
        // New data is timed again, and its acknowledgement ends the backoff: counter 3, RTO 3 + 6 ticks.
        drain(&mut s, Ps::from_s(46));
        s.on_ack(Ps::from_s(47), &ack(2));
        assert_eq!((s.stats.rtt_samples, s.rto()), (1, Ps::from_ms(4_500)));
    }

    #[test]
    fn the_timer_stops_with_the_last_acknowledgement_and_restarts_with_any_other() {
        let mut s = greedy(Recovery::Tahoe, 2);
        drain(&mut s, Ps(1));
        s.on_ack(Ps::from_ms(700), &ack(1));
        // Counter 2: RTO = 2 + 4 ticks; the sixth boundary after 0.7 s.
        assert_eq!(s.next_timer(), Ps::from_ms(3_500));
        s.on_ack(Ps::from_ms(700), &ack(2));
        assert_eq!(s.next_timer(), Ps::NEVER);
    }

    #[test]
    fn an_idle_time_of_an_rto_restarts_slowly_unless_switched_off() {
        for (idle_restart, sent) in [(true, 1), (false, 3)] {
            let config = TcpConfig { idle_restart, initial_window: 2, ..config(Recovery::Tahoe) };
            let mut s = TcpSender::new(&config, Ps::ZERO);
            s.supply(2 * MSS);
            drain(&mut s, Ps(1));
            s.on_ack(Ps(2), &ack(2));
            s.supply(9 * MSS);
            assert_eq!(drain(&mut s.clone(), Ps::from_s(1)).len(), 3);
            assert_eq!(drain(&mut s, Ps::from_s(9)).len(), sent);
        }
    }

    #[test]
    fn acknowledgements_of_data_never_sent_or_long_past_are_ignored() {
        let mut s = greedy(Recovery::Tahoe, 4);
        drain(&mut s, Ps(1));
        s.on_ack(Ps(2), &ack(2));
        let before = (s.snd_una, s.cwnd());
        s.on_ack(Ps(2), &ack(1));
        s.on_ack(Ps(2), &ack(900));
        assert_eq!((s.snd_una, s.cwnd()), before);
    }

    #[test]
    fn round_trips_may_exclude_the_transmission() {
        let config = TcpConfig { rtt_excludes_transmission: true, ..config(Recovery::Jacobson88) };
        let mut s = TcpSender::new(&config, Ps::ZERO);
        s.supply(u64::MAX);
        let segment = s.poll_segment(Ps(1)).unwrap();
        s.on_transmitted(Ps::from_s(2), &segment);
        // Six boundaries after 2 s.
        assert_eq!(s.next_timer(), Ps::from_s(5));
        s.on_ack(Ps::from_ms(2_600), &ack(1));
        // One boundary since: counter 2, srtt 2 ticks.
        assert_eq!(s.srtt(), Some(Ps::from_s(1)));
    }

    #[test]
    fn a_timer_that_excludes_transmission_waits_for_the_last_cell() {
        let config = TcpConfig { rtt_excludes_transmission: true, initial_window: 2, ..config(Recovery::Jacobson88) };
        let mut s = TcpSender::new(&config, Ps::ZERO);
        s.supply(3 * MSS);
        let segments: Vec<_> = core::iter::from_fn(|| s.poll_segment(Ps(1))).collect();
        // Neither is on the line; the first timer is 3 s from the last cell of the first one.
        assert_eq!(s.next_timer(), Ps::NEVER);
        s.on_transmitted(Ps::from_s(7), &segments[0]);
        assert_eq!(s.next_timer(), Ps::from_s(10));
        // No tick since: counter 1, RTO 1 + 2 ticks. The second segment still waits, and then has its own three.
        s.on_ack(Ps::from_ms(7_300), &ack(1));
        assert_eq!(s.next_timer(), Ps::NEVER);
        s.on_transmitted(Ps::from_s(9), &segments[1]);
        assert_eq!(s.next_timer(), Ps::from_ms(10_500));
        // The copy after a timeout has twice as many, from its own last cell on.
        s.on_timer(Ps::from_ms(10_500));
        let copy = s.poll_segment(Ps::from_ms(10_500)).unwrap();
        assert_eq!((copy.seq, s.next_timer()), (MSS, Ps::NEVER));
        s.on_transmitted(Ps::from_s(12), &copy);
        assert_eq!(s.next_timer(), Ps::from_s(15));
        // What has left since then is timed from an acknowledgement on.
        s.on_ack(Ps::from_s(13), &ack(2));
        let last = s.poll_segment(Ps::from_s(13)).unwrap();
        s.on_transmitted(Ps::from_s(14), &last);
        assert_eq!((last.seq, s.next_timer()), (2 * MSS, Ps::from_s(17)));
        s.on_ack(Ps::from_s(15), &ack(3));
        assert_eq!(s.next_timer(), Ps::NEVER);
    }

    #[test]
    fn what_is_sent_again_with_new_data_behind_it_is_not_timed() {
        let mut sender = TcpSender::new(&config(Recovery::Tahoe), Ps::ZERO);
        sender.supply(300);
        assert_eq!(sender.poll_segment(Ps::ZERO).map(|segment| segment.len), Some(300));
        let expiry = sender.next_timer();
        sender.supply(5_000);
        sender.on_timer(expiry);
        // The retransmission takes 700 bytes of the second message with it.
        assert_eq!(sender.poll_segment(expiry).map(|segment| (segment.seq, segment.len)), Some((0, 1_000)));
        assert_eq!(sender.stats().bytes_retransmitted, 300);
        // The acknowledgement may be of the first transmission.
        sender.on_ack(expiry + Ps::from_us(1), &Segment { ack: 300, window: 64_000, ..Segment::default() });
        assert_eq!(sender.stats().rtt_samples, 0);
        // The next segment is new, and timed.
        assert_eq!(sender.poll_segment(expiry + Ps::from_us(1)).map(|segment| segment.seq), Some(1_000));
        sender.on_ack(expiry + Ps::from_ms(1), &ack(2));
        assert_eq!(sender.stats().rtt_samples, 1);
    }

    #[test]
    fn a_pause_of_an_rto_closes_the_window_and_a_shorter_one_does_not() {
        for (idle_restart, pause, segments) in [(true, 3, 1), (false, 3, 4), (true, 0, 4)] {
            let config = TcpConfig { idle_restart, initial_window: 4, ..config(Recovery::Reno) };
            let mut sender = TcpSender::new(&config, Ps::ZERO);
            sender.supply(MSS);
            assert_eq!(drain(&mut sender, Ps::ZERO), [0]);
            sender.on_ack(Ps::from_ms(1), &ack(1));
            let later = Ps(Ps::from_ms(2).0 + pause * sender.rto().0);
            sender.supply(4 * MSS);
            assert_eq!(drain(&mut sender, later).len(), segments, "{idle_restart} {pause}");
            assert_eq!(sender.stats().idle_restarts, (segments == 1) as u64);
        }
    }
}
