//! BECN (backward explicit congestion notification): a congested switch generates backward RM cells itself, so that
//! the feedback does not first travel to the destination (TM 4.0 section 5.10.6; the principle is that of Newman and
//! Marshall, ATM Forum 94-0789). Such cells have BN = 1 and CI = 1, and each channel gets at most one per interval.
//!
//! The scheme acts on forward RM cells, which name the channel, and not on data cells.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::efci::{Efci, EfciConfig};
use super::ranges::Ranges;
use super::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};
use crate::component::{Statistic, statistics};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::{Passing, RateRecord};

/// Least interval of TM 4.0: a switch may generate 10 RM cells per second for each channel.
const LEAST_INTERVAL: Ps = Ps::from_ms(100);

/// Parameters of BECN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BecnConfig {
    /// Queue length above which the switch generates backward RM cells and marks data cells.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub threshold: Cells,
    /// Least time between two backward RM cells that the switch generates for a channel. TM 4.0 requires at least
    /// 100 ms (10 cells per second).
    #[schemars(extend("x-search" = { "low": "100 ms", "high": "1 s", "scale": "log" }))]
    pub brm_interval: Ps,
    /// Mark data cells, too: set EFCI above the same threshold, as `efci` does. TM 4.0 requires this or another way
    /// of feedback beside generated cells.
    pub efci: bool,
}

impl Default for BecnConfig {
    fn default() -> BecnConfig {
        BecnConfig {
            threshold: Cells(100),
            brm_interval: LEAST_INTERVAL,
            efci: true,
        }
    }
}

impl BecnConfig {
    fn marking(&self) -> EfciConfig {
        EfciConfig {
            threshold: Some(self.threshold),
            ..EfciConfig::default()
        }
    }
}

impl SchemeParameters for BecnConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let mut findings = Ranges::new(facts)
            .reachable("threshold", self.threshold)
            .interval("brm_interval", self.brm_interval)
            .findings();
        if self.brm_interval < LEAST_INTERVAL
            && findings.iter().all(|it| it.field != "brm_interval")
        {
            findings.push(Finding::standard(
                "brm_interval",
                format!("must be at least 100 ms, but is {}", self.brm_interval),
            ));
        }
        if !self.efci {
            let message = "must be true: generated cells may not be the only feedback";
            findings.push(Finding::standard("efci", message.into()));
        }
        findings
    }
}

/// State of BECN at one output port.
#[derive(Clone, Debug)]
pub struct Becn {
    config: BecnConfig,
    marking: Efci,
    /// For each channel, the time before which the switch generates no further cell.
    free_from: Vec<Ps>,
    generated: u64,
}

impl Becn {
    /// Initial state of the scheme at a port with these `facts`.
    pub fn new(config: &BecnConfig, facts: PortFacts) -> Becn {
        Becn {
            config: config.clone(),
            marking: Efci::new(&config.marking(), facts),
            free_from: alloc::vec![Ps::ZERO; facts.channels],
            generated: 0,
        }
    }
    /// Replaces threshold and interval. The new interval holds from the next generated cell on.
    pub fn change(&mut self, config: &BecnConfig) {
        self.marking.change(&config.marking());
        self.config = config.clone();
    }
}

impl SwitchControl for Becn {
    const STATISTICS: &'static [Statistic] = statistics! {
        "brm_cells_generated", "cells", "backward RM cells that the switch has generated for the channels of the port";
    };
    const GENERATES: bool = true;

    fn generate(&mut self, now: Ps, slot: u32, rm: &RateRecord, queue: u64) -> Option<RateRecord> {
        let free_from = &mut self.free_from[slot as usize];
        if queue <= self.config.threshold.0 || now < *free_from {
            return None;
        }
        *free_from = now.saturating_add(self.config.brm_interval);
        self.generated += 1;
        Some(RateRecord {
            ci: true, // TM 4.0 5.10.6: CI = 1 or NI = 1
            bn: true, // TM 4.0 5.10.6
            ..*rm
        })
    }
    #[inline]
    fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64) {
        self.marking.on_dequeue(now, passing, queue);
    }
    fn counted(&self) -> Vec<f64> {
        Vec::from([self.generated as f64])
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
    fn marks_at_dequeue(&self) -> bool {
        self.config.efci
    }
    fn marks_above(&self) -> Option<u64> {
        self.config.efci.then_some(self.config.threshold.0)
    }
    fn ignores_data(&self) -> bool {
        true
    }
}
