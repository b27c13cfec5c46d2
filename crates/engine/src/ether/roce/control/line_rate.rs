//! No rate control: the source sends at the rate of its line.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::law::{Notifier, RateControl, RateControlParameters, Way};
use crate::kernel::{Finding, Rate};

/// Parameters of sending at the rate of the line: there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LineRateConfig {}

impl RateControlParameters for LineRateConfig {
    fn check(&self, _line: Rate) -> Vec<Finding> {
        Vec::new()
    }
    fn notifier(&self) -> Notifier {
        Notifier::NONE
    }
}

/// The rate of a line in octets/s.
#[derive(Clone, Debug)]
pub struct LineRate(f64);

impl LineRate {
    /// A source whose packets take the path `way`. No parameter of `_config` changes the rate.
    pub fn new<C>(_config: &C, way: &Way) -> LineRate {
        LineRate(way.line.bits_per_second() / 8.0)
    }
}

impl RateControl for LineRate {
    fn rate(&self) -> f64 {
        self.0
    }
}
