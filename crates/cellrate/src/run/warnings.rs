//! Warnings: look before you trust this result.

use cellrate_engine::endsystem::CrmRounding;
use cellrate_engine::kernel::trace::Trace;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::network::{Report, SwitchPort};
use cellrate_engine::traffic::{Load, SourceConfig};
use serde::{Deserialize, Serialize};

use super::memory::round_trip;
use crate::scenario::Scenario;

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind, in a word that stays: `short-window`, `short-warm-up`, `buffer-never-filled`,
    /// `parameter-clipped`, `short-block`, `short-trace`, `window-empty`, `never-starts`, `events-omitted`, `scenario`.
    pub code: String,
    /// What it is about.
    pub message: String,
}

impl Warning {
    /// A warning.
    pub fn new(code: &str, message: impl Into<String>) -> Warning {
        Warning { code: code.into(), message: message.into() }
    }
}

/// Round trips below which a warm-up or a window is short.
const ROUND_TRIPS: u64 = 20;

/// What there is to say before anything has run.
pub fn before(scenario: &Scenario, plan: &Plan) -> Vec<Warning> {
    let mut warnings = Vec::new();
    horizon(scenario, plan, &mut warnings);
    for flow in first_of_each_group(plan) {
        clipped(flow, plan, &mut warnings);
        short_block(scenario, flow, &mut warnings);
        short_trace(scenario, flow, &mut warnings);
    }
    if !scenario.measure.traces.is_empty() && (scenario.measure.trace_points as usize) < Trace::LEAST_BOUND {
        let (found, least) = (scenario.measure.trace_points, Trace::LEAST_BOUND);
        warnings.push(Warning::new("parameter-clipped", format!("trace_points of {found} was raised to {least}")));
    }
    for flow in plan.flows.iter().filter(|flow| flow.start >= scenario.run.duration) {
        let message = format!("{} starts at {}, when the run is over", flow.name, flow.start);
        warnings.push(Warning::new("never-starts", message));
    }
    warnings
}

/// Groups share their parameters, so one flow of each stands for all.
fn first_of_each_group(plan: &Plan) -> impl Iterator<Item = &FlowPlan> {
    plan.flows.iter().filter(|flow| flow.index == 1)
}

fn horizon(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    let Some((slowest, longest)) = plan.flows.iter().map(|f| (f, round_trip(f, plan))).max_by_key(|(_, rtt)| *rtt)
    else {
        return;
    };
    let enough = Ps(longest.0.saturating_mul(ROUND_TRIPS));
    let (from, to) = scenario.window();
    let window = to.saturating_sub(from);
    let told = |what: &str, found: Ps| {
        let trips = found.0 as f64 / longest.0.max(1) as f64;
        format!("{what} of {found} is {trips:.1} round trips of {} ({longest}); {ROUND_TRIPS} are few", slowest.name)
    };
    if window < enough {
        warnings.push(Warning::new("short-window", told("the measuring window", window)));
    }
    // Transfers are measured from their start to their end.
    let endless = plan.flows.iter().filter(|flow| !matches!(flow.source, SourceConfig::Transfer(_)));
    let Some(last_start) = endless.map(|flow| flow.start).filter(|start| *start < to).max() else { return };
    let warm_up = from.saturating_sub(last_start);
    if warm_up < enough {
        warnings.push(Warning::new("short-warm-up", told("the warm-up after the last start", warm_up)));
    }
}

/// What the engine does not take as it was written.
fn clipped(flow: &FlowPlan, plan: &Plan, warnings: &mut Vec<Warning>) {
    let mut clip = |message: String| {
        warnings.push(Warning::new("parameter-clipped", format!("flow group {}: {message}", flow.group)));
    };
    if flow.source.over_tcp() {
        clipped_tcp(flow, &mut clip);
    }
    clipped_abr(flow, plan, &mut clip);
    let access = flow.forward.first().map(|link| plan.links[*link].rate);
    let peak = match flow.source.load() {
        Load::Own { mean, peak } => Some(Rate::from_cells_per_second(if peak.is_finite() { peak } else { mean })),
        Load::Elastic => None,
    };
    if let Some((peak, access)) = peak.zip(access).filter(|(peak, access)| peak > access) {
        clip(format!("cells at {peak} leave at the {access} of the access link and wait at the source"));
    }
}

/// Rates depend on each other within a block only.
fn short_block(scenario: &Scenario, flow: &FlowPlan, warnings: &mut Vec<Warning>) {
    let SourceConfig::Mpeg2(video) = &flow.source else { return };
    let (lasts, plays) = (video.block_lasts(), scenario.run.duration.saturating_sub(flow.start));
    if lasts < plays {
        let seconds = lasts.as_secs_f64();
        let message = format!(
            "flow group {}: a block of {} rates lasts some {seconds:.0} s, and rates of different blocks are independent",
            flow.group, video.block
        );
        warnings.push(Warning::new("short-block", message));
    }
}

/// A file that is played once and ends before the run.
fn short_trace(scenario: &Scenario, flow: &FlowPlan, warnings: &mut Vec<Warning>) {
    let Some(content) = flow.source.content().filter(|_| !flow.source.repeats()) else { return };
    let ends = flow.start.saturating_add(content.lasts());
    if ends < scenario.run.duration {
        let seconds = ends.as_secs_f64();
        let message =
            format!("flow group {}: its file ends at {seconds:.3} s; repeat = true plays it again", flow.group);
        warnings.push(Warning::new("short-trace", message));
    }
}

fn clipped_tcp(flow: &FlowPlan, clip: &mut impl FnMut(String)) {
    let tcp = &flow.tcp;
    let initial = tcp.mss.0.saturating_mul(u64::from(tcp.initial_window));
    if initial > tcp.window.0 {
        clip(format!("initial_window of {initial} bytes exceeds window, {}, which is used", tcp.window));
    }
    if tcp.min_rto < tcp.granularity {
        clip(format!("min_rto of {} is less than a tick; one tick, {}, is used", tcp.min_rto, tcp.granularity));
    }
    if tcp.initial_rto < tcp.min_rto || tcp.initial_rto > tcp.max_rto {
        let bound = tcp.initial_rto.clamp(tcp.min_rto, tcp.max_rto);
        clip(format!("initial_rto of {} lies outside min_rto and max_rto; {bound} is used", tcp.initial_rto));
    }
}

fn clipped_abr(flow: &FlowPlan, plan: &Plan, clip: &mut impl FnMut(String)) {
    use cellrate_engine::atm::cell::ServiceClass::Abr;
    let Some(access) = flow.forward.first().map(|link| plan.links[*link].rate).filter(|_| flow.service == Abr) else {
        return;
    };
    let abr = &flow.abr;
    let asked = abr.icr_cells(access, Ps::ZERO);
    let given = abr.icr_cells(access, round_trip(flow, plan));
    if given < asked {
        clip(format!("ICR of {asked:.0} cells/s is cut to TBE per round trip, {given:.0} cells/s"));
    }
    if abr.crm.is_none() && abr.crm_rounding == CrmRounding::Down && abr.tbe.0 < u64::from(abr.nrm) {
        clip(format!("CRM of TBE / Nrm = {} / {} rounds down to 0; 1 is used", abr.tbe, abr.nrm));
    }
}

/// What the run itself has shown.
pub struct Seen<'a> {
    /// What was measured.
    pub report: &'a Report,
    /// Switch ports, and what they dropped in the whole run.
    pub ports: Vec<(SwitchPort, u64)>,
    /// Events beyond the limit.
    pub omitted: u64,
}

/// What there is to say after the run.
pub fn after(plan: &Plan, seen: &Seen<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    never_filled(plan, seen, &mut warnings);
    if !seen.report.vcs.iter().any(|vc| vc.cells_delivered > 0) {
        warnings.push(Warning::new("window-empty", "no cell was delivered in the measuring window"));
    } else {
        for flow in &seen.report.flows {
            let started = flow.start_seconds < seen.report.simulated_seconds;
            if started && flow.delivered_bytes == 0 && flow.completion_seconds.is_none() {
                let message = format!("{} delivered nothing in the measuring window", flow.name);
                warnings.push(Warning::new("window-empty", message));
            }
        }
    }
    if seen.omitted > 0 {
        let message = format!("{} events beyond event_limit were not kept", seen.omitted);
        warnings.push(Warning::new("events-omitted", message));
    }
    warnings
}

/// A finite buffer that refused nothing says nothing about buffers or discard policies.
fn never_filled(plan: &Plan, seen: &Seen<'_>, warnings: &mut Vec<Warning>) {
    let finite = |(port, _): &&(SwitchPort, u64)| port.queues.iter().any(|(_, buffer)| *buffer != u64::MAX);
    let mut limited = seen.ports.iter().filter(finite).peekable();
    if limited.peek().is_none() || limited.any(|(_, dropped)| *dropped > 0) {
        return;
    }
    let longest = seen.report.ports.iter().flat_map(|port| port.queues.iter().map(move |queue| (port, queue)));
    let Some((port, queue)) = longest.max_by_key(|(_, queue)| queue.queue_max_cells) else { return };
    let policies = plan.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Switch(switch) => Some(switch.discard.name()),
        NodeKind::Host => None,
    });
    let mut policies: Vec<&str> = policies.collect();
    policies.sort_unstable();
    policies.dedup();
    let message = format!(
        "no buffer ever filled, so buffer sizes and {} did nothing; the longest queue in the measuring window \
         was {} of {} cells at {}",
        policies.join(", "),
        queue.queue_max_cells,
        queue.buffer_cells.map_or("unlimited".into(), |cells| cells.to_string()),
        port.name
    );
    warnings.push(Warning::new("buffer-never-filled", message));
}
