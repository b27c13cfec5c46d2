//! Consistent marking (Charny 1994). The scheme records an explicit rate for each channel. A channel whose
//! recorded rate is below the advertised rate is marked as bottlenecked elsewhere. The advertised rate is the
//! capacity that the marked channels leave, shared equally by the unmarked channels.
//!
//! This form is chosen because it reaches max-min rates, and differs from the original text. The
//! channel whose RM cell arrives counts as unmarked while the advertised rate is computed;
//! otherwise unfair rates can persist. Only channels strictly below the advertised rate are marked;
//! otherwise convergence is slow. Sources of the original write their own demand into RM cells.
//! Sources of TM 4.0, which are used here, write PCR. So a channel that carries only backward RM
//! cells claims a full share.
//!
//! This form has a cost. While an RM cell of a slow channel passes, this channel counts as unmarked, and the
//! rates of other marked channels may exceed the advertised rate. So the other channels lose their marks until the
//! next RM cell of each, although the slow channel is marked again at once. A fast channel that gets a rate in this
//! time gets less than its share: `tests/test_fairness.py` has a network where one channel loses a twelfth.

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

/// Parameters of consistent marking. On nine networks of ten, rates settle within 1 % of max-min
/// fair rates; on the others, the removal of marks costs a channel more. A channel without data
/// counts as one with endless data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CharnyConfig {
    /// Target utilisation: share of the rate left by other classes that the scheme allocates.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Interval over which the rate of other classes is measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Also records the rates in forward RM cells. If sources write PCR, forward RM cells hide
    /// every later bottleneck. So with several RM cells on the way, channels are unmarked most of
    /// the time. In the original, sources write the rate that the last RM cell brought back.
    pub record_forward: bool,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates. Without this threshold CI is never set.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
}

impl Default for CharnyConfig {
    fn default() -> CharnyConfig {
        CharnyConfig {
            target_utilisation: 0.95,
            interval: Ps::from_ms(1),
            record_forward: false,
            ci_threshold: None,
        }
    }
}

impl SchemeParameters for CharnyConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let ranges = Ranges::new(facts).utilisation("target_utilisation", self.target_utilisation);
        let ranges = ranges.interval("interval", self.interval);
        ranges
            .reachable_if_any("ci_threshold", self.ci_threshold)
            .findings()
    }
}

#[derive(Clone, Copy, Debug)]
struct Recorded {
    rate: f64,
    marked: bool,
}

/// State of consistent marking at one output port. All rates are in units/s. The cost of an RM cell
/// is proportional to the number of channels.
#[derive(Clone, Debug)]
pub struct Charny {
    target_utilisation: f64,
    record_forward: bool,
    link: f64,
    capacity: f64,
    channels: Vec<Recorded>,
    advertised: f64,
}

impl Metered<Charny> {
    /// State of the scheme at a port with these `facts`. No channel is marked until RM cells
    /// arrive.
    pub fn new(config: &CharnyConfig, facts: PortFacts) -> Metered<Charny> {
        let link = facts.rate.units_per_second();
        let capacity = config.target_utilisation * link;
        let scheme = Charny {
            target_utilisation: config.target_utilisation,
            record_forward: config.record_forward,
            link,
            capacity,
            channels: vec![
                Recorded {
                    rate: 0.0,
                    marked: false
                };
                facts.channels
            ],
            advertised: capacity / facts.channels.max(1) as f64,
        };
        Metered::with(
            scheme,
            LoadMeter::by_time(config.interval),
            config.ci_threshold,
        )
    }
    /// Replaces the parameters of the scheme. Recorded rates and marks are kept.
    pub fn change(&mut self, config: &CharnyConfig) {
        let scheme = self.changed(config.interval, UNCOUNTED, config.ci_threshold);
        scheme.target_utilisation = config.target_utilisation;
    }
}

impl Charny {
    /// The advertised rate (C - sum of marked rates) / (N - number of marked channels): the capacity that marked
    /// channels leave, per unmarked channel. The channel whose RM cell has arrived is always unmarked, so the
    /// divisor is above zero.
    fn share(&self) -> f64 {
        let marked = self.channels.iter().filter(|channel| channel.marked);
        let (count, sum) = marked.fold((0, 0.0), |(count, sum), channel| {
            (count + 1, sum + channel.rate)
        });
        ((self.capacity - sum) / (self.channels.len() - count) as f64).max(0.0)
    }

    /// The advertised rate, computed with channel `slot` unmarked. If marked channels have rates
    /// above the result, their marks are removed and the rate is computed once more; a third
    /// computation is not needed.
    fn advertise(&mut self, slot: usize) -> f64 {
        self.channels[slot].marked = false;
        let share = self.share();
        let mut consistent = true;
        for channel in self
            .channels
            .iter_mut()
            .filter(|channel| channel.marked && channel.rate > share)
        {
            (channel.marked, consistent) = (false, false);
        }
        self.advertised = if consistent { share } else { self.share() };
        self.advertised
    }

    /// Records the explicit rate in an RM cell of channel `slot`, and lowers the rate in the cell
    /// to the advertised rate.
    fn record(&mut self, slot: u32, rm: &mut RateRecord) {
        let (slot, rate) = (slot as usize, rm.er);
        let advertised = self.advertise(slot);
        self.channels[slot] = Recorded {
            rate,
            marked: rate < advertised, // strictly below the advertised rate, see the module's text
        };
        rm.er = rate.min(advertised); // TM 4.0 5.10.6 1(c)
    }

    /// Lowers the explicit rate in an RM cell of channel `slot` to the advertised rate. The recorded rate of the
    /// channel does not change.
    fn pass(&mut self, slot: u32, rm: &mut RateRecord) {
        let slot = slot as usize;
        let marked = self.channels[slot].marked;
        rm.er = rm.er.min(self.advertise(slot));
        self.channels[slot].marked = marked && self.channels[slot].rate < self.advertised;
    }
}

impl ByLoad for Charny {
    const STATISTICS: &'static [Statistic] = statistics! {
        "advertised_rate_cells_per_second", "cells/s", "Advertised rate at the end";
        "marked", "channels", "Channels that are marked at the end as bottlenecked elsewhere";
    };

    fn on_load(&mut self, load: Load) {
        self.capacity = self.target_utilisation * (self.link - load.background).max(0.0);
    }
    #[inline]
    fn on_forward(&mut self, slot: u32, rm: Option<&mut RateRecord>, _: u64) {
        if let Some(rm) = rm {
            if self.record_forward {
                self.record(slot, rm)
            } else {
                self.pass(slot, rm)
            }
        }
    }
    fn on_backward(&mut self, slot: u32, rm: &mut RateRecord, _: u64) {
        self.record(slot, rm);
    }
    fn counted(&self) -> Vec<f64> {
        let marked = self
            .channels
            .iter()
            .filter(|channel| channel.marked)
            .count();
        Vec::from([self.advertised, marked as f64])
    }
}
