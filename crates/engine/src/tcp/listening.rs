//! The passive end of connection set-up (RFC 793 sections 3.4 and 3.9): the SYN-ACK and its timer.

use super::config::TcpConfig;
use super::estimator::RttEstimator;
use super::handshake::{Handshake, SynOptions};
use super::segment::Segment;
use super::stamps::Stamps;
use crate::kernel::Ps;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No SYN has arrived (LISTEN).
    Listen,
    /// A SYN has arrived; its answer was sent or is due (SYN-RECEIVED).
    SynReceived,
    /// The answer was acknowledged (ESTABLISHED).
    Established,
}

/// State of the set-up.
#[derive(Clone, Debug)]
pub struct Listening {
    phase: Phase,
    options: SynOptions,
    window: u32,
    /// Used for its timeout alone: this end sends no data and measures no round trips.
    estimator: RttEstimator,
    answers_sent: u32,
}

impl Listening {
    /// A connection before its SYN; the timer's clock ticks at `phase + k * granularity`.
    pub fn new(config: &TcpConfig, phase: Ps) -> Listening {
        Listening {
            phase: Phase::Listen,
            options: config.syn_options(),
            window: SynOptions::unscaled(config.window.0 as u32),
            estimator: RttEstimator::new(config, phase),
            answers_sent: 0,
        }
    }

    /// True unless one of both ends cannot use ECN.
    pub fn agrees_to_ecn(&self) -> bool {
        self.options.ecn
    }
    /// True unless one of both ends cannot use time stamps.
    pub fn agrees_to_stamps(&self) -> bool {
        self.options.timestamps
    }
    /// True from the arrival of a SYN until its answer is acknowledged.
    pub fn answers(&self) -> bool {
        self.phase == Phase::SynReceived
    }
    /// Takes a segment without payload. Returns true if a segment is due: the answer to a SYN or,
    /// if the connection is established already, an acknowledgement. The answer agrees to ECN and time
    /// stamps if the SYN offers them (RFC 3168 section 6.1.1; RFC 7323 section 3.2).
    pub fn on_control(&mut self, segment: &Segment) -> bool {
        match segment.handshake() {
            Some(Handshake::Syn(offer)) => {
                self.options.ecn &= offer.ecn;
                self.options.timestamps &= offer.timestamps;
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
    /// The other end has the answer. Returns true if that was not known before.
    pub fn establish(&mut self) -> bool {
        let new = self.answers();
        if new {
            self.phase = Phase::Established;
        }
        new
    }
    /// The SYN-ACK with `stamps`, and the time at which it is sent again if it is not acknowledged.
    pub fn answer(&mut self, now: Ps, stamps: Option<Stamps>) -> (Segment, Ps) {
        self.answers_sent += 1;
        let answer = Handshake::SynAck(self.options);
        let answer = Segment::setup(answer, self.window, now, stamps);
        (answer, self.estimator.expiry(now))
    }
    /// True if the last answer was a retransmission.
    pub fn has_repeated(&self) -> bool {
        self.answers_sent > 1
    }
    /// The answer was not acknowledged in time: the next timeout is twice as long (RFC 6298 (5.5)).
    pub fn on_timeout(&mut self) {
        self.estimator.on_timeout();
    }
}
