//! Partial packet discard: once a cell of a PDU is lost, all other cells of the PDU are dropped
//! except the last. The last cell keeps the receiver from merging two PDUs (Romanow and Floyd
//! 1994).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frame::{Frames, Rules};
use super::{DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Parameters of partial packet discard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PpdConfig {
    /// Forwards the last cell of a PDU that lost a cell.
    pub forward_end: bool,
}

impl Default for PpdConfig {
    fn default() -> PpdConfig {
        PpdConfig { forward_end: true }
    }
}

impl PolicyParameters for PpdConfig {
    /// No findings: every value is allowed.
    fn check(&self, _: QueueFacts) -> Vec<Finding> {
        Vec::new()
    }
}

/// State of partial packet discard at one queue.
#[derive(Clone, Debug)]
pub struct Ppd {
    frames: Frames,
    rules: Rules,
}

impl Ppd {
    /// State of the policy for a queue that `channels` channels share.
    pub fn new(config: &PpdConfig, channels: usize) -> Ppd {
        let rules = Rules {
            begin_limit: u64::MAX,
            end_reserve: u64::MAX,
            forward_end: config.forward_end,
        };
        Ppd {
            frames: Frames::new(channels),
            rules,
        }
    }
    /// Replaces the parameters of the policy. The state of each channel is kept.
    pub fn change(&mut self, config: &PpdConfig) {
        self.rules.forward_end = config.forward_end;
    }
}

impl DiscardPolicy for Ppd {
    #[inline]
    fn admit(&mut self, _: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        self.frames.admit(slot, passing, queue, buffer, self.rules)
    }
    fn passes_within(&self, buffer: u64) -> u64 {
        buffer
    }
    #[inline]
    fn passes(&mut self, slot: u32, _: u32) -> bool {
        self.frames.passes(slot)
    }
}
