//! Changes of a network during a run. A change acts before every event of its instant. Events before the
//! instant follow the old settings, and all later events follow the new ones. A change keeps all state:
//! queues, windows, rates, the measurements of a control scheme, and the averages of active queue management.

use alloc::format;
use alloc::vec::Vec;

use super::{FlowPlan, Plan, PlanError, SwitchPlan};
use crate::control::ControlConfig;
use crate::endsystem::AbrConfig;
use crate::ether::aqm::{AqmAlgorithm, AqmConfig, QueueFacts};
use crate::ether::memory::MemoryConfig;
use crate::kernel::{Ps, Rate, Stream};
use crate::traffic::SourceConfig;

/// Settings that apply from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Instant of the change.
    pub at: Ps,
    /// Changed switches: index of the node, and the new settings.
    pub switches: Vec<(usize, SwitchChange)>,
    /// Changed flows: index of the flow, and the new settings.
    pub flows: Vec<(usize, FlowChange)>,
}

/// Settings of all output ports of a switch that a change may replace. The algorithm of active queue
/// management and the control scheme remain. A switch with a shared memory keeps a shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchChange {
    /// Greatest length of each queue in octets, except for queues that credit limits; `u64::MAX` without a
    /// limit.
    pub buffer: u64,
    /// Parameters of the shared memory; `None` without shared memory.
    pub memory: Option<MemoryConfig>,
    /// Parameters of active queue management.
    pub aqm: AqmConfig,
    /// Parameters of the control scheme.
    pub control: ControlConfig,
}

/// Settings of a flow that a change may replace. The kind of source remains.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowChange {
    /// False if the source sends no new data: over TCP the data wait, and datagrams are not generated. Lost
    /// data are still sent again, and rate records (frames with the fields of an RM cell) are still sent.
    pub sends: bool,
    /// Parameters of the source.
    pub source: SourceConfig,
    /// Parameters of rate control; `None` without rate control. PCR and MCR must not change.
    pub rates: Option<AbrConfig>,
}

impl SwitchChange {
    /// The present settings of a switch in the plan, in the form of a change.
    pub fn of(plan: &SwitchPlan) -> SwitchChange {
        SwitchChange {
            buffer: plan.buffer,
            memory: plan.memory.clone(),
            aqm: plan.aqm.clone(),
            control: plan.control.clone(),
        }
    }
}

impl FlowChange {
    /// The present settings of a flow in the plan, in the form of a change.
    pub fn of(plan: &FlowPlan) -> FlowChange {
        FlowChange {
            sends: plan.sends,
            source: plan.source.clone(),
            rates: plan.rates.clone(),
        }
    }
}

/// True if only arrivals and an empty queue change the state or a decision of active queue management.
fn acts_on_arrival_alone(aqm: &AqmConfig) -> bool {
    let facts = QueueFacts {
        rate: Rate::from_bps(1),
        limit: u64::MAX,
        largest: 0,
    };
    aqm.build(facts, Stream::new(0, "", ""))
        .acts_on_arrival_alone()
}

/// Checks that changes are in order of time, and that each change replaces parameters only.
///
/// # Errors
/// A message about the first change that is out of order or replaces anything else.
pub(in crate::ether) fn check(plan: &Plan) -> Result<(), PlanError> {
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
            let found = plan.nodes.get(*node);
            let Some(from) = found.and_then(|node| node.switch.as_ref()) else {
                return fault("concerns a switch that does not exist");
            };
            if from.control.name() != to.control.name()
                || from.aqm.name() != to.aqm.name()
                || from.control.marks_at_dequeue() != to.control.marks_at_dequeue()
                || acts_on_arrival_alone(&from.aqm) != acts_on_arrival_alone(&to.aqm)
            {
                return fault("replaces the scheme or the queue management of a switch");
            }
            if from.memory.is_some() != to.memory.is_some() {
                return fault("gives a shared memory to a switch, or takes it away");
            }
        }
        for (flow, to) in flows {
            let Some(from) = plan.flows.get(*flow) else {
                return fault("concerns a flow that does not exist");
            };
            let contract = |rates: &Option<AbrConfig>| {
                let rates = rates.as_ref();
                rates.map(|rates| (rates.rules, rates.pcr, rates.mcr))
            };
            if from.source.name() != to.source.name()
                || contract(&from.rates) != contract(&to.rates)
            {
                return fault(
                    "replaces the source of a flow, its rate control, its PCR or its MCR",
                );
            }
        }
    }
    Ok(())
}
