//! Relative rate marking by the length of the queue, sampled every S_r slots (Ajmone Marsan et al.
//! 1997, section 2; TM 4.0 section 5.10.6 1(b)). Each control law is one file here; (1) to (4) in
//! the comments are equations of the paper.
//!
//! Between samples the feedback is constant and the same for all channels. It is set in the
//! backward RM cells that pass, and optionally in forward ones: NI for "keep", CI for "decrease";
//! neither bit is ever cleared. The queue is that of the controlled class and of the classes that
//! share it; what is being sent counts only with `count_in_service`.

pub mod p;
pub mod pd;
pub mod pd_plus;
pub mod pid;

use alloc::vec::Vec;

use super::ranges::Ranges;
use super::{PortFacts, QueueReading, SwitchControl, SwitchFacts};
use crate::component::{Statistic, statistics};
use crate::kernel::units::Cells;
use crate::kernel::{Ps, ServiceRate};
use crate::passing::{Contents, Passing, RateRecord};

/// Feedback to the sources, c_i of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feedback {
    /// IR: NI = CI = 0.
    Increase,
    /// KR: NI = 1, CI = 0.
    Keep,
    /// DR: CI = 1.
    Decrease,
}

/// Feedback from a comparison with two thresholds. The paper leaves the equalities of (1) and (2)
/// open; here they are as in (3) and (4), where a threshold belongs to the region above it.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    low: f64,
    high: f64,
    hysteresis: f64,
    /// Feedback after the last sample.
    last: Feedback,
}

impl Thresholds {
    /// Thresholds l_t and h_t, and the distance below a threshold to which the queue must fall to
    /// leave the region above it.
    pub fn new(low: Cells, high: Cells, hysteresis: Option<Cells>) -> Thresholds {
        let hysteresis = hysteresis.map_or(0.0, |cells| cells.0 as f64);
        Thresholds {
            low: low.0 as f64,
            high: high.0 as f64,
            hysteresis,
            last: Feedback::Increase,
        }
    }
    /// Replaces the thresholds; the last feedback stays.
    fn change(&mut self, low: Cells, high: Cells, hysteresis: Option<Cells>) {
        *self = Thresholds {
            last: self.last,
            ..Thresholds::new(low, high, hysteresis)
        };
    }
    /// Feedback of the queue's region, or still of the region above it until the queue has fallen
    /// by `hysteresis`.
    fn feedback(&mut self, queue: f64) -> Feedback {
        let kept = self.last.min(self.region(queue + self.hysteresis));
        self.last = kept.max(self.region(queue));
        self.last
    }
    /// Feedback of equation (1): IR below l_t, KR from l_t on, DR from h_t on.
    fn region(self, queue: f64) -> Feedback {
        if queue < self.low {
            Feedback::Increase
        } else if queue < self.high {
            Feedback::Keep
        } else {
            Feedback::Decrease
        }
    }
}

/// Findings common to all laws: about the sampling interval, thresholds in the wrong order or
/// beyond the buffer, and a hysteresis that never lets the queue leave a threshold's region.
fn ranges(
    facts: SwitchFacts,
    sampling: Cells,
    (low, high): (Cells, Cells),
    hysteresis: Option<Cells>,
) -> Ranges {
    let ranges = Ranges::new(facts).some_cells("sampling", sampling);
    let ranges = ranges
        .ordered(("low", low), ("high", high))
        .reachable("high", high);
    match hysteresis {
        // A larger hysteresis would never permit an increase again, not even with an empty queue.
        Some(hysteresis) => ranges.require(
            "hysteresis",
            hysteresis.0 == 0 || hysteresis < low,
            hysteresis,
            "below `low`",
        ),
        None => ranges,
    }
}

/// A control law: it turns samples of the queue into feedback.
pub trait Law {
    /// Parameters of the law and of its sampling.
    type Config;

    /// Replaces the parameters of the law; its state stays.
    fn change(&mut self, config: &Self::Config);
    /// Time between samples, in slots (cell times).
    fn sampling(config: &Self::Config) -> Cells;
    /// The feedback until the next sample, from the queue and its change D_Q since the last sample,
    /// in units; the queue before the first sample was empty.
    fn decide(&mut self, queue: u64, change: i64) -> Feedback;
}

/// Sampling of the queue, and direction of the marks.
#[derive(Clone, Copy, Debug)]
struct Sampling {
    /// Time between samples S_r, in slots.
    every: Cells,
    /// True if a sample also counts the cell or frame that is being sent.
    count_in_service: bool,
    /// True if forward RM cells are marked, too.
    mark_forward: bool,
}

/// Instants a fixed number of slots apart; a slot is the service time of one unit. The remainder is carried,
/// so that the interval is exact on average.
#[derive(Clone, Debug)]
pub struct Slots {
    slots: Cells,
    whole: u64,
    remainder: u64,
    denominator: u64,
    carry: u64,
}

impl Slots {
    /// Instants `slots` services apart on a link of this rate, from time 0 on.
    pub fn new(rate: ServiceRate, slots: Cells) -> Slots {
        let (Ps(whole), remainder) = rate.time_of(slots.0);
        Slots {
            slots,
            whole,
            remainder,
            denominator: rate.denominator(),
            carry: 0,
        }
    }
    /// The instant that follows `now`, which must be the instant before it.
    pub fn after(&mut self, now: Ps) -> Ps {
        let owed = self.carry as u128 + self.remainder as u128;
        let extra = owed >= self.denominator as u128;
        self.carry = (owed - if extra { self.denominator as u128 } else { 0 }) as u64;
        now.saturating_add(Ps(self.whole.saturating_add(extra as u64)))
    }
}

/// State of a law at one output port, with its sampling.
#[derive(Clone, Debug)]
pub struct Sampled<L> {
    law: L,
    slots: Slots,
    link: ServiceRate,
    /// Time of the last sample. `next` is the time of the next.
    last: Ps,
    next: Ps,
    /// True if a sample also counts the cell or frame that is being sent.
    count_in_service: bool,
    queue: u64,
    feedback: Feedback,
    mark_forward: bool,
    /// Number of samples by feedback: increase, keep, decrease.
    samples: [u64; 3],
}

impl<L: Law> Sampled<L> {
    /// A law before its first sample, which is taken S_r slots after the start; until then rates
    /// may increase.
    fn with(law: L, sampling: Sampling, facts: PortFacts) -> Sampled<L> {
        let mut slots = Slots::new(facts.rate, sampling.every);
        let next = slots.after(Ps::ZERO);
        let mark_forward = sampling.mark_forward;
        Sampled {
            law,
            slots,
            link: facts.rate,
            last: Ps::ZERO,
            next,
            count_in_service: sampling.count_in_service,
            queue: 0,
            feedback: Feedback::Increase,
            mark_forward,
            samples: [0; 3],
        }
    }
    /// Replaces the parameters of the law. Another interval begins at the last sample.
    pub fn change(&mut self, config: &L::Config) {
        self.law.change(config);
        let every = L::sampling(config);
        if every != self.slots.slots {
            self.slots = Slots::new(self.link, every);
            self.next = self.slots.after(self.last);
        }
    }
    #[inline]
    fn mark(&self, rm: &mut RateRecord) {
        match self.feedback {
            Feedback::Increase => {}
            Feedback::Keep => rm.ni = true,     // KR
            Feedback::Decrease => rm.ci = true, // DR
        }
    }
    /// Feedback in force, that of the last sample.
    pub fn feedback(&self) -> Feedback {
        self.feedback
    }
}

impl<L: Law> SwitchControl for Sampled<L> {
    const STATISTICS: &'static [Statistic] = statistics! {
        "increase_samples", "", "Samples of the queue that told sources to increase";
        "keep_samples", "", "Samples of the queue that told sources to keep their rates";
        "decrease_samples", "", "Samples of the queue that told sources to decrease";
    };

    #[inline]
    fn on_forward(
        &mut self,
        _: Ps,
        _: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        _: u64,
    ) {
        if let Some(rm) = rm
            && self.mark_forward
            && passing.contents == Contents::Forward
        {
            self.mark(rm);
        }
    }
    #[inline]
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RateRecord, _: u64) {
        self.mark(rm);
    }
    fn counted(&self) -> Vec<f64> {
        self.samples.map(|count| count as f64).to_vec()
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
    fn ignores_data(&self) -> bool {
        true
    }
    #[inline]
    fn wake_at(&self) -> Ps {
        self.next
    }
    fn wake(&mut self, now: Ps, queue: u64, in_service: u64) {
        let left_out = if self.count_in_service { 0 } else { in_service };
        let queue = queue.saturating_sub(left_out);
        let change = queue as i64 - self.queue as i64; // D_Q(n) = Q(n) - Q(n - 1)
        self.feedback = self.law.decide(queue, change);
        self.queue = queue;
        self.samples[self.feedback as usize] += 1;
        (self.last, self.next) = (now, self.slots.after(now));
    }
}
