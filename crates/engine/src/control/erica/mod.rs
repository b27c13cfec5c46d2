//! ERICA and ERICA+ (Kalyanaraman 1997, chapter 6 and appendix C): explicit rates from the load of
//! a link and the fair share of its capacity, both measured over averaging intervals.
//!
//! In the comments, "p. n" is a page of the thesis, whose pseudo-code (appendix C) is on pp. 399 to
//! 404. "98-0408 (n)" is an equation of the authors' summary of ERICA+ (ATM Forum 98-0408).

mod channel;
mod config;
mod queue_control;
mod statistics;

use alloc::vec;
use alloc::vec::Vec;

use super::congestion_bit::CongestionBit;
use super::{PortFacts, QueueReading, SwitchControl};
use crate::component::{Statistic, statistics};
use crate::kernel::Ps;
use crate::passing::{Contents, Passing, RateRecord};
use channel::Channel;
pub use config::{
    CapacityForm, EricaConfig, InitialSources, LoadAveraging, QueueControl, QueueFunction,
    ZeroInputPolicy,
};
pub use statistics::EricaStatistics;

/// Number of the first averaging interval. The number 0 means "never", so the interval before the first one must
/// have a number above 0.
const FIRST_EPOCH: u32 = 2;

/// Number of precomputed powers of the decay factor. For channels that were silent for more intervals, `pow`
/// computes the power.
const POWERS: usize = 64;

/// State of ERICA at one output port. All rates are in units/s. The fields that each arrival needs
/// come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Erica {
    epoch: u32,
    abr_units: u64,
    vbr_units: u64,
    started: Ps,
    interval_units: u64,
    per_vc_ccr: bool,
    mark_forward: bool,
    ci: CongestionBit,
    channels: Vec<Channel>,
    /// Number of active channels in the present interval; with `average_sources`, the sum of the
    /// contributions.
    n_this: f64,
    /// Number of active channels in the last interval; at least 1.
    n_last: f64,
    /// Number of channels that have sent cells in the present interval.
    seen: u32,
    brm_answered: bool,
    /// State of the `hysteresis` form of queue control: true while the queue is being drained.
    draining: bool,
    abr_capacity: f64,
    fair_share: f64,
    /// Largest explicit rate allocated in the last interval. `max_alloc_cur` is the largest so far
    /// in the present interval.
    max_alloc_prev: f64,
    max_alloc_cur: f64,
    /// Load factor of the last interval (overload factor z).
    z: f64,
    restart_average: bool,
    avg_capacity_units: f64,
    avg_input_units: f64,
    avg_seconds: f64,
    last_seconds: f64,
    powers: Vec<f64>,
    link: f64,
    utilisation: f64,
    config: EricaConfig,
    statistics: EricaStatistics,
}

impl Erica {
    /// State of ERICA at a port with these `facts`. Until the first interval ends, the load is 1.
    /// The fair share is the target capacity divided by the number of sources of `initial_sources`.
    pub fn new(config: &EricaConfig, facts: PortFacts) -> Erica {
        let link = facts.rate.units_per_second();
        let utilisation = config.utilisation();
        let n_last = match config.initial_sources {
            InitialSources::Established => facts.channels.max(1) as f64,
            InitialSources::One => 1.0,
        };
        let fair_share = utilisation * link / n_last;
        Erica {
            epoch: FIRST_EPOCH,
            abr_units: 0,
            vbr_units: 0,
            started: Ps::ZERO,
            interval_units: config.interval_cells.0,
            per_vc_ccr: config.per_vc_ccr,
            mark_forward: config.mark_forward,
            ci: CongestionBit::above(config.ci_threshold),
            channels: vec![Channel::default(); facts.channels],
            n_this: 0.0,
            n_last,
            seen: 0,
            brm_answered: false,
            draining: false,
            abr_capacity: utilisation * link,
            fair_share,
            max_alloc_prev: fair_share,
            max_alloc_cur: fair_share,
            z: 1.0,
            restart_average: false,
            avg_capacity_units: 0.0,
            avg_input_units: 0.0,
            avg_seconds: 0.0,
            last_seconds: 0.0,
            powers: powers(config.source_decay),
            link,
            utilisation,
            config: config.clone(),
            statistics: EricaStatistics {
                established: facts.channels as u64,
                ..EricaStatistics::default()
            },
        }
    }

    /// Replaces the parameters. If the interval length changes, the new length already holds for the present
    /// interval.
    pub fn change(&mut self, config: &EricaConfig) {
        self.interval_units = config.interval_cells.0;
        self.ci = CongestionBit::above(config.ci_threshold);
        if config.source_decay != self.config.source_decay {
            self.powers = powers(config.source_decay);
        }
        self.utilisation = config.utilisation();
        self.config = config.clone();
    }

    /// Load factor of the last interval; infinite if there was no capacity.
    pub fn load_factor(&self) -> f64 {
        self.z
    }
    /// Present fair share in units/s.
    pub fn fair_share(&self) -> f64 {
        self.fair_share
    }
    /// Present ABR capacity in units/s.
    pub fn abr_capacity(&self) -> f64 {
        self.abr_capacity
    }
    /// Number of active channels from which the fair share is computed; not a whole number if
    /// averaged.
    pub fn active_sources(&self) -> f64 {
        self.n_last
    }
    /// Counts of ERICA's events since the start of the run.
    pub fn counters(&self) -> &EricaStatistics {
        &self.statistics
    }

    /// Counts `units` units of channel `slot` as input.
    #[inline(always)]
    fn count_input(&mut self, slot: u32, units: u64) {
        if self.per_vc_ccr {
            self.channels[slot as usize].count(self.epoch, units);
        }
        self.abr_units += units;
    }

    /// Counts channel `slot` as active, at its first cell in the present interval (pp. 399 and
    /// 403).
    fn count_source(&mut self, slot: u32) {
        let channel = &mut self.channels[slot as usize];
        let before = core::mem::replace(&mut channel.seen, self.epoch);
        self.seen += 1;
        if self.config.average_sources {
            let contribution = self.contribution(before);
            self.n_this += 1.0 - contribution; // Contribution[VC] := 1
            // A contribution below DecayFactor means that the channel was not active in the
            // interval before either.
            if contribution < self.config.source_decay {
                self.count_immediately(1.0 - contribution / self.config.source_decay);
            }
        } else {
            self.n_this += 1.0;
            if before + 1 != self.epoch {
                self.count_immediately(1.0);
            }
        }
    }

    /// Contribution of a channel to the number of active channels: the decay factor to the power of the number of
    /// intervals since `seen`, the channel's last active interval. Computed on demand, so that the end of an
    /// interval need not visit every channel.
    fn contribution(&self, seen: u32) -> f64 {
        if seen == 0 {
            return 0.0;
        }
        let age = (self.epoch - seen) as usize;
        self.powers
            .get(age)
            .copied()
            .unwrap_or_else(|| libm::pow(self.config.source_decay, age as f64))
    }

    /// Immediate fair share (p. 403): counts a channel in the fair share before the interval ends. In the first
    /// interval, `initial_sources` may already include the channel.
    fn count_immediately(&mut self, weight: f64) {
        let counted =
            self.epoch == FIRST_EPOCH && self.config.initial_sources == InitialSources::Established;
        if self.config.immediate_fair_share && !counted {
            self.n_last += weight; // p. 403: N_last - Contribution / DecayFactor + 1
            self.fair_share = self.abr_capacity / self.n_last;
        }
    }

    /// CCR of channel `slot` in units/s: from its last FRM, or measured over the last interval.
    fn ccr(&self, slot: u32) -> f64 {
        let channel = &self.channels[slot as usize];
        if self.per_vc_ccr {
            channel.measured_rate(self.epoch, self.last_seconds)
        } else {
            channel.ccr
        }
    }

    /// Ends the averaging interval, in the order of the pseudo-code (pp. 399 to 402).
    fn end_interval(&mut self, now: Ps, queue: u64) {
        let seconds = (now - self.started).as_secs_f64();
        self.record_interval();
        self.count_active();
        let input = self.measure(seconds, queue);
        self.average_load(input);
        // p. 402: FairShare := ABR capacity / N_last
        self.fair_share = self.abr_capacity / self.n_last;
        self.max_alloc_prev = self.max_alloc_cur; // p. 402: Max Alloc Previous
        self.max_alloc_cur = self.fair_share; // p. 402: Max Alloc Current
        self.last_seconds = seconds;
        self.restart(now);
    }

    fn record_interval(&mut self) {
        let without_input = self.abr_units == 0;
        self.statistics.intervals += 1;
        self.statistics.without_input += without_input as u64;
        self.statistics.out_of_phase += (without_input && self.brm_answered) as u64;
        self.statistics.seen += self.seen as u64;
    }

    /// Sets N_last, and begins a new count of active channels.
    fn count_active(&mut self) {
        self.n_last = self.n_this.max(1.0); // Section 8.16.1: at least one active source.
        // All contributions decay by the same factor, so their sum decays by this factor, too.
        self.n_this = if self.config.average_sources {
            self.n_this * self.config.source_decay
        } else {
            0.0
        };
    }

    /// Sets the ABR capacity from the measurements over an interval of `seconds`. Returns the input rate in
    /// units/s.
    fn measure(&mut self, seconds: f64, queue: u64) -> f64 {
        let factor = self.queue_factor(seconds, queue);
        let (vbr, input) = (self.vbr_units as f64, self.abr_units as f64);
        // p. 180: the target is the product of f(Tq) and the ABR capacity.
        let capacity = factor * self.capacity_units(self.link * seconds, vbr).max(0.0);
        if self.config.load_averaging != LoadAveraging::Components {
            self.abr_capacity = capacity / seconds;
            return input / seconds;
        }
        // Method 2 (section 8.16.1): the ratio of averages, instead of the average of ratios.
        let weight = self.config.load_weight;
        average(&mut self.avg_capacity_units, capacity, weight);
        average(&mut self.avg_input_units, input, weight);
        average(&mut self.avg_seconds, seconds, weight);
        self.abr_capacity = self.avg_capacity_units / self.avg_seconds;
        self.avg_input_units / self.avg_seconds
    }

    fn capacity_units(&self, link: f64, vbr: f64) -> f64 {
        match self.config.capacity_form {
            CapacityForm::OfLink => self.utilisation * link - vbr, // p. 400
            CapacityForm::OfRemainder => self.utilisation * (link - vbr), // ATM Forum 98-0408
        }
    }

    /// The factor f(Tq) of ERICA+ (p. 180) for the queue at the end of the interval. Tq is the queueing delay at
    /// the rate that VBR leaves of the link. The factor is 1 without queue control.
    fn queue_factor(&mut self, seconds: f64, queue: u64) -> f64 {
        let left = (self.link - self.vbr_units as f64 / seconds).max(0.0);
        let draining = &mut self.draining;
        self.config
            .queue_control
            .as_ref()
            .map_or(1.0, |control| control.factor(queue, left, draining))
    }

    /// Load factor z := input rate / ABR capacity, averaged as `load_averaging` says (p. 402).
    fn average_load(&mut self, input: f64) {
        if self.abr_capacity <= 0.0 {
            self.z = f64::INFINITY; // p. 402, table 6.1
            return;
        }
        let load = input / self.abr_capacity;
        // Section 8.16.1: method 1 begins a new average after a load of zero or infinity. Appendix C does so only
        // after a load of infinity. The parameter `reset_on_zero` chooses between the two.
        let resets = self.config.reset_on_zero && load == 0.0;
        let restart = self.restart_average || resets || self.z == f64::INFINITY;
        self.restart_average = resets;
        if self.config.load_averaging != LoadAveraging::LoadFactor || restart {
            self.z = load;
        } else {
            average(&mut self.z, load, self.config.load_weight); // Method 1
        }
    }

    fn restart(&mut self, now: Ps) {
        self.epoch += 1;
        self.abr_units = 0;
        self.vbr_units = 0;
        self.seen = 0;
        self.brm_answered = false;
        self.started = now;
    }

    /// Max-min step (p. 404): max(FairShare, VCShare), and MaxAllocPrevious unless z > 1 + delta.
    /// The result is not clipped.
    fn allocation(&self, vc_share: f64) -> f64 {
        let share = self.fair_share.max(vc_share);
        // Table 6.1 prints an infinite overload for an interval without input.
        let overload = self.z > 1.0 + self.config.delta || self.z == 0.0;
        if overload || !self.config.max_alloc {
            share
        } else {
            share.max(self.max_alloc_prev)
        }
    }

    /// VCShare := CCR / z, the rate of the channel scaled to a load of 1.
    fn vc_share(&self, ccr: f64) -> f64 {
        if self.z > 0.0 {
            return ccr / self.z; // p. 404
        }
        match self.config.zero_input_policy {
            ZeroInputPolicy::FairShare => 0.0, // Table 6.1
            ZeroInputPolicy::ZeroLoad => self.abr_capacity,
        }
    }

    /// Explicit rate for channel `slot`, in units/s. All BRMs of a channel in one interval get the same value.
    fn answer(&mut self, slot: u32) -> f64 {
        if self.channels[slot as usize].answered == self.epoch {
            return self.channels[slot as usize].last_er; // p. 404: Last Allocated ER
        }
        let ccr = self.ccr(slot);
        let mut er = self.allocation(self.vc_share(ccr));
        self.max_alloc_cur = self.max_alloc_cur.max(er);
        // 98-0408 (12): no sudden increase beyond the fair share. Applied after MaxAllocCurrent,
        // which is not clipped.
        if self.config.clip_to_fair_share && ccr < self.fair_share {
            er = er.min(self.fair_share);
        }
        if self.config.clip_to_capacity {
            er = er.min(self.abr_capacity);
        }
        let channel = &mut self.channels[slot as usize];
        (channel.answered, channel.last_er) = (self.epoch, er);
        self.statistics.zero_er += (er == 0.0) as u64;
        er
    }
}

fn powers(decay: f64) -> Vec<f64> {
    core::iter::successors(Some(1.0), |power| Some(power * decay))
        .take(POWERS)
        .collect()
}

fn average(average: &mut f64, new: f64, weight: f64) {
    *average += weight * (new - *average);
}

impl SwitchControl for Erica {
    const STATISTICS: &'static [Statistic] = statistics! {
        "intervals", "", "Averaging intervals that have ended";
        "out_of_phase_intervals", "", "Intervals without input in which a BRM was answered: the out-of-phase effect";
        "zero_input_intervals", "", "Intervals without input";
        "seen_sum", "channels", "Sum over intervals of the channels that were active: against intervals times established it shows the clustering effect";
        "established", "channels", "Channels that are set up";
        "zero_er", "cells", "Feedbacks of zero";
        "load_factor", "", "Load of the last interval / target load";
        "fair_share_cells_per_second", "cells/s", "Fair share at the end";
    };

    #[inline]
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    ) {
        if self.channels[slot as usize].seen != self.epoch {
            self.count_source(slot);
        }
        let frm = rm.filter(|_| passing.contents == Contents::Forward);
        let units = u64::from(passing.units);
        let ends_interval = self.reads_at(now, units);
        self.count_input(slot, units);
        if let Some(rm) = &frm
            && !self.per_vc_ccr
        {
            self.channels[slot as usize].ccr = rm.ccr; // 98-0408 (7)
        }
        if ends_interval {
            self.end_interval(now, queue);
        }
        if let Some(rm) = frm
            && self.mark_forward
        {
            // TM 4.0 5.10.6 1(c), forward
            rm.er = rm.er.min(self.answer(slot));
        }
    }
    #[inline(always)]
    fn counts_only(&mut self, now: Ps, slot: u32, units: u64) -> bool {
        let is_new = self.channels[slot as usize].seen != self.epoch;
        if is_new || self.reads_at(now, units) {
            return false;
        }
        self.count_input(slot, units);
        true
    }
    #[inline]
    fn on_background(&mut self, _: Ps, units: u64) {
        self.vbr_units += units;
    }
    fn on_backward(&mut self, _: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
        // pp. 403 and 404: a BRM shows that its channel is active, but does not count as input.
        if self.config.bidirectional_counting && self.channels[slot as usize].seen != self.epoch {
            self.count_source(slot);
        }
        self.brm_answered = true;
        rm.er = rm.er.min(self.answer(slot)); // TM 4.0 5.10.6 1(c), backward
        self.ci.mark(rm, queue);
    }
    fn counted(&self) -> Vec<f64> {
        self.statistics.counted(self.z, self.fair_share)
    }
    fn reads_queue(&self) -> QueueReading {
        let by_scheme = if self.config.queue_control.is_some() {
            QueueReading::AtSomeCells
        } else {
            QueueReading::Never
        };
        self.ci.reads_queue(by_scheme)
    }
    /// True if this arrival ends an interval, because the scheme reads the queue at the end of an interval. An
    /// interval must be longer than zero, so a second cell at the same instant does not end another interval.
    #[inline]
    fn reads_at(&self, now: Ps, units: u64) -> bool {
        self.abr_units + units >= self.interval_units && now > self.started
    }
    #[inline]
    fn wake_at(&self) -> Ps {
        self.started.saturating_add(self.config.interval)
    }
    fn wake(&mut self, now: Ps, queue: u64, _in_service: u64) {
        if now > self.started {
            self.end_interval(now, queue);
        }
    }
}
