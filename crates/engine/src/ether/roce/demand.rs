//! Credits of ExpressPass at the source of a flow. The source requests credits, spends one for each packet, and stops the
//! receiver's credits.

use alloc::collections::VecDeque;

use super::packet::Kind;
use crate::kernel::Ps;

/// Inverse of the weight of a new sample in the smoothed time between credits.
const GAPS: u64 = 8;
/// Least time without an acknowledgement after which a loss is assumed, in smoothed times between credits.
const SILENT_GAPS: u64 = 16;

/// State of credits at the source of a flow: its last message to the receiver, and the credits that it has not spent.
#[derive(Clone, Debug)]
pub struct Demand {
    /// True from a request until the stop.
    asked: bool,
    /// True from a request until the first credit.
    is_unanswered: bool,
    /// Time of the last request or stop.
    told: Ps,
    /// Time after a stop from which on a further credit means that the stop is lost.
    patience: Ps,
    credits: VecDeque<u32>,
    /// Time of the last credit since the last stop; `gap` is the smoothed time between credits, in picoseconds.
    last: Option<Ps>,
    gap: u64,
    /// Number of credits received.
    pub received: u64,
    /// Number of credits with which no packet was sent.
    pub unused: u64,
}

impl Demand {
    /// A source that has not requested credits yet. For the time `patience` after a stop, credits may still arrive.
    pub fn new(patience: Ps) -> Demand {
        Demand {
            asked: false,
            is_unanswered: false,
            told: Ps::ZERO,
            patience,
            credits: VecDeque::new(),
            last: None,
            gap: 0,
            received: 0,
            unused: 0,
        }
    }
    /// The message to the receiver that is due now, if any: a request or a stop. `wants` is true if the source needs
    /// credits.
    #[inline]
    pub fn message(&self, wants: bool) -> Option<Kind> {
        match (wants, self.asked) {
            (true, false) => Some(Kind::Request),
            (false, true) => Some(Kind::Stop),
            _ => None,
        }
    }
    /// Must be called when the message of [`Demand::message`] leaves, at `now`.
    pub fn tell(&mut self, now: Ps, message: Kind) {
        self.asked = message == Kind::Request;
        (self.is_unanswered, self.told) = (self.asked, now);
        self.last = self.last.filter(|_| self.asked);
        self.unused += self.credits.len() as u64;
        self.credits.clear();
    }
    /// Processes a credit that arrives at `now`. Returns true if it is the first after a request.
    pub fn take(&mut self, now: Ps, number: u32) -> bool {
        self.received += 1;
        if let Some(last) = self.last {
            self.gap = match self.gap {
                0 => (now - last).0,
                gap => gap - gap / GAPS + (now - last).0 / GAPS,
            };
        }
        self.last = Some(now);
        if self.asked {
            self.credits.push_back(number);
        } else {
            self.unused += 1;
            // After `patience` the stop must have been lost, so a stop is due again.
            self.asked = now.saturating_sub(self.told) >= self.patience;
        }
        core::mem::take(&mut self.is_unanswered)
    }
    /// Time without an acknowledgement that does not indicate a loss. Credits acknowledge packets, and credits of many
    /// flows are far apart.
    pub fn usual_silence(&self) -> Ps {
        Ps(self.gap.saturating_mul(SILENT_GAPS))
    }
    /// True if no credit has answered the last request.
    pub fn is_unanswered(&self) -> bool {
        self.is_unanswered
    }
    /// True if the source has a credit, so that a packet may leave.
    #[inline]
    pub fn has_credit(&self) -> bool {
        !self.credits.is_empty()
    }
    /// Removes and returns the number of the credit with which the next packet leaves.
    pub fn spend(&mut self) -> Option<u32> {
        self.credits.pop_front()
    }
    /// Makes the request due again, since no credit has come in time.
    pub fn ask_again(&mut self) {
        (self.asked, self.is_unanswered) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request, two credits of which one is spent, and the stop. A credit within 20 ps after the stop was under way; a
    /// later credit shows that the stop was lost.
    #[test]
    fn a_stop_is_repeated_while_credits_come() {
        let mut demand = Demand::new(Ps(20));
        assert_eq!(
            (demand.message(false), demand.message(true)),
            (None, Some(Kind::Request))
        );
        demand.tell(Ps(5), Kind::Request);
        assert!(demand.is_unanswered() && !demand.has_credit());
        assert_eq!(
            [7, 8].map(|number| demand.take(Ps(9), number)),
            [true, false]
        );
        assert_eq!((demand.spend(), demand.has_credit()), (Some(7), true));
        assert_eq!(
            (demand.message(true), demand.message(false)),
            (None, Some(Kind::Stop))
        );
        demand.tell(Ps(100), Kind::Stop);
        assert!(!demand.has_credit());
        demand.take(Ps(119), 9);
        assert_eq!(demand.message(false), None);
        demand.take(Ps(120), 10);
        assert_eq!(demand.message(false), Some(Kind::Stop));
        demand.tell(Ps(121), Kind::Stop);
        demand.take(Ps(140), 11);
        assert_eq!(demand.message(false), None);
        assert_eq!((demand.received, demand.unused), (5, 4));
    }

    /// The first gap between credits counts whole, each later gap an eighth: 800, then 700 + 200. The time from a stop to
    /// the next credit is no gap.
    #[test]
    fn the_usual_silence_is_sixteen_gaps() {
        let mut demand = Demand::new(Ps(20));
        let silences = |demand: &mut Demand, times: &[u64]| {
            times.iter().for_each(|at| {
                demand.take(Ps(*at), 0);
            });
            demand.usual_silence()
        };
        demand.tell(Ps(0), Kind::Request);
        assert_eq!(silences(&mut demand, &[100]), Ps(0));
        assert_eq!(silences(&mut demand, &[900]), Ps(16 * 800));
        assert_eq!(silences(&mut demand, &[2_500]), Ps(16 * 900));
        demand.tell(Ps(2_600), Kind::Stop);
        demand.tell(Ps(90_000), Kind::Request);
        assert_eq!(silences(&mut demand, &[90_100]), Ps(16 * 900));
    }

    #[test]
    fn a_request_without_an_answer_is_due_again() {
        let mut demand = Demand::new(Ps(20));
        demand.tell(Ps(5), Kind::Request);
        demand.ask_again();
        assert_eq!(demand.message(true), Some(Kind::Request));
        assert!(!demand.is_unanswered());
    }
}
