//! Checks of virtual sources and destinations (VS/VD): the switches that have them, and settings
//! that contradict them.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::endsystem::VsVdConfig;

use super::switches;
use crate::scenario::flow::Flow;
use crate::scenario::graph::{Graph, Node};
use crate::scenario::problem::{Place, Problem, Step, place};
use crate::scenario::suggest::{listed, nearest};
use crate::scenario::types::{Scenario, Switch};

/// Problems of `vsvd` in `[switch]` and at nodes.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(common) = &scenario.switch.vsvd {
        problems.extend(names(common, graph));
        let site = Site {
            scenario,
            graph,
            config: common,
            place: place!["switch", "vsvd"],
        };
        site.check(|index| own(scenario, index).is_none(), &mut problems);
    }
    for (index, _) in graph.nodes.iter().enumerate() {
        let Some(config) = own(scenario, index) else {
            continue;
        };
        let site = Site {
            scenario,
            graph,
            config,
            place: place!["topology", "node", index, "vsvd"],
        };
        site.check(|other| other == index, &mut problems);
        if !config.at.is_empty() {
            let message =
                "`at` has no meaning in the `vsvd` of one switch, which applies to that switch";
            problems.push(Problem::error(
                site.key("at"),
                message,
                "remove `at`; only `[switch.vsvd]`, for all switches, has this key",
            ));
        }
    }
    problems
}

/// The value of `vsvd` that the node itself sets.
fn own(scenario: &Scenario, node: usize) -> Option<&VsVdConfig> {
    switches::own(scenario, node)?.1.vsvd.as_ref()
}

/// Problems of names in the list `at` that no switch has.
fn names(config: &VsVdConfig, graph: &Graph) -> Vec<Problem> {
    let switches: Vec<&str> = graph
        .nodes
        .iter()
        .filter(|node| !node.is_host())
        .map(|node| &*node.name)
        .collect();
    let unknown = config
        .at
        .iter()
        .enumerate()
        .filter(|(_, name)| !switches.contains(&name.as_str()));
    let problem = |(index, name): (usize, &String)| {
        let help = match nearest(name, switches.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("switches: {}", listed(&switches)),
        };
        Problem::error(
            place!["switch", "vsvd", "at", index],
            format!("there is no switch `{name}`"),
            help,
        )
    };
    unknown.map(problem).collect()
}

/// A value of `vsvd` and the place in the scenario that sets it.
struct Site<'a> {
    scenario: &'a Scenario,
    graph: &'a Graph,
    config: &'a VsVdConfig,
    place: Place,
}

impl Site<'_> {
    fn key(&self, key: &str) -> Place {
        let mut place = self.place.clone();
        place.push(Step::from(key));
        place
    }

    /// Checks the value of `vsvd` at those switches for which `concerns` is true.
    fn check(&self, concerns: impl Fn(usize) -> bool, problems: &mut Vec<Problem>) {
        let nodes = self.graph.nodes.iter().enumerate();
        let with = |(index, _): &(usize, &Node)| concerns(*index) && self.graph.ends_loops(*index);
        let switches: Vec<(usize, &Node)> = nodes.filter(with).collect();
        problems.extend(self.mismatch());
        if !switches.is_empty() && !switches.iter().any(|(index, _)| self.carries_abr(*index)) {
            let names: Vec<&str> = switches.iter().map(|(_, node)| &*node.name).collect();
            let message = format!(
                "no ABR flow passes a switch with `vsvd` ({}), so `vsvd` splits no control loop",
                listed(&names)
            );
            problems.push(Problem::error(
                self.place.clone(),
                message,
                "set `service = \"abr\"`, or remove `vsvd`",
            ));
        }
        problems.extend(self.other_acks(&switches));
        let refused = switches
            .iter()
            .find_map(|(_, node)| Some((node, unsuited(node.switch.as_ref()?)?)));
        if let Some((node, (policy, reason))) = refused {
            let message = format!("`{policy}` at `{}` {reason}", node.name);
            problems.push(Problem::error(
                self.place.clone(),
                message,
                "set another policy or scheme, or remove `vsvd`",
            ));
        }
    }

    /// Problem of settings of rate and input that contradict each other.
    fn mismatch(&self) -> Option<Problem> {
        let message = self.config.mismatch()?;
        let help = "allowed: `previous-loop` with `vc-queues`, or `measured` with `class-queue`";
        Some(match self.scenario.run.strict {
            true => {
                let help =
                    format!("{help}; with `strict = false` in `[run]` this is only a warning");
                Problem::error(self.key("vc_rate"), message, help)
            }
            false => Problem::warning(self.key("vc_rate"), message, help),
        })
    }

    /// Problems of flows whose acknowledgements have another service class than their RM cells.
    /// Each problem names the first of `switches` on the path of the flow.
    fn other_acks(&self, switches: &[(usize, &Node)]) -> Vec<Problem> {
        let flows = self
            .scenario
            .flows
            .iter()
            .enumerate()
            .filter(|(_, flow)| flow.splits_classes());
        let problem = |(group, flow): (usize, &Flow)| {
            let passes = |(node, _): &&(usize, &Node)| {
                let mut flows = self.graph.flows.iter().filter(|flow| flow.group == group);
                flows.any(|flow| {
                    flow.forward
                        .iter()
                        .any(|link| self.graph.links[*link].from == *node)
                })
            };
            let (_, switch) = switches.iter().find(passes)?;
            let message = format!(
                "the virtual source at `{}` sends all cells that return for `{}` as ABR, so acknowledgements cannot have another class",
                switch.name, flow.name
            );
            let help = "set `ack_service = \"abr\"`, or remove `vsvd`";
            Some(Problem::error(
                place!["flow", group, "ack_service"],
                message,
                help,
            ))
        };
        flows.filter_map(problem).collect()
    }

    fn carries_abr(&self, node: usize) -> bool {
        let mut flows = self.graph.flows.iter();
        flows.any(|flow| {
            let is_abr = self.scenario.flows[flow.group].service == ServiceClass::Abr;
            is_abr
                && flow
                    .forward
                    .iter()
                    .any(|link| self.graph.links[*link].from == node)
        })
    }
}

/// The name of a policy or scheme that virtual sources exclude, and the reason.
fn unsuited(switch: &Switch) -> Option<(&'static str, &'static str)> {
    let in_order = "needs one queue that serves in the order of arrival, not one for each channel";
    let answers = "answers forward RM cells, which end at a virtual destination";
    let (discard, control) = (&switch.discard, &switch.control);
    let reasons = [
        (discard.follows_order(), discard.name(), in_order),
        (control.follows_order(), control.name(), in_order),
        (control.generates(), control.name(), answers),
    ];
    let found = reasons.into_iter().find(|(holds, ..)| *holds);
    found.map(|(_, name, reason)| (name, reason))
}
