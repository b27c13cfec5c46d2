//! FMMRA, fast max-min rate allocation (Arulambalam, Chen and Ansari 1996, compared over TCP by the same authors
//! in 1997). A port has an advertised rate. For each channel the port records whether the channel is bottlenecked
//! elsewhere (beta; the patent speaks of marking the channel), and the channel's rate at that bottleneck. Both come
//! from the explicit rates in RM cells.
//!
//! Published are:
//!
//! - the advertised rate;
//! - the rule that a channel counts as bottlenecked elsewhere if the ER in its last backward RM cell
//!   was below the advertised rate, and otherwise not (the authors' patent, US 6,052,361, claims 1
//!   and 2);
//! - that ER is read and lowered in both directions (the paper on TCP, which describes the scheme
//!   in words);
//! - ER := min(ER, max(advertised rate, (1 - beta) ERmax)), the recursion of ERmax from backward
//!   cells, and the existence of another rule under overload from a queue of QT on (as Kalyanaraman
//!   1997 quotes them, p. 85).
//!
//! Cellrate's own choices are that other rule, the rule above DQT, both thresholds, the weight, and the bounds of
//! ERmax (the advertised rate and the link rate). The descriptions of the parameters name further choices. The
//! defaults are the published forms where these are known; the article of 1996 was not available.

use alloc::vec;
use alloc::vec::Vec;

pub use super::fmmra_config::{ErMaxFloor, FmmraConfig};
use super::load::{ByLoad, Load, LoadMeter, Metered};
use super::own_marks::OwnMarks;
use super::{PortFacts, QueueReading};
use crate::component::{Statistic, statistics};
use crate::passing::RateRecord;

/// State that the port stores for a channel: the channel's rate at a bottleneck elsewhere (lambda) in units/s; `None`
/// if the channel is not bottlenecked elsewhere (beta = 0).
type Elsewhere = Option<f64>;

/// State of FMMRA at one output port. All rates are in units/s.
#[derive(Clone, Debug)]
pub struct Fmmra {
    config: FmmraConfig,
    link: f64,
    channels: Vec<Elsewhere>,
    /// Explicit rates that this port wrote. Present only if such a rate must not count as the rate of a
    /// bottleneck elsewhere (`record_own_mark` is false).
    own: Option<OwnMarks>,
    /// Number of channels that are bottlenecked elsewhere (N_b). `elsewhere_rate` is the sum of their rates at
    /// those bottlenecks.
    elsewhere: usize,
    elsewhere_rate: f64,
    /// Largest rate of all channels that are bottlenecked elsewhere, and the slot (index at the port) of that
    /// channel.
    largest: (f64, usize),
    capacity: f64,
    advertised: f64,
    er_max: f64,
    load_factor: f64,
    draining: bool,
}

impl Metered<Fmmra> {
    /// State of the scheme at a port with these `facts`. Before the first interval ends, all
    /// channels share the target, and the load is 1.
    pub fn new(config: &FmmraConfig, facts: PortFacts) -> Metered<Fmmra> {
        let link = facts.rate.units_per_second();
        let capacity = config.target_utilisation * link;
        let advertised = capacity / facts.channels.max(1) as f64;
        let scheme = Fmmra {
            config: config.clone(),
            link,
            channels: vec![None; facts.channels],
            own: (config.mark_forward && !config.record_own_mark)
                .then(|| OwnMarks::new(facts.channels)),
            elsewhere: 0,
            elsewhere_rate: 0.0,
            largest: (0.0, 0),
            capacity,
            advertised,
            er_max: advertised,
            load_factor: 1.0,
            draining: false,
        };
        Metered::with(
            scheme,
            LoadMeter::new(config.interval, config.interval_cells),
            config.ci_threshold,
        )
    }
    /// Replaces the parameters of the scheme. The bottlenecks elsewhere, and the rates there, are kept.
    pub fn change(&mut self, config: &FmmraConfig) {
        let scheme = self.changed(config.interval, config.interval_cells, config.ci_threshold);
        scheme.config = config.clone();
    }
}

impl Fmmra {
    /// Computes the advertised rate: (C - sum of lambda) / (N - N_b). If every channel is
    /// bottlenecked elsewhere: C - sum of lambda + largest lambda, the capacity that the other
    /// channels leave to the largest.
    fn advertise(&mut self) {
        let free = self.capacity - self.elsewhere_rate;
        let others = self.channels.len() - self.elsewhere;
        let rate = if others > 0 {
            free / others as f64
        } else {
            free + self.largest.0
        };
        self.advertised = rate.max(0.0);
    }

    /// Records the explicit rate `er` (units/s) in an RM cell of channel `slot`. A channel that
    /// cannot use the advertised rate is bottlenecked elsewhere (claims 1 and 2).
    fn record(&mut self, slot: usize, er: f64) {
        let after = (er < self.advertised).then_some(er);
        let before = core::mem::replace(&mut self.channels[slot], after);
        self.elsewhere = self.elsewhere + after.is_some() as usize - before.is_some() as usize;
        self.elsewhere_rate += after.unwrap_or(0.0) - before.unwrap_or(0.0);
        if self.elsewhere == 0 {
            // The exact sum is zero. The floating-point sum may differ from zero by rounding.
            self.elsewhere_rate = 0.0;
        }
        self.note_largest(slot, after.unwrap_or(0.0));
        self.advertise();
    }

    fn note_largest(&mut self, slot: usize, rate: f64) {
        if rate >= self.largest.0 {
            self.largest = (rate, slot);
        } else if slot == self.largest.1 {
            let rates = self
                .channels
                .iter()
                .map(|elsewhere| elsewhere.unwrap_or(0.0))
                .enumerate();
            self.largest = rates.fold(
                (0.0, 0),
                |best, (slot, rate)| if rate > best.0 { (rate, slot) } else { best },
            );
        }
    }

    /// Records the explicit rate `er` in a backward RM cell of channel `slot`. If `record_own_mark` is false and
    /// this port wrote `er`, the channel is not bottlenecked elsewhere.
    fn record_backward(&mut self, slot: usize, er: f64) {
        let is_own = self.own.as_mut().is_some_and(|own| own.returns(slot, er));
        self.record(slot, if is_own { f64::INFINITY } else { er });
    }

    /// ERmax := (1 - alpha) ERmax + alpha max(ER, ERmax / load) (Kalyanaraman 1997, p. 85), bounded
    /// by the advertised rate and the link rate. Without input, ERmax / load is left out.
    fn note_er_max(&mut self, er: f64) {
        let scaled = if self.load_factor > 0.0 {
            self.er_max / self.load_factor
        } else {
            0.0
        };
        let floor = match self.config.er_max_floor {
            ErMaxFloor::AdvertisedRate => self.advertised,
            ErMaxFloor::ExplicitRate => er,
        };
        self.er_max += self.config.er_max_weight * (floor.max(scaled) - self.er_max);
        self.er_max = self.er_max.min(self.link).max(self.advertised);
    }

    /// ER := min(ER, max(advertised rate, (1 - beta) ERmax)) (Kalyanaraman 1997, p. 85). Under
    /// overload with a queue of QT or more, ER := min(ER, advertised rate), a rule chosen here.
    fn mark(&self, slot: usize, rm: &mut RateRecord, queue: u64) {
        let congested = queue >= self.config.qt.0 && self.load_factor > 1.0;
        let free = !congested && self.channels[slot].is_none();
        let rate = if free {
            self.advertised.max(self.er_max)
        } else {
            self.advertised
        };
        rm.er = rm.er.min(rate);
    }
}

impl ByLoad for Fmmra {
    const STATISTICS: &'static [Statistic] = statistics! {
        "load_factor", "", "Load of the last interval / target load";
        "advertised_rate_cells_per_second", "cells/s", "Advertised rate at the end";
        "er_max_cells_per_second", "cells/s", "ER_max, the moving greatest rate granted, at the end";
        "bottlenecked_elsewhere", "channels", "Channels that are bottlenecked elsewhere at the end";
    };

    fn on_load(&mut self, load: Load) {
        let factor = if self.draining {
            self.config.drain_factor
        } else {
            1.0
        };
        self.capacity =
            factor * self.config.target_utilisation * (self.link - load.background).max(0.0);
        self.load_factor = load.factor(self.capacity);
        self.advertise();
    }
    // A rule that cellrate chose: when the queue exceeds DQT, the target is lowered until the queue is below QT.
    fn on_queue(&mut self, queue: u64) {
        self.draining = queue > self.config.dqt.0 || (self.draining && queue >= self.config.qt.0);
    }
    #[inline]
    fn on_forward(&mut self, slot: u32, rm: Option<&mut RateRecord>, queue: u64) {
        if let Some(rm) = rm {
            self.on_queue(queue);
            if self.config.record_forward {
                self.record(slot as usize, rm.er);
            }
            if self.config.mark_forward {
                let before = rm.er;
                self.mark(slot as usize, rm, queue);
                if let Some(own) = &mut self.own {
                    own.leaves(slot as usize, before, rm.er);
                }
            }
        }
    }
    fn on_backward(&mut self, slot: u32, rm: &mut RateRecord, queue: u64) {
        self.on_queue(queue);
        self.record_backward(slot as usize, rm.er);
        self.note_er_max(rm.er);
        self.mark(slot as usize, rm, queue);
    }
    fn counted(&self) -> Vec<f64> {
        Vec::from([
            self.load_factor,
            self.advertised,
            self.er_max,
            self.elsewhere as f64,
        ])
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
}
