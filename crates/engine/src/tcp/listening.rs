//! Connection set-up at the passive end (RFC 793 sections 3.4 and 3.9): the SYN-ACK and its timer.

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
    /// A SYN has arrived; the SYN-ACK must be sent or has been sent (SYN-RECEIVED).
    SynReceived,
    /// The SYN-ACK has been acknowledged (ESTABLISHED).
    Established,
}

/// State of the set-up at the passive end.
#[derive(Clone, Debug)]
pub struct Listening {
    phase: Phase,
    options: SynOptions,
    window: u32,
    /// Provides only the timeout after which the SYN-ACK is sent again. This end sends no data and measures no
    /// round trips.
    estimator: RttEstimator,
    answers_sent: u32,
}

impl Listening {
    /// State before the SYN arrives. The clock of the timer ticks at `phase + k * granularity`.
    pub fn new(config: &TcpConfig, phase: Ps) -> Listening {
        Listening {
            phase: Phase::Listen,
            options: config.syn_options(),
            window: SynOptions::unscaled(config.window.0 as u32),
            estimator: RttEstimator::new(config, phase),
            answers_sent: 0,
        }
    }

    /// True unless one of the ends is known not to use ECN.
    pub fn agrees_to_ecn(&self) -> bool {
        self.options.ecn
    }
    /// True unless one of the ends is known not to use time stamps.
    pub fn agrees_to_stamps(&self) -> bool {
        self.options.timestamps
    }
    /// True from the arrival of a SYN until the SYN-ACK is acknowledged.
    pub fn answers(&self) -> bool {
        self.phase == Phase::SynReceived
    }
    /// Processes a segment without payload. Returns true if a segment must be sent: a SYN-ACK or,
    /// on an established connection, an acknowledgement. The SYN-ACK agrees to ECN and time stamps
    /// if the SYN offers them (RFC 3168 section 6.1.1; RFC 7323 section 3.2).
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
    /// Records that the other end has received the SYN-ACK. Returns true if this was not known
    /// before.
    pub fn establish(&mut self) -> bool {
        let new = self.answers();
        if new {
            self.phase = Phase::Established;
        }
        new
    }
    /// The SYN-ACK with the time stamps `stamps`, and the time at which the SYN-ACK must be sent again if it is
    /// not acknowledged.
    pub fn answer(&mut self, now: Ps, stamps: Option<Stamps>) -> (Segment, Ps) {
        self.answers_sent += 1;
        let answer = Handshake::SynAck(self.options);
        let answer = Segment::setup(answer, self.window, now, stamps);
        (answer, self.estimator.expiry(now))
    }
    /// True if the SYN-ACK sent last was a retransmission.
    pub fn has_repeated(&self) -> bool {
        self.answers_sent > 1
    }
    /// Doubles the next timeout, after the SYN-ACK was not acknowledged in time (RFC 6298 (5.5)).
    pub fn on_timeout(&mut self) {
        self.estimator.on_timeout();
    }
}
