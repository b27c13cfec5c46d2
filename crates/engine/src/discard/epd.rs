//! Early packet discard: a PDU that begins while the queue is longer than a threshold is dropped as
//! a whole. If a PDU overflows the buffer later, the rest of it is dropped, as by partial packet
//! discard (Romanow and Floyd 1994).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frame::{Frames, Rules};
use super::{DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::units::{Buffer, Cells};
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Parameters of early packet discard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EpdConfig {
    /// Queue length above which no PDU may begin. Half the buffer if absent.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub threshold: Option<Cells>,
    /// Forwards the last cell of a PDU that lost a cell by overflow.
    pub forward_end: bool,
}

impl Default for EpdConfig {
    fn default() -> EpdConfig {
        EpdConfig {
            threshold: None,
            forward_end: true,
        }
    }
}

impl EpdConfig {
    /// Queue length above which no PDU may begin, for a queue with the limit `buffer`. If no threshold is set,
    /// its default.
    pub fn threshold_in_force(&self, buffer: Buffer) -> Cells {
        self.threshold.unwrap_or(Cells(buffer.0 / 2))
    }
}

impl PolicyParameters for EpdConfig {
    /// Findings about a buffer smaller than a PDU, and a threshold that the queue never exceeds.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        facts.check_threshold(self.threshold)
    }
    fn in_force(&self, buffer: Buffer) -> EpdConfig {
        EpdConfig {
            threshold: Some(self.threshold_in_force(buffer)),
            ..self.clone()
        }
    }
}

/// State of early packet discard at one queue.
#[derive(Clone, Debug)]
pub struct Epd {
    frames: Frames,
    threshold: Option<u64>,
    forward_end: bool,
}

impl Epd {
    /// State of the policy for a queue that `channels` channels share.
    pub fn new(config: &EpdConfig, channels: usize) -> Epd {
        let threshold = config.threshold.map(|cells| cells.0);
        Epd {
            frames: Frames::new(channels),
            threshold,
            forward_end: config.forward_end,
        }
    }
    /// Replaces the parameters of the policy. The state of each channel is kept.
    pub fn change(&mut self, config: &EpdConfig) {
        self.threshold = config.threshold.map(|cells| cells.0);
        self.forward_end = config.forward_end;
    }
}

impl DiscardPolicy for Epd {
    #[inline]
    fn admit(&mut self, _: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        // Romanow and Floyd; Ohsaki et al. III: the default is half the buffer.
        let begin_limit = self.threshold.unwrap_or(buffer / 2);
        let rules = Rules {
            begin_limit,
            end_reserve: u64::MAX,
            forward_end: self.forward_end,
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
        self.threshold.is_some()
    }
}
