//! CAPC, congestion avoidance using proportional control (Barnhart, ATM Forum 94-0983): one
//! explicit rate for all channels, which rises while the load is below 1 and falls above it.
//!
//! This form follows surveys of the field, which agree about the steps. The least factor of a step down (ERF) and
//! the queue threshold of the CI bit are less certain. CAPC2, in which the queue length adds to the load, is not
//! modelled.

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

/// Least explicit rate: 10 cells/s, the TCR of TM 4.0. Each step multiplies the rate, so a rate of zero would
/// never rise again.
const LEAST: Rate = Rate::from_bps(10 * CELL_BITS);

/// Parameters of CAPC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CapcConfig {
    /// Target utilisation: share of the rate left by other classes. A load of 1 uses this share.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: f64,
    /// Interval over which the load is measured.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Slope of a step up (Rup): the rate is multiplied by 1 + (1 - load) Rup; 0.025 to 0.1 is
    /// usual.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log" }))]
    pub rup: f64,
    /// Factor of the largest step up (ERU).
    #[schemars(extend("x-search" = { "low": 1.05, "high": 4, "scale": "log" }))]
    pub eru: f64,
    /// Slope of a step down (Rdn): the rate is multiplied by 1 - (load - 1) Rdn; 0.2 to 0.8 is
    /// usual.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 2, "scale": "log" }))]
    pub rdn: f64,
    /// Factor of the largest step down (ERF). One survey prints 1.5, which would be a step up.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 0.95, "scale": "linear" }))]
    pub erf: f64,
    /// Queue length above which CI is also set in backward RM cells. The author's value is not
    /// known.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub threshold: Cells,
}

impl Default for CapcConfig {
    fn default() -> CapcConfig {
        CapcConfig {
            target_utilisation: 0.95,
            interval: Ps::from_ms(1),
            rup: 0.1,
            eru: 1.5,
            rdn: 0.8,
            erf: 0.5,
            threshold: Cells(300),
        }
    }
}

impl SchemeParameters for CapcConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .utilisation("target_utilisation", self.target_utilisation)
            .interval("interval", self.interval)
            .not_negative("rup", self.rup)
            .require("eru", self.eru >= 1.0, self.eru, "at least 1")
            .not_negative("rdn", self.rdn)
            .share("erf", self.erf)
            .reachable("threshold", self.threshold)
            .findings()
    }
}

/// State of CAPC at one output port.
#[derive(Clone, Debug)]
pub struct Capc {
    config: CapcConfig,
    link: f64,
    /// The rate [`LEAST`] in units/s.
    least: f64,
    /// The explicit rate for all channels (ERS), in units/s.
    ers: f64,
    load_factor: f64,
}

impl Metered<Capc> {
    /// State of the scheme at a port with these `facts`. The explicit rate begins with an equal
    /// share of the target.
    pub fn new(config: &CapcConfig, facts: PortFacts) -> Metered<Capc> {
        let link = facts.rate.units_per_second();
        let ers = config.target_utilisation * link / facts.channels.max(1) as f64;
        let scheme = Capc {
            config: config.clone(),
            link,
            least: facts.rate.in_units(LEAST),
            ers,
            load_factor: 1.0,
        };
        Metered::with(
            scheme,
            LoadMeter::by_time(config.interval),
            Some(config.threshold),
        )
    }
    /// Replaces the parameters of the scheme. The explicit rate is kept.
    pub fn change(&mut self, config: &CapcConfig) {
        let scheme = self.changed(config.interval, UNCOUNTED, Some(config.threshold));
        scheme.config = config.clone();
    }
}

impl ByLoad for Capc {
    const STATISTICS: &'static [Statistic] = statistics! {
        "load_factor", "", "Load of the last interval / target load";
        "explicit_rate_cells_per_second", "cells/s", "ERS, the explicit rate for all, at the end";
    };

    fn on_load(&mut self, load: Load) {
        let CapcConfig {
            target_utilisation,
            rup,
            eru,
            rdn,
            erf,
            ..
        } = self.config;
        let z = load.factor(target_utilisation * (self.link - load.background));
        let step = if z < 1.0 {
            (1.0 + (1.0 - z) * rup).min(eru) // 94-0983: ERS min(ERU, 1 + (1 - z) Rup)
        } else {
            (1.0 - (z - 1.0) * rdn).max(erf) // 94-0983: ERS max(ERF, 1 - (z - 1) Rdn)
        };
        self.ers = (self.ers * step).min(self.link).max(self.least);
        self.load_factor = z;
    }
    fn on_backward(&mut self, _: u32, rm: &mut RateRecord, _: u64) {
        rm.er = rm.er.min(self.ers); // TM 4.0 5.10.6 1(c); `Metered` sets CI by the queue length
    }
    fn counted(&self) -> Vec<f64> {
        Vec::from([self.load_factor, self.ers])
    }
}
