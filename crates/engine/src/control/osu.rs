//! The OSU scheme (Jain, Kalyanaraman and Viswanathan, ATM Forum 94-0883; Kalyanaraman 1997, appendix B). The
//! rate of every channel is divided by the load of the last interval. A correction makes the shares equal near
//! the target.
//!
//! The original has control cells of its own: the source states its rate, the switch raises a load
//! adjustment factor, and the source divides its rate by the factor. In this model RM cells of TM
//! 4.0 carry the quotient: ER := min(ER, CCR / factor). Sources need RIF = 1 to follow at once, as
//! sources of the original do. The "aggressive" fairness of the original is not modelled: only its
//! rule for underload is known.

use alloc::vec;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::load::{ByLoad, Load, LoadMeter, Metered, UNCOUNTED};
use super::ranges::Ranges;
use super::{PortFacts, SchemeParameters, SwitchFacts};
use crate::component::{Statistic, statistics};
use crate::kernel::units::Cells;
use crate::kernel::{CELL_BITS, Finding, Ps, Rate};
use crate::passing::RateRecord;

/// Least rate of a channel in the computation: 10 cells/s, TCR of TM 4.0. A rate of zero would
/// never rise.
const LEAST: Rate = Rate::from_bps(10 * CELL_BITS);

/// Difference of the load adjustment factor between channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// No difference: the factor of every channel is the load.
    None,
    /// Within the band about the target, the load divided by an edge of the band: the lower edge
    /// for channels above the fair share, the upper edge for channels below.
    #[default]
    Basic,
    /// The channel's rate divided by its fair share of the capacity that slower channels leave,
    /// computed in two steps. With an `interval` of 5 ms, rates settle within 1 % of max-min fair
    /// rates on random networks of sources that always send in one direction. Tests and bounds are
    /// for 5 ms only; with shorter intervals a cell more or less in an interval weighs more.
    /// A channel without data counts with its allowed rate, the only rate in its forward RM cells.
    /// With `abr.frm_needs_data` such a channel sends no forward RM cells and counts as idle.
    Precise,
}

/// Parameters of the OSU scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OsuConfig {
    /// Target utilisation: share of the rate left by other classes.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Averaging interval, over which the load is measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Difference of the load adjustment factor between channels.
    pub fairness: Fairness,
    /// Half width of the target utilisation band: loads of 1 - delta to 1 + delta (TUB).
    #[schemars(extend("x-search" = { "low": 0.01, "high": 0.5, "scale": "log", "when": {"fairness": ["basic"]} }))]
    pub delta: f64,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates. Without this threshold CI is never set.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
}

impl Default for OsuConfig {
    fn default() -> OsuConfig {
        OsuConfig {
            target_utilisation: 0.9,
            interval: Ps::from_ms(1),
            fairness: Fairness::Basic,
            delta: 0.1,
            ci_threshold: None,
        }
    }
}

impl SchemeParameters for OsuConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .utilisation("target_utilisation", self.target_utilisation)
            .interval("interval", self.interval)
            .require(
                "delta",
                (0.0..1.0).contains(&self.delta),
                self.delta,
                "at least 0 and below 1",
            )
            .reachable_if_any("ci_threshold", self.ci_threshold)
            .findings()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    /// CCR in the channel's last forward RM cell, in units/s.
    rate: f64,
    /// Number of the interval with the channel's last cell, counted from 1; 0 for never.
    seen: u64,
}

/// State of the OSU scheme at one output port. All rates are in units/s.
#[derive(Clone, Debug)]
pub struct Osu {
    config: OsuConfig,
    link: f64,
    /// The rate [`LEAST`] in units/s.
    least: f64,
    channels: Vec<Channel>,
    interval: u64,
    active: usize,
    target: f64,
    load: f64,
    fair_share: f64,
}

impl Metered<Osu> {
    /// State of the scheme at a port with these `facts`. Before the first interval ends, all
    /// channels count as active, and the load is 1.
    pub fn new(config: &OsuConfig, facts: PortFacts) -> Metered<Osu> {
        let link = facts.rate.units_per_second();
        let target = config.target_utilisation * link;
        let scheme = Osu {
            config: config.clone(),
            link,
            least: facts.rate.in_units(LEAST),
            channels: vec![Channel::default(); facts.channels],
            interval: 1,
            active: 0,
            target,
            load: 1.0,
            fair_share: target / facts.channels.max(1) as f64,
        };
        Metered::with(
            scheme,
            LoadMeter::by_time(config.interval),
            config.ci_threshold,
        )
    }
    /// Replaces the parameters of the scheme. The states of the channels are kept.
    pub fn change(&mut self, config: &OsuConfig) {
        let scheme = self.changed(config.interval, UNCOUNTED, config.ci_threshold);
        scheme.config = config.clone();
    }
}

impl Osu {
    /// Computes the precise fair share FS (appendix B): FS := (target - sum of rates below FS) / max(1, number of
    /// channels not below FS), with at most two iterations.
    fn share_precisely(&mut self) {
        for _ in 0..2 {
            let active = || {
                self.channels
                    .iter()
                    .filter(|channel| channel.seen == self.interval)
            };
            let below = active().filter(|channel| channel.rate < self.fair_share);
            let (count, sum) = below.fold((0, 0.0), |(count, sum), channel| {
                (count + 1, sum + channel.rate)
            });
            let share = (self.target - sum).max(0.0) / (self.active - count).max(1) as f64;
            if share <= self.fair_share {
                break;
            }
            self.fair_share = share;
        }
    }

    /// Load adjustment factor LA (appendix B). A channel that has the rate `rate` (units/s) must divide this rate
    /// by LA.
    fn adjustment(&self, rate: f64) -> f64 {
        let OsuConfig {
            fairness, delta, ..
        } = self.config;
        match fairness {
            Fairness::Precise => rate / self.fair_share, // LA := OCR / FS
            // Within the target utilisation band: LA := z / (1 -+ delta).
            Fairness::Basic if (self.load - 1.0).abs() <= delta => {
                self.load
                    / if rate > self.fair_share {
                        1.0 - delta
                    } else {
                        1.0 + delta
                    }
            }
            _ => self.load, // LA := z
        }
    }
}

impl ByLoad for Osu {
    const STATISTICS: &'static [Statistic] = statistics! {
        "load_factor", "", "Load of the last interval / target load";
        "fair_share_cells_per_second", "cells/s", "Fair share at the end";
    };

    fn on_load(&mut self, load: Load) {
        self.target = self.config.target_utilisation * (self.link - load.background).max(0.0);
        self.load = load.factor(self.target); // z := input / target
        self.fair_share = self.target / self.active.max(1) as f64;
        if self.config.fairness == Fairness::Precise {
            self.share_precisely();
        }
        (self.active, self.interval) = (0, self.interval + 1);
    }
    #[inline]
    fn on_forward(&mut self, slot: u32, rm: Option<&mut RateRecord>, _: u64) {
        let channel = &mut self.channels[slot as usize];
        if channel.seen != self.interval {
            channel.seen = self.interval;
            self.active += 1;
        }
        if let Some(rm) = rm {
            channel.rate = rm.ccr;
        }
    }
    fn on_backward(&mut self, _: u32, rm: &mut RateRecord, _: u64) {
        let rate = rm.ccr.max(self.least);
        let adjustment = self.adjustment(rate);
        // At a load of zero the rate is not limited.
        if adjustment > 0.0 {
            rm.er = rm.er.min(rate / adjustment); // New rate := rate / LA
        }
    }
    fn counted(&self) -> Vec<f64> {
        Vec::from([self.load, self.fair_share])
    }
}
