//! Tail drop: a cell is dropped if it finds the buffer full, a frame if it does not fit.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cause, DiscardPolicy, PolicyParameters, QueueFacts, Verdict};
use crate::kernel::{Finding, Ps};
use crate::passing::Passing;

/// Parameters of tail drop: there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TailDropConfig {}

impl PolicyParameters for TailDropConfig {
    /// No findings: there are no parameters.
    fn check(&self, _: QueueFacts) -> Vec<Finding> {
        Vec::new()
    }
}

/// Tail drop at one queue. All cells are treated alike, whatever their PDU.
#[derive(Clone, Debug)]
pub struct TailDrop;

impl TailDrop {
    /// The policy for a queue of any number of channels.
    pub fn new(_: &TailDropConfig, _: usize) -> TailDrop {
        TailDrop
    }
    /// Changes nothing, as there are no parameters.
    pub fn change(&mut self, _: &TailDropConfig) {}
}

impl DiscardPolicy for TailDrop {
    #[inline]
    fn admit(&mut self, _: Ps, _: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        room(passing, queue, buffer)
    }
    fn is_stateless(&self) -> bool {
        true
    }
}

/// Accepts a cell or frame if all its units fit into the buffer.
#[inline]
pub(super) fn room(passing: Passing, queue: u64, buffer: u64) -> Verdict {
    if queue + u64::from(passing.units) <= buffer {
        Verdict::Accept
    } else {
        Verdict::Drop(Cause::Overflow)
    }
}
