//! What a run will need of memory, from above, before it starts.

use std::collections::BTreeMap;

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::trace::{Point, Trace};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::log::Event;
use cellrate_engine::network::plan::{FlowPlan, LinkPlan, NodeKind, Plan, way_time};
use cellrate_engine::tcp::blocks::MOST_OPTION_BYTES;
use cellrate_engine::traffic::{Load, SourceConfig};

use crate::scenario::{Scenario, TraceKind};

/// What a run will need at most, and what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Bytes that the run will need at most.
    pub memory_bytes: u64,
    /// Bytes that are free; none where that cannot be found out.
    pub available_bytes: Option<u64>,
    /// Most cells on links and in queues at once.
    pub cells_in_flight: u64,
    /// What most of it is for.
    pub mostly: Need,
}

/// What memory is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Cells on links.
    Links,
    /// Data that TCP has outstanding.
    Windows,
    /// Cells of other sources in queues.
    Queues,
    /// Flows and the ports that they cross.
    Flows,
    /// Traces.
    Traces,
    /// The event log.
    Events,
}

impl Need {
    /// The key of the scenario that decides about it.
    pub fn key(self) -> &'static [&'static str] {
        match self {
            Need::Links => &["topology"],
            Need::Windows => &["tcp", "window"],
            Need::Queues => &["switch", "buffer"],
            Need::Flows => &["flow"],
            Need::Traces => &["measure", "trace_points"],
            Need::Events => &["measure", "event_limit"],
        }
    }
    /// What would need less.
    pub fn less(self) -> &'static str {
        match self {
            Need::Links => "shorter or slower links hold fewer cells",
            Need::Windows => "smaller windows, fewer flows or a shorter run keep fewer bytes outstanding",
            Need::Queues => "a finite buffer, slower sources or a shorter run let fewer cells wait",
            Need::Flows => "fewer flows need less",
            Need::Traces => "fewer traces or trace_points need less",
            Need::Events => "a smaller event_limit needs less",
        }
    }
}

impl Estimate {
    /// Whether there is room for the run, as far as is known.
    pub fn fits(&self) -> bool {
        self.available_bytes.is_none_or(|available| self.memory_bytes <= available)
    }
}

/// A cell, its share of the bodies of RM cells and ends of PDUs, and rings that may be half empty.
const BYTES_PER_CELL: u64 = 64;
/// The same where every cell carries the time at which it was sent.
const BYTES_PER_STAMPED_CELL: u64 = 128;
/// Both ends of a flow: histograms of delays, TCP, ABR, queues of a few PDUs.
const BYTES_PER_FLOW: u64 = 64 * 1024;
/// A port with its scheme and the histogram of its sampled queues; and per channel through it.
const BYTES_PER_PORT: u64 = 16 * 1024;
const BYTES_PER_CROSSING: u64 = 256;
/// Round trips that explicit or marked rates get to bring a source down that has no window.
const CONTROLLED_ROUND_TRIPS: u64 = 100;

/// Estimates the run of `plan`, which was built from `scenario`.
pub fn estimate(scenario: &Scenario, plan: &Plan) -> Estimate {
    let cells = cells_in_flight(plan, scenario.run.duration);
    let per_cell = if plan.measure.cell_delay { BYTES_PER_STAMPED_CELL } else { BYTES_PER_CELL };
    let crossings: usize = plan.flows.iter().map(|flow| flow.forward.len() + flow.backward.len()).sum();
    let parts = [
        (Need::Flows, plan.flows.len() as u64, BYTES_PER_FLOW),
        (Need::Flows, plan.links.len() as u64, BYTES_PER_PORT),
        (Need::Flows, crossings as u64, BYTES_PER_CROSSING),
        (Need::Events, events(plan), 2 * size_of::<Event>() as u64),
        (Need::Traces, traces(scenario, plan), trace_bytes(scenario)),
    ];
    let cells_parts = cells.map(|(need, cells)| (need, cells, per_cell));
    let all = || cells_parts.iter().chain(&parts).map(|(need, n, bytes)| (*need, n.saturating_mul(*bytes)));
    Estimate {
        memory_bytes: all().map(|(_, bytes)| bytes).fold(0, u64::saturating_add),
        available_bytes: available_bytes(),
        cells_in_flight: cells.iter().map(|(_, cells)| *cells).fold(0, u64::saturating_add),
        mostly: all().max_by_key(|(_, bytes)| *bytes).map_or(Need::Flows, |(need, _)| need),
    }
}

/// Every node may fill a log of its own before they are merged.
fn events(plan: &Plan) -> u64 {
    let kinds = plan.measure.events;
    let wanted = kinds.loss || kinds.timeout || kinds.retransmission || kinds.mark;
    let logs = if wanted { plan.nodes.len().min(16) as u64 } else { 0 };
    logs * plan.measure.event_limit as u64
}

fn traces(scenario: &Scenario, plan: &Plan) -> u64 {
    let is_switch = |link: &&LinkPlan| matches!(plan.nodes[link.from].kind, NodeKind::Switch(_));
    let ports = plan.links.iter().filter(is_switch).count() as u64;
    let of = |kind: &TraceKind| match kind {
        TraceKind::Queue => 2 * ports,
        TraceKind::Utilisation => ports,
        TraceKind::Acr | TraceKind::Cwnd | TraceKind::Sequence | TraceKind::SourceQueue => plan.flows.len() as u64,
    };
    scenario.measure.traces.iter().map(of).sum()
}

/// While it is recorded, and once more as columns.
fn trace_bytes(scenario: &Scenario) -> u64 {
    let samples = scenario.run.duration.0 / scenario.sample().0 + 2;
    let points = (scenario.measure.trace_points as usize).max(Trace::LEAST_BOUND) as u64;
    3 * size_of::<Point>() as u64 * points.min(samples)
}

/// Most cells at once on links and in queues: what the links hold, and what windows, finite buffers
/// and excess of unpaced sources over the lines let wait.
fn cells_in_flight(plan: &Plan, duration: Ps) -> [(Need, u64); 3] {
    let sum = |cells: &mut dyn Iterator<Item = u64>| cells.fold(0, u64::saturating_add);
    let on_links = sum(&mut used_links(plan).map(|link| cells_in(link.rate, link.delay.min(duration)) + 1));
    let windows = sum(&mut plan.flows.iter().map(|flow| window_cells(flow, plan, duration)));
    let queued = sum(&mut ports(plan).values().map(|port| port.queued(duration)));
    [(Need::Links, on_links), (Need::Windows, windows), (Need::Queues, queued)]
}

fn used_links(plan: &Plan) -> impl Iterator<Item = &LinkPlan> {
    let mut used = vec![false; plan.links.len()];
    plan.flows.iter().flat_map(|flow| flow.forward.iter().chain(&flow.backward)).for_each(|link| used[*link] = true);
    plan.links.iter().zip(used).filter(|(_, used)| *used).map(|(link, _)| link)
}

fn cells_in(rate: Rate, time: Ps) -> u64 {
    (rate.cells_per_second() * time.as_secs_f64()).ceil() as u64
}

/// Cells of everything that TCP may have outstanding, acknowledgements included; 0 without TCP. A
/// window opens by no more than was acknowledged, so a short run does not fill a huge one.
fn window_cells(flow: &FlowPlan, plan: &Plan, duration: Ps) -> u64 {
    if !flow.source.over_tcp() {
        return 0;
    }
    let header = u64::from(flow.tcp.header_bytes + flow.encapsulation.bytes());
    let segments = flow.tcp.window.0.div_ceil(flow.tcp.mss.0.max(1));
    let blocks = if flow.tcp.recovery.is_selective() { MOST_OPTION_BYTES } else { 0 };
    let acknowledgement = u64::from(cells_for(header + u64::from(blocks)));
    let per_segment = u64::from(cells_for(flow.tcp.mss.0 + header)) + acknowledgement;
    let carried = flow.forward.first().map_or(0, |link| cells_in(plan.links[*link].rate, duration));
    let reached = u64::from(flow.tcp.initial_window).saturating_mul(per_segment).saturating_add(2 * carried);
    segments.saturating_mul(per_segment).min(reached)
}

/// What can come to wait in front of one link besides what TCP's windows hold.
#[derive(Default)]
struct Pressure {
    buffer: u64,
    rate: f64,
    /// Mean rate of cells without end, in cells/s.
    offered: f64,
    /// The same of sources that a control scheme brings down, and how long that may take.
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
        ((steady + transient).ceil() as u64).saturating_add(self.bursts).min(self.buffer)
    }
}

/// Ports by link, hosts' included: what a source of cells sends faster than its line waits there.
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
                Some(time) => port.controlled = (port.controlled.0 + rate, port.controlled.1.max(time)),
                None => port.offered += rate,
            }
            rate = rate.min(line.rate.cells_per_second());
        }
    }
    ports
}

fn port(plan: &Plan, link: &LinkPlan) -> Pressure {
    let buffer = match &plan.nodes[link.from].kind {
        NodeKind::Switch(switch) => switch.buffer.0.saturating_mul(switch.priority.len().max(1) as u64),
        NodeKind::Host => u64::MAX,
    };
    Pressure { buffer, rate: link.rate.cells_per_second(), ..Pressure::default() }
}

/// For how long an ABR source without TCP may exceed the line at a port under control.
fn controlled_for(flow: &FlowPlan, link: &LinkPlan, plan: &Plan) -> Option<Ps> {
    let NodeKind::Switch(switch) = &plan.nodes[link.from].kind else { return None };
    let controlled = flow.service == ServiceClass::Abr && !matches!(switch.control, ControlConfig::None(_));
    controlled.then(|| Ps(round_trip(flow, plan).0.saturating_mul(CONTROLLED_ROUND_TRIPS)).max(Ps::from_s(1)))
}

/// Propagation and a cell time on every link, there and back.
pub fn round_trip(flow: &FlowPlan, plan: &Plan) -> Ps {
    let there = way_time(&plan.links, &flow.forward);
    let back = if flow.backward.is_empty() { there } else { way_time(&plan.links, &flow.backward) };
    there.saturating_add(back)
}

/// Mean rate of a source without TCP in cells/s, and the cells of its largest burst above that.
fn offered(flow: &FlowPlan, plan: &Plan) -> (f64, u64) {
    let access = flow.forward.first().map_or(0.0, |link| plan.links[*link].rate.cells_per_second());
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
        SourceConfig::ExponentialOnOff(source) => exponential_bursts(source.mean_on, flow.source.load()),
        SourceConfig::Mmdp(source) => exponential_bursts(source.mean_on, flow.source.load()),
        // Ten seconds of all streams at their peak, where a minute at the mean is a long excess.
        SourceConfig::Mpeg2(_) => {
            let Load::Own { mean, peak } = flow.source.load() else { return (0.0, 0) };
            (mean, (10.0 * (peak - mean)).ceil() as u64)
        }
        SourceConfig::RateTrace(_) | SourceConfig::TransportStream(_) => {
            let Load::Own { mean, .. } = flow.source.load() else { return (0.0, 0) };
            (mean, flow.source.content().map_or(0.0, |content| content.largest_burst().ceil()) as u64 + 1)
        }
        SourceConfig::Persistent(_) => (access, 1),
        SourceConfig::Greedy(_) | SourceConfig::Transfer(_) | SourceConfig::Messages(_) | SourceConfig::Www(_) => {
            (0.0, 0)
        }
    }
}

/// An ON period is longer than twenty means once in 5e8.
fn exponential_bursts(mean_on: Ps, load: Load) -> (f64, u64) {
    let Load::Own { mean, peak } = load else { return (0.0, 0) };
    (mean, (20.0 * peak * mean_on.as_secs_f64()).ceil() as u64)
}

/// Bytes that are free for this process: what the system says, or what its group may still use.
pub fn available_bytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let system = read("/proc/meminfo").and_then(|text| of_system(&text));
    let group = read("/sys/fs/cgroup/memory.max")
        .zip(read("/sys/fs/cgroup/memory.current"))
        .and_then(|(most, now)| of_group(&most, &now));
    [system, group].into_iter().flatten().min()
}

fn of_system(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn of_group(most: &str, now: &str) -> Option<u64> {
    let (most, now): (u64, u64) = (most.trim().parse().ok()?, now.trim().parse().ok()?);
    Some(most.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_from_what_linux_says() {
        let meminfo = "MemTotal:       24625388 kB\nMemFree:         1 kB\nMemAvailable:   23948120 kB\n";
        assert_eq!(of_system(meminfo), Some(23_948_120 * 1024));
        assert_eq!(of_system("nothing"), None);
        assert_eq!(of_group("1000\n", "400\n"), Some(600));
        assert_eq!(of_group("max\n", "400\n"), None);
    }

    #[test]
    fn a_run_of_unknown_room_is_not_refused() {
        let estimate =
            Estimate { memory_bytes: u64::MAX, available_bytes: None, cells_in_flight: 0, mostly: Need::Flows };
        assert!(estimate.fits());
        assert!(!Estimate { available_bytes: Some(1), ..estimate }.fits());
    }
}
