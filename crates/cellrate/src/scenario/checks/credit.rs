//! Checks of credit control: its parameters, settings that contradict credit control, and links
//! that lose cells.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::{CELL_UNITS, ServiceClass};
use cellrate_engine::atm::plan::{Contradiction, LinkPlan, contradictions};
use cellrate_engine::credit::{Allocation, FcvcConfig, Loop, MODULUS};
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Finding, ServiceRate};
use cellrate_engine::net::opposites;

use super::finding::problem;
use super::switches::{own, place_of};
use crate::scenario::diagnostic::Severity;
use crate::scenario::flow::Flow;
use crate::scenario::graph::{Graph, Instance};
use crate::scenario::problem::{Place, Problem, Step, place};
use crate::scenario::topology::{GraphSwitch, Topology};
use crate::scenario::types::{Scenario, Switch};

/// Problems of credit control and of link errors.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let strict = scenario.run.strict;
    let mut problems = of_lines(scenario, graph);
    let Some(config) = &scenario.fcvc else {
        return problems;
    };
    problems.extend(
        config
            .check()
            .iter()
            .map(|finding| problem(finding, place!["fcvc"], strict)),
    );
    problems.extend(rates(scenario));
    for (index, node) in graph.nodes.iter().enumerate() {
        problems.extend(
            node.switch
                .iter()
                .flat_map(|settings| switch(settings, own(scenario, index))),
        );
    }
    problems.extend(errors(scenario, graph, config));
    if problems
        .iter()
        .all(|problem| problem.severity == Severity::Warning)
    {
        let loops = loops(graph);
        problems.extend(buffers(scenario, graph, config, &loops));
        problems.extend(one_way(graph, scenario, &loops));
    }
    // Reports only the first problem of each place.
    let mut seen = Vec::new();
    problems.retain(|problem| {
        let is_new = !seen.contains(&problem.place);
        seen.push(problem.place.clone());
        is_new
    });
    problems
}

/// Problems of the errors of links.
fn of_lines(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let strict = scenario.run.strict;
    let common = graph.links.iter().filter(|link| link.errors.is_none());
    let findings = scenario
        .link_errors
        .check(common.map(|link| link.rate).min());
    let found = |findings: Vec<Finding>, place: Place| {
        let problem = |finding: &Finding| problem(finding, place.clone(), strict);
        findings.iter().map(problem).collect::<Vec<_>>()
    };
    let mut problems = found(findings, place!["link_errors"]);
    if let Topology::Graph(listed) = &scenario.topology {
        for (index, link) in listed.links.iter().enumerate() {
            let findings = link
                .errors
                .iter()
                .flat_map(|errors| errors.check(Some(link.rate)));
            let place = place!["topology", "link", index, "errors"];
            problems.extend(found(findings.collect(), place));
        }
    }
    problems
}

/// Problems of sources that a rate control such as ABR governs although credit control is on.
fn rates(scenario: &Scenario) -> Vec<Problem> {
    let is_abr =
        |flow: &Flow| flow.service == ServiceClass::Abr || flow.ack_service() == ServiceClass::Abr;
    let abr = scenario
        .flows
        .iter()
        .enumerate()
        .filter(|(_, flow)| is_abr(flow));
    let mut problems: Vec<Problem> = abr
        .map(|(index, flow)| {
            let message = format!(
                "`{}` is ABR, but under credit control no rates are set",
                flow.name
            );
            Problem::error(
                place!["flow", index, "service"],
                message,
                "set `service = \"ubr\"`, or remove `[fcvc]`",
            )
        })
        .collect();
    if !scenario
        .flows
        .iter()
        .any(|flow| FcvcConfig::covers(flow.service) || FcvcConfig::covers(flow.ack_service()))
    {
        let message = "credit control has nothing to control: no flow is UBR or random";
        problems.push(Problem::warning(
            place!["fcvc"],
            message,
            "set `service = \"ubr\"`, or remove `[fcvc]`",
        ));
    }
    problems
}

/// Settings of a switch that contradict credit control.
fn switch(switch: &Switch, own: Option<(usize, &GraphSwitch)>) -> Vec<Problem> {
    // ABR is never used together with credit control.
    let counts = |class| class != ServiceClass::Abr;
    let problem = |found: Contradiction| {
        let (place, help) = match found {
            Contradiction::Control(_) => (
                place_of(own, "control", |own| own.control.is_some()),
                "remove `control` or `[fcvc]`",
            ),
            Contradiction::Discard(_) => (
                place_of(own, "discard", |own| own.discard.is_some()),
                "remove `discard` or `[fcvc]`",
            ),
            Contradiction::Queue(queue) => {
                let mut place = place_of(own, "priority", |own| own.priority.is_some());
                place.push(Step::Index(queue));
                let help = "set queues of their own, for instance `[[\"cbr\", \"vbr\"], [\"ubr\", \"random\", \"abr\"]]`";
                (place, help)
            }
        };
        Problem::error(place, found.to_string(), help)
    };
    let found = contradictions(&switch.control, &switch.discard, &switch.priority, counts);
    found.into_iter().map(problem).collect()
}

/// Problem of links that lose cells, if nothing restores the credit of the lost cells.
fn errors(scenario: &Scenario, graph: &Graph, config: &FcvcConfig) -> Option<Problem> {
    (graph.links_lose(&scenario.link_errors) && config.mark_interval.is_none()).then(|| {
        let message = "links lose cells, and without marks the credit of a lost cell never returns";
        Problem::warning(
            place!["fcvc", "mark_interval"],
            message,
            "`mark_interval` sets the time between marks",
        )
    })
}

/// The control loop of each link: cells in one direction, their credit in the other. `None` for a
/// link without an opposite link.
fn loops(graph: &Graph) -> Vec<Option<Loop>> {
    let closed = |(link, back): (&LinkPlan, Option<usize>)| {
        let back = &graph.links[back?];
        Some(Loop {
            rate: ServiceRate::of_cells(link.rate),
            back_rate: ServiceRate::of_cells(back.rate),
            delay: link.delay.saturating_add(back.delay),
            largest: CELL_UNITS,
            credit: CELL_UNITS,
        })
    };
    graph
        .links
        .iter()
        .zip(opposites(&graph.links))
        .map(closed)
        .collect()
}

/// Channels under credit control, each with its links.
fn channels<'a>(
    graph: &'a Graph,
    scenario: &'a Scenario,
) -> impl Iterator<Item = (&'a Instance, &'a [usize])> {
    graph.flows.iter().flat_map(|flow| {
        let group = &scenario.flows[flow.group];
        let both = [
            (&flow.forward, group.service),
            (&flow.backward, group.ack_service()),
        ];
        both.into_iter()
            .filter(|(_, class)| FcvcConfig::covers(*class))
            .map(move |(links, _)| (flow, links.as_slice()))
    })
}

/// Buffer space that credit control promises to senders at one place: a port, or the interface of a
/// destination.
#[derive(Default)]
struct Promise {
    channels: u64,
    /// Sum of N2 + N3 over all channels, in cells; `most_allotted` is N2 + N3 of the largest
    /// channel.
    allotted: u64,
    most_allotted: u64,
    /// Memory, in cells, that the longest incoming link needs under adaptive allocation. The two
    /// cells that each channel keeps are not counted.
    memory: u64,
}

/// Problems of buffers that are smaller than the space that credit control promises.
fn buffers(
    scenario: &Scenario,
    graph: &Graph,
    config: &FcvcConfig,
    loops: &[Option<Loop>],
) -> Vec<Problem> {
    // Key: a link, and true for the interface at its far end or false for the port that feeds the
    // link.
    let mut promises: BTreeMap<(usize, bool), Promise> = BTreeMap::new();
    for (_, links) in channels(graph, scenario) {
        // A switch holds the cells that it forwards at the next port. A destination holds cells at
        // the interface behind the last link.
        let ports = links.iter().skip(1).map(|link| (*link, false));
        let onward = ports.chain(links.last().map(|link| (*link, true)));
        for (into, place) in links.iter().zip(onward) {
            let Some(into) = loops[*into] else { continue };
            let promise = promises.entry(place).or_default();
            promise.channels += 1;
            let allotted = config.static_allocation(into);
            promise.allotted = promise.allotted.saturating_add(allotted);
            promise.most_allotted = promise.most_allotted.max(allotted);
            promise.memory = promise.memory.max(config.memory_in_force(into, 0));
        }
    }
    let check = |((link, is_interface), promise): (&(usize, bool), &Promise)| {
        let link = &graph.links[*link];
        let switch = graph.nodes[link.from]
            .switch
            .as_ref()
            .filter(|_| !is_interface);
        let place = place_of(own(scenario, link.from), "buffer", |own| {
            own.buffer.is_some()
        });
        buffer(
            &link.name,
            promise,
            config,
            switch.map(|switch| (switch.buffer, place)),
        )
    };
    promises.iter().flat_map(check).collect()
}

/// Problems of the buffer at one place. For a port of a switch, `buffer` is the size of the buffer
/// and the place in the scenario that sets this size.
fn buffer(
    name: &str,
    promise: &Promise,
    config: &FcvcConfig,
    written: Option<(Buffer, Place)>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let least = 2 * promise.channels;
    let adaptive = config.allocation == Allocation::Adaptive;
    let memory = config
        .memory
        .map_or(promise.memory + least, |memory| memory.0);
    let promised = if adaptive { memory } else { promise.allotted };
    if adaptive && memory < least {
        let message = format!(
            "`memory` of {memory} cells is too small for {} channels at {name}",
            promise.channels
        );
        problems.push(Problem::error(
            place!["fcvc", "memory"],
            message,
            format!("allowed: at least {least} cells"),
        ));
    }
    if let Some((buffer, place)) = written.filter(|(buffer, _)| buffer.0 < promised) {
        let message = format!(
            "the credits of all channels need a buffer of {promised} cells at {name}, but the buffer is {buffer}"
        );
        problems.push(Problem::error(
            place,
            message,
            format!("allowed: at least {promised} cells"),
        ));
    }
    // Each channel counts its cells in counters of its own. Under adaptive allocation a single
    // channel may use all memory.
    let (most, counted) = (
        u64::from(MODULUS / 4),
        if adaptive {
            memory
        } else {
            promise.most_allotted
        },
    );
    if counted > most {
        let message = format!(
            "the credit of one channel at {name} is {counted} cells, more than the counters hold"
        );
        problems.push(Problem::error(
            place!["fcvc"],
            message,
            format!("allowed: at most {most} cells"),
        ));
    }
    problems
}

/// Problems of links without an opposite link, which would carry their credit cells.
fn one_way(graph: &Graph, scenario: &Scenario, loops: &[Option<Loop>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (flow, links) in channels(graph, scenario) {
        if let Some(link) = links.iter().find(|link| loops[**link].is_none()) {
            let message = format!(
                "credits of `{}` cannot return over {}, which leads one way only",
                flow.name, graph.links[*link].name
            );
            problems.push(Problem::error(
                place!["topology"],
                message,
                "add the link in the other direction: `duplex = true`",
            ));
        }
    }
    problems
}
