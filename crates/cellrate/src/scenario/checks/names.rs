//! Checks of the names of flows and nodes, which appear in results, in routes and in overrides.

use std::collections::HashSet;

use crate::scenario::problem::{Place, Problem, place};
use crate::scenario::topology::Topology;
use crate::scenario::types::Scenario;

/// Problems of invalid names, and of several flows with the same name. (Nodes with the same name
/// are refused when the graph is built.)
pub fn check(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        let place = place!["flow", index, "name"];
        problems.extend(refuse(&flow.name, "", place.clone()));
        if !seen.insert(flow.name.as_str()) {
            let message = format!("there are two flows named `{}`", flow.name);
            problems.push(Problem::error(
                place,
                message,
                "give each group a name of its own; `count` sets the number of flows of a group",
            ));
        }
    }
    if let Topology::Graph(graph) = &scenario.topology {
        let nodes = graph.nodes.iter().enumerate();
        problems.extend(nodes.filter_map(|(i, node)| {
            refuse(node.name(), ".", place!["topology", "node", i, "name"])
        }));
    }
    problems
}

fn refuse(name: &str, also: &str, place: Place) -> Option<Problem> {
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || also.contains(c);
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if begins_well && name.chars().all(is_allowed) {
        return None;
    }
    let dot = if also.is_empty() { "" } else { ", `.`" };
    let help = format!(
        "allowed: a name of letters, digits, `_`{dot} and `-`, and begins with a letter, a digit or `_`"
    );
    Some(Problem::error(
        place,
        format!("`{name}` is not a name"),
        help,
    ))
}
