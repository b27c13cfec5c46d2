//! A law of an ABR source: ACR rises by a constant with each RM cell without CI, and is halved by one
//! with CI. In a scenario `law = { law = "additive", step = "1 Mbit/s" }` under `[abr]`.

use cellrate::scenario::custom::Parameters;
use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::endsystem::{LawState, SourceFacts};
use cellrate_engine::kernel::{Ps, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdditiveConfig {
    /// Increase of ACR with an RM cell.
    step: Rate,
}

impl Default for AdditiveConfig {
    fn default() -> AdditiveConfig {
        AdditiveConfig {
            step: Rate::from_bps(424_000),
        }
    }
}

impl Parameters for AdditiveConfig {}

/// The law at a source.
#[derive(Clone, Debug)]
pub struct Additive {
    /// Cells/s.
    step: f64,
}

impl Additive {
    /// The law of the source of `facts`.
    pub fn new(config: &AdditiveConfig, _: SourceFacts) -> Additive {
        Additive {
            step: config.step.cells_per_second(),
        }
    }
}

impl LawState for Additive {
    fn after_cell(&mut self, _: Ps, acr: f64) -> f64 {
        acr
    }
    fn after_brm(&mut self, _: Ps, acr: f64, rm: &RmCell) -> f64 {
        if rm.ci { acr / 2.0 } else { acr + self.step }
    }
    fn boxed_clone(&self) -> Box<dyn LawState> {
        Box::new(self.clone())
    }
}
