//! The sending half of a connection (4.3BSD Net/3, RFC 793, RFC 1122), as a state machine that gets the time as
//! an argument.

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

/// The segment whose round trip is being measured in ticks. There is only one such segment at a time.
#[derive(Clone, Copy, Debug)]
struct Timed {
    seq: u64,
    since: u64,
}

/// The sending half of a connection. After every other call the host must call
/// [`Self::poll_segment`] until it returns `None`. At the time [`Self::next_timer`] the host must
/// call [`Self::on_timer`].
#[derive(Clone, Debug)]
pub struct TcpSender {
    window: Window,
    policy: Policy,
    estimator: RttEstimator,
    snd_una: u64,
    snd_nxt: u64,
    snd_max: u64,
    /// End position of the data supplied so far. While data are withheld, end position of the data sent so far.
    snd_end: u64,
    /// While data that have not been sent are withheld, the end position of the data supplied so far; `None`
    /// otherwise.
    withheld: Option<u64>,
    dup_acks: u32,
    /// Value of snd_max at the time when the last loss was detected (`recover` of RFC 6582); `None` before the
    /// first loss.
    recover: Option<u64>,
    /// True during a recovery that lasts until `recover` is acknowledged.
    recovering: bool,
    /// True after a partial acknowledgement of the present recovery.
    partly_recovered: bool,
    /// True if the segment at snd_una must be sent again, whatever snd_nxt is.
    resend: bool,
    /// Scoreboard of data that have arrived out of order; `None` without selective
    /// acknowledgements.
    board: Option<Box<Scoreboard>>,
    /// Records of the outstanding segments (sending time, delivered bytes); `None` if neither the recovery policy
    /// nor the pacing needs them.
    records: Option<Box<Records>>,
    /// Pacing of the window; `None` without the parameter `pacing`, or if the policy itself sets the pace.
    pacer: Option<Box<Pacer>>,
    /// State of the bursts for segmentation offload; `None` without `tso`.
    tso: Option<Box<Tso>>,
    /// Earliest time at which the pace permits the next segment; with `tso`, the next burst.
    paced_until: Ps,
    /// Time at which the pace permits the next segment, if the window permits this segment and the application
    /// has supplied it; `NEVER` otherwise.
    send_at: Ps,
    /// Value of snd_max at the first duplicate. Segments sent because of duplicates do not count in FlightSize
    /// (RFC 6675 section 5 step 4.2).
    flight_end: u64,
    timed: Option<Timed>,
    rto_at: Ps,
    last_heard: Ps,
    idle_restart: bool,
    rtt_excludes_transmission: bool,
    /// End position of the data whose last bit has left the host since the sender last went back to
    /// snd_una. Used only with `rtt_excludes_transmission`.
    transmitted: u64,
    rcv_window: u32,
    /// State of the closing; `None` without `connection_close`.
    closing: Option<Box<SenderClosing>>,
    /// State of the connection set-up; `None` without it.
    opening: Option<Box<Opening>>,
    /// State of ECN; `None` once the connection is known to have no ECN.
    ecn: Option<Box<Ecn>>,
    /// True if the first two duplicates permit segments beyond cwnd (RFC 3042).
    limited_transmit: bool,
    /// State of the time stamps; `None` once the connection is known to have none.
    stamping: Option<Box<Stamping>>,
    /// True if Nagle's rule holds: while data are outstanding, less than a full segment waits.
    nagle: bool,
    /// State of the detection of spurious timeouts; `None` without `frto`.
    frto: Option<Box<Frto>>,
    stats: SenderStats,
}

impl TcpSender {
    /// A sender without data, whose clock ticks at the times `phase + k * granularity`. With `connection_setup`
    /// the connection must be opened first. All senders made by this function have the same random numbers for
    /// their recovery policy.
    pub fn new(config: &TcpConfig, phase: Ps) -> TcpSender {
        TcpSender::with_stream(config, phase, Stream::new(1, "tcp", "recovery"))
    }

    /// A sender without data, as [`Self::new`] makes it. The recovery policy draws random numbers from `stream`.
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

    /// Adds `bytes` bytes to the data that the application has written; `u64::MAX` for an endless
    /// supply.
    pub fn supply(&mut self, bytes: u64) {
        let end = self.withheld.as_mut().unwrap_or(&mut self.snd_end);
        *end = end.saturating_add(bytes);
    }

    /// Adds `bytes` bytes and closes the connection. No data follow for which Nagle's rule could
    /// wait, as in Linux (`tcp_send_fin`).
    pub fn supply_last(&mut self, bytes: u64) {
        self.nagle = false;
        self.supply(bytes);
        self.close();
    }

    /// Withholds the data that have not been sent yet, or releases these data. After a release the timer is due
    /// at once. Data that have been sent may be sent again.
    pub fn withhold(&mut self, now: Ps, withhold: bool) {
        if withhold && self.withheld.is_none() {
            self.withheld = Some(core::mem::replace(&mut self.snd_end, self.snd_max));
        } else if !withhold && let Some(end) = self.withheld.take() {
            (self.snd_end, self.send_at) = (end, now);
        }
    }

    /// The next segment that window, pace and supply of data permit. Only full segments are sent, except the last
    /// segment of the supply (sender-side silly window avoidance, RFC 1122 4.2.3.4). Under Nagle's rule, this
    /// last segment is sent only if no data are outstanding.
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

    /// The next segment that window and supply of data permit, whatever the pace.
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

    /// Number of payload bytes of a segment that begins at the position `seq`.
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

    /// True if Nagle's rule delays the `len` bytes of new data from `seq` on (RFC 1122 4.2.3.4).
    #[inline]
    fn waits_for_more(&self, seq: u64, len: u64) -> bool {
        self.nagle && len < self.window.mss && seq == self.snd_max && self.snd_una < seq
    }

    /// Number of bytes that may be outstanding without a scoreboard. With limited transmit each of the first two
    /// duplicates permits one new segment within the receive window; cwnd is not changed (RFC 3042 section 2).
    /// With a scoreboard, step (3.3) of RFC 6675 section 5 applies instead.
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
            // Karn (RFC 6298 section 3): only a segment that has only new data is timed. A
            // retransmission may also reach beyond snd_max, if the application has written data
            // since.
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

    /// Begins slow start after an idle time of an RTO (Net/3 tcp_output). RFC 5681 section 4.1
    /// counts the idle time from the last segment sent; here, as in Net/3, it counts from the last
    /// segment received.
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

    /// Records that the last bit of `segment` has left the host, or that the host has refused it.
    /// Has an effect only with `rtt_excludes_transmission`: the round trip, and the timer of the
    /// oldest segment, begin now (Gerla et al. 1995, section III.B).
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

    /// Time at which the host must call [`Self::on_timer`]: when the retransmission timer expires or the pace
    /// permits a delayed segment, whichever is earlier. `NEVER` if no data are outstanding or delayed.
    #[inline]
    pub fn next_timer(&self) -> Ps {
        self.rto_at.min(self.send_at)
    }

    /// If the retransmission timer is due, goes back to snd_una with a window of one segment and a
    /// doubled RTO. Everything from snd_una on is sent again (go-back-N), as in Net/3.
    pub fn on_timer(&mut self, now: Ps) -> Option<TcpEvent> {
        if now < self.rto_at {
            // A segment that the pace has delayed is due. After this call the host calls `poll_segment`, which
            // returns the segment.
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

    /// The report to the recovery policy about a loss detected at `now` with `flight` outstanding bytes.
    fn loss(&self, now: Ps, flight: u64) -> Loss {
        Loss {
            now,
            flight,
            snd_max: self.snd_max,
            dup_acks: self.dup_acks,
            reduced: self.has_reduced(self.snd_una),
        }
    }

    /// True if `segment`, or a part of it, was sent before. `sent_before` is the value of
    /// [`Self::snd_max`] before the segment was polled.
    pub fn is_repetition(&self, segment: &Segment, sent_before: u64) -> bool {
        match segment.data_range() {
            Some((seq, _)) => seq < sent_before,
            None => {
                matches!(segment.handshake(), Some(Handshake::Syn(_))) && self.has_repeated_syn()
            }
        }
    }
    /// True if at the last [`Self::poll_segment`] the pace delayed a segment that the window permits and the
    /// application has supplied.
    pub fn is_delayed(&self) -> bool {
        self.send_at.is_scheduled()
    }
    /// True if the application has data that the window does not permit to send.
    pub fn is_window_limited(&self) -> bool {
        !self.resend && self.snd_end > self.snd_nxt && !self.may_send()
    }
    /// True if all data supplied so far have been acknowledged.
    pub fn is_done(&self) -> bool {
        self.snd_una == self.withheld.unwrap_or(self.snd_end)
    }
    /// Number of bytes sent and not yet acknowledged cumulatively (FlightSize of RFC 5681).
    pub fn bytes_in_flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }
    /// The host has refused a segment: slow start begins anew, and ssthresh stays (Net/3 tcp_quench).
    pub fn quench(&mut self) {
        self.window.cwnd = self.window.cwnd.min(self.window.mss);
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
    /// Position of the oldest byte not acknowledged.
    pub fn snd_una(&self) -> u64 {
        self.snd_una
    }
    /// Position of the next byte to send; below [`Self::snd_max`] while data are sent again.
    pub fn snd_nxt(&self) -> u64 {
        self.snd_nxt
    }
    /// Position after the highest byte ever sent.
    pub fn snd_max(&self) -> u64 {
        self.snd_max
    }
    /// Present nominal retransmission timeout, with backoff.
    pub fn rto(&self) -> Ps {
        self.estimator.rto()
    }
    /// Smoothed round trip by the ticks of the clock; `None` before the first sample.
    pub fn srtt(&self) -> Option<Ps> {
        self.estimator.srtt()
    }
    /// Counts since the start of the connection.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests;
