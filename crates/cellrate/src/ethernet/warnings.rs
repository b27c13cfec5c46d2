//! Reasons to doubt a result over Ethernet, known before or after the run. The wording of the warnings is
//! the same as over ATM.

use std::collections::BTreeMap;

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::frame::{Framing, GAP};
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::ether::plan::FlowPlan;
use cellrate_engine::ether::report::Report;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::net::LinkPlan;
use cellrate_engine::traffic::SourceConfig;

use super::credit_rates;
use super::deadlock::deadlocks;
use super::flow::Flow;
use super::graph::{Graph, Instance};
use super::types::Scenario;
use crate::run::warnings::Warning;
use crate::run::warnings::groups::told_of;
use crate::run::warnings::horizon::never_starts;
use crate::run::warnings::phases::{Sharing, in_step};
use crate::run::warnings::seen::{
    Delivered, delivered_nothing, earlier_data, events_omitted, lost_outside, short_for_timeouts,
};
use crate::run::warnings::windows::{Credit, FILLED, Filled, below_path, waits, waits_for_clock};

/// Warns of flows that never start, and of TCP windows that wait for the receiver's clock or cannot fill a
/// path.
pub fn before(scenario: &Scenario, graph: &Graph) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for group in graph.flows.chunk_by(|a, b| a.group == b.group) {
        let flow = &scenario.flows[group[0].group];
        let starts = group.iter().map(|one| (one.start, one.name.as_str()));
        warnings.extend(never_starts(&flow.name, starts, scenario.run.duration));
        if is_greedy(flow) {
            warnings.extend(waits(&flow.name, &flow.tcp));
        }
    }
    // With an ATM part this does not hold: cells take other times, and rates of ABR bound flows.
    if !graph.is_joined() {
        warnings.extend(unfilled(scenario, graph));
    }
    warnings
}

fn is_greedy(flow: &Flow) -> bool {
    matches!(flow.source, SourceConfig::Greedy(_)) && flow.over_tcp()
}

/// Warns of switch ports that only greedy flows use and cannot fill, since the windows of the flows are
/// smaller than the bandwidth-delay products of their paths. Each port is named once, with the first group
/// whose slowest port it is.
fn unfilled(scenario: &Scenario, graph: &Graph) -> Vec<Warning> {
    // Share of each line that the windows of its flows can fill. If another kind of source uses the line,
    // the share is infinite.
    let mut filled = vec![0.0; graph.links.len()];
    for instance in &graph.flows {
        let flow = &scenario.flows[instance.group];
        for link in &instance.forward {
            filled[*link] += if is_greedy(flow) {
                let (sent, _) = most_bits(scenario, graph, instance);
                sent / graph.links[*link].rate.bits_per_second()
            } else {
                f64::INFINITY
            };
        }
    }
    let mut told: BTreeMap<usize, &Instance> = BTreeMap::new();
    for group in graph.flows.chunk_by(|a, b| a.group == b.group) {
        let flow = &scenario.flows[group[0].group];
        // The warning applies only if neither a rate nor the slowest line bounds a flow closer than its
        // window.
        let lines = group[0].forward.iter().map(|link| graph.links[*link].rate);
        let line = lines.min().map_or(f64::INFINITY, Rate::bits_per_second);
        let is_bound = most_bits(scenario, graph, &group[0]).0 < FILLED * line;
        if !is_greedy(flow)
            || !is_bound
            || flow.rate_control.is_some()
            || waits_for_clock(&flow.tcp)
        {
            continue;
        }
        let ports = group[0].forward.iter().copied();
        let ports = ports.filter(|link| !graph.nodes[graph.links[*link].from].is_host);
        let slowest = ports.clone().map(|link| graph.links[link].rate).min();
        let slow = ports.filter(|link| Some(graph.links[*link].rate) == slowest);
        if let Some(link) = slow.max_by(|a, b| filled[*a].total_cmp(&filled[*b])) {
            told.entry(link).or_insert(&group[0]);
        }
    }
    told.retain(|link, _| filled[*link] < FILLED);
    let below = |(link, instance): (usize, &Instance)| {
        let (line, flow) = (&graph.links[link], &scenario.flows[instance.group]);
        let count = graph.flows.iter().filter(|one| one.group == instance.group);
        let count = count.count();
        below_path(&Filled {
            flows: told_of(&flow.name, &instance.name, count, count),
            tcp: &flow.tcp,
            line: &line.name,
            rate: line.rate,
            share: filled[link],
            round_trip: most_bits(scenario, graph, instance).1,
            credit: match credit_rates::through(scenario, graph, link) {
                rate if rate < FILLED * line.rate.bits_per_second() => Credit::Limits(rate),
                _ => Credit::Suffices,
            },
        })
    };
    told.into_iter().filter_map(below).collect()
}

/// The rate in bit/s on the line that one full window per round trip gives, and the round-trip time of an
/// empty network.
fn most_bits(scenario: &Scenario, graph: &Graph, instance: &Instance) -> (f64, Ps) {
    let flow = &scenario.flows[instance.group];
    let framing = Framing {
        tagged: scenario.ethernet.tagged,
    };
    let (headers, payload) = flow.packet();
    let frame = framing.on_line((headers + payload) as u32);
    // A frame has arrived before its interframe gap ends.
    let trip = |links: &[usize], octets: u32| -> u64 {
        let times = links.iter().map(|link| &graph.links[*link]);
        times
            .map(|line| line.delay.0 + OctetClock::new(line.rate).ceil(octets - GAP).0)
            .sum()
    };
    let there = trip(&instance.forward, frame);
    let back = trip(
        &instance.backward,
        framing.on_line(flow.tcp.data_header_bytes()),
    );
    let round_trip = Ps(there.saturating_add(back));
    let segments = flow.tcp.window.0 / flow.tcp.mss.0.max(1);
    let bits = 8.0 * (segments * u64::from(frame)) as f64;
    (bits / round_trip.as_secs_f64(), round_trip)
}

/// Warnings that follow from a run: losses outside the measuring window, and flows with no throughput or
/// much less than other flows.
pub fn after(simulation: &mut Simulation, report: &Report, omitted: u64) -> Vec<Warning> {
    let in_window = report.totals.packets_dropped;
    let drops = simulation.drops();
    let lost = drops.iter().map(|(_, all, _)| all).sum();
    let lost = lost_outside(lost, in_window, "packets");
    let mut warnings: Vec<Warning> = lost.into_iter().collect();
    let lossy = drops.iter().filter(|(_, _, late)| *late > 0);
    let lossy = lossy.map(|(link, ..)| *link).collect();
    let plan = simulation.plan();
    let links = plan
        .links
        .iter()
        .map(|link| (link.name.as_str(), link.rate));
    let links: Vec<_> = links.collect();
    let flows = || plan.flows.iter().zip(&report.flows);
    let over_tcp = flows().filter(|(flow, _)| flow.over_tcp());
    let segments = over_tcp.map(|(flow, measured)| {
        let packet = flow.tcp.mss.0 as u32 + flow.tcp.data_header_bytes();
        let segments = measured.delivered_bytes as f64 / flow.tcp.mss.0 as f64;
        let bits = 8.0 * f64::from(plan.framing.on_line(packet));
        (crossed(flow, &plan.links), segments, bits)
    });
    warnings.extend(earlier_data(
        links.iter().copied(),
        segments,
        report.window_seconds,
    ));
    warnings.extend(without_throughput(report));
    let timers = flows().filter(|(flow, _)| flow.over_tcp() && !flow.source.is_measured_whole());
    let timers = timers
        .map(|(flow, measured)| (measured.name.as_str(), measured.timeouts, flow.tcp.min_rto));
    warnings.extend(short_for_timeouts(timers, report.window_seconds));
    // A file that ends leaves its line to other flows, so only greedy flows are compared.
    let greedy = flows().filter(|(flow, _)| matches!(flow.source, SourceConfig::Greedy(_)));
    let sharing = greedy.map(|(flow, measured)| Sharing {
        group: &measured.group,
        name: &measured.name,
        forward: &flow.forward,
        throughput: measured.tcp_throughput_bits_per_second.unwrap_or(0.0),
    });
    let sharing: Vec<_> = sharing.collect();
    let all = |group: &str| {
        report
            .flows
            .iter()
            .filter(|flow| flow.group == group)
            .count()
    };
    warnings.extend(in_step(&sharing, &links, &lossy, all, |port| {
        format!(
            "with access links as fast as {port}, frames of the same flows may meet a full buffer each time; faster access \
             links, or `red` in `switch.aqm`, prevent this in most networks"
        )
    }));
    warnings.extend(deadlocks(simulation));
    warnings.extend(events_omitted(omitted));
    warnings
}

/// Links that every frame of a flow crosses for certain: its path, or the first and the last link if switches spray its
/// frames. The last link counts only if no other leads to the destination.
fn crossed(flow: &FlowPlan, links: &[LinkPlan]) -> Vec<usize> {
    let [there, _] = &flow.sprayed;
    let [first, .., last] = flow.forward[..] else {
        return flow.forward.clone();
    };
    if there.is_empty() {
        return flow.forward.clone();
    }
    let ends = there
        .iter()
        .filter(|link| links[**link].to == links[last].to);
    if ends.count() == 1 {
        vec![first, last]
    } else {
        vec![first]
    }
}

/// Warnings of flows that delivered nothing in the measuring window.
pub fn without_throughput(report: &Report) -> Vec<Warning> {
    let delivered = report.flows.iter().filter_map(|flow| {
        Some(Delivered {
            group: &flow.group,
            name: &flow.name,
            start_seconds: flow.start_seconds?,
            bytes: flow.delivered_bytes,
            is_complete: flow.completion_seconds.is_some(),
        })
    });
    let delivered: Vec<_> = delivered.collect();
    delivered_nothing(&delivered, report.simulated_seconds)
}
