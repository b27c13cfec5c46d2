//! Changes of a network during a run. A change precedes all events of its instant: earlier events use the old
//! settings, all others the new ones. State is kept: queues, windows and rates, the measurements of a control
//! scheme, and the state of a discard policy about the PDU under way.

use alloc::format;
use alloc::vec::Vec;

use super::{FlowPlan, NodeKind, Plan, PlanError, SwitchPlan};
use crate::control::ControlConfig;
use crate::discard::DiscardConfig;
use crate::endsystem::AbrConfig;
use crate::kernel::Ps;
use crate::kernel::units::Buffer;
use crate::traffic::SourceConfig;

/// New settings of switches and flows, which hold from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Instant of the change.
    pub at: Ps,
    /// For each changed switch: the index of its node and the new settings.
    pub switches: Vec<(usize, SwitchChange)>,
    /// For each changed flow: its index and the new settings.
    pub flows: Vec<(usize, FlowChange)>,
}

/// The settings of a switch that a change may replace, for all its output ports. A change cannot replace the kind
/// of control scheme or discard policy, or whether the scheme marks at departures.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchChange {
    /// Limit of each queue, in cells. Queues limited by credit keep their limit.
    pub buffer: Buffer,
    /// Parameters of the control scheme, of the same kind as before.
    pub control: ControlConfig,
    /// Parameters of the discard policy, of the same kind as before.
    pub discard: DiscardConfig,
}

/// The settings of a flow that a change may replace. A change cannot replace the kind of source or the rules of
/// the end systems.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowChange {
    /// False if the source sends no new data: data over TCP wait, and no raw cells are generated.
    /// Lost segments are still sent again, and RM cells are still sent.
    pub sends: bool,
    /// Parameters of the source of traffic, of the same kind as before.
    pub source: SourceConfig,
    /// Parameters of the flow's ABR end systems, with the same PCR and MCR as before.
    pub abr: AbrConfig,
}

impl SwitchChange {
    /// The settings of a switch in the plan that a change may replace.
    pub fn of(plan: &SwitchPlan) -> SwitchChange {
        SwitchChange {
            buffer: plan.buffer,
            control: plan.control.clone(),
            discard: plan.discard.clone(),
        }
    }
}

impl FlowChange {
    /// The settings of a flow in the plan that a change may replace.
    pub fn of(plan: &FlowPlan) -> FlowChange {
        FlowChange {
            sends: plan.sends,
            source: plan.source.clone(),
            abr: plan.abr.clone(),
        }
    }
}

/// Checks that the changes come in order of time, and that each one changes only parameters.
///
/// # Errors
/// If this does not hold: a text on the first change that is not allowed.
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
            if from.control.name() != to.control.name()
                || from.discard.name() != to.discard.name()
                || from.control.marks_at_dequeue() != to.control.marks_at_dequeue()
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
