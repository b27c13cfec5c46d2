//! DMRCA, the dynamic max rate control algorithm (Chiussi, Xia and Kumar 1996), at a switch. The switch follows the
//! largest rate among all channels, MAX, and its moving mean, A_MAX. While the queue is long, the switch writes
//! explicit rates below this mean.
//!
//! The article was not available. Certain is the principle: the largest CCR with its channel, a time-out that
//! refreshes it, its exponential mean, and a threshold for the marks that falls as the queue grows. Not certain is
//! the function F of the threshold, here a straight line between two queue lengths. All constants are cellrate's.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::eprca::Marking;
use super::ranges::Ranges;
use super::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};
use crate::component::{Statistic, statistics};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::{Contents, Passing, RateRecord};

/// Parameters of DMRCA. The authors' values are not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DmrcaConfig {
    /// Queue length above which a port is congested (QT). From QT on the factor F falls.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.5, "scale": "linear", "of": "buffer" }))]
    pub qt: Cells,
    /// Queue length at which F has reached `f_dqt` and falls no further (DQT).
    #[schemars(extend("x-search" = { "low": 0.04, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub dqt: Cells,
    /// Factor F at the queue length QT. A congested port marks channels with a CCR above F A_MAX.
    #[schemars(extend("x-search" = { "low": 0.5, "high": 1, "scale": "linear" }))]
    pub f_qt: f64,
    /// Factor F from the queue length DQT on.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.5, "scale": "linear" }))]
    pub f_dqt: f64,
    /// Weight of MAX in its mean A_MAX at each forward RM cell.
    #[schemars(extend("x-search" = { "low": 0.005, "high": 1, "scale": "log" }))]
    pub alpha: f64,
    /// Time after which the next forward RM cell replaces MAX, if no RM cell of the channel with rate MAX has
    /// come. The default is the longest time between the forward RM cells of an active source (Trm of TM 4.0).
    #[schemars(extend("x-search" = { "low": "1 ms", "high": "1 s", "scale": "log" }))]
    pub time_out: Ps,
    /// Feedback that the scheme writes into a backward RM cell under congestion. An explicit rate is F A_MAX.
    pub marking: Marking,
}

impl Default for DmrcaConfig {
    fn default() -> DmrcaConfig {
        DmrcaConfig {
            qt: Cells(100),
            dqt: Cells(300),
            f_qt: 1.0,
            f_dqt: 0.25,
            alpha: 1.0 / 16.0,
            time_out: Ps::from_ms(100),
            marking: Marking::ExplicitRate,
        }
    }
}

impl SchemeParameters for DmrcaConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let falls = self.f_dqt <= self.f_qt;
        Ranges::new(facts)
            .ordered(("qt", self.qt), ("dqt", self.dqt))
            .reachable("dqt", self.dqt)
            .share("f_qt", self.f_qt)
            .require(
                "f_dqt",
                self.f_dqt > 0.0 && falls,
                self.f_dqt,
                "above 0 and at most `f_qt`",
            )
            .share("alpha", self.alpha)
            .interval("time_out", self.time_out)
            .findings()
    }
}

/// The largest CCR (units/s), its channel, and the time of the last forward RM cell of this channel.
#[derive(Clone, Copy, Debug)]
struct Max {
    ccr: f64,
    slot: u32,
    seen: Ps,
}

/// State of DMRCA at one output port. The scheme needs no state for each channel.
#[derive(Clone, Debug)]
pub struct Dmrca {
    config: DmrcaConfig,
    /// MAX; `None` until the first forward RM cell arrives.
    max: Option<Max>,
    /// A_MAX, the moving mean of MAX, in units/s.
    a_max: f64,
}

impl Dmrca {
    /// State of the scheme at a port with these `facts`. A_MAX begins with an equal share of the
    /// link rate.
    pub fn new(config: &DmrcaConfig, facts: PortFacts) -> Dmrca {
        Dmrca {
            config: config.clone(),
            max: None,
            a_max: facts.rate.units_per_second() / facts.channels.max(1) as f64,
        }
    }

    /// Replaces the parameters of the scheme. MAX and A_MAX are kept.
    pub fn change(&mut self, config: &DmrcaConfig) {
        self.config = config.clone();
    }

    /// Takes the CCR of a forward RM cell as MAX if it is larger than MAX, if it is the new rate of the channel with
    /// MAX, or if MAX is older than the time-out. Returns MAX.
    fn largest(&mut self, now: Ps, slot: u32, ccr: f64) -> f64 {
        let new = Max {
            ccr,
            slot,
            seen: now,
        };
        let kept = self.max.filter(|max| {
            slot != max.slot && ccr <= max.ccr && now - max.seen <= self.config.time_out
        });
        self.max.insert(kept.unwrap_or(new)).ccr
    }

    /// The factor F at this `queue`, which is above QT.
    fn factor(&self, queue: u64) -> f64 {
        let DmrcaConfig {
            qt,
            dqt,
            f_qt,
            f_dqt,
            ..
        } = self.config;
        if queue >= dqt.0 {
            return f_dqt;
        }
        let share = (queue - qt.0) as f64 / (dqt.0 - qt.0) as f64;
        f_qt - share * (f_qt - f_dqt)
    }
}

impl SwitchControl for Dmrca {
    const STATISTICS: &'static [Statistic] = statistics! {
        "max_cells_per_second", "cells/s", "MAX, the largest CCR among all channels, at the end; 0 before the first forward RM cell";
        "a_max_cells_per_second", "cells/s", "A_MAX, the moving mean of MAX, at the end";
    };

    #[inline]
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        _: u64,
    ) {
        if let Some(rm) = rm
            && passing.contents == Contents::Forward
        {
            // A_MAX := (1 - alpha) A_MAX + alpha MAX
            let max = self.largest(now, slot, rm.ccr);
            self.a_max += self.config.alpha * (max - self.a_max);
        }
    }
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RateRecord, queue: u64) {
        if queue <= self.config.qt.0 {
            return;
        }
        let threshold = self.factor(queue) * self.a_max;
        if rm.ccr > threshold {
            match self.config.marking {
                Marking::ExplicitRate => rm.er = rm.er.min(threshold), // TM 4.0 5.10.6 1(c)
                Marking::Binary => rm.ci = true,                       // TM 4.0 5.10.6 1(b)
            }
        }
    }
    fn counted(&self) -> Vec<f64> {
        let max = self.max.map_or(0.0, |max| max.ccr);
        Vec::from([max, self.a_max])
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
    fn ignores_data(&self) -> bool {
        true
    }
}
