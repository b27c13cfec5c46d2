//! Completion time of one flow that has the network to itself. The slowdown of a flow compares its completion
//! time among other flows with this time.

use alloc::vec::Vec;

use super::plan::{FlowPlan, Plan};
use super::simulation::Simulation;
use crate::kernel::Ps;
use crate::net::ChannelId;
use crate::net::opposites;

/// Completion time in picoseconds of flow `flow` of `plan`, which sends a given number of bytes, without
/// other flows. It starts at time 0, and draws from the same random streams as in `plan`. `among` is its
/// completion time among the other flows. `None` if it has not ended after ten times `among`.
///
/// # Panics
/// If the plan is invalid.
pub fn completion_alone(plan: &Plan, flow: usize, among: Ps) -> Option<Ps> {
    let found = &plan.flows[flow];
    let mut part = Plan {
        seed: plan.seed,
        framing: plan.framing,
        nodes: Vec::new(),
        links: Vec::new(),
        flows: Vec::new(),
        fcvc: plan.fcvc.clone(),
        pfc: plan.pfc.clone(),
        cbfc: plan.cbfc.clone(),
        llr: plan.llr.clone(),
        changes: Vec::new(),
        port_controls: Vec::new(),
    };
    // Credits and pauses for a link return over the link in the opposite direction, which may be on no path
    // of the flow under ECMP.
    let opposites = plan.needs_opposites().then(|| opposites(&plan.links));
    // Nodes and links keep their order, because this order decides between simultaneous events.
    let channels = ChannelId::both(flow).into_iter();
    let mut links: Vec<usize> = channels
        .flat_map(|channel| plan.links_of(channel))
        .copied()
        .collect();
    if let Some(opposites) = opposites {
        let back: Vec<usize> = links.iter().filter_map(|link| opposites[*link]).collect();
        links.extend(back);
    }
    links.sort_unstable();
    links.dedup();
    let ends = links.iter().flat_map(|link| {
        let link = &plan.links[*link];
        [link.from, link.to]
    });
    let mut nodes: Vec<usize> = ends.collect();
    nodes.sort_unstable();
    nodes.dedup();
    let number = |all: &[usize], wanted: usize| all.binary_search(&wanted).unwrap_or(usize::MAX);
    part.nodes
        .extend(nodes.iter().map(|node| plan.nodes[*node].clone()));
    part.links.extend(links.iter().map(|link| {
        let mut link = plan.links[*link].clone();
        (link.from, link.to) = (number(&nodes, link.from), number(&nodes, link.to));
        link
    }));
    let path = |path: &Vec<usize>| path.iter().map(|link| number(&links, *link)).collect();
    part.flows.push(FlowPlan {
        forward: path(&found.forward),
        backward: path(&found.backward),
        sprayed: found.sprayed.each_ref().map(path),
        start: Ps::ZERO,
        after: Vec::new(),
        ..found.clone()
    });
    let mut simulation = Simulation::new(part).expect("a part of a valid plan");
    for times in [1, 10] {
        let span = Ps(among.0.saturating_mul(times));
        simulation.run_until(span.saturating_add(Ps(1)));
        let completed = simulation.endpoint(ChannelId::forward(0)).completed();
        if completed.is_some() {
            return completed;
        }
    }
    None
}
