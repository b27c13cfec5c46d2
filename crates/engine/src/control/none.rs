//! No congestion control: what a plain switch does.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PortFacts, QueueReading, SwitchControl, SwitchFacts};
use crate::kernel::Finding;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoneConfig {}

impl NoneConfig {
    /// Nothing can be wrong.
    pub fn check(&self, _: SwitchFacts) -> Vec<Finding> {
        Vec::new()
    }
}

/// Touches no cell.
#[derive(Clone, Debug)]
pub struct NoControl;

impl NoControl {
    /// The scheme at any port.
    pub fn new(_: &NoneConfig, _: PortFacts) -> NoControl {
        NoControl
    }
}

impl SwitchControl for NoControl {
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
}
