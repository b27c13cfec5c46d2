//! The states of one end of a connection that is being closed (RFC 9293 section 3.6 and figure 5).

use super::config::TcpConfig;
use super::estimator::RttEstimator;
use super::segment::OwnFin;
use crate::kernel::Ps;

/// Maximum segment lifetime (RFC 9293 section 3.4.2). TIME-WAIT lasts twice as long; in Linux and
/// 4.3BSD it lasts 60 s.
pub const MSL: Ps = Ps::from_s(120);

/// State of one end of a connection, from ESTABLISHED on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No FIN has been sent or received.
    Established,
    /// This end has sent its FIN.
    FinWait1,
    /// The FIN of this end has been acknowledged.
    FinWait2,
    /// The FIN of the other end has been received, with all data before it.
    CloseWait,
    /// Both ends have sent a FIN at the same time. The FIN of the other end has been received; the FIN of this
    /// end is not acknowledged.
    Closing,
    /// This end has sent its FIN after it received the FIN of the other end.
    LastAck,
    /// Both FINs have been received and acknowledged, but the last acknowledgement may not have reached the other
    /// end.
    TimeWait,
    /// The connection no longer exists.
    Closed,
}

/// State of one end of a connection that may be closed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    state: State,
    /// Time at which TIME-WAIT ends.
    until: Ps,
}

impl Closing {
    /// State of a connection that neither end has closed.
    pub fn new() -> Closing {
        Closing {
            state: State::Established,
            until: Ps::NEVER,
        }
    }
    /// State at `now`. `now` matters because TIME-WAIT ends by time.
    pub fn state(&self, now: Ps) -> State {
        if self.state == State::TimeWait && now >= self.until {
            State::Closed
        } else {
            self.state
        }
    }
    /// Records that this end sends its FIN, for the first time or again.
    pub fn on_fin_sent(&mut self) {
        self.state = match self.state {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            other => other,
        };
    }
    /// Records that the FIN of this end is acknowledged, for the first time or again.
    pub fn on_fin_acknowledged(&mut self, now: Ps) {
        match self.state(now) {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.wait(now),
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
    }
    /// Records that the FIN of the other end arrives, for the first time or again, with all data
    /// before it. If the same segment acknowledges the FIN of this end, this
    /// acknowledgement must be recorded first (RFC 9293 section 3.10.7.4).
    pub fn on_fin(&mut self, now: Ps) {
        match self.state(now) {
            State::Established => self.state = State::CloseWait,
            State::FinWait1 => self.state = State::Closing,
            State::FinWait2 | State::TimeWait => self.wait(now),
            _ => {}
        }
    }
    /// Begins TIME-WAIT, or extends it: its end is twice the MSL after `now`.
    fn wait(&mut self, now: Ps) {
        self.state = State::TimeWait;
        self.until = now.saturating_add(Ps(2 * MSL.0));
    }
    /// True if this end has sent its FIN and the FIN is not acknowledged.
    pub fn awaits_acknowledgement(&self) -> bool {
        matches!(
            self.state,
            State::FinWait1 | State::Closing | State::LastAck
        )
    }
    /// True if the FIN of the other end has been received.
    pub fn has_fin(&self) -> bool {
        !matches!(
            self.state,
            State::Established | State::FinWait1 | State::FinWait2
        )
    }
}

/// Closing at the end that receives the data and sends none. The FIN of this end has the number 0. This end has a
/// timer of its own.
#[derive(Clone, Debug)]
pub(super) struct ReceiverClosing {
    states: Closing,
    /// Number of the other end's FIN; `None` until a segment with FIN has arrived.
    fin: Option<u64>,
    /// True if the application has closed the connection.
    closed: bool,
    /// Provides only the timeout after which the FIN is sent again, as in [`super::listening`].
    estimator: RttEstimator,
    fins_sent: u32,
}

impl ReceiverClosing {
    /// State of a connection that neither end has closed. The clock of the timer ticks at `phase +
    /// k * granularity`.
    pub fn new(config: &TcpConfig, phase: Ps) -> ReceiverClosing {
        ReceiverClosing {
            states: Closing::new(),
            fin: None,
            closed: false,
            estimator: RttEstimator::new(config, phase),
            fins_sent: 0,
        }
    }
    /// The state at `now`.
    pub fn state(&self, now: Ps) -> State {
        self.states.state(now)
    }
    /// Records that the application closes the connection.
    pub fn close(&mut self) {
        self.closed = true;
    }
    /// Records that a segment with the other end's FIN has arrived; `number` is the sequence number
    /// of the FIN.
    pub fn note_fin(&mut self, number: u64) {
        self.fin = Some(number);
    }
    /// Records that all data below `next` have arrived. If the other end's FIN is next, it counts as received.
    /// The application has then read everything and closes the connection.
    pub fn on_data(&mut self, now: Ps, next: u64) {
        if self.fin == Some(next) {
            self.states.on_fin(now);
            self.closed = true;
        }
    }
    /// Records that the FIN of this end is acknowledged.
    pub fn on_fin_acknowledged(&mut self, now: Ps) {
        self.states.on_fin_acknowledged(now);
    }
    /// True if this end has sent its FIN and the FIN is not acknowledged.
    pub fn awaits_acknowledgement(&self) -> bool {
        self.states.awaits_acknowledgement()
    }
    /// True if the FIN of the other end has been received.
    pub fn has_fin(&self) -> bool {
        self.states.has_fin()
    }
    /// The FIN field of an acknowledgement that is sent at `now`, and the time at which the FIN must be sent
    /// again if it is not acknowledged. Every acknowledgement carries the FIN until the FIN is acknowledged, as
    /// in Net/3 (`tcp_outflags`).
    pub fn own_fin(&mut self, now: Ps) -> (OwnFin, Ps) {
        if !self.closed {
            return (OwnFin::NotYet, Ps::NEVER);
        }
        self.states.on_fin_sent();
        if self.awaits_acknowledgement() {
            self.fins_sent += 1;
            (OwnFin::Here, self.estimator.expiry(now))
        } else {
            (OwnFin::Acknowledged, Ps::NEVER)
        }
    }
    /// Doubles the next timeout, after the FIN was not acknowledged in time (RFC 6298 (5.5)).
    pub fn on_timeout(&mut self) {
        self.estimator.on_timeout();
    }
    /// True if the FIN sent last was a retransmission.
    pub fn has_repeated(&self) -> bool {
        self.fins_sent > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    enum Happens {
        Sends,
        Acked,
        Fin,
    }
    use Happens::*;

    /// States after each of the `events`, which come at intervals of one second.
    fn states(events: &[Happens]) -> alloc::vec::Vec<State> {
        let mut closing = Closing::new();
        let seconds = (1..).map(Ps::from_s);
        let after = |(event, now): (&Happens, Ps)| {
            match event {
                Sends => closing.on_fin_sent(),
                Acked => closing.on_fin_acknowledged(now),
                Fin => closing.on_fin(now),
            }
            closing.state(now)
        };
        events.iter().zip(seconds).map(after).collect()
    }

    /// RFC 9293 figures 12 and 13: a normal close by both ends, and a simultaneous close.
    #[test]
    fn every_way_to_close_has_its_states() {
        use State::*;
        assert_eq!(states(&[Sends, Acked, Fin]), [FinWait1, FinWait2, TimeWait]);
        assert_eq!(states(&[Fin, Sends, Acked]), [CloseWait, LastAck, Closed]);
        assert_eq!(states(&[Sends, Fin, Acked]), [FinWait1, Closing, TimeWait]);
        // A repeated event changes nothing.
        assert_eq!(
            states(&[Fin, Fin, Sends, Sends, Fin, Acked, Fin, Acked]),
            [
                CloseWait, CloseWait, LastAck, LastAck, LastAck, Closed, Closed, Closed
            ]
        );
    }

    /// 2 MSL are four minutes; a repeated FIN makes these four minutes begin again.
    #[test]
    fn time_wait_lasts_twice_the_lifetime_of_a_segment() {
        let mut closing = Closing::new();
        closing.on_fin_sent();
        closing.on_fin_acknowledged(Ps::from_s(1));
        closing.on_fin(Ps::from_s(2));
        assert_eq!(closing.state(Ps::from_s(241)), State::TimeWait);
        closing.on_fin(Ps::from_s(100));
        assert_eq!(closing.state(Ps::from_s(339)), State::TimeWait);
        assert_eq!(closing.state(Ps::from_s(340)), State::Closed);
        closing.on_fin(Ps::from_s(340));
        assert_eq!(closing.state(Ps::from_s(340)), State::Closed);
    }
}
