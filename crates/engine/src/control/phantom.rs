//! Phantom (Afek, Mansour and Ostfeld 1996): the rate of an imaginary channel approaches the unused rate of the
//! link, and every channel may send a multiple of this rate. The size of the scheme's state does not depend on
//! the number of channels.
//!
//! This form follows surveys of the field. Principle and equilibrium are certain; the gains are cellrate's, not
//! the authors'. The authors' gain shrinks with the deviation of the measured rate, by a law that is not known
//! and not modelled here.

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

/// Parameters of Phantom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PhantomConfig {
    /// Interval over which the arrival rate is measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Factor u: every channel may have u times the rate of the imaginary channel. Then n greedy
    /// channels use n u / (1 + n u) of the link.
    #[schemars(extend("x-search" = { "low": 1, "high": 50, "scale": "log" }))]
    pub utilisation_factor: f64,
    /// Gain while the rate of the imaginary channel rises. The value is not certain.
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub alpha_inc: f64,
    /// Gain while the rate of the imaginary channel falls. The value is not certain. A value above `alpha_inc`
    /// biases the shares, since measured rates vary by whole cells. With five channels and the default, a
    /// channel gets 5 % less than u / (1 + n u) of the link; with 1/16 it gets all of this share.
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub alpha_dec: f64,
    /// Least factor by which the rate of the imaginary channel may fall in one interval. The value
    /// is not certain.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1, "scale": "linear" }))]
    pub decrease_floor: f64,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates. Without this threshold CI is never set.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
}

impl Default for PhantomConfig {
    fn default() -> PhantomConfig {
        PhantomConfig {
            interval: Ps::from_ms(1),
            utilisation_factor: 5.0,
            alpha_inc: 1.0 / 16.0,
            alpha_dec: 0.25,
            decrease_floor: 0.5,
            ci_threshold: None,
        }
    }
}

impl SchemeParameters for PhantomConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .interval("interval", self.interval)
            .require(
                "utilisation_factor",
                self.utilisation_factor > 0.0,
                self.utilisation_factor,
                "above 0",
            )
            .share("alpha_inc", self.alpha_inc)
            .share("alpha_dec", self.alpha_dec)
            .share("decrease_floor", self.decrease_floor)
            .reachable_if_any("ci_threshold", self.ci_threshold)
            .findings()
    }
}

/// State of Phantom at one output port.
#[derive(Clone, Debug)]
pub struct Phantom {
    config: PhantomConfig,
    link: f64,
    /// Rate of the imaginary channel (MACR) in units/s.
    macr: f64,
}

impl Metered<Phantom> {
    /// State of the scheme at a port with these `facts`. At the start, the rate of the imaginary channel is its
    /// equilibrium value with one greedy channel.
    pub fn new(config: &PhantomConfig, facts: PortFacts) -> Metered<Phantom> {
        let link = facts.rate.units_per_second();
        let macr = link / (1.0 + config.utilisation_factor); // C / (1 + n u) with n = 1
        let scheme = Phantom {
            config: config.clone(),
            link,
            macr,
        };
        Metered::with(
            scheme,
            LoadMeter::by_time(config.interval),
            config.ci_threshold,
        )
    }
    /// Replaces the parameters of the scheme. The rate of the imaginary channel is kept.
    pub fn change(&mut self, config: &PhantomConfig) {
        let scheme = self.changed(config.interval, UNCOUNTED, config.ci_threshold);
        scheme.config = config.clone();
    }
}

impl ByLoad for Phantom {
    const STATISTICS: &'static [Statistic] = statistics! {
        "macr_cells_per_second", "cells/s", "MACR, the rate of the imaginary channel, at the end";
    };

    /// MACR := MACR + alpha (C - R - MACR), where R is the arrival rate of all classes and C the
    /// link rate.
    fn on_load(&mut self, load: Load) {
        let PhantomConfig {
            alpha_inc,
            alpha_dec,
            decrease_floor,
            ..
        } = self.config;
        let error = self.link - load.input - load.background - self.macr;
        let alpha = if error > 0.0 { alpha_inc } else { alpha_dec };
        self.macr = (self.macr + alpha * error).max(self.macr * decrease_floor);
    }
    fn on_backward(&mut self, _: u32, rm: &mut RateRecord, _: u64) {
        rm.er = rm.er.min(self.config.utilisation_factor * self.macr); // ER := min(ER, u MACR)
    }
    fn counted(&self) -> Vec<f64> {
        Vec::from([self.macr])
    }
}
