//! Credits of ExpressPass at the receiver of a flow: when the next credit is due, and what arriving data say of earlier
//! credits.

use alloc::collections::VecDeque;

use super::control::expresspass::ExpressPassConfig;
use super::control::expresspass::feedback::Feedback;
use crate::kernel::statistics::TimeIntegral;
use crate::kernel::{Ps, Stream};

/// Paces the credits of a flow, from a request of its source to the stop.
#[derive(Clone, Debug)]
pub struct Pacer {
    feedback: Feedback,
    jitter: f64,
    stream: Stream,
    /// Octets on the line of a credit; `data` is the number of octets on the line of the packet that is sent with it.
    credit: f64,
    data: f64,
    /// Time of the next credit; `NEVER` while the source needs no credit.
    next: Ps,
    /// Number of the next credit; `begun` is the number of the first credit since the last request.
    number: u64,
    begun: u64,
    /// The times at which the last credits came due, up to the credit before `number`. Data sent with these credits may
    /// still arrive.
    times: VecDeque<Ps>,
    /// Number of the credit that is due now.
    due: Option<u32>,
    rate: TimeIntegral,
}

impl Pacer {
    /// A pacer before the first request. Credits have `credit` octets on the line, and full packets `data` octets. The
    /// line carries at most `line` octets/s of both together.
    pub fn new(
        config: &ExpressPassConfig,
        (credit, data): (u32, u32),
        line: f64,
        stream: Stream,
    ) -> Pacer {
        let most = line * f64::from(credit) / f64::from(credit + data);
        Pacer {
            feedback: Feedback::new(config, most, credit),
            jitter: config.jitter,
            stream,
            credit: credit.into(),
            data: data.into(),
            next: Ps::NEVER,
            number: 0,
            begun: 0,
            times: VecDeque::new(),
            due: None,
            rate: TimeIntegral::default(),
        }
    }
    /// Time of the next credit; `NEVER` if the source needs no credit.
    #[inline]
    pub fn next(&self) -> Ps {
        self.next
    }
    /// Rate of the data that the credits allow, in octets/s on the line.
    pub fn rate(&self) -> f64 {
        if self.next == Ps::NEVER {
            0.0
        } else {
            self.feedback.rate() * self.data / self.credit
        }
    }
    /// Integral of [`Pacer::rate`] from the start of the run to `now`, in octets/s times picoseconds.
    pub fn rate_ps(&self, now: Ps) -> f64 {
        self.rate.mean(now, Ps(1))
    }
    /// Number of credits that came due. Credits that the queue of the interface has dropped count, too.
    pub fn credits(&self) -> u64 {
        self.number
    }

    /// Begins credits after a request of the source that arrives at `now`. A further request changes nothing.
    pub fn begin(&mut self, now: Ps) {
        if self.next != Ps::NEVER {
            return;
        }
        self.feedback.begin();
        self.times.clear();
        (self.begun, self.next) = (self.number, now);
        self.rate.set(now, self.rate());
    }
    /// Ends credits at `now`, since the source has no more to send.
    pub fn stop(&mut self, now: Ps) {
        self.next = Ps::NEVER;
        self.rate.set(now, 0.0);
    }
    /// Makes a credit due, if the time of [`Pacer::next`] has come at `now`.
    pub fn wake(&mut self, now: Ps) {
        if self.next > now {
            return;
        }
        self.feedback.update(now);
        self.rate.set(now, self.rate());
        self.due = Some(self.number as u32);
        self.number += 1;
        self.times.push_back(now);
        let moved = 1.0 + self.jitter * (2.0 * self.stream.uniform() - 1.0);
        let span = self.credit / self.feedback.rate() * moved * 1e12;
        // At least a picosecond, so that simulated time advances.
        self.next = now.saturating_add(Ps((span as u64).max(1)));
    }
    /// Removes and returns the number of the credit that is due.
    pub fn take_due(&mut self) -> Option<u32> {
        self.due.take()
    }
    /// Processes data that arrive at `now` and were sent with the credit `number`.
    pub fn on_answer(&mut self, now: Ps, number: u32) {
        let first = self.number - self.times.len() as u64;
        let ahead = number.wrapping_sub(first as u32);
        if u64::from(ahead) >= self.number - first {
            let behind = u64::from((first as u32).wrapping_sub(number));
            if behind <= first - self.begun {
                self.feedback.on_late_answer();
            }
            return;
        }
        let lost = u64::from(ahead);
        let mut sent = self.times.drain(..=ahead as usize);
        if let Some(sent) = sent.next_back() {
            self.feedback.on_answer(now, now - sent, lost);
        }
    }
}
