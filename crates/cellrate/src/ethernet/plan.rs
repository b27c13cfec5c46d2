//! Translation of a checked scenario into the engine's plan.

use cellrate_engine::ether::frame::Framing;
use cellrate_engine::ether::plan::{FlowPlan, NodePlan, Plan, SwitchPlan};

use super::graph::{Graph, Instance, Node};
use super::rates::RateControl;
use super::types::{Run, Scenario};
use crate::build::jitter;

/// The plan of a scenario: its graph with every flow laid out, start jitter drawn.
pub fn plan(scenario: &Scenario, graph: &Graph) -> Plan {
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
    }
}

/// The ports of a switch, or of a router to Ethernet.
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
        start: instance
            .start
            .saturating_add(jitter(seed, &instance.name, start_jitter)),
        source: instance.source(group),
        tcp: group.tcp.clone(),
        priority: group.priority,
        // At most an MTU, as checked.
        datagram: group.datagram.0 as u32,
        rates: group.rate_control.as_ref().map(RateControl::abr),
    }
}
