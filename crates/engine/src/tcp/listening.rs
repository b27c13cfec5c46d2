//! The passive end of connection set-up (RFC 793 sections 3.4 and 3.9): the SYN-ACK and its timer.

use super::config::TcpConfig;
use super::estimator::RttEstimator;
use super::handshake::{Handshake, SynOptions};
use super::segment::Segment;
use crate::kernel::Ps;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No SYN has come (LISTEN).
    Listen,
    /// One has, and was or is to be answered (SYN-RECEIVED).
    SynReceived,
    /// The answer was acknowledged (ESTABLISHED).
    Established,
}

/// How far the set-up has come.
#[derive(Clone, Debug)]
pub struct Listening {
    phase: Phase,
    options: SynOptions,
    window: u32,
    /// For its timeout only: this end sends no data, so it measures nothing.
    estimator: RttEstimator,
    answers_sent: u32,
}

impl Listening {
    /// A connection that nobody has asked for; the timer's clock ticks at `phase + k * granularity`.
    pub fn new(config: &TcpConfig, phase: Ps) -> Listening {
        Listening {
            phase: Phase::Listen,
            options: SynOptions::of(config),
            window: SynOptions::unscaled(config.window.0 as u32),
            estimator: RttEstimator::new(config, phase),
            answers_sent: 0,
        }
    }

    /// Whether a SYN has come, and nothing yet that acknowledges the answer.
    pub fn answers(&self) -> bool {
        self.phase == Phase::SynReceived
    }
    /// Takes a segment without payload. Whether something is to be sent: the answer, or to a SYN that comes when the
    /// connection stands, an acknowledgement.
    pub fn on_control(&mut self, segment: &Segment) -> bool {
        match segment.handshake() {
            Some(Handshake::Syn(_)) => {
                if self.phase == Phase::Listen {
                    self.phase = Phase::SynReceived;
                }
                true
            }
            Some(Handshake::Ack { .. }) => {
                self.establish();
                false
            }
            _ => false,
        }
    }
    /// The other end has the answer. Whether that is new.
    pub fn establish(&mut self) -> bool {
        let new = self.answers();
        if new {
            self.phase = Phase::Established;
        }
        new
    }
    /// The answer, and when to send it again.
    pub fn answer(&mut self, now: Ps) -> (Segment, Ps) {
        self.answers_sent += 1;
        let answer = Segment::of_setup(now, Handshake::SynAck(self.options), 0, self.window);
        (answer, self.estimator.expiry(now))
    }
    /// Whether the answer that was sent last was not the first.
    pub fn has_repeated(&self) -> bool {
        self.answers_sent > 1
    }
    /// The answer was not acknowledged in time: the next wait is twice as long.
    pub fn on_timeout(&mut self) {
        self.estimator.on_timeout();
    }
}
