//! Translation of a checked scenario into the engine's plan.

use cellrate_engine::ether::frame::Framing;
use cellrate_engine::ether::plan::{FlowPlan, NodePlan, Plan, SwitchPlan};
use cellrate_engine::ether::{Change, FlowChange, SwitchChange};

use super::cbfc::Cbfc;
use super::graph::{Graph, Instance, Node};
use super::llr::Llr;
use super::rates::RateControl;
use super::types::{Run, Scenario};
use crate::build::{differing, jitter};
use crate::scenario::changes::Stage;

/// The plan of a scenario with its changes. `stages` has the scenario after each change.
pub(super) fn changing_plan(
    scenario: &Scenario,
    graph: &Graph,
    stages: &[Stage<Scenario>],
) -> Plan {
    let mut plan = plan(scenario, graph);
    let mut before = settings(&plan);
    for stage in stages {
        let after = settings(&self::plan(&stage.scenario, &stage.graph));
        plan.changes.push(Change {
            at: stage.at,
            switches: differing(&before.0, &after.0),
            flows: differing(&before.1, &after.1),
        });
        before = after;
    }
    plan
}

type Settings = (Vec<Option<SwitchChange>>, Vec<Option<FlowChange>>);

/// The settings of each node and of each flow that a change can replace.
fn settings(plan: &Plan) -> Settings {
    let of_node = |node: &NodePlan| node.switch.as_ref().map(SwitchChange::of);
    let of_flow = |flow: &FlowPlan| Some(FlowChange::of(flow));
    (
        plan.nodes.iter().map(of_node).collect(),
        plan.flows.iter().map(of_flow).collect(),
    )
}

/// The engine's plan of a scenario without its changes, with all flows and their random start
/// jitter.
pub(super) fn plan(scenario: &Scenario, graph: &Graph) -> Plan {
    Plan {
        seed: scenario.run.seed,
        framing: Framing {
            tagged: scenario.ethernet.tagged,
        },
        nodes: graph.nodes.iter().map(|one| node(scenario, one)).collect(),
        links: graph.links.clone(),
        flows: graph
            .flows
            .iter()
            .map(|instance| flow(scenario, instance))
            .collect(),
        fcvc: scenario
            .fcvc
            .as_ref()
            .map(|fcvc| fcvc.in_octets(&scenario.ethernet)),
        pfc: scenario
            .pfc
            .as_ref()
            .map(|pfc| pfc.in_octets(&scenario.ethernet)),
        cbfc: scenario.cbfc.as_ref().map(Cbfc::config),
        llr: scenario.llr.as_ref().map(Llr::config),
        changes: Vec::new(),
        port_controls: Vec::new(),
    }
}

/// The settings of the output ports of a switch, or of a router toward Ethernet.
pub(super) fn switch(scenario: &Scenario, node: &Node) -> SwitchPlan {
    let common = scenario.switch.buffer.map(|buffer| buffer.0);
    SwitchPlan {
        buffer: node.buffer.or(common).unwrap_or(u64::MAX),
        queues: scenario.switch.queues.clone(),
        schedule: scenario.switch.schedule.clone(),
        aqm: scenario.switch.aqm.clone(),
        control: scenario.switch.control.0.clone(),
        multipath: scenario.switch.multipath,
        memory: scenario.switch.memory.clone(),
        trim_priority: scenario.switch.trim_priority,
    }
}

fn node(scenario: &Scenario, node: &Node) -> NodePlan {
    NodePlan {
        name: node.name.clone(),
        switch: (!node.is_host).then(|| switch(scenario, node)),
    }
}

fn flow(scenario: &Scenario, instance: &Instance) -> FlowPlan {
    let group = &scenario.flows[instance.group];
    let Run {
        seed, start_jitter, ..
    } = scenario.run;
    FlowPlan {
        name: instance.name.clone(),
        group: group.name.clone(),
        index: instance.index,
        forward: instance.forward.clone(),
        backward: instance.backward.clone(),
        sprayed: instance.sprayed.each_ref().map(|hops| hops.concat()),
        start: if instance.after.is_empty() {
            let jitter = jitter(seed, &instance.name, start_jitter);
            instance.start.saturating_add(jitter)
        } else {
            instance.start
        },
        after: instance.after.clone(),
        source: instance.source(group),
        sends: group.sends,
        tcp: group.tcp.clone(),
        priority: group.priority,
        // The checks refuse datagrams above the MTU.
        datagram: group.datagram.0 as u32,
        rates: group.rate_control.as_ref().map(RateControl::abr),
        roce: group.roce.clone(),
    }
}
