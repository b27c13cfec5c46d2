//! Translation of a checked scenario into the engine's plan.

use cellrate_engine::kernel::{Ps, Stream};
use cellrate_engine::network::plan::{
    EventKinds, FlowPlan, MeasurePlan, NodeKind, NodePlan, Plan, SwitchPlan,
};

use crate::scenario::graph::{self, Graph, Instance};
use crate::scenario::{EventKind, Measure, Scenario};

/// The plan of `scenario`: its graph with every flow laid out, start jitter drawn.
///
/// # Errors
/// The faults of the graph, see [`graph::expand`]; none for a scenario that was checked.
pub fn plan(scenario: &Scenario) -> Result<Plan, String> {
    let graph = graph::expand(scenario);
    let Graph {
        nodes,
        links,
        flows,
    } = graph.map_err(|problems| {
        let messages: Vec<String> = problems
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        messages.join("; ")
    })?;
    Ok(Plan {
        seed: scenario.run.seed,
        nodes: nodes.into_iter().map(node).collect(),
        links,
        flows: flows
            .into_iter()
            .map(|instance| flow(scenario, instance))
            .collect(),
        fcvc: scenario.fcvc.clone(),
        errors: scenario.link_errors.clone(),
        simultaneous_cells: scenario.run.simultaneous_cells,
        measure: measure(&scenario.measure),
    })
}

fn node(node: graph::Node) -> NodePlan {
    let kind = match node.switch {
        None => NodeKind::Host,
        Some(switch) => NodeKind::Switch(SwitchPlan {
            buffer: switch.buffer,
            priority: switch.priority,
            control: switch.control,
            discard: switch.discard,
            vsvd: switch.vsvd,
            rm_first: switch.rm_first,
        }),
    };
    NodePlan {
        name: node.name,
        kind,
    }
}

fn flow(scenario: &Scenario, instance: Instance) -> FlowPlan {
    let group = &scenario.flows[instance.group];
    FlowPlan {
        start: instance
            .start
            .saturating_add(jitter(scenario, &instance.name)),
        name: instance.name,
        group: group.name.clone(),
        index: instance.index,
        service: group.service,
        ack_service: group.ack_service(),
        forward: instance.forward,
        backward: instance.backward,
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
