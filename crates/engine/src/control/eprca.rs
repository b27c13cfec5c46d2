//! EPRCA, enhanced proportional rate control (Roberts, ATM Forum 94-0735R1), at a switch. The switch keeps a mean
//! allowed cell rate over all channels. While the queue is long, the switch writes explicit rates below this
//! mean.
//!
//! This form follows surveys of the field. The constants AV and DPF are certain; the other constants have their
//! usual values. The queue thresholds depend on the network and have no usual value. The sources are those of TM
//! 4.0.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::Ranges;
use super::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};
use crate::component::{Statistic, statistics};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::{Contents, Passing, RateRecord};

/// Feedback that the scheme writes into a backward RM cell under congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Marking {
    /// An explicit rate, written into ER.
    #[default]
    ExplicitRate,
    /// The bit CI: the binary form of the scheme.
    Binary,
}

/// Forward RM cells whose CCR counts in the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Averaging {
    /// Under congestion, cells with a CCR below the mean count; otherwise, cells with a CCR above
    /// VCS times the mean.
    #[default]
    Selective,
    /// All forward RM cells count.
    All,
}

/// Parameters of EPRCA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EprcaConfig {
    /// Queue length above which a port is congested (QT).
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.5, "scale": "linear", "of": "buffer" }))]
    pub qt: Cells,
    /// Queue length above which a port is very congested (DQT).
    #[schemars(extend("x-search" = { "low": 0.04, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub dqt: Cells,
    /// Weight of the newest rate in the mean (AV).
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub av: f64,
    /// Forward RM cells whose CCR counts in the mean.
    pub averaging: Averaging,
    /// VC separator (VCS): without congestion, rates below VCS times the mean do not count.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear", "when": {"averaging": ["selective"]} }))]
    pub vcs: f64,
    /// Down pressure factor (DPF): under congestion, channels with a CCR above DPF times the mean
    /// are marked.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear" }))]
    pub dpf: f64,
    /// Explicit reduction factor (ERF): under congestion, marked channels get ERF times the mean.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear", "when": {"marking": ["explicit-rate"]} }))]
    pub erf: f64,
    /// Major reduction factor (MRF): all channels of a very congested port get MRF times the mean.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 1, "scale": "linear", "when": {"marking": ["explicit-rate"]} }))]
    pub mrf: f64,
    /// Feedback that the scheme writes into a backward RM cell under congestion.
    pub marking: Marking,
}

impl Default for EprcaConfig {
    fn default() -> EprcaConfig {
        EprcaConfig {
            qt: Cells(100),
            dqt: Cells(300),
            av: 1.0 / 16.0,
            averaging: Averaging::Selective,
            vcs: 7.0 / 8.0,
            dpf: 7.0 / 8.0,
            erf: 15.0 / 16.0,
            mrf: 0.25,
            marking: Marking::ExplicitRate,
        }
    }
}

impl SchemeParameters for EprcaConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        Ranges::new(facts)
            .ordered(("qt", self.qt), ("dqt", self.dqt))
            .reachable("dqt", self.dqt)
            .share("av", self.av)
            .share("vcs", self.vcs)
            .share("dpf", self.dpf)
            .share("erf", self.erf)
            .share("mrf", self.mrf)
            .findings()
    }
}

/// State of EPRCA at one output port.
#[derive(Clone, Debug)]
pub struct Eprca {
    config: EprcaConfig,
    /// Mean allowed cell rate (MACR) in units/s.
    macr: f64,
}

impl Eprca {
    /// State of the scheme at a port with these `facts`. The mean begins with an equal share of the
    /// link rate.
    pub fn new(config: &EprcaConfig, facts: PortFacts) -> Eprca {
        Eprca {
            config: config.clone(),
            macr: facts.rate.units_per_second() / facts.channels.max(1) as f64,
        }
    }

    /// Replaces the parameters of the scheme. The mean rate is kept.
    pub fn change(&mut self, config: &EprcaConfig) {
        self.config = config.clone();
    }

    /// True if a forward RM cell with this `ccr` (units/s) counts in the mean rate while the queue has `queue`
    /// units.
    fn counts(&self, ccr: f64, queue: u64) -> bool {
        match self.config.averaging {
            Averaging::All => true,
            Averaging::Selective if queue > self.config.qt.0 => ccr < self.macr,
            Averaging::Selective => ccr > self.config.vcs * self.macr,
        }
    }

    /// Marks a backward RM cell. The parameter `marking` decides whether ER is lowered to `factor` times the mean
    /// rate, or CI is set.
    fn press(&self, rm: &mut RateRecord, factor: f64) {
        match self.config.marking {
            Marking::ExplicitRate => rm.er = rm.er.min(factor * self.macr), // TM 4.0 5.10.6 1(c)
            Marking::Binary => rm.ci = true,                                // TM 4.0 5.10.6 1(b)
        }
    }
}

impl SwitchControl for Eprca {
    const STATISTICS: &'static [Statistic] = statistics! {
        "macr_cells_per_second", "cells/s", "MACR, the mean allowed cell rate, at the end";
    };

    #[inline]
    fn on_forward(
        &mut self,
        _: Ps,
        _: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    ) {
        if let Some(rm) = rm
            && passing.contents == Contents::Forward
            && self.counts(rm.ccr, queue)
        {
            // MACR := (1 - AV) MACR + AV CCR
            self.macr += self.config.av * (rm.ccr - self.macr);
        }
    }
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RateRecord, queue: u64) {
        let EprcaConfig {
            qt,
            dqt,
            dpf,
            erf,
            mrf,
            ..
        } = self.config;
        if queue > dqt.0 {
            self.press(rm, mrf); // very congested: ER := min(ER, MRF MACR) for all channels
        } else if queue > qt.0 && rm.ccr > dpf * self.macr {
            self.press(rm, erf); // congested: ER := min(ER, ERF MACR) if CCR > DPF MACR
        }
    }
    fn counted(&self) -> Vec<f64> {
        Vec::from([self.macr])
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
    fn ignores_data(&self) -> bool {
        true
    }
}
