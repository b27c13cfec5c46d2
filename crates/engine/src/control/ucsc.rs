//! The scheme of the University of California at Santa Cruz (Kalampoukas, Varma and Ramakrishnan 1995). For each
//! channel the port stores an allocation A and whether the channel is bottlenecked elsewhere. Two sums suffice to
//! compute the largest rate of a channel, A_max, in constant time for each forward RM cell.
//!
//! The article was not available. Certain is the principle: allocations stored for each channel, max-min rates,
//! and constant time. Not certain is the demand, here the smaller of CCR and ER in a forward RM cell.
//!
//! Cellrate's own choices are three. A_max is never below an equal share of the capacity, which no max-min share
//! at this port can be below; otherwise old allocations could stop a channel after a loss of capacity. A demand
//! that is short of A_max by less than the precision of the rates in RM cells counts as A_max; otherwise any
//! division of the capacity could persist. RM cells are marked in the forward direction alone.

use alloc::vec;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::load::{ByLoad, Load, LoadMeter, Metered, UNCOUNTED};
use super::ranges::Ranges;
use super::{PortFacts, SchemeParameters, SwitchFacts};
use crate::component::{Statistic, statistics};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::RateRecord;

/// Largest part of a rate that its 16-bit code in an RM cell leaves out (TM 4.0 section 5.10.3).
const PRECISION: f64 = 1.0 / 512.0;

/// Parameters of the UCSC scheme. A channel without data keeps the allocation of its last forward RM cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UcscConfig {
    /// Target utilisation: share of the rate left by other classes that the scheme allocates. The
    /// authors' value is not known.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Interval over which the rate of other classes is measured. The authors' value is not known.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates. CI is never set if absent.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
}

impl Default for UcscConfig {
    fn default() -> UcscConfig {
        UcscConfig {
            target_utilisation: 0.95,
            interval: Ps::from_ms(1),
            ci_threshold: None,
        }
    }
}

impl SchemeParameters for UcscConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .utilisation("target_utilisation", self.target_utilisation)
            .interval("interval", self.interval)
            .reachable_if_any("ci_threshold", self.ci_threshold)
            .findings()
    }
}

/// State of the UCSC scheme at one output port. All rates are in units/s.
#[derive(Clone, Debug)]
pub struct Ucsc {
    target_utilisation: f64,
    link: f64,
    capacity: f64,
    /// Allocation of each channel that is bottlenecked elsewhere; `None` for the other channels, whose allocation
    /// is A_max.
    elsewhere: Vec<Option<f64>>,
    /// Number of channels that are bottlenecked elsewhere; `sum` is the sum of their allocations.
    count: usize,
    sum: f64,
    /// A_max of the channel whose forward RM cell came last.
    a_max: f64,
}

impl Metered<Ucsc> {
    /// State of the scheme at a port with these `facts`. No channel is bottlenecked elsewhere until
    /// its first forward RM cell arrives.
    pub fn new(config: &UcscConfig, facts: PortFacts) -> Metered<Ucsc> {
        let link = facts.rate.units_per_second();
        let capacity = config.target_utilisation * link;
        let scheme = Ucsc {
            target_utilisation: config.target_utilisation,
            link,
            capacity,
            elsewhere: vec![None; facts.channels],
            count: 0,
            sum: 0.0,
            a_max: capacity / facts.channels.max(1) as f64,
        };
        Metered::with(
            scheme,
            LoadMeter::by_time(config.interval),
            config.ci_threshold,
        )
    }
    /// Replaces the parameters of the scheme. Allocations are kept.
    pub fn change(&mut self, config: &UcscConfig) {
        let scheme = self.changed(config.interval, UNCOUNTED, config.ci_threshold);
        scheme.target_utilisation = config.target_utilisation;
    }
}

impl Ucsc {
    /// The largest rate of channel `slot`, whose state is forgotten: what the other channels that are bottlenecked
    /// elsewhere leave of the capacity, shared equally by the rest. At least an equal share of the capacity.
    fn largest(&mut self, slot: usize) -> f64 {
        if let Some(allocation) = self.elsewhere[slot].take() {
            self.count -= 1;
            // With no channel left the exact sum is zero; the floating-point sum may differ by rounding.
            self.sum = if self.count == 0 {
                0.0
            } else {
                self.sum - allocation
            };
        }
        let channels = self.elsewhere.len();
        // A_max = (C - sum of A_k) / (N - number of k), over the channels k that are bottlenecked elsewhere
        let left = (self.capacity - self.sum) / (channels - self.count) as f64;
        left.max(self.capacity / channels as f64)
    }
}

impl ByLoad for Ucsc {
    const STATISTICS: &'static [Statistic] = statistics! {
        "a_max_cells_per_second", "cells/s", "A_max, the largest rate of the channel whose forward RM cell came last";
        "bottlenecked_elsewhere", "channels", "Channels that are bottlenecked elsewhere at the end";
    };

    fn on_load(&mut self, load: Load) {
        self.capacity = self.target_utilisation * (self.link - load.background).max(0.0);
    }
    #[inline]
    fn on_forward(&mut self, slot: u32, rm: Option<&mut RateRecord>, _: u64) {
        if let Some(rm) = rm {
            let slot = slot as usize;
            let demand = rm.ccr.min(rm.er);
            self.a_max = self.largest(slot);
            if demand < self.a_max * (1.0 - PRECISION) {
                self.elsewhere[slot] = Some(demand);
                self.count += 1;
                self.sum += demand;
            }
            rm.er = rm.er.min(self.a_max); // TM 4.0 5.10.6 1(c)
        }
    }
    fn on_backward(&mut self, _: u32, _: &mut RateRecord, _: u64) {}
    fn counted(&self) -> Vec<f64> {
        Vec::from([self.a_max, self.count as f64])
    }
}
