//! Phantom (Afek, Mansour and Ostfeld 1996): the rate of an imaginary channel approaches the unused
//! rate of the link, and every channel may send a multiple of it. The state does not depend on the
//! number of channels.
//!
//! After surveys of the field; the principle and its equilibrium are certain, the gains are not the
//! authors'. Their gain shrinks with the deviation of the measured rate; the law is not known and
//! not modelled.

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
    /// Interval over which the arrivals are measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Multiple u of the imaginary channel's rate that a channel may have; n greedy channels then
    /// use n u / (1 + n u) of the link.
    #[schemars(extend("x-search" = { "low": 1, "high": 50, "scale": "log" }))]
    pub utilisation_factor: f64,
    /// Gain while the imaginary channel's rate rises; not certain.
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub alpha_inc: f64,
    /// Gain while the imaginary channel's rate falls; not certain. Above `alpha_inc` it biases the
    /// shares, since measured rates vary by whole cells: at n = 5 the default gives a channel 5 %
    /// less than u / (1 + n u) of the link, and 1/16 no less.
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub alpha_dec: f64,
    /// Least factor on the rate in one interval; not certain.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1, "scale": "linear" }))]
    pub decrease_floor: f64,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates; never if absent.
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
    /// MACR, the rate of the imaginary channel, in units/s.
    macr: f64,
}

impl Metered<Phantom> {
    /// State of the scheme at a port with these `facts`; the rate starts at its equilibrium with
    /// one greedy channel.
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
    /// Replaces the parameters; the rate of the imaginary channel stays.
    pub fn change(&mut self, config: &PhantomConfig) {
        let scheme = self.changed(config.interval, UNCOUNTED, config.ci_threshold);
        scheme.config = config.clone();
    }
}

impl ByLoad for Phantom {
    const STATISTICS: &'static [Statistic] = statistics! {
        "macr_cells_per_second", "cells/s", "MACR, the rate of the imaginary channel, at the end";
    };

    /// MACR := MACR + alpha (C - R - MACR), with R the arrival rate of all classes.
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
