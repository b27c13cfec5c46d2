//! Relative rate marking by the queue length, sampled every S_r slots (Ajmone Marsan et al. 1997,
//! section 2; TM 4.0 section 5.10.6 1(b)). Each control law is one file here. In the comments, (1)
//! to (4) are equations of the paper.
//!
//! Between samples the feedback is constant and the same for all channels. The switch sets the feedback in the
//! backward RM cells that pass, and optionally in forward RM cells: NI for "keep", CI for "decrease". The switch
//! never clears either bit. The queue is the queue of the controlled class and of the classes that share this
//! queue. The cell or frame in service counts only with `count_in_service`.

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

/// Feedback to the sources (c_i in the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feedback {
    /// IR, increase rate: NI = CI = 0.
    Increase,
    /// KR, keep rate: NI = 1, CI = 0.
    Keep,
    /// DR, decrease rate: CI = 1.
    Decrease,
}

/// Compares the queue with two thresholds. For equations (1) and (2) the paper does not say what holds if the
/// queue equals a threshold. Here, as in (3) and (4), a threshold belongs to the region above it.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    low: f64,
    high: f64,
    hysteresis: f64,
    /// Feedback after the last sample.
    last: Feedback,
}

impl Thresholds {
    /// The thresholds l_t and h_t, and the hysteresis: the distance below a threshold to which the
    /// queue must fall to leave the region above it.
    pub fn new(low: Cells, high: Cells, hysteresis: Option<Cells>) -> Thresholds {
        let hysteresis = hysteresis.map_or(0.0, |cells| cells.0 as f64);
        Thresholds {
            low: low.0 as f64,
            high: high.0 as f64,
            hysteresis,
            last: Feedback::Increase,
        }
    }
    /// Replaces the thresholds. The last feedback is kept.
    fn change(&mut self, low: Cells, high: Cells, hysteresis: Option<Cells>) {
        *self = Thresholds {
            last: self.last,
            ..Thresholds::new(low, high, hysteresis)
        };
    }
    /// Feedback for the region (below, between or above the thresholds) in which `queue` lies. After the queue
    /// has left a region downwards, the feedback of this region holds until the queue is `hysteresis` below the
    /// threshold.
    fn feedback(&mut self, queue: f64) -> Feedback {
        let kept = self.last.min(self.region(queue + self.hysteresis));
        self.last = kept.max(self.region(queue));
        self.last
    }
    /// Feedback of equation (1): IR (increase) below l_t, KR (keep) from l_t to below h_t, DR (decrease) from h_t
    /// on.
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

/// Findings that all laws share: about the sampling interval, and about thresholds in the wrong order or beyond
/// the buffer. One more finding is about a hysteresis with which the queue never leaves the region above a
/// threshold.
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
        // With a larger hysteresis not even an empty queue would permit an increase again.
        Some(hysteresis) => ranges.require(
            "hysteresis",
            hysteresis.0 == 0 || hysteresis < low,
            hysteresis,
            "below `low`",
        ),
        None => ranges,
    }
}

/// A control law, which computes the feedback from samples of the queue.
pub trait Law {
    /// Type of the parameters of the law and of its sampling.
    type Config;

    /// Replaces the parameters of the law. The state of the law is kept.
    fn change(&mut self, config: &Self::Config);
    /// Time between samples, in slots (cell times).
    fn sampling(config: &Self::Config) -> Cells;
    /// The feedback until the next sample. `queue` is the queue length in units. `change` is D_Q, the change of
    /// the length since the last sample. At the first sample, the previous length counts as zero.
    fn decide(&mut self, queue: u64, change: i64) -> Feedback;
}

/// Parameters of the sampling of the queue, and the direction of marked RM cells.
#[derive(Clone, Copy, Debug)]
struct Sampling {
    /// Time between samples (S_r) in slots; a slot is the time of a cell on the link.
    every: Cells,
    /// True if a sample also counts the cell or frame in service.
    count_in_service: bool,
    /// True if forward RM cells are marked, too.
    mark_forward: bool,
}

/// A sequence of instants with a fixed number of slots between one and the next. A slot is the service time of
/// one unit. The fraction of a picosecond is carried, so that the mean distance is exact.
#[derive(Clone, Debug)]
pub struct Slots {
    slots: Cells,
    whole: u64,
    remainder: u64,
    denominator: u64,
    carry: u64,
}

impl Slots {
    /// Instants that are `slots` slots apart on a link of this rate, from time 0 on.
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
    /// The next instant of the sequence. `now` must be the instant before it.
    pub fn after(&mut self, now: Ps) -> Ps {
        let owed = self.carry as u128 + self.remainder as u128;
        let extra = owed >= self.denominator as u128;
        self.carry = (owed - if extra { self.denominator as u128 } else { 0 }) as u64;
        now.saturating_add(Ps(self.whole.saturating_add(extra as u64)))
    }
}

/// A control law at one output port, with the sampling of the queue.
#[derive(Clone, Debug)]
pub struct Sampled<L> {
    law: L,
    slots: Slots,
    link: ServiceRate,
    /// Time of the last sample. `next` is the time of the next sample.
    last: Ps,
    next: Ps,
    /// True if a sample also counts the cell or frame in service.
    count_in_service: bool,
    queue: u64,
    feedback: Feedback,
    mark_forward: bool,
    /// Numbers of samples with the feedback increase, keep and decrease.
    samples: [u64; 3],
}

impl<L: Law> Sampled<L> {
    /// A law before its first sample, which is taken S_r slots after the start. Until then the
    /// feedback is "increase".
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
    /// Replaces the parameters of the law. A changed sampling interval counts from the last sample.
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
    /// Present feedback, as computed at the last sample.
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
