//! Credit control: its parameters, and what it does not go with. Cells that links lose.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::credit::{Allocation, FcvcConfig, Loop, MODULUS};
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::network::plan::opposite;

use super::finding::problem;
use super::switches::{own, place_of};
use crate::scenario::diagnostic::Severity;
use crate::scenario::flow::Flow;
use crate::scenario::graph::{Graph, Instance};
use crate::scenario::problem::{Problem, Step, place};
use crate::scenario::topology::GraphSwitch;
use crate::scenario::types::{Scenario, Switch};

/// What is wrong with credit control and with link errors.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let strict = scenario.run.strict;
    let mut problems: Vec<Problem> =
        scenario.link_errors.check().iter().map(|finding| problem(finding, place!["link_errors"], strict)).collect();
    let Some(config) = &scenario.fcvc else { return problems };
    problems.extend(config.check().iter().map(|finding| problem(finding, place!["fcvc"], strict)));
    problems.extend(rates(scenario));
    for (index, node) in graph.nodes.iter().enumerate() {
        problems.extend(node.switch.iter().flat_map(|settings| switch(settings, own(scenario, index))));
    }
    problems.extend(errors(scenario, config));
    if problems.iter().all(|problem| problem.severity == Severity::Warning) {
        problems.extend(buffers(scenario, graph, config));
        problems.extend(one_way(graph, scenario));
    }
    // Of each place the first.
    let mut seen = Vec::new();
    problems.retain(|problem| {
        let is_new = !seen.contains(&problem.place);
        seen.push(problem.place.clone());
        is_new
    });
    problems
}

/// Sources that keep rates.
fn rates(scenario: &Scenario) -> Vec<Problem> {
    let is_abr = |flow: &Flow| flow.service == ServiceClass::Abr || flow.ack_service() == ServiceClass::Abr;
    let abr = scenario.flows.iter().enumerate().filter(|(_, flow)| is_abr(flow));
    let mut problems: Vec<Problem> = abr
        .map(|(index, flow)| {
            let message = format!("`{}` is ABR, but credit takes the place of rates", flow.name);
            Problem::error(place!["flow", index, "service"], message, "`service = \"ubr\"`, or no `[fcvc]`")
        })
        .collect();
    if !scenario.flows.iter().any(|flow| FcvcConfig::covers(flow.service) || FcvcConfig::covers(flow.ack_service())) {
        let message = "credit control has nothing to control: no flow is UBR or random";
        problems.push(Problem::warning(place!["fcvc"], message, "`service = \"ubr\"`, or no `[fcvc]`"));
    }
    problems
}

/// Settings of a switch that contradict credit control.
fn switch(switch: &Switch, own: Option<(usize, &GraphSwitch)>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !matches!(switch.control, ControlConfig::None(_)) {
        let message = format!("`{}` controls rates, but there is credit control", switch.control.name());
        problems.push(Problem::error(
            place_of(own, "control", |own| own.control.is_some()),
            message,
            "no `control`, or no `[fcvc]`",
        ));
    }
    if !matches!(switch.discard, DiscardConfig::TailDrop(_)) {
        let message = format!("`{}` discards cells, but under credit control none is lost", switch.discard.name());
        problems.push(Problem::error(
            place_of(own, "discard", |own| own.discard.is_some()),
            message,
            "no `discard`, or no `[fcvc]`",
        ));
    }
    let mixed = |classes: &Vec<ServiceClass>| {
        let credited = classes.iter().filter(|class| FcvcConfig::covers(**class)).count();
        // ABR is not used.
        let guaranteed = classes.iter().filter(|class| matches!(class, ServiceClass::Cbr | ServiceClass::Vbr)).count();
        credited > 0 && guaranteed > 0
    };
    if let Some(queue) = switch.priority.iter().position(mixed) {
        let message = "a queue holds classes with credit (UBR, random) and without (CBR, VBR)";
        let help = "queues of their own, for instance `[[\"cbr\", \"vbr\"], [\"ubr\", \"random\", \"abr\"]]`";
        let mut place = place_of(own, "priority", |own| own.priority.is_some());
        place.push(Step::Index(queue));
        problems.push(Problem::error(place, message, help));
    }
    problems
}

/// What a lost cell does where nothing repairs it.
fn errors(scenario: &Scenario, config: &FcvcConfig) -> Option<Problem> {
    (scenario.link_errors.occur() && config.mark_interval.is_none()).then(|| {
        let message = "links lose cells, and without marks the credit for them never comes back";
        Problem::warning(place!["fcvc", "mark_interval"], message, "`mark_interval` tells how often marks are sent")
    })
}

fn loop_of(graph: &Graph, link: usize) -> Option<Loop> {
    let found = &graph.links[link];
    let back = &graph.links[opposite(&graph.links, link)?];
    Some(Loop { rate: found.rate, back_rate: back.rate, delay: found.delay.saturating_add(back.delay) })
}

/// Channels under credit control: the links of each.
fn channels<'a>(graph: &'a Graph, scenario: &'a Scenario) -> impl Iterator<Item = (&'a Instance, &'a [usize])> {
    graph.flows.iter().flat_map(|flow| {
        let group = &scenario.flows[flow.group];
        let both = [(&flow.forward, group.service), (&flow.backward, group.ack_service())];
        both.into_iter().filter(|(_, class)| FcvcConfig::covers(*class)).map(move |(links, _)| (flow, links.as_slice()))
    })
}

/// What credit promises at one place, a port or the interface of a destination.
#[derive(Default)]
struct Promise {
    channels: u64,
    /// N2 + N3 of all of them.
    allotted: u64,
    /// Memory that the longest way in asks for under adaptive allocation, without the channels' two cells.
    memory: u64,
}

/// Buffers that do not hold what credit promises.
fn buffers(scenario: &Scenario, graph: &Graph, config: &FcvcConfig) -> Vec<Problem> {
    // By link: the port that feeds it, or the interface behind it.
    let mut promises: BTreeMap<(usize, bool), Promise> = BTreeMap::new();
    for (_, links) in channels(graph, scenario) {
        // What goes on is held at the next port, what ends at the interface behind the last link.
        let ports = links.iter().skip(1).map(|link| (*link, false));
        let onward = ports.chain(links.last().map(|link| (*link, true)));
        for (into, place) in links.iter().zip(onward) {
            let Some(into) = loop_of(graph, *into) else { continue };
            let promise = promises.entry(place).or_default();
            promise.channels += 1;
            promise.allotted = promise.allotted.saturating_add(config.static_allocation(into));
            promise.memory = promise.memory.max(config.memory_in_force(into, 0));
        }
    }
    let check = |((link, is_interface), promise): (&(usize, bool), &Promise)| {
        let link = &graph.links[*link];
        let switch = graph.nodes[link.from].switch.as_ref().filter(|_| !is_interface);
        buffer(&link.name, promise, config, switch)
    };
    promises.iter().flat_map(check).collect()
}

fn buffer(name: &str, promise: &Promise, config: &FcvcConfig, switch: Option<&Switch>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let least = 2 * promise.channels;
    let adaptive = config.allocation == Allocation::Adaptive;
    let memory = config.memory.map_or(promise.memory + least, |memory| memory.0);
    let promised = if adaptive { memory } else { promise.allotted };
    if adaptive && memory < least {
        let message = format!("{memory} cells of memory for {} channels at {name}", promise.channels);
        problems.push(Problem::error(place!["fcvc", "memory"], message, format!("at least {least} cells")));
    }
    if let Some(buffer) = switch.map(|switch| switch.buffer).filter(|buffer| buffer.0 < promised) {
        let message = format!("credit promises {promised} cells at {name}, but the buffer is {buffer}");
        problems.push(Problem::error(place!["switch", "buffer"], message, format!("at least {promised} cells")));
    }
    let most = u64::from(MODULUS / 4);
    if promised > most {
        let message = format!("credit of {promised} cells at {name} is more than counters can tell");
        problems.push(Problem::error(place!["fcvc"], message, format!("at most {most} cells")));
    }
    problems
}

/// Links whose credit has no way back.
fn one_way(graph: &Graph, scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (flow, links) in channels(graph, scenario) {
        if let Some(link) = links.iter().find(|link| loop_of(graph, **link).is_none()) {
            let message = format!("credit for `{}` has no way back over {}", flow.name, graph.links[*link].name);
            problems.push(Problem::error(
                place!["topology"],
                message,
                "a link in the other direction: `duplex = true`",
            ));
        }
    }
    problems
}
