//! Early packet discard with two thresholds: a PDU whose first cell has CLP = 1 is dropped as a whole above the lower one,
//! any other PDU above the higher one. In a first-in first-out queue this is the implementation of GFR by tagging alone
//! (TM 4.1, appendix VII.2.2).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frame::{Frames, Rules};
use super::{DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::units::{Buffer, Cells};
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Parameters of early packet discard with two thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoubleEpdConfig {
    /// Queue length above which no PDU may begin. Half the buffer if absent.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub threshold: Option<Cells>,
    /// Queue length above which no PDU may begin whose first cell has CLP = 1. Half of `threshold` if absent.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.5, "scale": "linear", "of": "buffer" }))]
    pub tagged_threshold: Option<Cells>,
    /// Forwards the last cell of a PDU that lost a cell by overflow.
    pub forward_end: bool,
}

impl Default for DoubleEpdConfig {
    fn default() -> DoubleEpdConfig {
        DoubleEpdConfig {
            threshold: None,
            tagged_threshold: None,
            forward_end: true,
        }
    }
}

impl DoubleEpdConfig {
    /// Queue length above which no PDU may begin: first of PDUs with CLP = 0, then of those with CLP = 1, for a queue
    /// with the limit `buffer`.
    fn limits(&self, buffer: u64) -> [u64; 2] {
        let limit = self.threshold.map_or(buffer / 2, |cells| cells.0);
        [
            limit,
            self.tagged_threshold.map_or(limit / 2, |cells| cells.0),
        ]
    }
}

impl PolicyParameters for DoubleEpdConfig {
    /// Findings about a buffer smaller than a PDU, a threshold that the queue never exceeds, and thresholds in the wrong
    /// order.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let mut findings = facts.check_threshold(self.threshold);
        let [limit, tagged] = self.limits(facts.buffer);
        if tagged > limit {
            let message =
                format!("must be at most `threshold`, {limit} cells, but is {tagged} cells");
            findings.push(Finding::impossible("tagged_threshold", message));
        }
        findings
    }
    fn in_force(&self, buffer: Buffer) -> DoubleEpdConfig {
        let [limit, tagged] = self.limits(buffer.0).map(Cells);
        DoubleEpdConfig {
            threshold: Some(limit),
            tagged_threshold: Some(tagged),
            ..self.clone()
        }
    }
}

/// State of early packet discard with two thresholds at one queue.
#[derive(Clone, Debug)]
pub struct DoubleEpd {
    frames: Frames,
    config: DoubleEpdConfig,
}

impl DoubleEpd {
    /// State of the policy for a queue that `channels` channels share.
    pub fn new(config: &DoubleEpdConfig, channels: usize) -> DoubleEpd {
        DoubleEpd {
            frames: Frames::new(channels),
            config: config.clone(),
        }
    }
    /// Replaces the parameters of the policy. The state of each channel is kept.
    pub fn change(&mut self, config: &DoubleEpdConfig) {
        self.config = config.clone();
    }
}

impl DiscardPolicy for DoubleEpd {
    #[inline]
    fn admit(&mut self, _: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        let limits = self.config.limits(buffer);
        let rules = Rules {
            begin_limit: limits[passing.is_tagged() as usize],
            end_reserve: u64::MAX,
            forward_end: self.config.forward_end,
        };
        self.frames.admit(slot, passing, queue, buffer, rules)
    }
    fn passes_within(&self, buffer: u64) -> u64 {
        buffer
    }
    #[inline]
    fn passes(&mut self, slot: u32, _: u32) -> bool {
        self.frames.passes(slot)
    }
    /// True if the policy has an explicit threshold, which does not depend on the buffer.
    fn acts_without_limit(&self) -> bool {
        self.config.threshold.is_some()
    }
}
