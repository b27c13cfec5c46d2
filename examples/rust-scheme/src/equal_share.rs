//! A control scheme: every channel gets the same share of the link. In a scenario
//! `control = { scheme = "equal-share" }`.

use cellrate_engine::control::{
    PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts,
};
use cellrate_engine::kernel::{Finding, Ps};
use cellrate_engine::passing::RateRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EqualShareConfig {
    /// Share of the link that is given away.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    target_utilisation: f64,
}

impl Default for EqualShareConfig {
    fn default() -> EqualShareConfig {
        EqualShareConfig {
            target_utilisation: 0.9,
        }
    }
}

impl SchemeParameters for EqualShareConfig {
    fn check(&self, _: SwitchFacts) -> Vec<Finding> {
        let found = self.target_utilisation;
        if found > 0.0 && found <= 1.0 {
            return Vec::new();
        }
        let message = format!("must be above 0 and at most 1, but is {found}");
        vec![Finding::impossible("target_utilisation", message)]
    }
}

/// The scheme at a port.
#[derive(Clone, Debug)]
pub struct EqualShare {
    /// Units/s.
    share: f64,
}

impl EqualShare {
    /// The scheme at the port of `facts`.
    pub fn new(config: &EqualShareConfig, facts: PortFacts) -> EqualShare {
        let link = facts.rate.units_per_second();
        EqualShare {
            share: config.target_utilisation * link / facts.channels.max(1) as f64,
        }
    }
}

impl SwitchControl for EqualShare {
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RateRecord, _: u64) {
        rm.er = rm.er.min(self.share); // TM 4.0 5.10.6 1(c)
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
}
