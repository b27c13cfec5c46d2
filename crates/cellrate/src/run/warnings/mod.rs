//! Warnings: reasons to doubt a result.

mod booked;
mod clipped;
pub(crate) mod groups;
pub(crate) mod horizon;
pub(crate) mod phases;
pub(crate) mod seen;
mod video;
pub(crate) mod windows;

use cellrate_engine::atm::plan::{FlowPlan, Plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::Scenario;

pub use seen::{Seen, after};

/// A reason to doubt the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct Warning {
    /// Kind of warning, as a stable identifier: `short-window`, `short-warm-up`, `no-round-trip`,
    /// `never-starts`, `parameter-clipped`, `overbooked`, `short-block`, `short-trace`,
    /// `buffer-never-filled`, `lost-outside-window`, `queue-changes`, `deadlock`, `earlier-data`, `phases-locked`, `window-empty`, `window-below-path`,
    /// `delayed-ack-waits`, `events-omitted`, `scenario`.
    pub code: String,
    /// Description of the reason.
    pub message: String,
}

impl Warning {
    /// A warning with its code and its message.
    pub fn new(code: &str, message: impl Into<String>) -> Warning {
        Warning {
            code: code.into(),
            message: message.into(),
        }
    }
}

/// Warnings that are known before the run.
pub fn before(scenario: &Scenario, plan: &Plan) -> Vec<Warning> {
    let mut warnings = Vec::new();
    horizon::check(scenario, plan, &mut warnings);
    clipped::check(scenario, plan, &mut warnings);
    booked::check(plan, &mut warnings);
    video::check(scenario, plan, &mut warnings);
    windows::check(plan, &mut warnings);
    warnings
}

/// The first flow of each group. It stands for all flows of the group, because they share their
/// parameters.
fn first_of_each_group(plan: &Plan) -> impl Iterator<Item = &FlowPlan> {
    plan.flows.iter().filter(|flow| flow.index == 1)
}
