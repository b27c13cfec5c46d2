//! Checks of the output ports of switches together with the channels that cross them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::control::{ControlConfig, SwitchFacts};
use cellrate_engine::discard::{DiscardConfig, QueueFacts};
use cellrate_engine::kernel::Ps;

use super::ends::{largest_pdu, pdu_cells};
use super::finding::problem;
use super::schedules;
use crate::scenario::graph::{Graph, Node};
use crate::scenario::problem::{Place, Problem, Step, place};
use crate::scenario::topology::{GraphNode, GraphSwitch, Topology};
use crate::scenario::types::{Scenario, Switch};

/// Problems of priorities: a service class that flows use but that is in no queue or in two queues,
/// and a queue without any service class.
pub fn check_priorities(scenario: &Scenario) -> Vec<Problem> {
    let used = used_classes(scenario);
    let own = own_switches(scenario).filter_map(|(index, own)| {
        let place = place!["topology", "node", index, "priority"];
        Some(priorities(own.priority.as_ref()?, &used, place))
    });
    let mut problems = priorities(
        &scenario.switch.priority,
        &used,
        place!["switch", "priority"],
    );
    problems.extend(own.flatten());
    problems
}

fn priorities(queues: &[Vec<ServiceClass>], used: &[ServiceClass], place: Place) -> Vec<Problem> {
    const HELP: &str = "allowed: every class that a flow uses is in one queue";
    let at = |queue: usize| {
        let mut place = place.clone();
        place.push(Step::Index(queue));
        place
    };
    let mut problems = Vec::new();
    for (index, classes) in queues.iter().enumerate() {
        if classes.is_empty() {
            problems.push(Problem::error(
                at(index),
                "a queue of `priority` has no class",
                HELP,
            ));
        }
        for (i, class) in classes.iter().enumerate() {
            if classes[..i].contains(class)
                || queues[..index]
                    .iter()
                    .flatten()
                    .any(|earlier| earlier == class)
            {
                problems.push(Problem::error(
                    at(index),
                    format!("`{}` is in two queues", name(*class)),
                    HELP,
                ));
            }
        }
    }
    for &class in used {
        if !queues.iter().flatten().any(|queued| *queued == class) {
            problems.push(Problem::error(
                place.clone(),
                format!("`{}` is in no queue", name(class)),
                HELP,
            ));
        }
    }
    problems
}

fn used_classes(scenario: &Scenario) -> Vec<ServiceClass> {
    let is_used = |class: &ServiceClass| {
        let mut flows = scenario.flows.iter();
        flows.any(|flow| {
            flow.service == *class || (flow.needs_backward() && flow.ack_service() == *class)
        })
    };
    ServiceClass::ALL.into_iter().filter(is_used).collect()
}

fn name(class: ServiceClass) -> &'static str {
    match class {
        ServiceClass::Cbr => "cbr",
        ServiceClass::Vbr => "vbr",
        ServiceClass::Abr => "abr",
        ServiceClass::Ubr => "ubr",
        ServiceClass::Random => "random",
    }
}

/// The switches of a graph with settings of their own, each with its index.
pub fn own_switches(scenario: &Scenario) -> impl Iterator<Item = (usize, &GraphSwitch)> {
    let nodes = match &scenario.topology {
        Topology::Graph(graph) => graph.nodes.as_slice(),
        _ => &[],
    };
    nodes
        .iter()
        .enumerate()
        .filter_map(|(index, node)| match node {
            GraphNode::Switch(switch) => Some((index, switch)),
            GraphNode::Host(_) => None,
        })
}

/// Problems of control schemes and discard policies at the ports that channels cross; only the
/// first problem of each place.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let loads = loads(scenario, graph);
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        let Node {
            switch: Some(switch),
            ..
        } = node
        else {
            continue;
        };
        let Some(load) = loads.get(&index) else {
            continue;
        };
        let site = Site {
            scenario,
            switch,
            load,
            own: own(scenario, index),
            queues: schedules::weights(scenario, graph, index, switch),
        };
        problems.extend(
            site.check()
                .into_iter()
                .filter(|problem| seen.insert(format!("{:?}", problem.place))),
        );
    }
    problems
}

/// Place in the scenario that sets a key of a switch: at the node, or in `[switch]`.
pub fn place_of(
    own: Option<(usize, &GraphSwitch)>,
    key: &str,
    is_own: impl Fn(&GraphSwitch) -> bool,
) -> Place {
    match own {
        Some((index, own)) if is_own(own) => place!["topology", "node", index, key],
        _ => place!["switch", key],
    }
}

/// The settings of the node itself and its index in the scenario; `None` if the topology is a
/// template.
pub fn own(scenario: &Scenario, node: usize) -> Option<(usize, &GraphSwitch)> {
    let Topology::Graph(graph) = &scenario.topology else {
        return None;
    };
    match graph.nodes.get(node)? {
        GraphNode::Switch(switch) => Some((node, switch)),
        GraphNode::Host(_) => None,
    }
}

/// Load of the busiest queues of a switch.
#[derive(Clone, Copy, Default)]
struct Load {
    largest_pdu: u64,
    channels: usize,
    has_abr: bool,
    /// Longest cell time of the switch's ports in use, in picoseconds.
    cell_time: u64,
}

/// The load of each switch that some flow crosses, by the index of the switch's node.
fn loads(scenario: &Scenario, graph: &Graph) -> BTreeMap<usize, Load> {
    let mut queues: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut loads: BTreeMap<usize, Load> = BTreeMap::new();
    for instance in &graph.flows {
        let flow = &scenario.flows[instance.group];
        let tcp = flow.source.over_tcp();
        let forward = if tcp { largest_pdu(scenario, flow) } else { 0 };
        let backward = if tcp { pdu_cells(scenario, flow, 0) } else { 0 };
        // Backward RM cells of an ABR flow are ABR cells, whatever the service class of the flow's
        // acknowledgements.
        let returning = if flow.is_abr() {
            ServiceClass::Abr
        } else {
            flow.ack_service()
        };
        for (links, classes, pdu) in [
            (&instance.forward, [flow.service; 2], forward),
            (
                &instance.backward,
                [flow.ack_service(), returning],
                backward,
            ),
        ] {
            for &link in links {
                let node = graph.links[link].from;
                let Some(switch) = &graph.nodes[node].switch else {
                    continue;
                };
                let queue_of = |class| {
                    switch
                        .priority
                        .iter()
                        .position(|queue| queue.contains(&class))
                        .unwrap_or(0)
                };
                let load = loads.entry(node).or_default();
                for queue in BTreeSet::from(classes.map(queue_of)) {
                    let channels = queues.entry((link, queue)).or_default();
                    *channels += 1;
                    load.channels = load.channels.max(*channels);
                }
                load.largest_pdu = load.largest_pdu.max(pdu);
                load.has_abr |= classes.contains(&ServiceClass::Abr);
                load.cell_time = load
                    .cell_time
                    .max(graph.links[link].rate.cell_time_ceil().0);
            }
        }
    }
    loads
}

/// A switch, its load, and the place in the scenario that sets its keys.
struct Site<'a> {
    scenario: &'a Scenario,
    switch: &'a Switch,
    load: &'a Load,
    own: Option<(usize, &'a GraphSwitch)>,
    /// For each queue of a port that orders channels, the weights of its channels.
    queues: Vec<Vec<u64>>,
}

impl Site<'_> {
    /// Place in the scenario that sets `key`: at the node if `is_own` is true for it, else in
    /// `[switch]`.
    fn place(&self, key: &str, is_own: impl Fn(&GraphSwitch) -> bool) -> Place {
        place_of(self.own, key, is_own)
    }

    fn check(&self) -> Vec<Problem> {
        let mut problems = self.control();
        problems.extend(self.discard());
        problems.extend(self.buffer());
        problems.extend(self.clp_threshold());
        problems.extend(self.rm_first());
        problems.extend(self.schedule());
        problems
    }

    /// Problem of `schedule` beside settings that fix another order of service, or of the weights of queues or channels.
    fn schedule(&self) -> Option<Problem> {
        let schedule = self.switch.schedule.as_ref()?;
        let place = self.place("schedule", |own| own.schedule.is_some());
        if let Some(finding) = schedule.check(self.switch.priority.len()).first() {
            let place = [place, place!["classes"]].concat();
            return Some(problem(finding, place, self.scenario.run.strict));
        }
        let error = |message: String, help: &str| Some(Problem::error(place, message, help));
        if self.scenario.fcvc.is_some() {
            return error(
                "`schedule` stands beside `[fcvc]`, which serves channels in turn".into(),
                "remove `schedule`, or `[fcvc]`",
            );
        }
        if self.switch.rm_first {
            return error(
                "`schedule` stands beside `rm_first`, which serves RM cells first".into(),
                "remove `schedule`, or `rm_first`",
            );
        }
        let discard = &self.switch.discard;
        if discard.follows_order() {
            return error(
                format!(
                    "`{}` counts each channel's cells in a first-in first-out queue, but `schedule` has a queue for each channel",
                    discard.name()
                ),
                "allowed: a policy that reads the length of the queue alone, such as `epd`",
            );
        }
        let mut queues = self.queues.iter();
        let fault = queues.find_map(|weights| schedule.shares(weights).err())?;
        let message = format!("`schedule`: {}", fault.message);
        error(message, &format!("allowed: {}", fault.allowed))
    }

    fn control(&self) -> Vec<Problem> {
        let place = self.place("control", |own| own.control.is_some());
        let service_time = if self.load.has_abr {
            Ps(self.load.cell_time)
        } else {
            Ps::ZERO
        };
        let findings = self.switch.control.check(SwitchFacts {
            buffer: self.switch.buffer.0,
            service_time,
        });
        let mut problems: Vec<Problem> = findings
            .iter()
            .map(|finding| problem(finding, place.clone(), self.scenario.run.strict))
            .collect();
        let controls = self.switch.control != ControlConfig::default();
        if controls
            && !self
                .scenario
                .flows
                .iter()
                .any(|flow| flow.service == ServiceClass::Abr)
        {
            let message = format!(
                "`{}` has nothing to control: no flow is ABR",
                self.switch.control.name()
            );
            problems.push(Problem::warning(
                place,
                message,
                "set `service = \"abr\"`, or remove `control`",
            ));
        }
        problems
    }

    fn queue_facts(&self) -> QueueFacts {
        QueueFacts {
            buffer: self.switch.buffer.0,
            largest_pdu: self.load.largest_pdu,
            channels: self.load.channels,
        }
    }

    fn discard(&self) -> Vec<Problem> {
        let place = self.place("discard", |own| own.discard.is_some());
        let largest_pdu = self.load.largest_pdu;
        let findings = self.switch.discard.check(self.queue_facts());
        let mut problems: Vec<Problem> = findings
            .iter()
            .map(|finding| problem(finding, place.clone(), self.scenario.run.strict))
            .collect();
        if self.switch.buffer.0 < largest_pdu {
            problems.iter_mut().for_each(|problem| {
                problem.help = format!("allowed: a `buffer` of at least {largest_pdu} cells")
            });
        }
        let chosen = self.switch.discard != DiscardConfig::default();
        let acts = !self.switch.buffer.is_infinite() || self.switch.discard.acts_without_limit();
        if chosen && !acts {
            let message = format!(
                "`{}` discards nothing: the buffer is infinite",
                self.switch.discard.name()
            );
            problems.push(Problem::warning(
                place,
                message,
                "set a finite `buffer`, or remove `discard`",
            ));
        }
        problems
    }

    /// Problem of a threshold for cells with CLP = 1 that is not below the buffer.
    fn clp_threshold(&self) -> Option<Problem> {
        let (threshold, buffer) = (self.switch.clp_threshold?, self.switch.buffer);
        (threshold.0 >= buffer.0).then(|| {
            let place = self.place("clp_threshold", |own| own.clp_threshold.is_some());
            let message = format!("`clp_threshold` has no effect: the buffer holds {buffer}");
            Problem::warning(place, message, "")
        })
    }

    fn rm_first(&self) -> Option<Problem> {
        (self.switch.rm_first && !self.load.has_abr).then(|| {
            let place = self.place("rm_first", |own| own.rm_first.is_some());
            let message = "`rm_first` has no effect: no channel through the switch is ABR";
            Problem::warning(
                place,
                message,
                "set `service = \"abr\"`, or remove `rm_first`",
            )
        })
    }

    fn buffer(&self) -> Option<Problem> {
        let pdu = self.load.largest_pdu;
        // Discard policies that drop whole PDUs refuse such a buffer in their own checks.
        let is_refused = || {
            let mut findings = self.switch.discard.check(self.queue_facts()).into_iter();
            findings.any(|finding| finding.field == "policy")
        };
        (self.switch.buffer.0 < pdu && !is_refused()).then(|| {
            let place = self.place("buffer", |own| own.buffer.is_some());
            let message = format!(
                "a buffer of {} does not hold a PDU of {pdu} cells",
                self.switch.buffer
            );
            Problem::warning(
                place,
                message,
                "a segment passes such a buffer only if its cells leave as fast as they arrive",
            )
        })
    }
}
