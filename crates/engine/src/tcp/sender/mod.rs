//! The sending half of a connection (4.3BSD Net/3, RFC 793, RFC 1122), without a clock of its own.

mod acks;
mod closing;
mod ecn;
mod frto;
mod opening;
mod pacing;
mod recorded;
mod records;
mod selective;
mod stamped;
mod stats;
mod tso;

use alloc::boxed::Box;

use self::closing::SenderClosing;
use self::ecn::Ecn;
use self::frto::Frto;
use self::opening::Opening;
use self::pacing::Pacer;
use self::records::Records;
pub use self::stats::{SenderStats, TcpEvent};
use self::tso::Tso;
use super::config::TcpConfig;
use super::estimator::RttEstimator;
use super::handshake::Handshake;
use super::recovery::{Facts, Loss, Policy};
use super::scoreboard::{DUP_THRESH, Scoreboard};
use super::segment::Segment;
use super::stamps::Stamping;
use super::window::Window;
use crate::kernel::{Ps, Stream};

/// The one segment whose round trip is being measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    seq: u64,
    since: u64,
}

/// A sender. After every other call the host calls [`Self::poll_segment`] until it returns `None`.
/// At the time [`Self::next_timer`] it calls [`Self::on_timer`].
#[derive(Clone, Debug)]
pub struct TcpSender {
    window: Window,
    policy: Policy,
    estimator: RttEstimator,
    snd_una: u64,
    snd_nxt: u64,
    snd_max: u64,
    /// End of the data supplied so far, or of those sent while the rest is withheld.
    snd_end: u64,
    /// End of the data supplied so far, while those not sent yet are withheld.
    withheld: Option<u64>,
    dup_acks: u32,
    /// snd_max when the last loss was detected (`recover` of RFC 6582); `None` before the first.
    recover: Option<u64>,
    /// A recovery that lasts until `recover` is acknowledged is under way.
    recovering: bool,
    /// True after a partial acknowledgement of this recovery.
    partly_recovered: bool,
    /// The segment at snd_una must be sent again, whatever snd_nxt is.
    resend: bool,
    /// Data that have arrived out of order; only with selective acknowledgements.
    board: Option<Box<Scoreboard>>,
    /// Records of what is outstanding, if the policy or the pacer needs them.
    records: Option<Box<Records>>,
    /// Pace of a window that the policy does not pace, with `pacing`.
    pacer: Option<Box<Pacer>>,
    /// Bursts, with `tso`.
    tso: Option<Box<Tso>>,
    /// Earliest time of the next segment, by the pace; of the next burst with `tso`.
    paced_until: Ps,
    /// Time at which the pace lets a segment go that may be sent otherwise; `NEVER` if none waits.
    send_at: Ps,
    /// snd_max at the first duplicate: segments sent because of duplicates do not count in
    /// FlightSize (RFC 6675 section 5 step 4.2).
    flight_end: u64,
    timed: Option<Timed>,
    rto_at: Ps,
    last_heard: Ps,
    idle_restart: bool,
    rtt_excludes_transmission: bool,
    /// End of the data whose last cell has left the host since sending last went back to snd_una;
    /// with `rtt_excludes_transmission` only.
    transmitted: u64,
    rcv_window: u32,
    /// Closing of the connection, with `connection_close`.
    closing: Option<Box<SenderClosing>>,
    /// Connection set-up, if there is one.
    opening: Option<Box<Opening>>,
    /// ECN, if the connection has it, or may still agree on it.
    ecn: Option<Box<Ecn>>,
    /// Segments beyond cwnd may go after the first two duplicates (RFC 3042).
    limited_transmit: bool,
    /// Time stamps, if the connection has them, or may still agree on them.
    stamping: Option<Box<Stamping>>,
    /// Less than a full segment waits while data are outstanding.
    nagle: bool,
    /// Detection of spurious timeouts, with `frto`.
    frto: Option<Box<Frto>>,
    stats: SenderStats,
}

impl TcpSender {
    /// A sender without data; with `connection_setup` it must be opened first. Its clock ticks at
    /// `phase + k * granularity`. What its policy draws at random is the same for every such
    /// sender.
    pub fn new(config: &TcpConfig, phase: Ps) -> TcpSender {
        TcpSender::with_stream(config, phase, Stream::new(1, "tcp", "recovery"))
    }

    /// The same with a random stream for its policy.
    pub fn with_stream(config: &TcpConfig, phase: Ps, stream: Stream) -> TcpSender {
        let window = config.window.0 as u32;
        let facts = Facts {
            restore_snd_nxt: config.restore_snd_nxt,
            window: config.first_window(),
            stream,
        };
        let mut policy = Policy::new(&config.recovery, facts);
        let recorded = config.pacing || policy.get().needs_delivery();
        TcpSender {
            window: config.first_window(),
            policy,
            estimator: RttEstimator::new(config, phase),
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            snd_end: 0,
            withheld: None,
            dup_acks: 0,
            recover: None,
            recovering: false,
            partly_recovered: false,
            resend: false,
            board: config.recovery.is_selective().then(Box::default),
            records: recorded.then(Box::default),
            pacer: config.pacing.then(Box::default),
            tso: config
                .tso
                .map(|most| Box::new(Tso::new(most.0, config.mss.0))),
            paced_until: Ps::ZERO,
            send_at: Ps::NEVER,
            flight_end: 0,
            timed: None,
            rto_at: Ps::NEVER,
            last_heard: Ps::ZERO,
            idle_restart: config.idle_restart,
            rtt_excludes_transmission: config.rtt_excludes_transmission,
            transmitted: 0,
            rcv_window: if config.connection_setup {
                config.syn_options().scaled(window)
            } else {
                window
            },
            closing: config
                .connection_close
                .then(|| Box::new(SenderClosing::new())),
            opening: config
                .connection_setup
                .then(|| Box::new(Opening::new(config))),
            ecn: config.has_ecn().then(Box::default),
            limited_transmit: config.limited_transmit,
            stamping: config.stamping(phase).map(Box::new),
            nagle: config.nagle,
            frto: config.frto.then(|| Box::new(Frto::new(config))),
            stats: SenderStats::default(),
        }
    }

    /// The application writes `bytes` more; `u64::MAX` is an endless supply.
    pub fn supply(&mut self, bytes: u64) {
        let end = self.withheld.as_mut().unwrap_or(&mut self.snd_end);
        *end = end.saturating_add(bytes);
    }

    /// The application writes `bytes` and closes the connection: nothing follows that Nagle's rule could
    /// wait for, as in Linux (`tcp_send_fin`).
    pub fn supply_last(&mut self, bytes: u64) {
        self.nagle = false;
        self.supply(bytes);
        self.close();
    }

    /// Withholds data that have not been sent yet, or releases them; the timer is then due at once.
    /// What has been sent may be sent again.
    pub fn withhold(&mut self, now: Ps, withhold: bool) {
        if withhold && self.withheld.is_none() {
            self.withheld = Some(core::mem::replace(&mut self.snd_end, self.snd_max));
        } else if !withhold && let Some(end) = self.withheld.take() {
            (self.snd_end, self.send_at) = (end, now);
        }
    }

    /// The next segment that window and supply permit. Only full segments are sent, except the last
    /// of the supply (sender-side silly window avoidance, RFC 1122 4.2.3.4); under Nagle's rule that, too,
    /// only while nothing is outstanding.
    pub fn poll_segment(&mut self, now: Ps) -> Option<Segment> {
        if self.opening.is_some()
            && let (segment, may_send) = self.poll_setup(now)
            && (segment.is_some() || !may_send)
        {
            return segment;
        }
        if self.closing.is_some()
            && let Some(ack) = self.poll_closing(now)
        {
            return Some(ack);
        }
        if self.records.is_some() {
            return self.poll_recorded(now);
        }
        self.poll_permitted(now)
    }

    /// The next segment that window and supply permit, whatever the pace.
    fn poll_permitted(&mut self, now: Ps) -> Option<Segment> {
        if self.board.is_some() {
            return self.poll_selective(now);
        }
        if self.resend {
            self.resend = false;
            return Some(self.emit(now, self.snd_una, self.len_at(self.snd_una)));
        }
        self.restart_after_idle(now);
        self.may_send()
            .then(|| self.emit(now, self.snd_nxt, self.len_at(self.snd_nxt)))
    }

    /// Payload of a segment at `seq`.
    #[inline]
    fn len_at(&self, seq: u64) -> u64 {
        self.window.mss.min(self.snd_end - seq)
    }

    #[inline]
    fn may_send(&self) -> bool {
        if let Some(board) = &self.board {
            return self.selected(board).is_some();
        }
        let len = self.len_at(self.snd_nxt);
        len > 0
            && self.snd_nxt + len <= self.snd_una + self.usable()
            && !self.waits_for_more(self.snd_nxt, len)
    }

    /// True if Nagle's rule holds back new data from `seq` on (RFC 1122 4.2.3.4).
    #[inline]
    fn waits_for_more(&self, seq: u64, len: u64) -> bool {
        self.nagle && len < self.window.mss && seq == self.snd_max && self.snd_una < seq
    }

    /// Bytes that may be outstanding without a scoreboard. With limited transmit the first two
    /// duplicates let a new segment go each, within the receiver's window, and cwnd stays as it is
    /// (RFC 3042 section 2). With a scoreboard this is step (3.3) of RFC 6675 section 5.
    #[inline]
    fn usable(&self) -> u64 {
        let limited =
            self.limited_transmit && self.dup_acks < DUP_THRESH && self.snd_nxt == self.snd_max;
        if limited {
            let cwnd = self.window.cwnd + self.dup_acks as u64 * self.window.mss;
            cwnd.min(self.window.rwnd)
        } else {
            self.window.usable()
        }
    }

    fn emit(&mut self, now: Ps, seq: u64, len: u64) -> Segment {
        let end = seq + len;
        self.count_sent(seq, end);
        let (mut flags, mut ack) = (self.ect(seq), 0);
        if self.closing.is_some() {
            (flags, ack) = self.closing_flags(flags, end);
        }
        if end > self.snd_max {
            // Karn (RFC 6298 section 3): only a segment with new data alone is timed. A
            // retransmission may also reach beyond snd_max, if the application has written since.
            if seq >= self.snd_max {
                self.timed.get_or_insert_with(|| Timed {
                    seq,
                    since: self.estimator.tick(now),
                });
            }
            self.snd_max = end;
        }
        self.snd_nxt = self.snd_nxt.max(end);
        if !self.rto_at.is_scheduled() && !self.rtt_excludes_transmission {
            self.rto_at = self.estimator.expiry(now); // RFC 6298 (5.1)
        }
        let len = len as u16; // at most the MSS, of at most 65,487 bytes
        if self.stamping.is_some() {
            return self.stamped(now, flags, seq, len);
        }
        Segment::Data {
            flags,
            seq,
            ack,
            sent: now,
            window: self.rcv_window,
            len,
        }
    }

    fn count_sent(&mut self, seq: u64, end: u64) {
        let again = end.min(self.snd_max).saturating_sub(seq);
        self.stats.segments_sent += 1;
        self.stats.bytes_sent_once += end - seq - again;
        self.stats.segments_retransmitted += (again > 0) as u64;
        self.stats.bytes_retransmitted += again;
    }

    /// Slow start after an idle time of an RTO (Net/3 tcp_output; RFC 5681 section 4.1, which
    /// counts from the last segment sent rather than, as here and in Net/3, from the last
    /// received).
    fn restart_after_idle(&mut self, now: Ps) {
        let idle = self.idle_restart && self.snd_una == self.snd_max && self.snd_end > self.snd_max;
        if idle
            && self.snd_max > 0
            && self.window.cwnd > self.window.mss
            && self.silent_for_an_rto(now)
            && self.policy.get().restarts_slowly()
        {
            self.window.cwnd = self.window.mss;
            self.stats.idle_restarts += 1;
        }
    }

    fn silent_for_an_rto(&self, now: Ps) -> bool {
        self.estimator.rto_since(self.last_heard, now)
    }

    /// The last cell of `segment` left the host, or the host refused it. Has an effect only with
    /// `rtt_excludes_transmission`: the round trip, and the timer of the oldest segment, start here
    /// (Gerla et al. 1995, section III.B).
    #[inline]
    pub fn on_transmitted(&mut self, now: Ps, segment: &Segment) {
        if self.rtt_excludes_transmission {
            match segment.data_range() {
                Some((seq, len)) => self.on_data_transmitted(now, seq, len as u64),
                None => self.on_setup_transmitted(now),
            }
        }
    }

    #[inline(never)]
    fn on_data_transmitted(&mut self, now: Ps, seq: u64, len: u64) {
        if let Some(timed) = self.timed.as_mut().filter(|timed| timed.seq == seq) {
            timed.since = self.estimator.tick(now);
        }
        let end = seq + len;
        if let Some(records) = &mut self.records {
            records.on_transmitted(now, seq, end);
        }
        self.transmitted = self.transmitted.max(end);
        if seq <= self.snd_una && self.snd_una < end {
            self.time_the_oldest(now);
        }
    }

    /// Time at which [`Self::on_timer`] is due: the retransmission timer's, or earlier that of a
    /// segment that the policy's pace delays. `NEVER` if nothing is outstanding or delayed.
    #[inline]
    pub fn next_timer(&self) -> Ps {
        self.rto_at.min(self.send_at)
    }

    /// Goes back to snd_una with a window of one segment and a doubled RTO, if the timer is due.
    /// Everything from snd_una on is sent again (go-back-N), as in Net/3.
    pub fn on_timer(&mut self, now: Ps) -> Option<TcpEvent> {
        if now < self.rto_at {
            // A delayed segment is due; the host polls it now.
            self.send_at = Ps::NEVER;
            return None;
        }
        if !self.is_open() {
            return Some(self.on_syn_timeout(now));
        }
        self.estimator.on_timeout(); // RFC 6298 (5.5)
        self.suspect_timeout();
        let loss = self.loss(now, self.bytes_in_flight());
        self.policy.get().on_timeout(&mut self.window, &loss);
        self.timed = None; // Karn
        self.dup_acks = 0;
        (self.recover, self.recovering) = (Some(self.snd_max), false); // RFC 6582 3.2 step 4
        self.resend = false;
        self.snd_nxt = self.snd_una;
        if let Some(board) = &mut self.board {
            board.clear(); // RFC 2018 section 8
        }
        self.transmitted = self.snd_una;
        self.time_the_copy(now); // RFC 6298 (5.6)
        self.announce_reduction();
        self.stats.timeouts += 1;
        self.stats.last_timeout = Some(now);
        let (ssthresh, backoff) = (self.window.ssthresh, self.estimator.backoff());
        Some(TcpEvent::Timeout {
            seq: self.snd_una,
            ssthresh,
            backoff,
        })
    }

    /// A loss that is detected with `flight` bytes outstanding.
    fn loss(&self, now: Ps, flight: u64) -> Loss {
        Loss {
            now,
            flight,
            snd_max: self.snd_max,
            dup_acks: self.dup_acks,
            reduced: self.has_reduced(self.snd_una),
        }
    }

    /// True if `segment`, or a part of it, was sent before; it was polled when [`Self::snd_max`]
    /// was `sent_before`.
    pub fn is_repetition(&self, segment: &Segment, sent_before: u64) -> bool {
        match segment.data_range() {
            Some((seq, _)) => seq < sent_before,
            None => {
                matches!(segment.handshake(), Some(Handshake::Syn(_))) && self.has_repeated_syn()
            }
        }
    }
    /// True if the pace delays a segment that may be sent otherwise, by the last
    /// [`Self::poll_segment`].
    pub fn is_delayed(&self) -> bool {
        self.send_at.is_scheduled()
    }
    /// True if data wait because of the window.
    pub fn is_window_limited(&self) -> bool {
        !self.resend && self.snd_end > self.snd_nxt && !self.may_send()
    }
    /// True if everything supplied so far has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.snd_una == self.withheld.unwrap_or(self.snd_end)
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
    /// Last advertised receive window, in bytes.
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
    /// One above the highest byte ever sent.
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
mod tests;
