//! The order in which a port of an ATM switch serves the channels of a queue. Each channel has a queue of its own, and a
//! weight. The queues themselves may have weights, too: a hierarchy of two levels, with one discipline.
//!
//! Deficit round robin is not among the disciplines: over cells of one size it is weighted round robin.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::weights::{GREATEST, Shares, WeightsConfig};
use super::{
    Order, SELF_CLOCKED, Schedule, WEIGHTED_ROUND_ROBIN, WORST_CASE_FAIR, scfq, wf2q_plus, wrr,
};
use crate::kernel::Finding;

/// Octets of a cell, in which orders of service over ATM count. A virtual time between two cells then has the precision of
/// an octet.
pub const CELL_OCTETS: u32 = 53;

/// The order of service of a port's channels, and where their weights come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "discipline")]
pub enum ChannelScheduleConfig {
    /// Serve channels in turn, each for a number of cells: its weight.
    #[serde(rename = "weighted-round-robin")]
    #[schemars(extend("x-source" = WEIGHTED_ROUND_ROBIN.source))]
    WeightedRoundRobin(ChannelWeights),
    /// Share the line by weight, with tags whose clock is the cell in service.
    #[serde(rename = "scfq")]
    #[schemars(extend("x-source" = SELF_CLOCKED.source))]
    SelfClocked(ChannelWeights),
    /// Share the line by weight, as close to a fluid system as cells allow.
    #[serde(rename = "wf2q-plus")]
    #[schemars(extend("x-source" = WORST_CASE_FAIR.source))]
    WorstCaseFair(ChannelWeights),
}

/// Weights of the channels of a port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelWeights {
    /// Source of the weights of channels.
    pub weights: WeightsFrom,
    /// Weights of the queues of classes, in the order of `switch.priority`. The discipline then shares the line among the
    /// queues, and what a queue gets among its channels. Queues are served in strict priority if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<WeightsConfig>,
}

/// Source of the weights of channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WeightsFrom {
    /// The key `weight` of the channel's flow.
    #[default]
    Flow,
    /// The MCR of the channel's flow. Channels of a queue have equal weights if none of them has an MCR.
    Mcr,
}

/// Weights by which channels cannot share a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongWeights {
    /// The fault of the weights, as text.
    pub message: String,
    /// The weights that are allowed.
    pub allowed: &'static str,
}

impl ChannelScheduleConfig {
    /// Key of the discipline.
    pub fn name(&self) -> &'static str {
        match self {
            ChannelScheduleConfig::WeightedRoundRobin(_) => WEIGHTED_ROUND_ROBIN.name,
            ChannelScheduleConfig::SelfClocked(_) => SELF_CLOCKED.name,
            ChannelScheduleConfig::WorstCaseFair(_) => WORST_CASE_FAIR.name,
        }
    }
    fn weights(&self) -> &ChannelWeights {
        match self {
            ChannelScheduleConfig::WeightedRoundRobin(config)
            | ChannelScheduleConfig::SelfClocked(config)
            | ChannelScheduleConfig::WorstCaseFair(config) => config,
        }
    }
    /// Source of the weights of channels.
    pub fn weights_from(&self) -> WeightsFrom {
        self.weights().weights
    }
    /// Findings about the weights of queues at a switch with `queues` queues.
    pub fn check(&self, queues: usize) -> Vec<Finding> {
        let classes = self.weights().classes.iter();
        classes.flat_map(|classes| classes.check(queues)).collect()
    }
    /// The shares of channels whose weights, or MCRs in any one unit, are `weights`; 0 for a channel without MCR.
    ///
    /// # Errors
    /// The fault of the weights, and the weights that are allowed.
    pub fn shares(&self, weights: &[u64]) -> Result<Shares, WrongWeights> {
        let wrong = |message, allowed| Err(WrongWeights { message, allowed });
        let without = weights.iter().filter(|weight| **weight == 0).count();
        let weights = match without {
            0 => weights.to_vec(),
            _ if without == weights.len() => vec![1; without],
            _ => {
                let message = format!(
                    "{without} of {} channels of a queue have no MCR",
                    weights.len()
                );
                return wrong(message, "an MCR for all of them, or for none");
            }
        };
        let Some(shares) = Shares::new(weights) else {
            let message = "the weights of a queue's channels have no common multiple below 2^64";
            return wrong(message.into(), "rounder weights or MCRs");
        };
        let turn = shares.greatest();
        let takes_turns = matches!(self, ChannelScheduleConfig::WeightedRoundRobin(_));
        if takes_turns && turn > GREATEST.into() {
            let message = format!("a turn of weighted round robin has {turn} cells");
            return wrong(message, "up to 100, or another discipline");
        }
        Ok(shares)
    }
    /// The order of service of channels with these shares, whose queues are empty.
    pub fn build(&self, shares: Shares) -> Schedule {
        Schedule {
            strict: 0,
            order: Some(self.order(shares)),
        }
    }
    /// The order of service of the queues with the indices `used` among those of the switch, all of them empty; `None` for
    /// strict priority.
    pub fn build_classes(&self, used: &[usize]) -> Option<Schedule> {
        let config = self.weights().classes.as_ref()?;
        let behind = used
            .iter()
            .filter_map(|queue| queue.checked_sub(config.strict));
        let weights: Vec<u64> = behind.map(|queue| config.weights[queue].into()).collect();
        Some(Schedule {
            strict: used.len() - weights.len(),
            order: Shares::new(weights).map(|shares| self.order(shares)),
        })
    }
    fn order(&self, shares: Shares) -> Order {
        match self {
            ChannelScheduleConfig::WeightedRoundRobin(_) => {
                Order::WeightedRoundRobin(wrr::WeightedRoundRobin::new(shares))
            }
            ChannelScheduleConfig::SelfClocked(_) => {
                Order::SelfClocked(scfq::SelfClocked::new(&shares, 0))
            }
            ChannelScheduleConfig::WorstCaseFair(_) => {
                Order::WorstCaseFair(wf2q_plus::WorstCaseFair::new(&shares, 0))
            }
        }
    }
}
