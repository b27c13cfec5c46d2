//! Changes of a network while it runs. A change acts before every event of its instant: events of
//! earlier times follow the old settings, all others the new ones. State is kept: queues, windows
//! and rates, the measurements of a scheme, the PDUs that a policy follows.

use alloc::format;
use alloc::vec::Vec;

use super::{FlowPlan, NodeKind, Plan, PlanError, SwitchPlan};
use crate::control::{ControlConfig, PortFacts, SwitchControl};
use crate::discard::DiscardConfig;
use crate::endsystem::AbrConfig;
use crate::kernel::Ps;
use crate::kernel::units::Buffer;
use crate::traffic::SourceConfig;

/// Settings that hold from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Instant of the change.
    pub at: Ps,
    /// Changed switches: number of the node, and settings.
    pub switches: Vec<(usize, SwitchChange)>,
    /// Changed flows: number of the flow, and settings.
    pub flows: Vec<(usize, FlowChange)>,
}

/// Settings of every output port of a switch that can change. Scheme and policy stay the same, and
/// so does [`SwitchControl::marks_at_dequeue`].
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchChange {
    /// Limit of each queue, except of those that credit limits.
    pub buffer: Buffer,
    /// Parameters of the control scheme.
    pub control: ControlConfig,
    /// Parameters of the discard policy.
    pub discard: DiscardConfig,
}

/// Settings of a flow that can change. The kind of source and the rules of the end systems stay the
/// same.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowChange {
    /// False if the source sends nothing new: data over TCP wait, bare cells do not come into being.
    /// What has been sent is sent again if it is lost, and RM cells go on.
    pub sends: bool,
    /// Parameters of the source.
    pub source: SourceConfig,
    /// Parameters of the flow's ABR end systems; PCR and MCR stay as they are.
    pub abr: AbrConfig,
}

impl SwitchChange {
    /// The settings of a switch in the plan that can change.
    pub fn of(plan: &SwitchPlan) -> SwitchChange {
        SwitchChange {
            buffer: plan.buffer,
            control: plan.control.clone(),
            discard: plan.discard.clone(),
        }
    }
}

impl FlowChange {
    /// The settings of a flow in the plan that can change.
    pub fn of(plan: &FlowPlan) -> FlowChange {
        FlowChange {
            sends: plan.sends,
            source: plan.source.clone(),
            abr: plan.abr.clone(),
        }
    }
}

/// Checks that changes come in order, and that each changes nothing but parameters.
///
/// # Errors
/// The first change that does not, in words.
pub(in crate::atm) fn check(plan: &Plan) -> Result<(), PlanError> {
    let mut before = Ps::ZERO;
    for Change {
        at,
        switches,
        flows,
    } in &plan.changes
    {
        let fault = |what: &str| Err(PlanError(format!("the change at {at} {what}")));
        if *at <= before {
            return fault("does not come after the one before it, or after the start");
        }
        before = *at;
        for (node, to) in switches {
            let Some(NodeKind::Switch(from)) = plan.nodes.get(*node).map(|node| &node.kind) else {
                return fault("concerns a switch that does not exist");
            };
            let marks = |config: &ControlConfig| match config {
                ControlConfig::Custom(config) => config.get().marks_at_dequeue(),
                config => config.build(PortFacts::ANY).marks_at_dequeue(),
            };
            if from.control.name() != to.control.name()
                || from.discard.name() != to.discard.name()
                || marks(&from.control) != marks(&to.control)
            {
                return fault("replaces the scheme or the policy of a switch");
            }
        }
        for (flow, to) in flows {
            let Some(from) = plan.flows.get(*flow) else {
                return fault("concerns a flow that does not exist");
            };
            let is_same = |a: &AbrConfig, b: &AbrConfig| {
                (a.rules, a.pcr, a.mcr, &a.law) == (b.rules, b.pcr, b.mcr, &b.law)
            };
            if from.source.name() != to.source.name() || !is_same(&from.abr, &to.abr) {
                return fault("replaces the source of a flow, its rules, its PCR or its MCR");
            }
        }
    }
    Ok(())
}
