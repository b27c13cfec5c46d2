//! TCP senders of every recovery under any acknowledgements: old, of data never sent, duplicate,
//! with any blocks and any window.

use std::collections::VecDeque;

use cellrate_engine::kernel::{Digest, Ps};
use cellrate_engine::tcp::blocks::Blocks;
use cellrate_engine::tcp::intervals::Intervals;
use cellrate_engine::tcp::segment::StampedNumber;
use cellrate_engine::tcp::{DataFlags, OwnFin, Segment, SenderStats, Stamps, TcpConfig, TcpSender};
use proptest::prelude::*;

use super::Subject;
use super::drawing::Kind;
use super::operation::{Operation, Position, Supply};
use super::tcp_receiver::{Setting, settings};

/// Largest number of timers in one operation: time passes until that number has expired.
const MOST_TIMEOUTS: u32 = 40;

/// The visible state of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub snd_una: u64,
    pub snd_nxt: u64,
    pub snd_max: u64,
    pub cwnd: u64,
    pub ssthresh: u64,
    pub rwnd: u64,
    pub rto: Ps,
    pub timer: Ps,
    /// True if the pace delays a segment.
    pub delayed: bool,
    pub done: bool,
    pub stats: SenderStats,
}

/// Interface of a sender that the model needs.
pub trait Sending: Clone {
    fn supply(&mut self, bytes: u64);
    fn poll_segment(&mut self, now: Ps) -> Option<Segment>;
    fn on_transmitted(&mut self, now: Ps, segment: &Segment);
    fn on_ack(&mut self, now: Ps, segment: &Segment);
    fn on_timer(&mut self, now: Ps);
    fn view(&self) -> View;
}

impl Sending for TcpSender {
    fn supply(&mut self, bytes: u64) {
        TcpSender::supply(self, bytes);
    }
    fn poll_segment(&mut self, now: Ps) -> Option<Segment> {
        TcpSender::poll_segment(self, now)
    }
    fn on_transmitted(&mut self, now: Ps, segment: &Segment) {
        TcpSender::on_transmitted(self, now, segment);
    }
    fn on_ack(&mut self, now: Ps, segment: &Segment) {
        TcpSender::on_ack(self, now, segment);
    }
    fn on_timer(&mut self, now: Ps) {
        TcpSender::on_timer(self, now);
    }
    fn view(&self) -> View {
        View {
            snd_una: self.snd_una(),
            snd_nxt: self.snd_nxt(),
            snd_max: self.snd_max(),
            cwnd: self.cwnd(),
            ssthresh: self.ssthresh(),
            rwnd: self.rwnd(),
            rto: self.rto(),
            timer: self.next_timer(),
            delayed: self.is_delayed(),
            done: self.is_done(),
            stats: *self.stats(),
        }
    }
}

/// A sender with a complete record of its actions.
pub struct Watched<S> {
    sender: S,
    config: TcpConfig,
    now: Ps,
    supplied: u64,
    /// Segments handed over whose last cell has not left the host.
    leaving: VecDeque<Segment>,
    digest: Digest,
}

/// The subject: the engine's TCP sender, with the checks of the model.
pub type Sender = Watched<TcpSender>;

impl<S: Sending> Watched<S> {
    pub fn with(sender: S, setting: &Setting) -> Watched<S> {
        let config = setting.config();
        Watched {
            sender,
            config,
            now: Ps::ZERO,
            supplied: 0,
            leaving: VecDeque::new(),
            digest: Digest::default(),
        }
    }
    pub fn view(&self) -> View {
        self.sender.view()
    }

    pub fn happen(&mut self, operation: &Operation) {
        match operation {
            Operation::Pass(span) => self.advance(span.from(self.now, self.view().timer)),
            Operation::Supply(Supply::Bytes(bytes)) => self.supply(u64::from(*bytes)),
            Operation::Supply(Supply::Endless) => self.supply(u64::MAX),
            Operation::Serve(segments) => {
                for _ in 0..*segments {
                    let Some(segment) = self.poll() else { break };
                    self.leaving.push_back(segment);
                }
            }
            Operation::Arrive { count, .. } => (0..*count).for_each(|_| self.leave()),
            Operation::Acknowledge {
                to,
                window,
                blocks,
                payload,
            } => {
                let ack = self.acknowledgement(*to, *window, blocks, *payload);
                self.hear(self.now, &ack);
            }
            _ => {}
        }
    }

    pub fn supply(&mut self, bytes: u64) {
        self.supplied = self.supplied.saturating_add(bytes);
        self.sender.supply(bytes);
    }

    /// Lets time pass up to `until`, with the timeouts that are due.
    pub fn advance(&mut self, until: Ps) {
        for _ in 0..MOST_TIMEOUTS {
            let before = self.view();
            if before.timer > until {
                self.now = until;
                return;
            }
            let waits = self.would_wait();
            self.now = before.timer.max(self.now);
            self.sender.on_timer(self.now);
            let after = self.view();
            if before.delayed && after.stats.timeouts == before.stats.timeouts {
                assert!(
                    !waits || self.sender.clone().poll_segment(self.now).is_some(),
                    "a delayed segment that is never sent"
                );
            } else {
                assert_eq!(
                    after.stats.timeouts,
                    before.stats.timeouts + 1,
                    "a timer that is due and does nothing"
                );
            }
            // A delayed segment may be due at the instant of a timeout, too.
            let is_due = after.delayed && after.stats.timeouts > before.stats.timeouts;
            assert!(
                after.timer > self.now || (is_due && after.timer == self.now),
                "a timer without progress"
            );
            assert!(
                after.cwnd <= before.cwnd.max(self.config.mss.0),
                "a timeout raised cwnd"
            );
            self.digest.add(self.now.0);
        }
    }

    /// True if a segment is delayed and may still be sent: acknowledgements since the last poll may
    /// have closed the window.
    fn would_wait(&self) -> bool {
        let mut clone = self.sender.clone();
        clone.poll_segment(self.now).is_none() && clone.view().delayed
    }

    /// The next segment, if one may be sent.
    pub fn poll(&mut self) -> Option<Segment> {
        let before = self.view();
        let segment = self.sender.poll_segment(self.now)?;
        let Some((seq, len)) = segment.data_range() else {
            panic!("{segment:?} before the connection is set up");
        };
        assert_eq!(segment.stamps().is_some(), self.config.timestamps);
        let end = seq + u64::from(len);
        assert!(
            (1..=self.config.mss.0).contains(&u64::from(len)),
            "{len} bytes in a segment"
        );
        assert!(seq >= before.snd_una, "sent what is acknowledged");
        assert!(seq <= before.snd_max, "sent with a gap");
        assert!(end <= self.supplied, "sent what is not supplied");
        let usable = before.rwnd.max(self.config.mss.0);
        assert!(
            end <= before.snd_max.max(before.snd_una + usable),
            "sent beyond the receive window"
        );
        let counts = !self.config.recovery.is_selective() && seq > before.snd_una;
        let limited = 2 * self.config.mss.0 * u64::from(self.config.limited_transmit);
        assert!(
            !counts || end <= before.snd_una + before.cwnd + limited,
            "sent beyond cwnd"
        );
        assert_eq!(
            segment.is_ect(),
            self.config.has_ecn() && seq >= before.snd_max,
            "the code point"
        );
        self.digest.add(seq ^ end.rotate_left(32) ^ self.now.0);
        Some(segment)
    }

    /// Lets the last cell of the oldest segment leave the host.
    fn leave(&mut self) {
        if let Some(segment) = self.leaving.pop_front() {
            self.transmitted(self.now, &segment);
        }
    }
    pub fn transmitted(&mut self, now: Ps, segment: &Segment) {
        self.sender.on_transmitted(now, segment);
    }

    fn acknowledgement(
        &self,
        to: Position,
        window: Option<u32>,
        blocks: &[(u32, u32)],
        payload: bool,
    ) -> Segment {
        let view = self.view();
        let ack = to.byte(view.snd_una, view.snd_max, self.config.mss.0);
        let mut held = Intervals::default();
        for (from, len) in blocks.iter().filter(|(_, len)| *len > 0) {
            held.insert(ack + u64::from(*from), ack + u64::from(from + len));
        }
        // Any pattern of marks will do.
        let ece = (self.now.0 ^ ack).is_multiple_of(3);
        let fits = ack >> 53 == 0;
        if self.config.timestamps && fits && window.is_none() && !payload {
            // PAWS refuses no stamp of a clock that stands; any echo will do.
            let (value, echo) = (0, self.now.0 as u32);
            return Segment::StampedAck {
                number: StampedNumber::new(ack, ece, OwnFin::NotYet),
                stamps: Stamps { value, echo },
                blocks: Blocks::latest(&held, ack),
            };
        }
        let window = window.unwrap_or(self.config.window.0 as u32);
        if payload {
            Segment::Data {
                flags: DataFlags::NONE,
                seq: 0,
                ack,
                sent: self.now,
                window,
                len: 100,
            }
        } else {
            Segment::Ack {
                ece,
                fin: OwnFin::NotYet,
                ack,
                window,
                blocks: Blocks::latest(&held, ack),
            }
        }
    }

    /// Handles an acknowledgement. An old acknowledgement, or one of data never sent, changes only
    /// the count of duplicates.
    pub fn hear(&mut self, now: Ps, ack: &Segment) {
        self.now = now;
        let before = self.view();
        self.sender.on_ack(now, ack);
        let after = self.view();
        if ack.ack() < before.snd_una || ack.ack() > before.snd_max {
            assert_eq!(after, before, "an impossible acknowledgement had an effect");
        } else {
            assert_eq!(after.snd_una, ack.ack());
        }
        assert_eq!(
            (after.snd_max, after.stats.timeouts),
            (before.snd_max, before.stats.timeouts)
        );
        self.digest
            .add(after.cwnd ^ after.ssthresh.rotate_left(32) ^ after.timer.0);
    }

    pub fn holds(&self) {
        let view = self.view();
        let mss = self.config.mss.0;
        assert!(
            view.snd_una <= view.snd_nxt && view.snd_nxt <= view.snd_max,
            "{view:?}"
        );
        assert!(view.snd_max <= self.supplied, "{view:?}");
        assert_eq!(
            view.stats.bytes_sent_once, view.snd_max,
            "bytes sent for the first time"
        );
        assert!(view.cwnd >= mss, "cwnd of {}", view.cwnd);
        let initial = self.config.initial_ssthresh.unwrap_or(self.config.window).0;
        assert!(
            view.ssthresh >= initial.min(2 * mss),
            "ssthresh of {}",
            view.ssthresh
        );
        let tick = self.config.granularity;
        assert!(
            view.rto >= self.config.min_rto,
            "an RTO of {} below the least",
            view.rto
        );
        assert!(
            view.rto <= self.config.max_rto.saturating_add(tick),
            "an RTO of {} above the largest",
            view.rto
        );
        self.waits_for_something(&view);
    }

    /// Checks that an unfinished sender has something to send, or a timer, or segments on their way
    /// out of the host.
    fn waits_for_something(&self, view: &View) {
        let silent = view.done || view.timer.is_scheduled() || !self.leaving.is_empty();
        // A window smaller than a segment must be opened by its receiver, which here never closes
        // it.
        if silent || view.rwnd < self.config.mss.0 || self.now > Ps(1 << 63) {
            return;
        }
        let mut clone = self.sender.clone();
        assert!(
            clone.poll_segment(self.now).is_some() || clone.view().timer.is_scheduled(),
            "a sender that waits for ever: {view:?}"
        );
    }

    pub fn hash(&self) -> u64 {
        self.digest.value()
    }
}

impl Subject for Watched<TcpSender> {
    type Setting = Setting;
    const NAME: &'static str = "tcp-sender";
    const VOCABULARY: &'static [(u32, Kind)] = &[
        (3, Kind::Pass),
        (6, Kind::Serve),
        (8, Kind::Acknowledge),
        (1, Kind::Supply),
        (2, Kind::Way),
    ];

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Watched::with(TcpSender::new(&setting.config(), setting.phase), setting)
    }
    fn apply(&mut self, operation: &Operation) {
        self.happen(operation);
    }
    fn check(&self) {
        self.holds();
    }
    fn digest(&self) -> u64 {
        self.hash()
    }
}
