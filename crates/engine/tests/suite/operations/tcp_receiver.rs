//! A TCP receiver under any segments: it acknowledges and delivers exactly the data that it
//! received, and counts every byte once.

use cellrate_engine::kernel::{Digest, Ps};
use cellrate_engine::tcp::blocks::Blocks;
use cellrate_engine::tcp::{
    OwnFin, ReceiveOutcome, ReceiverStats, Segment, TcpConfig, TcpReceiver,
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Subject;
use super::drawing::Kind;
use super::operation::{END, Operation, Span};
use super::ranges::Got;
use super::settings::{fields, legal};

/// Settings of a connection whose receiver is tested.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub tcp: Value,
    /// Phase of the receiver's clock.
    pub phase: Ps,
}

impl Setting {
    pub fn config(&self) -> TcpConfig {
        serde_json::from_value(self.tcp.clone())
            .unwrap_or_else(|error| panic!("{error}: {}", self.tcp))
    }
}

/// Draws the phase of a receiver's clock in ps.
pub fn phases() -> impl Strategy<Value = Ps> {
    prop_oneof![Just(0u64), 0..1_000_000_000_000u64].prop_map(Ps)
}

/// Any legal parameters of an established connection: its set-up carries no bytes to be counted,
/// and has tests of its own.
pub fn settings() -> BoxedStrategy<Setting> {
    (fields::<TcpConfig>(), phases())
        .prop_map(|(mut tcp, phase)| {
            tcp.as_object_mut()
                .expect("a table")
                .remove("connection_setup");
            let fault = |tcp: &Value| {
                let wrong = Setting {
                    tcp: tcp.clone(),
                    phase,
                }
                .config()
                .validate()
                .err();
                // The message begins with the field in backticks.
                wrong.and_then(|message| message.split('`').nth(1).map(String::from))
            };
            Setting {
                tcp: legal(tcp, fault),
                phase,
            }
        })
        .boxed()
}

/// Interface of a receiver that the model needs.
pub trait Receiving {
    fn on_packet(&mut self, now: Ps, segment: &Segment, marked: bool) -> ReceiveOutcome;
    fn poll_ack(&mut self, now: Ps) -> Option<Segment>;
    fn next_timer(&self) -> Ps;
    fn on_timer(&mut self, now: Ps);
    fn held_bytes(&self) -> u64;
    fn stats(&self) -> ReceiverStats;
}

impl Receiving for TcpReceiver {
    fn on_packet(&mut self, now: Ps, segment: &Segment, marked: bool) -> ReceiveOutcome {
        TcpReceiver::on_packet(self, now, segment, marked)
    }
    fn poll_ack(&mut self, now: Ps) -> Option<Segment> {
        TcpReceiver::poll_ack(self, now)
    }
    fn next_timer(&self) -> Ps {
        TcpReceiver::next_timer(self)
    }
    fn on_timer(&mut self, now: Ps) {
        TcpReceiver::on_timer(self, now);
    }
    fn held_bytes(&self) -> u64 {
        TcpReceiver::held_bytes(self)
    }
    fn stats(&self) -> ReceiverStats {
        *TcpReceiver::stats(self)
    }
}

/// A receiver with a complete record of the data that arrived.
pub struct Observed<R> {
    receiver: R,
    config: TcpConfig,
    now: Ps,
    got: Got,
    highest: u64,
    payload: u64,
    /// Segments in order since the last acknowledgement.
    unacknowledged: u32,
    digest: Digest,
}

/// The subject: the engine's TCP receiver, with the checks of the model.
pub type Receiver = Observed<TcpReceiver>;

impl<R: Receiving> Observed<R> {
    pub fn with(receiver: R, setting: &Setting) -> Observed<R> {
        let config = setting.config();
        Observed {
            receiver,
            config,
            now: Ps::ZERO,
            got: Got::default(),
            highest: 0,
            payload: 0,
            unacknowledged: 0,
            digest: Digest::default(),
        }
    }

    pub fn happen(&mut self, operation: &Operation) {
        match *operation {
            Operation::Pass(span) => self.pass(span),
            Operation::Segment { from, bytes } => {
                let next = self.got.missing();
                // No sender sends beyond the window.
                let most = next + self.config.window.0;
                let seq = from.byte(next, self.highest, self.config.mss.0).min(most);
                let len = u64::from(bytes).min(most - seq);
                self.take(self.now, seq, len as u32);
            }
            _ => {}
        }
    }

    fn pass(&mut self, span: Span) {
        let until = span.from(self.now, self.receiver.next_timer());
        self.advance(until);
        self.now = until;
    }

    /// The acknowledgement that is due by `until`, if there is one.
    pub fn advance(&mut self, until: Ps) -> Option<Segment> {
        let timer = self.receiver.next_timer();
        if timer > until {
            return None;
        }
        self.now = timer;
        self.receiver.on_timer(timer);
        let ack = self.answer();
        assert!(
            ack.is_some(),
            "a delayed acknowledgement was not sent at its time"
        );
        ack
    }
    /// Time at which the next acknowledgement is due.
    pub fn next_timer(&self) -> Ps {
        self.receiver.next_timer()
    }
    /// The first byte that has not arrived.
    pub fn missing(&self) -> u64 {
        self.got.missing()
    }

    /// Handles a segment at `now`; returns the acknowledgement, unless it is delayed.
    pub fn take(&mut self, now: Ps, seq: u64, len: u32) -> Option<Segment> {
        self.now = now;
        let (before, end) = (self.got.clone(), seq + u64::from(len));
        let segment = if len == 0 {
            Segment::Ack {
                ece: false,
                fin: OwnFin::NotYet,
                ack: 0,
                window: 0,
                blocks: Blocks::NONE,
            }
        } else {
            Segment::data(seq, u16::try_from(len).unwrap())
        };
        // Any pattern of marks will do.
        let marked = (self.now.0 ^ end).is_multiple_of(3);
        let outcome = self.receiver.on_packet(self.now, &segment, marked);
        if len == 0 {
            assert_eq!(outcome, ReceiveOutcome::default());
            return None;
        }
        self.got.add(seq, end);
        (self.highest, self.payload) = (self.highest.max(end), self.payload + u64::from(len));
        let new = self.got.bytes() - before.bytes();
        assert_eq!(
            outcome.duplicate,
            u64::from(len) - new,
            "bytes that had come before"
        );
        assert_eq!(
            outcome.delivered,
            self.got.missing() - before.missing(),
            "what can be read"
        );
        assert!(outcome.held == 0 || outcome.held == new);
        self.unacknowledged += 1;
        let ack = self.answer();
        let in_order =
            seq <= before.missing() && end > before.missing() && before.missing() == before.bytes();
        let delayed = self.config.delayed_ack && in_order && self.unacknowledged < 2;
        assert!(
            ack.is_some() || delayed,
            "a segment without acknowledgement"
        );
        // Beyond the end of the clock no timer expires.
        let timed = self.next_timer().is_scheduled()
            || self.now.saturating_add(self.config.delayed_ack_interval) > END;
        assert!(
            ack.is_some() || timed,
            "an acknowledgement delayed for ever"
        );
        ack
    }

    /// Checks that data which is acknowledged or reported as held has arrived.
    fn answer(&mut self) -> Option<Segment> {
        let mut ack = self.receiver.poll_ack(self.now)?;
        if self.config.recovery.reports_each_mark() && ack.ack() < self.got.missing() {
            // A delayed acknowledgement of data whose mark was another goes before.
            ack = self
                .receiver
                .poll_ack(self.now)
                .expect("an acknowledgement of the last segment");
        }
        assert!(self.config.has_ecn() || !ack.has_ece());
        assert_eq!(
            ack.ack(),
            self.got.missing(),
            "not what has come without a gap"
        );
        assert_eq!(
            (ack.payload(), ack.window().is_none()),
            (0, self.config.timestamps)
        );
        assert!(
            ack.window()
                .is_none_or(|window| u64::from(window) == self.config.window.0)
        );
        assert_eq!(ack.stamps().is_some(), self.config.timestamps);
        for (from, to) in ack.blocks().above(ack.ack()) {
            assert!(
                from > ack.ack() && from < to && self.got.holds(from, to),
                "a block {from}..{to} that did not come"
            );
            self.digest.add(from ^ to.rotate_left(32));
        }
        assert!(self.config.recovery.is_selective() || ack.blocks().option_bytes() == 0);
        self.unacknowledged = 0;
        self.digest.add(ack.ack() ^ self.now.0.rotate_left(20));
        assert_eq!(self.receiver.poll_ack(self.now), None, "acknowledged twice");
        Some(ack)
    }

    pub fn holds(&self) {
        let stats = self.receiver.stats();
        assert_eq!(stats.delivered_bytes, self.got.missing());
        let held = self.receiver.held_bytes();
        assert_eq!(held, self.got.bytes() - self.got.missing());
        assert_eq!(
            stats.delivered_bytes + stats.duplicate_bytes + held,
            self.payload,
            "a byte counted twice or never"
        );
        let timer = self.receiver.next_timer();
        let latest = self.now.saturating_add(self.config.delayed_ack_interval);
        assert!(
            !timer.is_scheduled() || timer <= latest,
            "an acknowledgement delayed for longer than allowed"
        );
    }

    pub fn hash(&self) -> u64 {
        self.digest.value()
    }
}

impl Subject for Observed<TcpReceiver> {
    type Setting = Setting;
    const NAME: &'static str = "tcp-receiver";
    const VOCABULARY: &'static [(u32, Kind)] = &[(2, Kind::Pass), (6, Kind::Segment)];

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Observed::with(
            TcpReceiver::with_phases(&setting.config(), setting.phase, Ps::ZERO),
            setting,
        )
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
