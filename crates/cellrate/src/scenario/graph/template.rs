//! Templates, in which every flow has a source host of its own.

use cellrate_engine::kernel::units::Delay;

use super::{Graph, Node};
use crate::scenario::flow::Flow;
use crate::scenario::problem::{Problem, place};
use crate::scenario::topology::{NSource, SingleSwitch};
use crate::scenario::types::Scenario;

/// Builds the chain `src.FLOW` - `A` - bottleneck - `B` - `dst.FLOW`; for a reverse flow `src.FLOW`
/// is at `B` and `dst.FLOW` at `A`.
pub fn n_source(scenario: &Scenario, template: &NSource) -> Result<Graph, Vec<Problem>> {
    refuse(
        scenario,
        "n-source",
        &[("from", Flow::has_from), ("to", Flow::has_to)],
    )?;
    let switches = ["A", "B"].map(|name| Node::named_switch(name, &scenario.switch));
    let mut graph = Graph {
        nodes: switches.into(),
        links: Vec::new(),
        flows: Vec::new(),
    };
    let rate = template.link_rate;
    let across = graph.add_duplex(
        0,
        1,
        template.bottleneck_rate.unwrap_or(rate),
        template.bottleneck.0,
    );
    for (group, index) in instances(scenario) {
        let flow = &scenario.flows[group];
        let source = graph.add_node(Node::host(format!("src.{}", flow.instance(index))));
        let destination = graph.add_node(Node::host(format!("dst.{}", flow.instance(index))));
        let (near, far) = if flow.reverse { (1, 0) } else { (0, 1) };
        let (across, access, egress) = if flow.reverse {
            ((across.1, across.0), template.egress, template.access)
        } else {
            (across, template.access, template.egress)
        };
        let access = graph.add_duplex(source, near, rate, own(flow.access, access));
        let egress = graph.add_duplex(far, destination, rate, own(flow.egress, egress));
        let forward = vec![access.0, across.0, egress.0];
        graph.add_flow(
            scenario,
            (group, index),
            forward,
            vec![egress.1, across.1, access.1],
        );
    }
    Ok(graph)
}

/// Builds the chain `src.FLOW` - `A` - bottleneck - `sink`.
pub fn single_switch(scenario: &Scenario, template: &SingleSwitch) -> Result<Graph, Vec<Problem>> {
    let keys: [Key; 3] = [
        ("from", Flow::has_from),
        ("to", Flow::has_to),
        ("egress", Flow::has_egress),
    ];
    refuse(scenario, "single-switch", &keys)?;
    let nodes = vec![
        Node::named_switch("A", &scenario.switch),
        Node::host("sink"),
    ];
    let mut graph = Graph {
        nodes,
        links: Vec::new(),
        flows: Vec::new(),
    };
    let rate = template.link_rate;
    let across = graph.add_duplex(
        0,
        1,
        template.bottleneck_rate.unwrap_or(rate),
        template.bottleneck.0,
    );
    for (group, index) in instances(scenario) {
        let flow = &scenario.flows[group];
        let source = graph.add_node(Node::host(format!("src.{}", flow.instance(index))));
        let access = graph.add_duplex(source, 0, rate, own(flow.access, template.access));
        graph.add_flow(
            scenario,
            (group, index),
            vec![access.0, across.0],
            vec![across.1, access.1],
        );
    }
    Ok(graph)
}

/// Index of the group, and number within the group from 1, of every flow in order.
pub fn instances(scenario: &Scenario) -> impl Iterator<Item = (usize, u32)> + use<> {
    let counts: Vec<u32> = scenario.flows.iter().map(|flow| flow.count).collect();
    counts
        .into_iter()
        .enumerate()
        .flat_map(|(group, count)| (1..=count).map(move |index| (group, index)))
}

pub fn own(flow: Option<Delay>, template: Delay) -> cellrate_engine::kernel::Ps {
    flow.unwrap_or(template).0
}

/// Name of a key, and a function that is true if a flow sets the key.
pub type Key = (&'static str, fn(&Flow) -> bool);

/// Refuses flows that set keys without a meaning in the template.
pub fn refuse(scenario: &Scenario, template: &str, keys: &[Key]) -> Result<(), Vec<Problem>> {
    let routes: [Key; 2] = [
        ("route", Flow::has_route),
        ("return_route", Flow::has_return_route),
    ];
    let row: &[Key] = if template == "parking-lot" { &[] } else { &ROW };
    let both_ways: &[Key] = if template == "n-source" {
        &[]
    } else {
        &[("reverse", Flow::is_reverse)]
    };
    let mut problems = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        for (key, _) in keys
            .iter()
            .chain(&routes)
            .chain(row)
            .chain(both_ways)
            .filter(|(_, is_set)| is_set(flow))
        {
            let message = format!(
                "`{key}` has no meaning in the template `{template}`, which routes each flow itself"
            );
            problems.push(Problem::error(
                place!["flow", index, *key],
                message,
                "remove the key",
            ));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// Keys that have a meaning only in a chain of switches.
const ROW: [Key; 2] = [("enters", Flow::has_enters), ("hops", Flow::has_hops)];

impl Flow {
    fn has_enters(&self) -> bool {
        self.enters.is_some()
    }
    fn is_reverse(&self) -> bool {
        self.reverse
    }
    fn has_hops(&self) -> bool {
        self.hops.is_some()
    }
    pub(super) fn has_from(&self) -> bool {
        self.from.is_some()
    }
    pub(super) fn has_to(&self) -> bool {
        self.to.is_some()
    }
    fn has_route(&self) -> bool {
        self.route.is_some()
    }
    fn has_return_route(&self) -> bool {
        self.return_route.is_some()
    }
    fn has_egress(&self) -> bool {
        self.egress.is_some()
    }
}
