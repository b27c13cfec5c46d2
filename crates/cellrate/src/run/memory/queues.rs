//! Most cells of sources without TCP that may wait in queues, because their rates exceed the line
//! rates.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, LinkPlan, NodeKind, Plan};
use cellrate_engine::control::ControlConfig;
use cellrate_engine::endsystem::OutOfRate;
use cellrate_engine::kernel::Ps;
use cellrate_engine::traffic::Load;

/// Assumed number of round trips until explicit rates or marks have reduced the rate of a source
/// that has no window.
const CONTROLLED_ROUND_TRIPS: u64 = 100;

/// Cells that may wait in front of one link, apart from the cells in TCP windows.
#[derive(Default)]
struct Pressure {
    buffer: u64,
    rate: f64,
    /// Sum of the mean rates, in cells/s, of the sources whose rate nothing reduces.
    offered: f64,
    /// Sum of the mean rates, in cells/s, of the sources whose rate a control scheme reduces, and
    /// the longest time until the scheme has reduced these rates.
    controlled: (f64, Ps),
    /// Cells of bursts that exceed what the mean rates bring.
    bursts: u64,
}

impl Pressure {
    fn queued(&self, duration: Ps) -> u64 {
        let excess = |offered: f64| (offered - self.rate).max(0.0);
        let steady = excess(self.offered) * duration.as_secs_f64();
        let rising = excess(self.offered + self.controlled.0) - excess(self.offered);
        let transient = rising * self.controlled.1.min(duration).as_secs_f64();
        ((steady + transient).ceil() as u64)
            .saturating_add(self.bursts)
            .min(self.buffer)
    }
}

/// Most cells that wait at once in front of all links.
pub fn most_cells(plan: &Plan, duration: Ps) -> u64 {
    most_by_link(plan, duration)
        .map(|(_, cells)| cells)
        .fold(0, u64::saturating_add)
}

/// Links in front of which cells may wait, each with the largest number of such cells.
pub fn most_by_link(plan: &Plan, duration: Ps) -> impl Iterator<Item = (usize, u64)> {
    let ports = ports(plan).into_iter();
    ports.map(move |(link, port)| (link, port.queued(duration)))
}

/// Most out-of-rate RM cells that wait at once. They wait if end systems with an ACR below TCR send
/// more of them than the links carry (TM 4.0, source rule 11).
pub fn most_probes(plan: &Plan, duration: Ps) -> u64 {
    let mut ports: BTreeMap<usize, Pressure> = BTreeMap::new();
    for flow in &plan.flows {
        let probes = flow.service == ServiceClass::Abr && flow.abr.out_of_rate != OutOfRate::Never;
        for way in [&flow.forward, &flow.backward] {
            let tcr = flow.abr.tcr.cells_per_second();
            // A source also sends in-rate cells, below TCR. Together they may exceed the line rate
            // of its port.
            let mut rate = 2.0 * tcr;
            for link in way.iter().filter(|_| probes) {
                let line = &plan.links[*link];
                let port = ports.entry(*link).or_insert_with(|| port(plan, line));
                port.offered += rate;
                rate = tcr.min(line.rate.cells_per_second());
            }
        }
    }
    ports
        .values()
        .map(|port| port.queued(duration))
        .fold(0, u64::saturating_add)
}

/// The ports, by the link that each feeds. Ports of hosts are included: there the cells of a source
/// wait if it is faster than its line.
fn ports(plan: &Plan) -> BTreeMap<usize, Pressure> {
    let mut ports: BTreeMap<usize, Pressure> = BTreeMap::new();
    for flow in plan.flows.iter().filter(|flow| !flow.source.over_tcp()) {
        let (mean, burst) = offered(flow, plan);
        let mut rate = mean;
        for link in &flow.forward {
            let line = &plan.links[*link];
            let port = ports.entry(*link).or_insert_with(|| port(plan, line));
            port.bursts = port.bursts.saturating_add(burst);
            match controlled_for(flow, line, plan) {
                Some(time) => {
                    port.controlled = (port.controlled.0 + rate, port.controlled.1.max(time))
                }
                None => port.offered += rate,
            }
            rate = rate.min(line.rate.cells_per_second());
        }
    }
    ports
}

fn port(plan: &Plan, link: &LinkPlan) -> Pressure {
    let buffer = match &plan.nodes[link.from].kind {
        NodeKind::Switch(switch) => switch
            .buffer
            .0
            .saturating_mul(switch.priority.len().max(1) as u64),
        NodeKind::Host => u64::MAX,
    };
    Pressure {
        buffer,
        rate: link.rate.cells_per_second(),
        ..Pressure::default()
    }
}

/// Longest time for which an ABR source without TCP may exceed the line at a port with a control
/// scheme.
fn controlled_for(flow: &FlowPlan, link: &LinkPlan, plan: &Plan) -> Option<Ps> {
    let NodeKind::Switch(switch) = &plan.nodes[link.from].kind else {
        return None;
    };
    let controlled =
        flow.service == ServiceClass::Abr && !matches!(switch.control, ControlConfig::None(_));
    controlled.then(|| {
        Ps(plan
            .round_trip(flow)
            .0
            .saturating_mul(CONTROLLED_ROUND_TRIPS))
        .max(Ps::from_s(1))
    })
}

/// Mean rate of a source without TCP in cells/s, and the number of cells by which its largest burst
/// exceeds that rate.
fn offered(flow: &FlowPlan, plan: &Plan) -> (f64, u64) {
    match flow.source.load() {
        Load::Own { mean, burst, .. } => (mean, burst),
        Load::Elastic => {
            let access = flow.forward.first().map(|link| plan.links[*link].rate);
            (access.map_or(0.0, |rate| rate.cells_per_second()), 1)
        }
    }
}
