//! Warning of sources in step: their cells arrive at the same instants, so the order at an instant
//! decides which source gets the link.

use std::collections::{BTreeMap, BTreeSet};

use cellrate_engine::atm::plan::{NodeKind, Plan};
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::kernel::Rate;
use cellrate_engine::kernel::statistics::jain_index;

use super::groups::told_of;
use super::{Seen, Warning};

/// Jain's fairness index of the throughputs of equal flows below which the warning is given.
const UNEQUAL: f64 = 0.5;

/// A flow over TCP that always has data to send, or that may have data at the same time as other
/// flows of its group.
pub struct Sharing<'a> {
    pub group: &'a str,
    pub name: &'a str,
    /// Links from the source to the destination.
    pub forward: &'a [usize],
    /// TCP throughput in the measuring window, in bit/s.
    pub throughput: f64,
}

/// Warns of each group of equal flows that have very unequal throughputs through a port, if the
/// links before the port have its rate. Only the ports in `lossy`, whose buffers overflowed, are
/// examined.
///
/// `all` returns the number of flows of a group; `why` returns the reason and the remedy at a port.
pub fn in_step<'a>(
    flows: &[Sharing<'a>],
    links: &[(&str, Rate)],
    lossy: &BTreeSet<usize>,
    all: impl Fn(&str) -> usize,
    why: impl Fn(&str) -> String,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for group in flows.chunk_by(|a, b| a.group == b.group) {
        let mut by_port: BTreeMap<usize, Vec<&Sharing<'a>>> = BTreeMap::new();
        for flow in group {
            // Behind links of equal rate, units (cells or packets) of several flows may arrive at
            // the same instants again and again.
            for hops in flow.forward.windows(2) {
                if links[hops[0]].1 == links[hops[1]].1 && lossy.contains(&hops[1]) {
                    by_port.entry(hops[1]).or_default().push(flow);
                }
            }
        }
        for (link, flows) in by_port {
            let shares: Vec<f64> = flows.iter().map(|flow| flow.throughput).collect();
            let index = jain_index(&shares).filter(|index| shares.len() > 1 && *index < UNEQUAL);
            if let Some(index) = index {
                let (group, port) = (flows[0].group, links[link].0);
                let of = told_of(group, flows[0].name, flows.len(), all(group));
                let message = format!(
                    "{of} share {port} with a Jain index of {index:.2}: {}",
                    why(port)
                );
                warnings.push(Warning::new("phases-locked", message));
            }
        }
    }
    warnings
}

/// Warns over ATM. There each cell is forwarded at the instant of its arrival. A random order of
/// simultaneous cells makes sources in step rarer, not impossible.
pub fn check(plan: &Plan, seen: &Seen<'_>, warnings: &mut Vec<Warning>) {
    let ports = seen
        .ports
        .iter()
        .map(|(port, dropped)| (port.link, dropped));
    let lossy = ports.filter(|(link, dropped)| **dropped > 0 && drops_tails(plan, *link));
    let lossy = lossy.map(|(link, _)| link).collect();
    let flows = plan.flows.iter().zip(&seen.report.flows);
    let over_tcp = flows.filter(|(flow, _)| flow.source.over_tcp());
    let flows: Vec<_> = over_tcp
        .map(|(flow, report)| Sharing {
            group: &flow.group,
            name: &flow.name,
            forward: &flow.forward,
            throughput: report.tcp_throughput_bits_per_second,
        })
        .collect();
    let links: Vec<_> = plan
        .links
        .iter()
        .map(|link| (link.name.as_str(), link.rate))
        .collect();
    let drawn = if plan.simultaneous_cells == SimultaneousCells::Drawn {
        ""
    } else {
        ", and so does `run.simultaneous_cells = \"drawn\"` in most networks"
    };
    let all = |group: &str| plan.flows.iter().filter(|flow| flow.group == group).count();
    warnings.extend(in_step(&flows, &links, &lossy, all, |port| {
        format!(
            "with access links as fast as {port}, cells of the same flows may meet a full buffer each time; access links \
             that are 1 % faster prevent this{drawn}"
        )
    }));
}

fn drops_tails(plan: &Plan, link: usize) -> bool {
    match &plan.nodes[plan.links[link].from].kind {
        NodeKind::Switch(switch) => switch.discard == DiscardConfig::default(),
        NodeKind::Host => false,
    }
}
