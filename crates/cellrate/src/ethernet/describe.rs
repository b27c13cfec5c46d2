//! The network that a scenario over Ethernet describes, in plain numbers, and the cost of its run.

use cellrate_engine::atm::aal5::{CELL_PAYLOAD, Encapsulation, cells_for};
use cellrate_engine::ether::frame::{Framing, on_line};
use cellrate_engine::ether::reserves::Reserves;
use cellrate_engine::joined::Layer;
use cellrate_engine::kernel::time::CELL_BITS;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::net::ChannelId;
use cellrate_engine::traffic::{Load, SourceConfig};
use serde_json::{Value, json};

use super::cbfc;
use super::control::Control;
use super::flow::Flow;
use super::graph::{Graph, Instance, Part};
use super::joined::Service;
use super::llr;
use super::pfc;
use super::plan::plan;
use super::rates::RateControl;
use super::types::{Scenario, Switch, TraceKind, schema};
use crate::run::event_bytes;
use crate::scenario::describe::change as changed;
use crate::scenario::effective;
use crate::scenario::in_units::InUnits;
use crate::scenario::quantity::bits_per_second;

fn units() -> InUnits<'static> {
    InUnits {
        schema: schema(),
        cells: false,
    }
}
/// Computing time in ns to move a frame over a link, on a core of a server of 2023, within a factor of two.
pub const NANOSECONDS_PER_HOP: f64 = 60.0;
/// Bytes of one point of a trace: time, least value and greatest value, 8 bytes each.
const BYTES_PER_POINT: u64 = 24;

/// The network of a scenario as one JSON object: seed, duration, nodes with the settings of switches,
/// directed links, and flows with their routes. Every quantity is a number under a key with its unit. Null
/// stands for no limit or for an absent part.
pub(super) fn describe(scenario: &Scenario, graph: &Graph) -> Value {
    let nodes = graph.nodes.iter().map(|node| {
        let in_force = Switch {
            control: Control(scenario.switch.control.0.in_force()),
            ..scenario.switch.clone()
        };
        let mut switch = units().of("Switch", &in_force);
        if let Some(buffer) = node.buffer {
            switch["buffer_bytes"] = json!(buffer);
        }
        let has_frames = !node.is_host && !matches!(node.part, Part::Atm(_));
        json!({ "name": node.name, "switch": has_frames.then_some(switch) })
    });
    let links = graph.links.iter().map(|link| {
        json!({
            "name": link.name,
            "from": link.from,
            "to": link.to,
            "over_atm": graph.layer(link) == Layer::Atm,
            "bits_per_second": bits_per_second(link.rate),
            "delay_seconds": link.delay.as_secs_f64(),
            "bit_error_ratio": link.errors.as_ref().map_or(0.0, |errors| errors.mean()),
        })
    });
    let plan = plan(scenario, graph);
    let reserves = Reserves::of(&plan);
    let flows = graph.flows.iter().enumerate().map(|(number, instance)| {
        let mut described = flow(scenario, graph, instance);
        described["credit"] = json!(
            reserves
                .as_ref()
                .map(|found| credit(found, number, instance))
        );
        described
    });
    json!({
        "link_layer": "ethernet",
        "joined": graph.is_joined(),
        "seed": scenario.run.seed,
        "duration_seconds": scenario.run.duration.as_secs_f64(),
        "start_jitter_seconds": scenario.run.start_jitter.as_secs_f64(),
        "measure": units().of("Measure", &scenario.measure),
        "nodes": nodes.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
        "credit": reserves.as_ref().map(|found| json!({ "n2_bytes": found.n2(), "promised_bytes": found.promised() })),
        "changes": scenario.changes.iter().map(changed).collect::<Vec<_>>(),
        "llr": llr::described(scenario, &plan),
        "lossless": pfc::described(scenario, &plan).or_else(|| cbfc::described(scenario, &plan)),
    })
}

/// Credit control (FCVC) for the data of a flow: reserved buffer and round trip of each hop.
fn credit(reserves: &Reserves<'_>, flow: usize, instance: &Instance) -> Value {
    let channel = ChannelId::forward(flow);
    let links = || instance.forward.iter().enumerate();
    let reserve = links().map(|(_, link)| reserves.reserve(channel, *link));
    let trip = links().map(|(hop, _)| reserves.trip(channel, hop).as_secs_f64());
    json!({
        "reserve_bytes": reserve.collect::<Vec<u64>>(),
        "trip_seconds": trip.collect::<Vec<f64>>(),
    })
}

fn flow(scenario: &Scenario, graph: &Graph, instance: &Instance) -> Value {
    let group = &scenario.flows[instance.group];
    let of_link = |link: &usize| graph.links[*link].delay;
    // Propagation delay of the path. For a sprayed channel each hop counts with the link of least delay.
    let delay = |path: &[usize], hops: &[Vec<usize>]| {
        let delays: Vec<Ps> = if hops.is_empty() {
            path.iter().map(of_link).collect()
        } else {
            hops.iter()
                .filter_map(|hop| hop.iter().map(of_link).min())
                .collect()
        };
        delays.into_iter().fold(Ps::ZERO, Ps::saturating_add)
    };
    let over_tcp = group.over_tcp();
    let is_acknowledged = over_tcp || group.roce.is_some();
    let [there, back] = &instance.sprayed;
    let round_trip =
        delay(&instance.forward, there).saturating_add(delay(&instance.backward, back));
    let source = instance.source(group);
    let frames = Frames::of(scenario, group);
    let set_rate = |rate: fn(&RateControl) -> Option<Rate>| {
        let rates = group.rate_control.as_ref();
        rates.and_then(rate).map(Rate::bits_per_second)
    };
    json!({
        "name": instance.name,
        "group": group.name,
        "index": instance.index,
        "priority": group.priority,
        "start_seconds": instance.start.as_secs_f64(),
        "after": instance.after.iter().map(|one| one.flow).collect::<Vec<_>>(),
        "wait_seconds": instance.after.iter().map(|one| one.wait.as_secs_f64()).collect::<Vec<_>>(),
        "sends": group.sends,
        "forward": instance.forward,
        "backward": instance.backward,
        "sprayed": instance.sprayed,
        "source": units().of("SourceConfig", &source),
        "own_bits_per_second": own_rate(&source),
        "peak_bits_per_second": peak_rate(&source),
        "rate_controlled": group.rate_control.is_some(),
        "mcr_bits_per_second": set_rate(|rates| rates.mcr).unwrap_or(0.0),
        "pcr_bits_per_second": set_rate(|rates| rates.pcr),
        "over_abr": is_over_abr(scenario, graph, instance),
        "packet_cells": cells(frames.headers + frames.payload),
        "acknowledgement_cells": is_acknowledged.then(|| cells(frames.headers)),
        "forwarding_seconds": forwarding(graph, instance).as_secs_f64(),
        "roce": group.roce.as_ref().map(|roce| units().of("RoceConfig", roce)),
        "tcp": over_tcp.then(|| units().of("TcpConfig", &effective::tcp(&group.tcp))),
        "payload_bytes": frames.payload,
        "frame_bytes": frames.full - on_line(0),
        "line_bytes": frames.full,
        "errored_frames_share": if scenario.llr.is_some() {
            0.0
        } else {
            errored_share(graph, instance, frames.full - on_line(0))
        },
        "acknowledgement_line_bytes": is_acknowledged.then_some(frames.empty),
        "flow_credit_line_bytes": frames.credit,
        "propagation_round_trip_seconds": is_acknowledged.then(|| round_trip.as_secs_f64()),
    })
}

/// Expected share of the frames of `octets` that have an errored bit on one of the Ethernet links of a flow's path.
fn errored_share(graph: &Graph, instance: &Instance, octets: u32) -> f64 {
    let links = instance.forward.iter().map(|link| &graph.links[*link]);
    let frames = links.filter(|link| graph.layer(link) == Layer::Ethernet);
    let whole = frames.map(|link| {
        let errors = link.errors.as_ref();
        errors.map_or(0.0, |errors| errors.loss(8 * u64::from(octets), link.rate))
    });
    // The shares are summed as logarithms, since shares far below 2^-53 would vanish in a product of numbers
    // near 1.
    -whole.map(|loss| (-loss).ln_1p()).sum::<f64>().exp_m1()
}

/// Number of cells that a packet of `octets` octets takes over ATM, with LLC/SNAP and the trailer of AAL5.
fn cells(octets: u64) -> u32 {
    cells_for(octets + u64::from(Encapsulation::LlcSnap.bytes()))
}

/// Sum of the forwarding delays of the routers that data of a flow, and their acknowledgements, cross.
fn forwarding(graph: &Graph, instance: &Instance) -> Ps {
    let links = instance.forward.iter().chain(&instance.backward);
    let delays = links.filter_map(|link| match graph.nodes[graph.links[*link].to].part {
        Part::Router(delay) => Some(delay),
        _ => None,
    });
    delays.fold(Ps::ZERO, Ps::saturating_add)
}

/// True if the data of a flow cross an ATM part with ABR.
fn is_over_abr(scenario: &Scenario, graph: &Graph, instance: &Instance) -> bool {
    let mut links = instance.forward.iter().map(|link| &graph.links[*link]);
    let is_abr = scenario
        .atm
        .as_ref()
        .is_some_and(|atm| atm.service == Service::Abr);
    is_abr && links.any(|link| graph.layer(link) == Layer::Atm)
}

/// Mean rate in bit/s on the line of a source that sends at a rate of its own; `None` for an elastic source.
fn own_rate(source: &SourceConfig) -> Option<f64> {
    match source.load() {
        Load::Own { mean, .. } => Some(mean * CELL_BITS as f64),
        Load::Elastic => None,
    }
}

/// Greatest rate in bit/s on the line of a source that sends at a rate of its own; `None` for an elastic source, and for a
/// source that sends any number of packets at once.
fn peak_rate(source: &SourceConfig) -> Option<f64> {
    match source.load() {
        Load::Own { peak, .. } if peak.is_finite() => Some(peak * CELL_BITS as f64),
        _ => None,
    }
}

/// Sizes of the frames of a flow.
struct Frames {
    /// Octets of the headers of IP and above.
    headers: u64,
    /// Octets of payload in a full frame.
    payload: u64,
    /// Octets of a full frame on the line, with preamble and interframe gap.
    full: u32,
    /// Octets on the line of an acknowledgement without options.
    empty: u32,
    /// Octets on the line of a flow credit of ExpressPass; `None` without ExpressPass.
    credit: Option<u32>,
}

impl Frames {
    fn of(scenario: &Scenario, group: &Flow) -> Frames {
        let framing = Framing {
            tagged: scenario.ethernet.tagged,
        };
        let (headers, payload) = group.packet();
        Frames {
            headers,
            payload,
            // The checks refuse packets above the MTU.
            full: framing.on_line((headers + payload) as u32),
            empty: framing.on_line(match &group.roce {
                Some(roce) => roce.acknowledgement(),
                None => headers as u32,
            }),
            credit: group
                .roce
                .as_ref()
                .and_then(|roce| Some(roce.credit_and_data(framing)?.0)),
        }
    }
}

/// Estimated packets, hops and computing time of a run, and greatest sizes of its traces and log. `--plan` and
/// `cellrate describe` show them before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of full packets that the flows send, if each flow is a fluid that gets an equal share of its slowest
    /// line.
    pub packets: f64,
    /// Number of times that a packet or an acknowledgement crosses an Ethernet link, or a cell an ATM link.
    pub hops: f64,
    /// Computing time in seconds on one core, if each flow is a fluid that gets an equal share of its slowest line.
    pub seconds: f64,
    /// Greatest size of the traces in bytes, before compression.
    pub most_trace_bytes: u64,
    /// Greatest size of the event log in bytes, before compression.
    pub most_event_bytes: u64,
}

/// Number of full packets that each flow sends, if each flow is a fluid that gets an equal share of its slowest
/// line.
pub(super) fn packets(scenario: &Scenario, graph: &Graph) -> Vec<f64> {
    let duration = scenario.run.duration.as_secs_f64();
    let mut sharing = vec![0.0_f64; graph.links.len()];
    for flow in &graph.flows {
        flow.forward.iter().for_each(|link| sharing[*link] += 1.0);
    }
    let sent = graph.flows.iter().map(|instance| {
        let group = &scenario.flows[instance.group];
        let frames = Frames::of(scenario, group);
        let share = |link: &usize| graph.links[*link].rate.bits_per_second() / sharing[*link];
        let source = instance.source(group);
        let own = own_rate(&source).unwrap_or(f64::INFINITY);
        let rate = instance.forward.iter().map(share).fold(own, f64::min);
        let active = (duration - instance.start.as_secs_f64()).max(0.0);
        let carried = rate * active / (8.0 * f64::from(frames.full));
        match &source {
            SourceConfig::Transfer(file) => carried.min(file.size.0 as f64 / frames.payload as f64),
            _ => carried,
        }
    });
    sent.collect()
}

/// The estimated cost of the run of a scenario.
pub(super) fn cost(scenario: &Scenario, graph: &Graph) -> Cost {
    let duration = scenario.run.duration.as_secs_f64();
    let packets = packets(scenario, graph);
    let sent = graph.flows.iter().zip(&packets);
    let hops = sent.map(|(flow, sent)| {
        let frames = Frames::of(scenario, &scenario.flows[flow.group]);
        // On an ATM link a packet counts as many crossings as it has cells.
        let crossings = |link: &usize, octets: u32| match graph.layer(&graph.links[*link]) {
            Layer::Atm => f64::from(octets.div_ceil(CELL_PAYLOAD as u32)),
            Layer::Ethernet => 1.0,
        };
        let there = flow.forward.iter().map(|link| crossings(link, frames.full));
        let back = flow
            .backward
            .iter()
            .map(|link| crossings(link, frames.empty));
        sent * there.chain(back).sum::<f64>()
    });
    let switch_ports = || {
        let fed = graph.links.iter();
        fed.filter(|link| !graph.nodes[link.from].is_host).count()
    };
    let measure = &scenario.measure;
    let traces = measure.traces.iter().map(|kind| match kind {
        TraceKind::SourceQueue if !graph.is_joined() => 0,
        // The routers on the path of a flow divide it into at most one section more than there are routers.
        TraceKind::SourceQueue | TraceKind::Acr if graph.is_joined() => {
            let routers = |path: &[usize]| {
                let ends = path.iter().map(|link| &graph.nodes[graph.links[*link].to]);
                ends.filter(|node| matches!(node.part, Part::Router(_)))
                    .count()
            };
            let legs = graph.flows.iter().map(|flow| 1 + routers(&flow.forward));
            legs.sum()
        }
        TraceKind::Queue => switch_ports() * scenario.switch.queues.len(),
        TraceKind::Utilisation => switch_ports(),
        TraceKind::Cwnd
        | TraceKind::Sequence
        | TraceKind::Acr
        | TraceKind::Rate
        | TraceKind::SourceQueue => graph.flows.len(),
    });
    let samples = (duration / scenario.sample().as_secs_f64()) as u64 + 1;
    let points = samples.min(u64::from(measure.trace_points));
    let hops = hops.sum::<f64>();
    Cost {
        packets: packets.iter().sum(),
        hops,
        seconds: hops * NANOSECONDS_PER_HOP * 1e-9,
        most_trace_bytes: (traces.sum::<usize>() as u64)
            .saturating_mul(points)
            .saturating_mul(BYTES_PER_POINT),
        most_event_bytes: event_bytes(!measure.events.is_empty(), measure.event_limit as usize),
    }
}
