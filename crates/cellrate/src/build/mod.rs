//! Translation of a checked scenario into the engine's plan.

use cellrate_engine::kernel::{Ps, Stream};
use cellrate_engine::network::plan::{
    EventKinds, FlowPlan, MeasurePlan, NodeKind, NodePlan, Plan, SwitchPlan,
};

use crate::scenario::graph::{Instance, Node};
use crate::scenario::{Checked, EventKind, Measure, Scenario};

/// The plan of a scenario: its graph with every flow laid out, start jitter drawn.
pub fn plan(checked: &Checked) -> Plan {
    let (scenario, graph) = (checked.scenario(), checked.graph());
    Plan {
        seed: scenario.run.seed,
        nodes: graph.nodes.iter().map(node).collect(),
        links: graph.links.clone(),
        flows: graph
            .flows
            .iter()
            .map(|instance| flow(scenario, instance))
            .collect(),
        fcvc: scenario.fcvc.clone(),
        errors: scenario.link_errors.clone(),
        simultaneous_cells: scenario.run.simultaneous_cells,
        measure: measure(&scenario.measure),
    }
}

fn node(node: &Node) -> NodePlan {
    let kind = match &node.switch {
        None => NodeKind::Host,
        Some(switch) => NodeKind::Switch(SwitchPlan {
            buffer: switch.buffer,
            priority: switch.priority.clone(),
            control: switch.control.clone(),
            discard: switch.discard.clone(),
            vsvd: switch.vsvd.clone(),
            rm_first: switch.rm_first,
        }),
    };
    NodePlan {
        name: node.name.clone(),
        kind,
    }
}

fn flow(scenario: &Scenario, instance: &Instance) -> FlowPlan {
    let group = &scenario.flows[instance.group];
    FlowPlan {
        start: instance
            .start
            .saturating_add(jitter(scenario, &instance.name)),
        name: instance.name.clone(),
        group: group.name.clone(),
        index: instance.index,
        service: group.service,
        ack_service: group.ack_service(),
        forward: instance.forward.clone(),
        backward: instance.backward.clone(),
        source: group.source.clone(),
        tcp: group.tcp.clone(),
        abr: group.abr.clone(),
        encapsulation: scenario.aal5.encapsulation,
        source_queue: group.source_queue,
        source_queue_refuses: group.source_queue_refuses,
    }
}

/// Random delay of a flow's start. The random stream is the flow's own, so adding or removing
/// another flow moves no start.
fn jitter(scenario: &Scenario, name: &str) -> Ps {
    Stream::new(scenario.run.seed, name, "start jitter").below(scenario.run.start_jitter)
}

fn measure(measure: &Measure) -> MeasurePlan {
    let wants = |kind: EventKind| measure.events.contains(&kind);
    MeasurePlan {
        cell_delay: measure.cell_delay,
        events: EventKinds {
            loss: wants(EventKind::Loss),
            timeout: wants(EventKind::Timeout),
            retransmission: wants(EventKind::Retransmission),
            mark: wants(EventKind::Mark),
        },
        event_limit: measure.event_limit as usize,
    }
}

#[cfg(test)]
mod tests;
