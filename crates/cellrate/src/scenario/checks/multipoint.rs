//! Checks of point-to-multipoint flows: settings that contradict copies of cells.

use cellrate_engine::atm::cell::ServiceClass;

use crate::scenario::flow::Flow;
use crate::scenario::graph::Graph;
use crate::scenario::problem::{Problem, Step, place};
use crate::scenario::topology::Topology;
use crate::scenario::types::{Scenario, Switch};

/// Problems of keys of point-to-multipoint flows, which must be known before routes can be found.
pub fn check_keys(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    let is_graph = matches!(scenario.topology, Topology::Graph(_));
    for (index, flow) in scenario.flows.iter().enumerate() {
        if flow.multipoint.is_none() {
            continue;
        }
        let found = contradictions(flow, is_graph).into_iter();
        problems.extend(
            found
                .filter(|(_, holds, ..)| *holds)
                .map(|(key, _, why, help)| {
                    let place = vec![Step::from("flow"), Step::from(index), Step::from(key)];
                    let message = format!("the flow cannot be point-to-multipoint: {why}");
                    Problem::error(place, message, help)
                }),
        );
    }
    problems
}

/// For each contradiction: the key, true if the flow has it, what contradicts the copies, and a remedy.
fn contradictions(
    flow: &Flow,
    is_graph: bool,
) -> [(&'static str, bool, &'static str, &'static str); 8] {
    let abr = ServiceClass::Abr;
    [
        (
            "multipoint",
            !is_graph,
            "the template has one destination for each flow",
            "use the template `graph`",
        ),
        (
            "service",
            flow.service != abr || flow.ack_service() != abr,
            "only ABR has backward RM cells to merge",
            "set `service = \"abr\"`, and no `ack_service`",
        ),
        (
            "source",
            flow.source.over_tcp(),
            "TCP has one receiver",
            "use a source of cells, such as `persistent` or `cbr`",
        ),
        (
            "count",
            flow.count > 1,
            "the numbers of a group's flows are those of its leaves, so `count` must be 1",
            "write a group for each flow",
        ),
        (
            "route",
            flow.route.is_some(),
            "`route` is the way to one host",
            "remove `route`; each route has the fewest hops",
        ),
        (
            "return_route",
            flow.return_route.is_some(),
            "`return_route` is the way from one host",
            "remove `return_route`",
        ),
        (
            "policer",
            flow.policer.is_some() || flow.gfr.is_some(),
            "a policer holds a channel to one contract",
            "remove the policer",
        ),
        (
            "abr",
            !flow.abr.follows_tm4(),
            "its rate does not follow the source rules of TM 4.0",
            "remove `abr.rules` and `abr.law`",
        ),
    ]
}

/// Problems of the switches on the routes of point-to-multipoint flows.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        if flow.multipoint.is_none() {
            continue;
        }
        let instances = graph
            .flows
            .iter()
            .filter(|instance| instance.group == index);
        let nodes = instances.flat_map(|instance| &instance.forward);
        let mut nodes = nodes.map(|link| &graph.nodes[graph.links[*link].from]);
        let found = nodes.find_map(|node| Some((node, unsuited(node.switch.as_ref()?)?)));
        problems.extend(found.map(|(node, what)| {
            let message = format!(
                "`{what}` at `{}` generates backward RM cells, but those of a point-to-multipoint flow must come from its leaves",
                node.name
            );
            let help = format!("remove `{what}`, or `multipoint`");
            Problem::error(place!["flow", index, "multipoint"], message, help)
        }));
    }
    problems
}

/// The key or scheme by which a switch generates backward RM cells; `None` if it generates none.
fn unsuited(switch: &Switch) -> Option<&str> {
    let control = &switch.control;
    if switch.vsvd.is_some() {
        Some("vsvd")
    } else {
        control.generates().then(|| control.name())
    }
}
