//! Translation of a checked scenario into the engine's plan of the network.

use cellrate_engine::atm::plan::{FlowPlan, MeasurePlan, NodeKind, NodePlan, Plan, SwitchPlan};
use cellrate_engine::atm::{Change, FlowChange, SwitchChange};
use cellrate_engine::kernel::{Ps, Stream};

use crate::scenario::graph::{Instance, Node};
use crate::scenario::{Checked, EventKind, Graph, Measure, Scenario};

/// The plan of a scenario, with its changes during the run.
pub fn plan(checked: &Checked) -> Plan {
    let mut plan = plan_of(checked.scenario(), checked.graph());
    let mut before = settings(&plan);
    for stage in checked.stages() {
        let after = settings(&plan_of(&stage.scenario, &stage.graph));
        plan.changes.push(Change {
            at: stage.at,
            switches: differing(&before.0, &after.0),
            flows: differing(&before.1, &after.1),
        });
        before = after;
    }
    plan
}

/// The plan of each stage of a scenario: the first stage begins at 0, and each change begins
/// another.
pub fn stages(checked: &Checked) -> impl Iterator<Item = Plan> {
    let later = checked.stages().iter();
    let later = later.map(|stage| plan_of(&stage.scenario, &stage.graph));
    [plan_of(checked.scenario(), checked.graph())]
        .into_iter()
        .chain(later)
}

type Settings = (Vec<Option<SwitchChange>>, Vec<Option<FlowChange>>);

/// Those settings of each node and of each flow that can change during a run.
fn settings(plan: &Plan) -> Settings {
    let of_node = |node: &NodePlan| match &node.kind {
        NodeKind::Host => None,
        NodeKind::Switch(switch) => Some(SwitchChange::of(switch)),
    };
    let of_flow = |flow: &FlowPlan| Some(FlowChange::of(flow));
    (
        plan.nodes.iter().map(of_node).collect(),
        plan.flows.iter().map(of_flow).collect(),
    )
}

/// The settings `after` a change that differ from the settings before the change, each with its
/// index.
pub(crate) fn differing<T: Clone + PartialEq>(
    before: &[Option<T>],
    after: &[Option<T>],
) -> Vec<(usize, T)> {
    let pairs = before.iter().zip(after).enumerate();
    let changed = pairs.filter(|(_, (before, after))| before != after);
    changed
        .filter_map(|(number, (_, after))| Some((number, after.clone()?)))
        .collect()
}

/// The plan of a scenario without its changes: the graph with every flow of every group, and with
/// random start jitter.
fn plan_of(scenario: &Scenario, graph: &Graph) -> Plan {
    Plan {
        changes: Vec::new(),
        port_controls: Vec::new(),
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
            clp_threshold: switch.clp_threshold,
            priority: switch.priority.clone(),
            control: switch.control.clone(),
            discard: switch.discard.clone(),
            vsvd: switch.vsvd.clone(),
            rm_first: switch.rm_first,
            schedule: switch.schedule.clone(),
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
        start: instance.start.saturating_add(jitter(
            scenario.run.seed,
            &instance.name,
            scenario.run.start_jitter,
        )),
        sends: group.sends,
        name: instance.name.clone(),
        group: group.name.clone(),
        index: instance.index,
        service: group.service,
        ack_service: group.ack_service(),
        forward: instance.forward.clone(),
        backward: instance.backward.clone(),
        weight: group.weight,
        policer: group.policer.clone(),
        gfr: group.gfr.clone(),
        shaper: group.shaper.clone(),
        port_shaper: group.port_shaper.clone(),
        source: group.source.clone(),
        tcp: group.tcp.clone(),
        abr: group.abr.clone(),
        encapsulation: scenario.aal5.encapsulation,
        source_queue: group.source_queue,
        source_queue_refuses: group.source_queue_refuses,
        branch: instance.branch,
    }
}

/// Random delay, below `most`, of the start of the flow `name`. Each flow has a random stream of
/// its own, so adding or removing a flow does not change the start of another.
pub(crate) fn jitter(seed: u64, name: &str, most: Ps) -> Ps {
    Stream::new(seed, name, "start jitter").below(most)
}

fn measure(measure: &Measure) -> MeasurePlan {
    MeasurePlan {
        cell_delay: measure.cell_delay,
        events: EventKind::set_of(&measure.events),
        event_limit: measure.event_limit as usize,
    }
}

#[cfg(test)]
mod tests;
