//! Warning of sources in step, whose order at one instant decides who has a link.

use std::collections::{BTreeMap, BTreeSet};

use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::atm::report::FlowReport;
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::kernel::statistics::jain_index;

use super::groups::{groups, told_of};
use super::{Seen, Warning};

/// Jain index of the shares of equal flows, below which the warning is given.
pub const UNEQUAL: f64 = 0.5;

/// Warns of each group of equal flows over TCP whose shares of a port are very unequal, if they
/// come over links as fast as the port, which lost cells by tail drop. An order that is drawn at
/// each instant makes that rarer, not impossible.
pub fn check(plan: &Plan, seen: &Seen<'_>, warnings: &mut Vec<Warning>) {
    let is_drawn = plan.simultaneous_cells == SimultaneousCells::Drawn;
    let lossy: BTreeSet<usize> = seen
        .ports
        .iter()
        .filter(|(port, dropped)| *dropped > 0 && drops_tails(plan, port.link))
        .map(|(port, _)| port.link)
        .collect();
    let flows: Vec<(&FlowPlan, &FlowReport)> = plan.flows.iter().zip(&seen.report.flows).collect();
    for group in groups(&flows, |(flow, _)| &flow.group) {
        let mut by_port: BTreeMap<usize, Vec<&FlowReport>> = BTreeMap::new();
        for (flow, report) in group {
            for link in ports_to_meet_at(plan, flow).filter(|link| lossy.contains(link)) {
                by_port.entry(link).or_default().push(report);
            }
        }
        let found = by_port.iter().filter_map(|(link, flows)| {
            unequal(flows, group.len(), &plan.links[*link].name, is_drawn)
        });
        warnings.extend(found);
    }
}

fn drops_tails(plan: &Plan, link: usize) -> bool {
    match &plan.nodes[plan.links[link].from].kind {
        NodeKind::Switch(switch) => switch.discard == DiscardConfig::default(),
        NodeKind::Host => false,
    }
}

/// Links on the way of a flow over TCP behind one of equal rate: there its cells may arrive at the
/// same instants as those of others again and again.
fn ports_to_meet_at(plan: &Plan, flow: &FlowPlan) -> impl Iterator<Item = usize> {
    let hops = if flow.source.over_tcp() {
        flow.forward.as_slice()
    } else {
        &[]
    };
    let rate = |link: usize| plan.links[link].rate;
    hops.windows(2)
        .filter(move |pair| rate(pair[0]) == rate(pair[1]))
        .map(|pair| pair[1])
}

/// The warning about `flows` of one group that has `all` flows.
fn unequal(flows: &[&FlowReport], all: usize, port: &str, is_drawn: bool) -> Option<Warning> {
    let shares: Vec<f64> = flows
        .iter()
        .map(|flow| flow.tcp_throughput_bits_per_second)
        .collect();
    let index = jain_index(&shares).filter(|index| shares.len() > 1 && *index < UNEQUAL)?;
    let of = told_of(&flows[0].group, &flows[0].name, flows.len(), all);
    let drawn = if is_drawn {
        ""
    } else {
        ", and so does `run.simultaneous_cells = \"drawn\"` in most networks"
    };
    let message = format!(
        "{of} share {port} with a Jain index of {index:.2}: their links are as fast as {port}, so their cells may arrive \
         at the same instants again and again, and a full buffer then drops the cells of the same links; access links that \
         are 1 % faster prevent this{drawn}"
    );
    Some(Warning::new("phases-locked", message))
}
