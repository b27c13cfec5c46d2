//! Fair buffer allocation: as selective drop, but the share that a channel may hold falls as the queue grows from the
//! threshold to the buffer (Heinanen and Kilkki 1998).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::accounts::Accounts;
use super::frame::{Frames, Rules};
use super::{DiscardPolicy, QueueFacts, Verdict};
use crate::atm::cell::Info;
use crate::endsystem::Finding;
use crate::kernel::units::{Buffer, Cells};

/// Parameters of fair buffer allocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FairBufferAllocationConfig {
    /// Queue length up to which every PDU may begin (R); nine tenths of the buffer if absent.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub threshold: Option<Cells>,
    /// Share of an equal part of the queue that a channel may hold in a full buffer (Z), above 0; 0.8 did best in a
    /// comparison by Goyal et al.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 2, "scale": "linear" }))]
    pub z: f64,
}

impl Default for FairBufferAllocationConfig {
    fn default() -> FairBufferAllocationConfig {
        FairBufferAllocationConfig { threshold: None, z: 0.8 }
    }
}

impl FairBufferAllocationConfig {
    /// Queue length up to which every PDU may begin, in a buffer of `buffer`.
    pub fn threshold_in_force(&self, buffer: Buffer) -> Cells {
        self.threshold.unwrap_or(Cells(buffer.0 - buffer.0 / 10))
    }
    /// A buffer that holds no PDU, a threshold that the queue never exceeds, a share that is none.
    pub fn check(&self, facts: QueueFacts) -> Vec<Finding> {
        let QueueFacts { buffer, largest_pdu, .. } = facts;
        let mut findings = Vec::new();
        if buffer < largest_pdu {
            let message = format!("a buffer of {buffer} cells does not hold a PDU of {largest_pdu} cells");
            findings.push(Finding::impossible("policy", message));
        }
        if let Some(threshold) = self.threshold
            && threshold.0 >= buffer
        {
            let message = format!("{threshold} are never exceeded in a buffer of {buffer} cells");
            findings.push(Finding::warning("threshold", message));
        }
        // Not a number is no share either.
        if self.z.is_nan() || self.z <= 0.0 {
            findings.push(Finding::impossible("z", format!("{} is not above 0", self.z)));
        }
        findings
    }
}

/// Fair buffer allocation at one queue.
#[derive(Clone, Debug)]
pub struct FairBufferAllocation {
    config: FairBufferAllocationConfig,
    frames: Frames,
    accounts: Accounts,
}

impl FairBufferAllocation {
    /// The policy for `channels`.
    pub fn new(config: &FairBufferAllocationConfig, channels: usize) -> FairBufferAllocation {
        FairBufferAllocation {
            config: config.clone(),
            frames: Frames::new(channels),
            accounts: Accounts::new(channels),
        }
    }

    /// q > R and Y_i N_a / q > Z (K - R) / (q - R).
    fn is_unfair(&self, slot: u32, queue: u64, buffer: u64) -> bool {
        let threshold = self.config.threshold_in_force(Buffer(buffer)).0;
        let (above, room) = (queue.saturating_sub(threshold) as f64, buffer.saturating_sub(threshold) as f64);
        above > 0.0 && self.accounts.weighted(slot) * above > self.config.z * queue as f64 * room
    }
}

impl DiscardPolicy for FairBufferAllocation {
    #[inline]
    fn admit(&mut self, slot: u32, info: Info, queue: u64, buffer: u64) -> Verdict {
        self.accounts.settle(queue);
        let begin_limit = if self.is_unfair(slot, queue, buffer) { 0 } else { u64::MAX };
        let rules = Rules { begin_limit, end_reserve: u64::MAX, forward_end: true };
        let verdict = self.frames.admit(slot, info, queue, buffer, rules);
        if verdict == Verdict::Accept {
            self.accounts.add(slot);
        }
        verdict
    }
}
