//! Intelligent tail drop: the last few cells of the buffer are reserved for the last cells of
//! partly forwarded PDUs, so that no two PDUs merge (Kalyanaraman 1997, section 8.12).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frame::{Frames, Rules};
use super::{DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Parameters of intelligent tail drop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntelligentTailDropConfig {
    /// Cells of the buffer that are reserved for last cells of PDUs.
    #[schemars(extend("x-search" = { "low": "1 cell", "high": "256 cells", "scale": "log" }))]
    pub margin: Cells,
}

impl Default for IntelligentTailDropConfig {
    fn default() -> IntelligentTailDropConfig {
        IntelligentTailDropConfig { margin: Cells(4) }
    }
}

impl PolicyParameters for IntelligentTailDropConfig {
    /// Findings about a margin as large as the buffer, or too small for the last cell of one PDU
    /// per channel.
    fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.margin.0 >= facts.buffer {
            let message = format!(
                "{} leave no room in a buffer of {} cells",
                self.margin, facts.buffer
            );
            findings.push(Finding::impossible("margin", message));
        }
        if self.margin.0 < facts.channels as u64 {
            let message = format!(
                "{} do not hold the last cell of a PDU of each of {} channels: PDUs may merge",
                self.margin, facts.channels
            );
            findings.push(Finding::warning("margin", message));
        }
        findings
    }
}

/// State of intelligent tail drop at one queue.
#[derive(Clone, Debug)]
pub struct IntelligentTailDrop {
    frames: Frames,
    margin: u64,
}

impl IntelligentTailDrop {
    /// State of the policy for a queue that `channels` channels share.
    pub fn new(config: &IntelligentTailDropConfig, channels: usize) -> IntelligentTailDrop {
        IntelligentTailDrop {
            frames: Frames::new(channels),
            margin: config.margin.0,
        }
    }
    /// Replaces the margin. The state of each channel is kept.
    pub fn change(&mut self, config: &IntelligentTailDropConfig) {
        self.margin = config.margin.0;
    }
}

impl DiscardPolicy for IntelligentTailDrop {
    #[inline]
    fn admit(&mut self, _: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        // Section 8.12: a threshold a few cells below the buffer limit.
        let end_reserve = buffer.saturating_sub(self.margin);
        self.frames.admit(
            slot,
            passing,
            queue,
            buffer,
            Rules {
                begin_limit: u64::MAX,
                end_reserve,
                forward_end: true,
            },
        )
    }
    fn passes_within(&self, buffer: u64) -> u64 {
        buffer.saturating_sub(self.margin)
    }
    #[inline]
    fn passes(&mut self, slot: u32, _: u32) -> bool {
        self.frames.passes(slot)
    }
}
