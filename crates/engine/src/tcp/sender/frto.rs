//! F-RTO (RFC 5682) detects spurious timeouts, in which acknowledgements were late and no data were
//! lost. The basic algorithm is that of section 2.1, with SACK that of section 3.1. Step numbers in
//! the comments are those of both sections.
//!
//! With SACK a duplicate acknowledgement does not end the trial if its blocks report data that were
//! sent before the timeout. So a timeout is also found to be spurious if the late data arrive out
//! of order.
//!
//! The reaction to a spurious timeout is that of RFC 4015 section 3: ssthresh is restored. cwnd becomes the
//! outstanding data plus the data acknowledged last, of which at most the initial window counts. Linux restores
//! cwnd instead (`tcp_try_undo_loss`); ns-3 has no F-RTO. The recovery policy returns to its state before the
//! timeout, as RFC 9438 section 4.9.1 requires for CUBIC. RTT estimates are not changed: the adaptation of RFC
//! 4015 section 3 step 9 is optional.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::config::TcpConfig;
use crate::tcp::recovery::Policy;
use crate::tcp::segment::Segment;

/// State of F-RTO at a sender.
#[derive(Clone, Debug)]
pub(super) struct Frto {
    initial_window: u64,
    /// Value of snd_max at the last timeout. Until all data below this value are acknowledged,
    /// another timeout begins no trial (step 1).
    recover: u64,
    trial: Option<Trial>,
}

impl Frto {
    /// State of a connection without a timeout.
    pub fn new(config: &TcpConfig) -> Frto {
        Frto {
            initial_window: config.first_window().cwnd,
            recover: 0,
            trial: None,
        }
    }
}

/// A trial: the state after a timeout while it is not known yet whether the timeout was spurious.
#[derive(Clone, Debug)]
struct Trial {
    /// End position of the segment that is sent again because of the timeout.
    copied: u64,
    /// True if one acknowledgement has advanced and new data have been sent.
    advanced: bool,
    /// End position of the data whose last bit had left the host at the timeout.
    transmitted: u64,
    /// State of the recovery policy before the timeout. `ssthresh` is pipe_prev: the greater of ssthresh and the
    /// data outstanding at that time (RFC 4015 section 3 step 0).
    policy: Policy,
    ssthresh: u64,
}

impl TcpSender {
    /// Step 1 of F-RTO, before the reaction to a timeout: may begin a trial. With SACK, a timeout during a loss
    /// recovery begins no trial, since the recovery's retransmissions would count as late data.
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

    /// Processes an acknowledgement, and then continues the trial, if there is one.
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

    /// Number of bytes known to have arrived, not counting bytes above the snd_max at the last timeout.
    fn arrived_of_before(&self) -> u64 {
        let recover = self.frto.as_ref().map_or(0, |frto| frto.recover);
        self.snd_una + self.sacked_below(recover)
    }

    /// Number of bytes below `position` that are in the scoreboard, and so are known to have arrived.
    fn sacked_below(&self, position: u64) -> u64 {
        let board = self.board.as_ref();
        board.map_or(0, |board| board.sacked_below(position))
    }

    /// Number of outstanding bytes that are not known to have arrived.
    fn outstanding(&self) -> u64 {
        self.bytes_in_flight() - self.sacked_below(self.snd_max)
    }

    /// Step 2 of F-RTO, at the first acknowledgement after the timeout. With SACK, at the first acknowledgement
    /// that advances snd_una.
    fn try_new_data(&mut self, now: Ps, trial: Trial, advances: bool) {
        let (mss, flight) = (self.window.mss, self.bytes_in_flight());
        let len = mss.min(self.snd_end - self.snd_max);
        let waits = self.waits_for_more(self.snd_max, len); // RFC 1122 section 4.2.3.4
        let transmitted = trial.transmitted;
        let (outstanding, selective) = (self.outstanding(), self.board.is_some());
        let Some(frto) = &mut self.frto else { return };
        if selective && !advances {
            frto.trial = Some(trial); // section 3.1: only the scoreboard has changed
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
        // The oldest segment is not sent again, so no copy will leave and start the timer.
        self.transmitted = self.transmitted.max(transmitted);
        self.time_the_oldest(now);
    }

    /// Step 3 of F-RTO, at the second acknowledgement, which shows that `acked` more bytes sent before the
    /// timeout have arrived. With SACK, this acknowledgement must not report data sent after the timeout.
    fn end_trial(&mut self, trial: Trial, acked: u64) {
        let recover = self.frto.as_ref().map_or(0, |frto| frto.recover);
        let later = self.sacked_below(self.snd_max) > self.sacked_below(recover)
            || (self.board.is_some() && self.snd_una > recover);
        if acked == 0 || later {
            // (3a): slow start sends again everything that is not acknowledged.
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
