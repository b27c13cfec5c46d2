//! A discard policy that decides once for each PDU: a channel that holds more than a share of the
//! buffer begins none. In a scenario `discard = { policy = "share-of-buffer" }`.

use cellrate_engine::discard::{ByPdu, FirstCell, PduPolicy, PolicyParameters, QueueFacts};
use cellrate_engine::kernel::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BufferShareConfig {
    /// Share of the buffer that a channel may hold when a PDU begins.
    share: f64,
}

impl Default for BufferShareConfig {
    fn default() -> BufferShareConfig {
        BufferShareConfig { share: 0.25 }
    }
}

impl PolicyParameters for BufferShareConfig {
    fn check(&self, _: QueueFacts) -> Vec<Finding> {
        if self.share > 0.0 && self.share <= 1.0 {
            return Vec::new();
        }
        let message = format!("must be above 0 and at most 1, but is {}", self.share);
        vec![Finding::impossible("share", message)]
    }
}

/// The decision at a queue.
#[derive(Clone, Debug)]
pub struct BufferShare {
    share: f64,
}

/// The policy for a queue that `channels` share.
pub fn new(config: &BufferShareConfig, channels: usize) -> ByPdu<BufferShare> {
    let share = config.share;
    ByPdu::new(BufferShare { share }, channels)
}

impl PduPolicy for BufferShare {
    fn admits(&mut self, first: FirstCell) -> bool {
        first.units as f64 <= self.share * first.buffer as f64
    }
}
