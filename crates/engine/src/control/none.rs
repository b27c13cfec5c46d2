//! No congestion control: a plain switch.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};
use crate::kernel::Finding;

/// Parameters of a switch without congestion control: there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoneConfig {}

impl SchemeParameters for NoneConfig {
    /// No findings: there are no parameters.
    fn check(&self, _: SwitchFacts) -> Vec<Finding> {
        Vec::new()
    }
}

/// Control scheme that changes no cell.
#[derive(Clone, Debug)]
pub struct NoControl;

impl NoControl {
    /// State of the scheme, which is empty, at a port with any facts.
    pub fn new(_: &NoneConfig, _: PortFacts) -> NoControl {
        NoControl
    }
    /// Changes nothing, as there are no parameters.
    pub fn change(&mut self, _: &NoneConfig) {}
}

impl SwitchControl for NoControl {
    #[inline]
    fn ignores_data(&self) -> bool {
        true
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
}
