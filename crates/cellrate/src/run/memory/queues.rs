//! Cells of sources without TCP that may have to wait: the excess of their rates over those of
//! lines.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::Ps;
use cellrate_engine::network::plan::{FlowPlan, LinkPlan, NodeKind, Plan};
use cellrate_engine::traffic::{Load, SourceConfig};

/// Assumed number of round trips in which explicit rates or marks bring down a source that has no
/// window.
const CONTROLLED_ROUND_TRIPS: u64 = 100;

/// Cells that may wait in front of one link, besides those of TCP's windows.
#[derive(Default)]
struct Pressure {
    buffer: u64,
    rate: f64,
    /// Mean rate of cells without end, in cells/s.
    offered: f64,
    /// The same for sources that a control scheme brings down, and the longest time that this may
    /// take.
    controlled: (f64, Ps),
    /// Cells of bursts above the mean.
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
    ports(plan)
        .values()
        .map(|port| port.queued(duration))
        .fold(0, u64::saturating_add)
}

/// Ports by link, including those of hosts, where the cells of a source wait that is faster than
/// its line.
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

/// Mean rate of a source without TCP in cells/s, and the cells of its largest burst above that.
fn offered(flow: &FlowPlan, plan: &Plan) -> (f64, u64) {
    let access = flow
        .forward
        .first()
        .map_or(0.0, |link| plan.links[*link].rate.cells_per_second());
    match &flow.source {
        SourceConfig::Cbr(cbr) => (cbr.rate.cells_per_second(), 1),
        // Ten standard deviations of the count in a second.
        SourceConfig::Poisson(poisson) => {
            let rate = poisson.rate.cells_per_second();
            (rate, (10.0 * rate.sqrt()) as u64 + 10)
        }
        SourceConfig::OnOff(on_off) => {
            let on = on_off.period.as_secs_f64() * on_off.duty_cycle;
            let peak = on_off.peak.cells_per_second();
            (peak * on_off.duty_cycle, (peak * on).ceil() as u64)
        }
        SourceConfig::ExponentialOnOff(source) => {
            exponential_bursts(source.mean_on, flow.source.load())
        }
        SourceConfig::Mmdp(source) => exponential_bursts(source.mean_on, flow.source.load()),
        // Ten seconds of all streams at their peak, although even a minute at the mean is a long
        // excess.
        SourceConfig::Mpeg2(_) => {
            let Load::Own { mean, peak } = flow.source.load() else {
                return (0.0, 0);
            };
            (mean, (10.0 * (peak - mean)).ceil() as u64)
        }
        SourceConfig::RateTrace(_) | SourceConfig::TransportStream(_) => {
            let Load::Own { mean, .. } = flow.source.load() else {
                return (0.0, 0);
            };
            (
                mean,
                flow.source
                    .content()
                    .map_or(0.0, |content| content.largest_burst().ceil()) as u64
                    + 1,
            )
        }
        SourceConfig::Persistent(_) => (access, 1),
        SourceConfig::Greedy(_)
        | SourceConfig::Transfer(_)
        | SourceConfig::Messages(_)
        | SourceConfig::Www(_) => (0.0, 0),
    }
}

/// Bursts of exponential ON periods: a period longer than twenty means occurs once in 5e8.
fn exponential_bursts(mean_on: Ps, load: Load) -> (f64, u64) {
    let Load::Own { mean, peak } = load else {
        return (0.0, 0);
    };
    (mean, (20.0 * peak * mean_on.as_secs_f64()).ceil() as u64)
}
