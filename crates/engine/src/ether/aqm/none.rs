//! No active queue management: every packet passes.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::{AqmAlgorithm, AqmParameters, QueueFacts};
use crate::kernel::{Finding, Ps, Stream};

/// Parameters of `none`, the absence of active queue management: there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoneConfig {}

impl AqmParameters for NoneConfig {
    /// No findings: there are no parameters.
    fn check(&self, _: QueueFacts) -> Vec<Finding> {
        Vec::new()
    }
    fn marks(&self) -> bool {
        false
    }
}

/// A queue that only its buffer limits.
#[derive(Clone, Debug)]
pub struct NoAqm;

impl NoAqm {
    /// The state, which is empty, for any queue.
    pub fn new(_: &NoneConfig, _: QueueFacts, _: Stream) -> NoAqm {
        NoAqm
    }
    /// Changes nothing: there are no parameters.
    pub fn change(&mut self, _: Ps, _: &NoneConfig) {}
}

impl AqmAlgorithm for NoAqm {
    fn acts_on_arrival_alone(&self) -> bool {
        true
    }
}
