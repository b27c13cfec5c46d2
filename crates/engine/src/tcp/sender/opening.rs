//! Connection set-up at the active end (RFC 793 sections 3.4 and 3.9): SYN, and the ACK of the
//! SYN-ACK.

use super::{TcpEvent, TcpSender, Timed};
use crate::kernel::Ps;
use crate::tcp::config::TcpConfig;
use crate::tcp::handshake::{Handshake, SynOptions};
use crate::tcp::segment::Segment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The application has not opened the connection (CLOSED).
    Closed,
    /// A SYN must be sent now.
    SynDue,
    /// A SYN has been sent (SYN-SENT).
    SynSent,
    /// The connection is established, and an ACK must be sent now.
    AckDue,
    /// The connection is established (ESTABLISHED).
    Established,
}

/// State of the set-up at the active end.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    phase: Phase,
    options: SynOptions,
    window: u32,
    syns_sent: u32,
}

impl Opening {
    /// State before the application opens the connection.
    pub fn new(config: &TcpConfig) -> Opening {
        let window = SynOptions::unscaled(config.window.0 as u32);
        Opening {
            phase: Phase::Closed,
            options: config.syn_options(),
            window,
            syns_sent: 0,
        }
    }
}

impl TcpSender {
    /// Opens the connection for the application. With `connection_setup` nothing is sent before
    /// this call; without it the call has no effect.
    pub fn open(&mut self) {
        if let Some(opening) = self
            .opening
            .as_mut()
            .filter(|opening| opening.phase == Phase::Closed)
        {
            opening.phase = Phase::SynDue;
        }
    }
    /// True if the connection is established, so that data may be sent.
    pub fn is_open(&self) -> bool {
        let stands =
            |opening: &Opening| matches!(opening.phase, Phase::AckDue | Phase::Established);
        self.opening.as_deref().is_none_or(stands)
    }
    /// True if the SYN sent last was a retransmission.
    pub(super) fn has_repeated_syn(&self) -> bool {
        self.opening
            .as_ref()
            .is_some_and(|opening| opening.syns_sent > 1)
    }

    /// The segment of the set-up that must be sent now, if any. Also returns true if data may be sent.
    pub(super) fn poll_setup(&mut self, now: Ps) -> (Option<Segment>, bool) {
        let Some(opening) = &mut self.opening else {
            return (None, true);
        };
        match opening.phase {
            Phase::Closed | Phase::SynSent => (None, false),
            Phase::Established => (None, true),
            Phase::AckDue => {
                opening.phase = Phase::Established;
                let (ack, window) = (Handshake::Ack { seq: self.snd_nxt }, self.rcv_window);
                let ack = Segment::setup(ack, window, now, self.stamps(now));
                (Some(ack), true)
            }
            Phase::SynDue => {
                opening.phase = Phase::SynSent;
                opening.syns_sent += 1;
                let (syn, window) = (Handshake::Syn(opening.options), opening.window);
                let repeated = opening.syns_sent > 1;
                let syn = Segment::setup(syn, window, now, self.stamps(now));
                // Karn (RFC 6298 section 3): the round trip of a retransmitted SYN is not measured.
                self.timed = (!repeated).then(|| Timed {
                    seq: 0,
                    since: self.estimator.tick(now),
                });
                self.time_the_copy(now);
                (Some(syn), false)
            }
        }
    }

    /// Records that the last bit of a SYN has left the host; see [`TcpSender::on_transmitted`].
    pub(super) fn on_setup_transmitted(&mut self, now: Ps) {
        if self.is_open() {
            return;
        }
        if let Some(timed) = &mut self.timed {
            timed.since = self.estimator.tick(now);
        }
        self.rto_at = self.estimator.expiry(now);
    }

    /// Reacts to a lost SYN or SYN-ACK: the SYN is sent again with twice the RTO (RFC 6298 (5.5)),
    /// and the first window is one segment (RFC 5681 section 3.1). The RTO keeps its backoff for
    /// the first data, as after any timeout (Karn; Net/3).
    pub(super) fn on_syn_timeout(&mut self, now: Ps) -> TcpEvent {
        if let Some(opening) = &mut self.opening {
            opening.phase = Phase::SynDue;
        }
        self.estimator.on_timeout();
        self.rto_at = Ps::NEVER;
        self.timed = None;
        self.window.cwnd = self.window.mss; // RFC 5681 3.1
        self.stats.timeouts += 1;
        self.stats.last_timeout = Some(now);
        TcpEvent::SynTimeout {
            backoff: self.estimator.backoff(),
        }
    }

    /// Processes a segment of the set-up; other segments are ignored until the connection is established. A
    /// second SYN-ACK shows that the ACK of the first was lost. Then another ACK is sent (RFC 793 section 3.9).
    pub(super) fn on_setup_segment(&mut self, now: Ps, segment: &Segment) {
        let (Some(Handshake::SynAck(answer)), Some(opening)) =
            (segment.handshake(), &mut self.opening)
        else {
            return;
        };
        let was_sent = opening.phase == Phase::SynSent;
        if was_sent || opening.phase == Phase::Established {
            opening.phase = Phase::AckDue;
        }
        if was_sent {
            self.take_answer(now, segment.stamps());
            if let Some(timed) = self.timed.take() {
                self.estimator.on_sample(now, timed.since);
                self.stats.rtt_samples += 1;
            }
            self.rto_at = Ps::NEVER;
            self.window.rwnd = self.advertised(segment);
            if !answer.ecn {
                self.ecn = None; // RFC 3168 6.1.1: not ECT
            }
        }
    }
}
