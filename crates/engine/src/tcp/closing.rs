//! The states in which a connection is closed (RFC 9293 section 3.6 and figure 5), for one end.

use super::config::TcpConfig;
use super::estimator::RttEstimator;
use super::segment::OwnFin;
use crate::kernel::Ps;

/// Maximum segment lifetime (RFC 9293 section 3.4.2). TIME-WAIT lasts twice as long; in Linux and
/// 4.3BSD it lasts 60 s.
pub const MSL: Ps = Ps::from_s(120);

/// State of an end, from ESTABLISHED on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No FIN was sent or received.
    Established,
    /// This end has sent its FIN.
    FinWait1,
    /// The FIN of this end was acknowledged.
    FinWait2,
    /// The other end's FIN was received, with all data before it.
    CloseWait,
    /// Both FINs are on their way at once, and the other end's has arrived.
    Closing,
    /// This end has sent its FIN after it received that of the other end.
    LastAck,
    /// Both FINs have arrived; the other end may not know it.
    TimeWait,
    /// Nothing is left of the connection.
    Closed,
}

/// One end of a connection that is closed some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    state: State,
    /// Last end of TIME-WAIT.
    until: Ps,
}

impl Closing {
    /// An end that neither has closed.
    pub fn new() -> Closing {
        Closing {
            state: State::Established,
            until: Ps::NEVER,
        }
    }
    /// The state at `now`.
    pub fn state(&self, now: Ps) -> State {
        if self.state == State::TimeWait && now >= self.until {
            State::Closed
        } else {
            self.state
        }
    }
    /// The own FIN is sent, perhaps again.
    pub fn on_fin_sent(&mut self) {
        self.state = match self.state {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            other => other,
        };
    }
    /// The own FIN is acknowledged, perhaps again.
    pub fn on_fin_acknowledged(&mut self, now: Ps) {
        match self.state(now) {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.wait(now),
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
    }
    /// The other end's FIN arrives, with all data before it, perhaps again. The acknowledgement of the
    /// own FIN in the same segment goes first (RFC 9293 section 3.10.7.4).
    pub fn on_fin(&mut self, now: Ps) {
        match self.state(now) {
            State::Established => self.state = State::CloseWait,
            State::FinWait1 => self.state = State::Closing,
            State::FinWait2 | State::TimeWait => self.wait(now),
            _ => {}
        }
    }
    /// TIME-WAIT begins, or begins again.
    fn wait(&mut self, now: Ps) {
        self.state = State::TimeWait;
        self.until = now.saturating_add(Ps(2 * MSL.0));
    }
    /// True if the own FIN was sent and is not known to have arrived.
    pub fn awaits_acknowledgement(&self) -> bool {
        matches!(
            self.state,
            State::FinWait1 | State::Closing | State::LastAck
        )
    }
    /// True if the other end's FIN was received.
    pub fn has_fin(&self) -> bool {
        !matches!(
            self.state,
            State::Established | State::FinWait1 | State::FinWait2
        )
    }
}

/// Closing at the receiving end, which sends no data: its FIN has the number 0, and a timer of its own.
#[derive(Clone, Debug)]
pub(super) struct ReceiverClosing {
    states: Closing,
    /// Number of the other end's FIN, once a segment with it has arrived.
    fin: Option<u64>,
    /// The application has closed the connection.
    closed: bool,
    /// Used for its timeout alone, as in [`super::listening`].
    estimator: RttEstimator,
    fins_sent: u32,
}

impl ReceiverClosing {
    /// An end that neither has closed; its clock ticks at `phase + k * granularity`.
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
    /// The application closes the connection.
    pub fn close(&mut self) {
        self.closed = true;
    }
    /// A segment with FIN behind the byte before `number` has arrived.
    pub fn note_fin(&mut self, number: u64) {
        self.fin = Some(number);
    }
    /// Everything below `next` has arrived. If the FIN is the next, it counts as received, and the
    /// application, which reads at once, closes the connection.
    pub fn on_data(&mut self, now: Ps, next: u64) {
        if self.fin == Some(next) {
            self.states.on_fin(now);
            self.closed = true;
        }
    }
    /// The own FIN is acknowledged.
    pub fn on_fin_acknowledged(&mut self, now: Ps) {
        self.states.on_fin_acknowledged(now);
    }
    /// True if the own FIN was sent and is not known to have arrived.
    pub fn awaits_acknowledgement(&self) -> bool {
        self.states.awaits_acknowledgement()
    }
    /// True if the other end's FIN was received.
    pub fn has_fin(&self) -> bool {
        self.states.has_fin()
    }
    /// The own FIN in an acknowledgement that is sent at `now`, and the time at which it must be sent again.
    /// All carry it until it is acknowledged, as in Net/3 (`tcp_outflags`).
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
    /// The FIN was not acknowledged in time: the next timeout is twice as long (RFC 6298 (5.5)).
    pub fn on_timeout(&mut self) {
        self.estimator.on_timeout();
    }
    /// True if the last FIN was a retransmission.
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

    /// States after each event, at one second each.
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

    /// RFC 9293 figures 12 and 13: a normal close by both ends, and a simultaneous one.
    #[test]
    fn every_way_to_close_has_its_states() {
        use State::*;
        assert_eq!(states(&[Sends, Acked, Fin]), [FinWait1, FinWait2, TimeWait]);
        assert_eq!(states(&[Fin, Sends, Acked]), [CloseWait, LastAck, Closed]);
        assert_eq!(states(&[Sends, Fin, Acked]), [FinWait1, Closing, TimeWait]);
        // What comes twice changes nothing.
        assert_eq!(
            states(&[Fin, Fin, Sends, Sends, Fin, Acked, Fin, Acked]),
            [
                CloseWait, CloseWait, LastAck, LastAck, LastAck, Closed, Closed, Closed
            ]
        );
    }

    /// 2 MSL are four minutes; a FIN that comes again begins them again.
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
