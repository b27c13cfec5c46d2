//! A second sender, in whole packets, written in a simple way from RFC 2001, 6582 and 6675, that
//! can decide as the engine, as ns-2 or as ns-3 wherever they differ. It measures nothing: the
//! retransmission timeout is given.

mod board;
mod duplicates;
mod parts;
pub mod rules;
mod selective;
mod window;

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::{Recovery, Segment};

use self::board::Board;
use self::rules::{Rule, Rules};
use super::Sender;

/// Number of duplicates that indicate a loss.
const THRESHOLD: u64 = 3;

/// Parameters and initial state of a plain sender, which the other simulator also has.
#[derive(Clone, Debug)]
pub struct Start {
    /// Kind of recovery.
    pub recovery: Recovery,
    /// Rules by which the sender decides.
    pub rules: Rules,
    /// Bytes of a packet.
    pub mss: u64,
    /// cwnd in packets. `window` is the receive window in packets.
    pub cwnd: u32,
    pub window: u64,
    /// The retransmission timeout. `doubles` is true if each timeout doubles it.
    pub rto: Ps,
    pub doubles: bool,
}

/// The plain sender. Packets are counted from 0; `una`, `nxt`, `max` and `recover` are the next
/// packets of their kind.
pub struct PlainSender {
    start: Start,
    rto: Ps,
    una: u64,
    nxt: u64,
    max: u64,
    cwnd: f64,
    ssthresh: f64,
    /// Duplicates that inflate the window of Reno and NewReno.
    inflation: f64,
    duplicates: u64,
    recover: u64,
    recovering: bool,
    partly: bool,
    /// True while losses of a timeout are not all acknowledged.
    after_timeout: bool,
    /// True if the oldest packet is retransmitted first.
    resend: bool,
    board: Board,
    /// True if a duplicate allows one packet (ns-2 only).
    allowed: bool,
    /// True if one packet is sent whatever the window is (ns-3 only).
    forced: bool,
    /// True if the oldest packet counts as lost because duplicates are left over, and is not
    /// retransmitted yet (ns-3 only).
    head_lost: bool,
    head_due: bool,
    timer: Ps,
}

impl PlainSender {
    /// A sender that begins with `start`.
    pub fn new(start: Start) -> PlainSender {
        let (una, nxt, max) = (0, 0, 0);
        PlainSender {
            rto: start.rto,
            una,
            nxt,
            max,
            cwnd: start.cwnd as f64,
            ssthresh: start.window as f64,
            start,
            inflation: 0.0,
            duplicates: 0,
            recover: 0,
            recovering: false,
            partly: false,
            after_timeout: false,
            resend: false,
            board: Board::default(),
            allowed: false,
            forced: false,
            head_lost: false,
            head_due: false,
            timer: Ps::NEVER,
        }
    }

    fn is(&self, recovery: Recovery) -> bool {
        self.start.recovery == recovery
    }

    fn has(&self, rule: Rule) -> bool {
        self.start.rules.has(rule)
    }

    /// cwnd with inflation, as far as the receiver allows.
    fn usable(&self) -> f64 {
        (self.cwnd + self.inflation).min(self.start.window as f64)
    }

    fn on_new(&mut self, now: Ps, ack: u64) {
        let partly = self.recovering && ack < self.recover;
        let acked = (ack - self.una) as f64;
        (self.una, self.nxt) = (ack, self.nxt.max(ack));
        if partly {
            return self.on_part(now, acked);
        }
        let ended = std::mem::take(&mut self.recovering);
        let (all, acked) = (acked, self.newly(acked, ack));
        match self.start.recovery {
            Recovery::Sack if ended => self.cwnd = self.ssthresh,
            Recovery::Reno if self.duplicates >= THRESHOLD => {
                self.cwnd = self.cwnd.min(self.ssthresh)
            }
            Recovery::NewReno if ended => self.deflate(),
            _ => {}
        }
        (self.duplicates, self.resend) = (0, false);
        self.forget_duplicates(all);
        let opens = match self.start.recovery {
            Recovery::NewReno => !ended || !self.has(Rule::EndOpensNothing),
            Recovery::Sack => !ended || !self.has(Rule::SackEndOpensNothing),
            _ => true,
        };
        if opens && acked > 0.0 {
            self.open();
        }
        self.time(now);
    }

    fn time(&mut self, now: Ps) {
        self.timer = if self.max > self.una {
            Ps(now.0 + self.rto.0)
        } else {
            Ps::NEVER
        };
    }

    /// The next packet to be sent, if one may be.
    fn next(&self) -> Option<u64> {
        if self.resend {
            return Some(self.una);
        }
        if self.is(Recovery::Sack) {
            return self.next_selective();
        }
        if self.head_due {
            return (self.nxt as f64 <= self.una as f64 + self.usable()).then_some(self.una);
        }
        ((self.nxt + 1) as f64 <= self.una as f64 + self.usable()).then_some(self.nxt)
    }
}

impl Sender for PlainSender {
    fn poll(&mut self, now: Ps) -> Option<Segment> {
        let packet = self.next()?;
        if self.recovering && self.is(Recovery::Sack) {
            self.board.sent(packet, self.una, self.max, !self.resend);
        }
        self.head_due = false;
        (self.resend, self.allowed, self.forced) = (false, false, false);
        self.nxt = self.nxt.max(packet + 1);
        self.max = self.max.max(packet + 1);
        if self.timer == Ps::NEVER {
            self.timer = Ps(now.0 + self.rto.0);
        }
        let mss = self.start.mss;
        Some(Segment::data(packet * mss, mss as u16))
    }

    fn on_ack(&mut self, now: Ps, ack: &Segment) {
        let next = ack.ack() / self.start.mss;
        assert!(
            next >= self.una,
            "acknowledgements keep their order on this line"
        );
        let blocks = ack
            .blocks()
            .above(ack.ack())
            .map(|(from, to)| (from / self.start.mss, to / self.start.mss));
        let news = self.is(Recovery::Sack) && self.board.update(next, blocks);
        self.board.counted = self.board.counted.saturating_sub(1);
        match next > self.una {
            true => self.on_new(now, next),
            false if news => self.on_selective(now),
            false if self.is(Recovery::Sack) => {}
            false => self.on_duplicate(now),
        }
    }

    fn next_timer(&self) -> Ps {
        self.timer
    }

    fn on_timer(&mut self, now: Ps) {
        let flight = self.flight();
        if !self.has(Rule::TimeoutHalvesInflated) {
            self.inflation = 0.0;
        }
        match self.start.recovery {
            Recovery::TimeoutOnly => {
                self.ssthresh = (self.cwnd / 2.0).min(self.start.window as f64).max(2.0)
            }
            _ => self.halve(flight),
        }
        (self.cwnd, self.inflation, self.duplicates) = (1.0, 0.0, 0);
        (self.recover, self.recovering, self.resend) = (self.max, false, false);
        (self.head_lost, self.head_due) = (false, false);
        (self.nxt, self.after_timeout) = (self.una, true);
        self.board.forget();
        if self.start.doubles {
            self.rto = Ps(2 * self.rto.0);
        }
        self.timer = Ps(now.0 + self.rto.0);
    }

    fn cwnd(&self) -> f64 {
        self.cwnd
    }
}
