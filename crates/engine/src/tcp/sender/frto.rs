//! F-RTO: timeouts that were spurious, since the acknowledgements were late and not the data lost (RFC
//! 5682): the basic algorithm of section 2.1, and with SACK that of section 3.1. Steps in the comments are
//! those of both sections.
//!
//! With SACK a duplicate acknowledgement does not end the trial if its blocks report data that were sent
//! before the timeout. So a timeout also shows as spurious where the late data arrive out of order.
//!
//! The answer to a spurious timeout is that of RFC 4015 section 3: ssthresh is as before, and cwnd has what is
//! outstanding and what was acknowledged last, at most the initial window. Linux restores cwnd
//! instead (`tcp_try_undo_loss`); ns-3 has no F-RTO. The state of the policy is that before the
//! timeout, as RFC 9438 section 4.9.1 has it for CUBIC. RTT estimates stay as they are: the adaptation of RFC
//! 4015 section 3 step 9 is optional.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::config::TcpConfig;
use crate::tcp::recovery::Policy;
use crate::tcp::segment::Segment;

/// F-RTO at a sender.
#[derive(Clone, Debug)]
pub(super) struct Frto {
    initial_window: u64,
    /// snd_max at the last timeout: until everything below is acknowledged, another begins no trial
    /// (step 1).
    recover: u64,
    trial: Option<Trial>,
}

impl Frto {
    /// A connection without a timeout.
    pub fn new(config: &TcpConfig) -> Frto {
        Frto {
            initial_window: config.first_window().cwnd,
            recover: 0,
            trial: None,
        }
    }
}

/// A timeout of which it is not known yet whether it was spurious.
#[derive(Clone, Debug)]
struct Trial {
    /// End of the segment that is sent again.
    copied: u64,
    /// One acknowledgement has advanced, and new data were sent.
    advanced: bool,
    /// End of the data whose last cell had left the host.
    transmitted: u64,
    /// State of the policy before the timeout, and pipe_prev (RFC 4015 section 3 step 0).
    policy: Policy,
    ssthresh: u64,
}

impl TcpSender {
    /// Step 1, before the reaction to a timeout. With SACK a loss recovery that is under way is no place
    /// for a trial either, since its copies would count as data that were late.
    pub(super) fn suspect_timeout(&mut self) {
        let flight = self.bytes_in_flight();
        let copied = self.snd_una + self.window.mss.min(flight);
        let recovers = self.board.is_some() && self.recover.is_some_and(|end| self.snd_una < end);
        let Some(frto) = &mut self.frto else { return };
        let again = recovers || self.snd_una < frto.recover;
        frto.recover = self.snd_max;
        frto.trial = (!again).then(|| Trial {
            copied,
            advanced: false,
            transmitted: self.transmitted,
            policy: self.policy.clone(),
            ssthresh: self.window.ssthresh.max(flight),
        });
    }

    /// Takes an acknowledgement, and then goes on with the trial, if there is one.
    #[inline(never)]
    pub(super) fn on_suspecting_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        let arrived = self.arrived_of_before();
        let advances = segment.ack() > self.snd_una;
        let event = self.on_valid_ack(now, segment);
        let acked = self.arrived_of_before() - arrived;
        let trial = self.frto.as_mut().and_then(|frto| frto.trial.take());
        match trial {
            Some(trial) if trial.advanced => self.end_trial(trial, acked),
            Some(trial) => self.try_new_data(now, trial, advances),
            None => {}
        }
        event
    }

    /// Bytes that are known to have arrived, without those reported above what the last timeout found sent.
    fn arrived_of_before(&self) -> u64 {
        let recover = self.frto.as_ref().map_or(0, |frto| frto.recover);
        self.snd_una + self.sacked_below(recover)
    }

    /// Bytes below `position` that the scoreboard has.
    fn sacked_below(&self, position: u64) -> u64 {
        let board = self.board.as_ref();
        board.map_or(0, |board| board.sacked_below(position))
    }

    /// Bytes outstanding that are not known to have arrived.
    fn outstanding(&self) -> u64 {
        self.bytes_in_flight() - self.sacked_below(self.snd_max)
    }

    /// Step 2, the first acknowledgement after the timeout; with SACK the first that advances.
    fn try_new_data(&mut self, now: Ps, trial: Trial, advances: bool) {
        let (mss, flight) = (self.window.mss, self.bytes_in_flight());
        let len = mss.min(self.snd_end - self.snd_max);
        let waits = self.waits_for_more(self.snd_max, len); // RFC 1122 section 4.2.3.4
        let transmitted = trial.transmitted;
        let (outstanding, selective) = (self.outstanding(), self.board.is_some());
        let Some(frto) = &mut self.frto else { return };
        if selective && !advances {
            frto.trial = Some(trial); // Section 3.1: the scoreboard alone has changed.
            return;
        }
        let covered = self.snd_una >= frto.recover || self.snd_una < trial.copied;
        let has_new = len > 0 && flight + len <= self.window.rwnd && !waits;
        if !advances || covered || !has_new {
            return; // (2a), and the recommended action of (2b) without new data
        }
        frto.trial = Some(Trial {
            advanced: true,
            ..trial
        });
        // (2b): up to two new segments.
        self.snd_nxt = self.snd_max;
        self.window.cwnd = outstanding + 2 * mss;
        // No copy of the oldest segment will leave and start the timer.
        self.transmitted = self.transmitted.max(transmitted);
        self.time_the_oldest(now);
    }

    /// Step 3, the second one, which shows `acked` bytes more that were sent before the timeout. With SACK
    /// it must show no data that were sent after it.
    fn end_trial(&mut self, trial: Trial, acked: u64) {
        let recover = self.frto.as_ref().map_or(0, |frto| frto.recover);
        let later = self.sacked_below(self.snd_max) > self.sacked_below(recover)
            || (self.board.is_some() && self.snd_una > recover);
        if acked == 0 || later {
            // (3a): slow start sends again what is not acknowledged.
            self.window.cwnd = self.window.cwnd.min(3 * self.window.mss);
            self.snd_nxt = self.snd_una;
            return;
        }
        // (3b)
        let initial = self.frto.as_ref().map_or(0, |frto| frto.initial_window);
        self.policy = trial.policy;
        self.window.ssthresh = trial.ssthresh;
        self.window.cwnd = self.outstanding() + acked.min(initial); // RFC 4015 3 step 8
        self.recover = Some(self.snd_una);
        self.stats.spurious_timeouts += 1;
    }
}
