//! Opening and closing of the window.

use cellrate_engine::tcp::Recovery;

use super::PlainSender;
use super::rules::Rule;

impl PlainSender {
    /// Packets sent that were neither acknowledged nor indicated by a duplicate.
    pub(super) fn flight(&self) -> f64 {
        if self.is(Recovery::Sack) {
            return self.board.pipe(self.una, self.max) as f64;
        }
        (self.nxt - self.una) as f64 - self.inflation
    }

    /// The part of `acked` packets that opens the window.
    pub(super) fn newly(&mut self, acked: f64, ack: u64) -> f64 {
        if self.after_timeout && ack >= self.recover {
            self.after_timeout = false;
            if !self.has(Rule::TimeoutEndOpens) {
                return (ack - self.recover) as f64;
            }
        }
        acked
    }

    pub(super) fn open(&mut self) {
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
            // A whole number of bytes may be slightly less as a fraction of a packet.
            self.cwnd = (self.cwnd * mss + 1e-6).floor() / mss;
        }
    }

    /// Halves the window in whole packets, or `flight`; the result is at least two packets.
    pub(super) fn halve(&mut self, flight: f64) {
        let whole = (self.usable() / 2.0).floor();
        self.ssthresh = if self.has(Rule::HalvesWindow) {
            whole
        } else {
            flight / 2.0
        }
        .max(2.0);
    }
}
