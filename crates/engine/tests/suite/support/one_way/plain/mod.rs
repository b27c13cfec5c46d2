//! A second sender, in whole packets, written for plainness from RFC 2001, 6582 and 6675, that can decide as the
//! engine or as ns-2 wherever the two differ. Nothing is measured: the retransmission timeout is given.

mod board;
mod parts;
pub mod rules;
mod selective;

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::{Recovery, Segment};

use self::board::Board;
use self::rules::{Rule, Rules};
use super::Sender;

/// Duplicates that mean a loss.
const THRESHOLD: u64 = 3;

/// What a sender begins with.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// How it recovers.
    pub recovery: Recovery,
    /// How it decides.
    pub rules: Rules,
    /// Bytes of a packet.
    pub mss: u64,
    /// cwnd and the receive window in packets.
    pub cwnd: u32,
    pub window: u64,
    /// The retransmission timeout, and whether it doubles.
    pub rto: Ps,
    pub doubles: bool,
}

/// The sender. Packets are counted from 0; `una`, `nxt`, `max` and `recover` are the next ones.
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
    /// The oldest packet is sent again first.
    resend: bool,
    board: Board,
    /// ns-2: a duplicate allows one packet.
    allowed: bool,
    timer: Ps,
}

impl PlainSender {
    /// A sender that begins with `start`.
    pub fn new(start: Start) -> PlainSender {
        let (una, nxt, max) = (0, 0, 0);
        PlainSender {
            start,
            rto: start.rto,
            una,
            nxt,
            max,
            cwnd: start.cwnd as f64,
            ssthresh: start.window as f64,
            inflation: 0.0,
            duplicates: 0,
            recover: 0,
            recovering: false,
            partly: false,
            resend: false,
            board: Board::default(),
            allowed: false,
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

    fn open(&mut self) {
        let slow = if self.has(Rule::SlowStartAtSsthresh) && !self.is(Recovery::TimeoutOnly) {
            self.cwnd <= self.ssthresh
        } else {
            self.cwnd < self.ssthresh
        };
        self.cwnd += if slow { 1.0 } else { 1.0 / self.cwnd };
        if !self.is(Recovery::TimeoutOnly) {
            self.cwnd = self.cwnd.min(self.start.window as f64);
        }
        if self.has(Rule::WholeBytes) {
            let mss = self.start.mss as f64;
            // What is whole already may be a little less as a fraction of a packet.
            self.cwnd = (self.cwnd * mss + 1e-6).floor() / mss;
        }
    }

    /// Half of the window in whole packets, two at least.
    fn halve(&mut self) {
        self.ssthresh = (self.usable() / 2.0).floor().max(2.0);
    }

    fn on_new(&mut self, now: Ps, ack: u64) {
        let partly = self.recovering && ack < self.recover;
        let acked = (ack - self.una) as f64;
        (self.una, self.nxt) = (ack, self.nxt.max(ack));
        if partly {
            return self.on_part(now, acked);
        }
        let ended = std::mem::take(&mut self.recovering);
        match self.start.recovery {
            Recovery::Reno if self.duplicates >= THRESHOLD => self.cwnd = self.cwnd.min(self.ssthresh),
            Recovery::NewReno if ended => self.deflate(),
            _ => {}
        }
        (self.inflation, self.duplicates, self.resend) = (0.0, 0, false);
        let opens = match self.start.recovery {
            Recovery::NewReno => !ended || !self.has(Rule::EndOpensNothing),
            Recovery::Sack => !ended,
            _ => true,
        };
        if opens {
            self.open();
        }
        self.time(now);
    }

    fn on_duplicate(&mut self, now: Ps) {
        if self.max == self.una {
            return;
        }
        self.duplicates += 1;
        if self.duplicates == THRESHOLD {
            self.on_third(now);
        } else if self.duplicates > THRESHOLD && (self.recovering || self.is(Recovery::Reno)) {
            self.inflation += 1.0;
        }
    }

    fn on_third(&mut self, now: Ps) {
        let lasts = self.is(Recovery::NewReno);
        let again = lasts && self.recover > 0 && (self.recovering || self.una <= self.recover);
        if again || self.is(Recovery::TimeoutOnly) {
            return;
        }
        self.halve();
        if self.is(Recovery::Tahoe) {
            self.cwnd = 1.0;
            if !self.has(Rule::GoesOn) {
                self.nxt = self.una;
            }
        } else {
            (self.cwnd, self.inflation) = (self.ssthresh, 3.0);
        }
        self.resend = self.nxt > self.una;
        self.begin(now, lasts);
    }

    fn begin(&mut self, now: Ps, lasts: bool) {
        (self.recover, self.recovering, self.partly) = (self.max, lasts, false);
        self.timer = Ps(now.0 + self.rto.0);
    }

    fn time(&mut self, now: Ps) {
        self.timer = if self.max > self.una { Ps(now.0 + self.rto.0) } else { Ps::NEVER };
    }

    /// What goes next, if anything may.
    fn next(&self) -> Option<u64> {
        if self.resend {
            return Some(self.una);
        }
        if self.is(Recovery::Sack) {
            return self.next_selective();
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
        (self.resend, self.allowed) = (false, false);
        self.nxt = self.nxt.max(packet + 1);
        self.max = self.max.max(packet + 1);
        if self.timer == Ps::NEVER {
            self.timer = Ps(now.0 + self.rto.0);
        }
        Some(Segment { seq: packet * self.start.mss, len: self.start.mss as u32, ..Segment::default() })
    }

    fn on_ack(&mut self, now: Ps, ack: &Segment) {
        let next = ack.ack / self.start.mss;
        assert!(next >= self.una, "acknowledgements keep their order on this line");
        let blocks = ack.blocks().above(ack.ack).map(|(from, to)| (from / self.start.mss, to / self.start.mss));
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
        if !self.has(Rule::TimeoutHalvesInflated) {
            self.inflation = 0.0;
        }
        match self.start.recovery {
            Recovery::TimeoutOnly => self.ssthresh = (self.cwnd / 2.0).min(self.start.window as f64).max(2.0),
            _ => self.halve(),
        }
        (self.cwnd, self.inflation, self.duplicates) = (1.0, 0.0, 0);
        (self.recover, self.recovering, self.resend) = (self.max, false, false);
        self.nxt = self.una;
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
