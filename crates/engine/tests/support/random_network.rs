//! Random networks: every kind of source, service, control, discard policy, recovery and queueing,
//! on lines whose cell times are often whole microseconds, so that many events are simultaneous.

use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::endsystem::{AbrConfig, VsVdConfig};
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::plan::{EventKinds, FlowPlan, MeasurePlan, NodeKind, Plan, SwitchPlan};
use cellrate_engine::tcp::{Recovery, TcpConfig};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::piecewise::{Piece, Pieces};
use cellrate_engine::traffic::rate_trace::RateTraceConfig;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::plans::{Graph, back, cell_time_us};

/// A plan and how long it is worth watching.
#[derive(Debug)]
pub struct Network {
    pub plan: Plan,
    pub end: Ps,
}

/// A flow before its links are known.
#[derive(Clone, Debug)]
struct FlowDraft {
    first_switch: Index,
    /// Choices among the neighbours not visited yet; the route ends where there are none.
    steps: Vec<Index>,
    hosts: (HostDraft, HostDraft),
    way_back: WayBack,
    service: ServiceClass,
    ack_service: ServiceClass,
    source: SourceConfig,
    start: Ps,
    tcp: TcpConfig,
    abr: AbrConfig,
    encapsulation: Encapsulation,
    source_queue: Buffer,
}

impl FlowDraft {
    fn suit_credit(&mut self) {
        (self.service, self.ack_service) = (credited_class(self.service), credited_class(self.ack_service));
    }
}

/// Where an end of a flow is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum HostDraft {
    /// At a host of its own.
    Own,
    /// At the host of the switch, with one link.
    OfSwitch,
    /// At the hub, which has a link to every switch where a flow needs one.
    Hub,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum WayBack {
    Same,
    Shortest,
    None,
}

/// Rates and delays of the links, and for how many cells of the slowest line the network runs.
#[derive(Clone, Debug)]
struct Lines {
    rates: Vec<Rate>,
    delays: Vec<Ps>,
    end: Ps,
}

/// Any network.
pub fn networks() -> impl Strategy<Value = Network> {
    let switches = prop::collection::vec(switch(), 2..=5);
    let chords = prop::collection::vec(any::<(Index, Index)>(), 0..3);
    let flows = prop::collection::vec(flow(), 1..7);
    let links = (prop::option::weighted(0.25, fcvc()), prop::option::weighted(0.3, errors()));
    (switches, chords, lines(), flows, measure(), any::<u64>(), links).prop_map(
        |(mut switches, chords, lines, mut flows, measure, seed, (fcvc, errors))| {
            if fcvc.is_some() {
                switches.iter_mut().for_each(suit_credit);
                flows.iter_mut().for_each(FlowDraft::suit_credit);
            }
            let mut draft = Draft::new(&switches, &chords, &lines);
            let flows = flows.iter().enumerate().map(|(number, flow)| draft.place(number, flow)).collect();
            let plan = draft.graph.plan(flows);
            let errors = errors.unwrap_or_default();
            Network { plan: Plan { seed, measure, fcvc, errors, ..plan }, end: lines.end }
        },
    )
}

/// Networks under credit control alone, on links that lose nothing.
pub fn credited_networks() -> impl Strategy<Value = Network> {
    (networks(), fcvc()).prop_map(|(mut network, fcvc)| {
        for node in &mut network.plan.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                suit_credit(switch);
            }
        }
        for flow in &mut network.plan.flows {
            (flow.service, flow.ack_service) = (credited_class(flow.service), credited_class(flow.ack_service));
        }
        (network.plan.fcvc, network.plan.errors) = (Some(fcvc), LinkErrors::default());
        network
    })
}

fn credited_class(class: ServiceClass) -> ServiceClass {
    if class == ServiceClass::Abr { ServiceClass::Ubr } else { class }
}

/// Takes from a switch what does not go with credit control.
fn suit_credit(switch: &mut SwitchPlan) {
    use ServiceClass::{Cbr, Random, Ubr, Vbr};
    switch.control = ControlConfig::default();
    (switch.discard, switch.vsvd) = (DiscardConfig::default(), None);
    let together = switch.priority.len() < 3;
    let credited = if together { vec![vec![Ubr, Random]] } else { vec![vec![Ubr], vec![Random]] };
    let guaranteed = if together { vec![vec![Cbr, Vbr]] } else { vec![vec![Cbr], vec![Vbr]] };
    // Even without priority over credited channels the guaranteed ones need no credit.
    let last = switch.priority[0].contains(&ServiceClass::Abr);
    switch.priority = if last { [credited, guaranteed].concat() } else { [guaranteed, credited].concat() };
}

fn fcvc() -> impl Strategy<Value = FcvcConfig> {
    let cells = (1..12u64, prop::option::of(1..60u64), 1..=6u32);
    let priority = select(vec!["highest", "below-guaranteed"]);
    let marks = prop::option::of(select(vec!["50 us", "333.333 us", "2 ms"]));
    let adaptive = prop::option::weighted(0.3, (prop::option::of(30..300u64), prop::option::of(2..60u64)));
    (cells, priority, marks, adaptive).prop_map(|((n2, n3, records), priority, marks, adaptive)| {
        let mut value = json!({"n2": format!("{n2} cells"), "records_per_cell": records, "priority": priority});
        if let Some(n3) = n3 {
            value["n3"] = json!(format!("{n3} cells"));
        }
        if let Some(marks) = marks {
            value["mark_interval"] = json!(marks);
        }
        if let Some((memory, window)) = adaptive {
            value["allocation"] = json!("adaptive");
            for (key, cells) in [("memory", memory), ("window", window)] {
                if let Some(cells) = cells {
                    value[key] = json!(format!("{cells} cells"));
                }
            }
        }
        read(value)
    })
}

fn errors() -> impl Strategy<Value = LinkErrors> {
    let cells = select(vec!["all", "data", "credit"]);
    (select(vec![0.0, 0.02, 0.1]), prop::option::of(2..60u64), cells).prop_map(|(ratio, every, cells)| {
        let mut value = json!({"cell_loss_ratio": ratio, "cells": cells});
        if let Some(every) = every {
            value["lose_every"] = json!(every);
        }
        read(value)
    })
}

/// The graph while flows are added to it.
struct Draft<'a> {
    graph: Graph,
    lines: &'a Lines,
    /// Switches that each switch leads to, and by which link.
    neighbours: Vec<Vec<(usize, usize)>>,
    /// The host of each switch that flows may share, with the link that leads to it.
    of_switch: Vec<Option<(usize, usize)>>,
    /// The hub, and the links that lead to it from each switch.
    hub: Option<usize>,
    to_hub: Vec<Option<usize>>,
}

impl<'a> Draft<'a> {
    fn new(switches: &[SwitchPlan], chords: &[(Index, Index)], lines: &'a Lines) -> Draft<'a> {
        let mut graph = Graph::default();
        for (number, settings) in switches.iter().enumerate() {
            graph.switch(&format!("s{number}"), settings.clone());
        }
        let count = switches.len();
        let mut draft = Draft {
            graph,
            lines,
            neighbours: vec![Vec::new(); count],
            of_switch: vec![None; count],
            hub: None,
            to_hub: vec![None; count],
        };
        for next in 1..count {
            draft.join(next - 1, next);
        }
        for (from, to) in chords {
            let (from, to) = (from.index(count), to.index(count));
            if from != to && draft.neighbours[from].iter().all(|(neighbour, _)| *neighbour != to) {
                draft.join(from, to);
            }
        }
        draft
    }

    fn join(&mut self, from: usize, to: usize) {
        let link = self.duplex(from, to);
        self.neighbours[from].push((to, link));
        self.neighbours[to].push((from, link + 1));
    }

    fn duplex(&mut self, from: usize, to: usize) -> usize {
        let pair = self.graph.links.len() / 2;
        let Lines { rates, delays, .. } = self.lines;
        self.graph.duplex(from, to, rates[pair % rates.len()], delays[pair % delays.len()])
    }

    /// A host at `switch` and the link that leads from the switch to it.
    fn host(&mut self, switch: usize, draft: HostDraft) -> (usize, usize) {
        match draft {
            HostDraft::Own => self.new_host(switch),
            HostDraft::OfSwitch => {
                let found = self.of_switch[switch].unwrap_or_else(|| self.new_host(switch));
                *self.of_switch[switch].insert(found)
            }
            HostDraft::Hub => {
                let hub = self.hub.unwrap_or_else(|| self.graph.host("hub"));
                self.hub = Some(hub);
                let link = self.to_hub[switch].unwrap_or_else(|| self.duplex(switch, hub));
                (hub, *self.to_hub[switch].insert(link))
            }
        }
    }

    fn new_host(&mut self, switch: usize) -> (usize, usize) {
        let host = self.graph.host(&format!("h{}", self.graph.nodes.len()));
        (host, self.duplex(switch, host))
    }

    fn walk(&self, flow: &FlowDraft) -> (Vec<usize>, Vec<usize>) {
        let mut visited = vec![flow.first_switch.index(self.neighbours.len())];
        let mut links = Vec::new();
        for step in &flow.steps {
            let open: Vec<_> =
                self.neighbours[visited[visited.len() - 1]].iter().filter(|(to, _)| !visited.contains(to)).collect();
            if open.is_empty() {
                break;
            }
            let (to, link) = *open[step.index(open.len())];
            visited.push(to);
            links.push(link);
        }
        (visited, links)
    }

    /// The shortest way between two switches, by number of links.
    fn shortest(&self, from: usize, to: usize) -> Vec<usize> {
        let mut ways = vec![(from, Vec::new())];
        let mut next = 0;
        while next < ways.len() {
            let (at, links) = ways[next].clone();
            if at == to {
                return links;
            }
            for (neighbour, link) in &self.neighbours[at] {
                if ways.iter().all(|(seen, _)| seen != neighbour) {
                    ways.push((*neighbour, [&links[..], &[*link]].concat()));
                }
            }
            next += 1;
        }
        unreachable!("all switches hang together")
    }

    fn place(&mut self, number: usize, flow: &FlowDraft) -> FlowPlan {
        let (visited, between) = self.walk(flow);
        let (first, last) = (visited[0], visited[visited.len() - 1]);
        let (source, to_source) = self.host(first, flow.hosts.0);
        let found = self.host(last, flow.hosts.1);
        // A flow leads from one host to another.
        let (_, to_destination) = if found.0 == source { self.new_host(last) } else { found };
        let forward = [&[to_source ^ 1], &between[..], &[to_destination]].concat();
        let backward = match flow.way_back {
            WayBack::Same => back(&forward),
            WayBack::Shortest => [&[to_destination ^ 1], &self.shortest(last, first)[..], &[to_source]].concat(),
            WayBack::None => Vec::new(),
        };
        let abr = flow.service == ServiceClass::Abr || flow.ack_service == ServiceClass::Abr;
        let backward = if abr || (flow.source.over_tcp() && backward.is_empty()) { back(&forward) } else { backward };
        FlowPlan {
            name: format!("f{number}"),
            group: "f".into(),
            index: number as u32 + 1,
            service: flow.service,
            ack_service: flow.ack_service,
            forward,
            backward,
            start: flow.start,
            source: flow.source.clone(),
            tcp: flow.tcp.clone(),
            abr: flow.abr.clone(),
            encapsulation: flow.encapsulation,
            source_queue: flow.source_queue,
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// Cell times and delays of a kind of network, in microseconds.
#[derive(Clone, Debug)]
struct Kind {
    cell_times: Vec<u64>,
    delays: Vec<u64>,
}

fn kinds() -> impl Strategy<Value = Kind> {
    let lan = Kind { cell_times: vec![1, 2, 5, 10, 50], delays: vec![1, 2, 3, 10, 100] };
    let wan = Kind { cell_times: vec![100, 200, 300], delays: vec![1_000, 5_000, 20_000] };
    (prop_oneof![Just(lan), Just(wan)], 1..=4u64)
        .prop_map(|(kind, scale)| Kind { cell_times: kind.cell_times.iter().map(|us| us * scale).collect(), ..kind })
}

/// A local network of fast lines, or a wide one of slow lines; each for some hundred cells of its
/// slowest line.
fn lines() -> impl Strategy<Value = Lines> {
    kinds().prop_flat_map(|Kind { cell_times, delays }| {
        let (fastest, slowest) = (cell_times[0], cell_times[cell_times.len() - 1]);
        let odd = [155_520_000_000, 149_760_000_000, 25_600_000_001].map(|rate| Rate(rate / fastest));
        let even: Vec<Rate> = cell_times.iter().map(|us| cell_time_us(*us)).collect();
        let rate = prop_oneof![5 => Just(even[0]), 3 => select(even), 2 => select(odd.to_vec())];
        let delay = prop_oneof![select(delays).prop_map(Ps::from_us), (1_000_000..10_000_000u64).prop_map(Ps)];
        let end = (100..400u64, 0..1_000_000u64).prop_map(move |(cells, odd)| Ps(Ps::from_us(slowest * cells).0 + odd));
        (prop::collection::vec(rate, 1..8), prop::collection::vec(delay, 1..8), end)
            .prop_map(|(rates, delays, end)| Lines { rates, delays, end })
    })
}

fn measure() -> impl Strategy<Value = MeasurePlan> {
    (any::<bool>(), select(vec![0, 3, 100_000])).prop_map(|(cell_delay, event_limit)| MeasurePlan {
        cell_delay,
        events: EventKinds { loss: true, timeout: true, retransmission: true, mark: true },
        event_limit,
    })
}

fn switch() -> impl Strategy<Value = SwitchPlan> {
    let buffer = prop_oneof![2 => Just(u64::MAX), 3 => 1..40u64, 2 => 40..400u64];
    let vsvd = prop_oneof![3 => Just(None), 1 => vsvd().prop_map(Some)];
    (buffer, priority(), control(), discard(), vsvd).prop_map(|(buffer, priority, control, discard, vsvd)| SwitchPlan {
        buffer: Buffer(buffer),
        priority,
        control,
        discard,
        vsvd,
    })
}

fn vsvd() -> impl Strategy<Value = VsVdConfig> {
    let coupling =
        select(vec![("previous-loop", "vc-queues"), ("measured", "class-queue"), ("next-loop", "class-queue")]);
    let update = select(vec!["turn-round", "backward", "both"]);
    (coupling, update, any::<bool>()).prop_map(|((vc_rate, input), update, limit_source)| {
        read(json!({"vc_rate": vc_rate, "input": input, "update": update, "limit_source": limit_source}))
    })
}

fn priority() -> impl Strategy<Value = Vec<Vec<ServiceClass>>> {
    use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
    let queues: Vec<Vec<Vec<ServiceClass>>> = vec![
        vec![vec![Cbr, Vbr, Abr, Ubr, Random]],
        vec![vec![Cbr, Vbr], vec![Abr, Ubr, Random]],
        vec![vec![Cbr], vec![Vbr], vec![Abr], vec![Ubr], vec![Random]],
        vec![vec![Abr], vec![Ubr, Cbr]],
        vec![vec![Cbr, Abr], vec![Ubr, Random, Vbr]],
    ];
    select(queues)
}

fn control() -> impl Strategy<Value = ControlConfig> {
    let efci =
        (select(vec!["dequeue", "enqueue"]), 0..30u64, prop::option::of(0..30u64)).prop_map(|(at, high, low)| {
            read(match low {
                None => json!({"scheme": "efci", "threshold": format!("{high} cells"), "mark_at": at}),
                Some(low) => json!({
                    "scheme": "efci", "mark_at": at,
                    "high": format!("{} cells", high.max(low)), "low": format!("{} cells", high.min(low)),
                }),
            })
        });
    prop_oneof![
        1 => Just(ControlConfig::default()),
        2 => efci,
        3 => erica(),
        3 => relative_rate(),
        3 => explicit_rate(),
    ]
}

fn relative_rate() -> impl Strategy<Value = ControlConfig> {
    let laws = vec![
        json!({"scheme": "rrm-p"}),
        json!({"scheme": "rrm-pd"}),
        json!({"scheme": "rrm-pd-plus", "beta": "1 cell"}),
        json!({"scheme": "rrm-pid", "alpha": 0.2}),
    ];
    (select(laws), 1..40u64, 0..20u64, 0..20u64).prop_map(|(mut law, sampling, low, above)| {
        law["sampling"] = json!(format!("{sampling} cells"));
        law["low"] = json!(format!("{low} cells"));
        law["high"] = json!(format!("{} cells", low + above));
        read(law)
    })
}

fn explicit_rate() -> impl Strategy<Value = ControlConfig> {
    let timed = vec![
        json!({"scheme": "fmmra", "qt": "2 cells", "dqt": "5 cells"}),
        json!({"scheme": "fmmra", "interval_cells": "7 cells", "er_max_floor": "explicit-rate", "record_forward": false}),
        json!({"scheme": "fmmra", "mark_forward": false}),
        json!({"scheme": "charny"}),
        json!({"scheme": "osu", "fairness": "basic"}),
        json!({"scheme": "osu", "fairness": "precise"}),
        json!({"scheme": "capc", "threshold": "3 cells"}),
        json!({"scheme": "phantom"}),
    ];
    let timed =
        (select(timed), select(vec!["100 us", "333.333 us", "1 ms", "5 ms"])).prop_map(|(mut scheme, interval)| {
            scheme["interval"] = json!(interval);
            read(scheme)
        });
    let eprca = (select(vec!["explicit-rate", "binary"]), 0..10u64).prop_map(|(marking, qt)| {
        let (qt, dqt) = (format!("{qt} cells"), format!("{} cells", 2 * qt));
        read(json!({"scheme": "eprca", "marking": marking, "qt": qt, "dqt": dqt}))
    });
    let smith = (1..60u64, select(vec!["100 us", "1 ms", "10 ms"])).prop_map(|(set_point, time_constant)| {
        let set_point = format!("{set_point} cells");
        read(json!({"scheme": "smith-predictor", "set_point": set_point, "time_constant": time_constant}))
    });
    prop_oneof![3 => timed, 1 => eprca, 1 => smith]
}

fn erica() -> impl Strategy<Value = ControlConfig> {
    let interval = (select(vec!["100 us", "333.333 us", "1 ms", "5 ms"]), select(vec![1, 7, 30, 100]));
    let averaging = (select(vec!["none", "load-factor", "components"]), any::<bool>(), any::<bool>());
    let flags = any::<[bool; 6]>();
    let functions = vec!["hyperbolic", "linear", "step", "hysteresis"];
    let queue_control = prop::option::of((select(vec!["10 us", "500 us", "5 ms"]), select(functions)));
    (interval, averaging, flags, queue_control, 0.5..1.0).prop_map(
        |(interval, averaging, flags, queue_control, target)| {
            let mut value = json!({
                "scheme": "erica",
                "interval": interval.0,
                "interval_cells": format!("{} cells", interval.1),
                "load_averaging": averaging.0,
                "reset_on_zero": averaging.1,
                "average_sources": averaging.2,
                "max_alloc": flags[0],
                "clip_to_fair_share": flags[1],
                "immediate_fair_share": flags[2],
                "per_vc_ccr": flags[3],
                "bidirectional_counting": flags[4],
                "zero_input_policy": if flags[5] { "fair-share" } else { "zero-load" },
            });
            match queue_control {
                Some((delay, function)) => {
                    value["queue_control"] = json!({"target_delay": delay, "function": function});
                }
                None => value["target_utilisation"] = json!(target),
            }
            read(value)
        },
    )
}

fn discard() -> impl Strategy<Value = DiscardConfig> {
    prop_oneof![
        Just(json!({"policy": "tail-drop"})),
        any::<bool>().prop_map(|end| json!({"policy": "ppd", "forward_end": end})),
        (any::<bool>(), 0..30u64).prop_map(|(end, threshold)| json!({
            "policy": "epd", "forward_end": end, "threshold": format!("{threshold} cells")
        })),
        Just(json!({"policy": "epd"})),
        (select(vec!["selective-drop", "fair-buffer-allocation"]), 0..30u64, 0.1..1.5).prop_map(
            |(policy, threshold, z)| { json!({"policy": policy, "threshold": format!("{threshold} cells"), "z": z}) }
        ),
        (0..6u64).prop_map(|margin| json!({"policy": "intelligent-tail-drop", "margin": format!("{margin} cells")})),
    ]
    .prop_map(read)
}

fn services() -> impl Strategy<Value = (ServiceClass, ServiceClass)> {
    let any_class = || select(ServiceClass::ALL.to_vec());
    prop_oneof![
        3 => Just((ServiceClass::Abr, ServiceClass::Abr)),
        3 => any_class().prop_map(|class| (class, class)),
        1 => (any_class(), any_class()),
    ]
}

fn source() -> impl Strategy<Value = SourceConfig> {
    prop_oneof![24 => generated(), 2 => played()]
}

fn generated() -> impl Strategy<Value = SourceConfig> {
    let rate = || select(vec!["42.4 Mbit/s", "21.2 Mbit/s", "4.24 Mbit/s", "1 Mbit/s", "155.52 Mbit/s", "7.77 Mbit/s"]);
    prop_oneof![
        4 => Just(json!({"kind": "greedy"})),
        2 => (1..60_000u64).prop_map(|size| json!({"kind": "transfer", "size": format!("{size} bytes")})),
        2 => rate().prop_map(|rate| json!({"kind": "cbr", "rate": rate})),
        2 => (rate(), select(vec!["100 us", "1 ms", "7.3 ms"]), 0.05..1.0).prop_map(|(peak, period, duty)| json!({
            "kind": "on-off", "peak": peak, "period": period, "duty_cycle": duty
        })),
        2 => rate().prop_map(|rate| json!({"kind": "poisson", "rate": rate})),
        1 => rate().prop_map(|peak| json!({"kind": "exponential-on-off", "peak": peak, "mean_on": "300 us", "mean_off": "500 us"})),
        1 => (1..20u32, 1.01..9.0).prop_map(|(sources, burstiness)| json!({
            "kind": "mmdp", "sources": sources, "peak": "4.24 Mbit/s", "mean_on": "400 us", "burstiness": burstiness
        })),
        2 => video(),
        2 => (1..9_000u64, rate(), any::<bool>()).prop_map(|(length, rate, peak)| {
            let mut source = json!({"kind": "messages", "mean_length": format!("{length} bytes"), "mean_rate": rate});
            if peak {
                source["peak_rate"] = json!("200 Mbit/s");
            }
            source
        }),
        2 => (1..5_000u64, 1.0..6.0, any::<bool>(), any::<bool>()).prop_map(|(think, objects, pipelined, pareto)| {
            let mut source = json!({
                "kind": "www", "think_time": format!("{think} us"), "objects": objects, "pipelined": pipelined,
                "server_time": if pareto { "0 s" } else { "70 us" },
            });
            if pareto {
                (source["pareto_shape"], source["smallest"]) = (json!(1.1), json!("40 bytes"));
            }
            source
        }),
        2 => Just(json!({"kind": "persistent"})),
    ]
    .prop_map(read)
}

/// The rates of a file, played in any way.
fn played() -> impl Strategy<Value = SourceConfig> {
    let piece = (1..2_000_000_000u64, select(vec![0, 1_000_000, 7_770_000, 42_400_000]));
    let pieces = prop::collection::vec(piece, 1..9);
    (pieces, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(pieces, repeat, anywhere, bucket)| {
        let piece = |(lasts, bps)| Piece { lasts: Ps(lasts), rate: Rate::from_bps(bps) };
        // Something is sent in the end, or a repeated list has no end.
        let pieces = pieces.into_iter().chain([(500_000_000, 4_240_000)]).map(piece).collect();
        let peak = bucket.then(|| json!("30 Mbit/s"));
        let mut source: RateTraceConfig = read(json!({
            "file": "rates.csv", "repeat": repeat, "random_phase": repeat && anywhere, "peak": peak
        }));
        source.content = Some(Pieces::new(pieces));
        SourceConfig::RateTrace(source)
    })
}

/// Video with clock references so close that many pieces are played.
fn video() -> impl Strategy<Value = Value> {
    let bound = select(vec!["discard", "truncate", "truncate-and-carry", "exponential"]);
    let interval = select(vec!["10 us", "100 us", "1 ms"]);
    (1..5u32, bound, interval, any::<bool>()).prop_map(|(sources, bound, interval, packets)| {
        json!({
            "kind": "mpeg2", "sources": sources, "mean": "4 Mbit/s", "standard_deviation": "4 Mbit/s", "bound": bound,
            "interval_low": interval, "interval_high": "1 ms", "block": 256,
            "rates": if packets { "transport-packets" } else { "cells" },
        })
    })
}

fn host() -> impl Strategy<Value = HostDraft> {
    select(vec![HostDraft::Own, HostDraft::OfSwitch, HostDraft::Hub])
}

fn flow() -> impl Strategy<Value = FlowDraft> {
    let route = (any::<Index>(), prop::collection::vec(any::<Index>(), 0..5), (host(), host()));
    let way_back = select(vec![WayBack::Same, WayBack::Shortest, WayBack::None]);
    let start = prop_oneof![3 => Just(Ps::ZERO), 1 => (0..100u64).prop_map(Ps::from_us), 1 => (0..10_000_000_000u64).prop_map(Ps)];
    let encapsulation = prop_oneof![Just(Encapsulation::LlcSnap), Just(Encapsulation::VcMux)];
    let queue = prop_oneof![3 => Just(Buffer::INFINITE), 1 => (1..300u64).prop_map(Buffer)];
    (route, way_back, services(), source(), start, tcp(), abr(), encapsulation, queue).prop_map(
        |((first_switch, steps, hosts), way_back, services, source, start, tcp, abr, encapsulation, source_queue)| {
            FlowDraft {
                first_switch,
                steps,
                hosts,
                way_back,
                service: services.0,
                ack_service: services.1,
                source,
                start,
                tcp,
                abr,
                encapsulation,
                source_queue,
            }
        },
    )
}

fn tcp() -> impl Strategy<Value = TcpConfig> {
    let recovery = select(Recovery::ALL).prop_map(|recovery| recovery.name());
    let sizes = (select(vec![1u64, 48, 512, 1_460, 9_140]), 1..40u64, 1..5u32, prop::option::of(1..20u64));
    let times = (
        select(vec!["100 us", "1 ms", "10 ms"]),
        select(vec!["1 ms", "5 ms", "50 ms"]),
        select(vec!["200 us", "2 ms"]),
    );
    let processing = select(vec![("0 s", "0 s"), ("0 s", "0 s"), ("300 us", "0 s"), ("100 us", "200 us")]);
    let flags = any::<[bool; 5]>();
    (recovery, sizes, times, processing, flags).prop_map(|(recovery, sizes, times, processing, flags)| {
        let (mss, segments, initial_window, ssthresh) = sizes;
        let mut value = json!({
            "recovery": recovery,
            "mss": format!("{mss} bytes"),
            "window": format!("{} bytes", mss * segments + mss / 3),
            "initial_window": initial_window,
            "granularity": times.0,
            "initial_rto": times.1,
            "min_rto": times.2,
            "max_rto": "100 ms",
            "delayed_ack": flags[0],
            "delayed_ack_interval": "2 ms",
            "idle_restart": flags[1],
            "processing_time": processing.0,
            "processing_variation": processing.1,
            "restore_snd_nxt": flags[2],
            "net3_increment": flags[3],
            "rtt_excludes_transmission": flags[4],
        });
        if let Some(segments) = ssthresh {
            value["initial_ssthresh"] = json!(format!("{} bytes", segments * mss));
        }
        let config: TcpConfig = read(value);
        config.validate().expect("a possible connection");
        config
    })
}

fn abr() -> impl Strategy<Value = AbrConfig> {
    let share = prop::option::of(select(vec![0.01, 0.1, 0.5, 1.0]));
    let factors =
        (0..9u32, 0..9u32, 0..7u32).prop_map(|(rif, rdf, cdf)| [rif, rdf, cdf].map(|n| 0.5f64.powi(n as i32)));
    let counts = (
        select(vec![2u32, 8, 32]),
        select(vec![None, Some(1u32), Some(4)]),
        select(vec!["100 ms", "3.125 ms", "0.78125 ms"]),
    );
    let out_of_rate = select(vec!["below-tcr", "only-at-zero", "never"]);
    let rates = (
        share.clone(),
        share,
        select(vec!["4.24 kbit/s", "1 Mbit/s"]),
        prop::option::of(select(vec!["10 kbit/s", "1 Mbit/s"])),
    );
    let adtf = select(vec!["1 ms", "10 ms", "500 ms"]);
    let rules = prop_oneof![
        4 => Just(None),
        1 => (select(vec!["prca", "eprca"]), select(vec!["10 kbit/s", "1 Mbit/s"]), 1..8u32).prop_map(Some),
    ];
    (factors, counts, out_of_rate, rates, adtf, rules, any::<[bool; 6]>()).prop_map(
        |([rif, rdf, cdf], (nrm, crm, trm), out_of_rate, (icr, mcr, tcr, unused), adtf, rules, flags)| {
            let pcr = 20e6;
            let bits = |share: f64| format!("{} bit/s", (pcr * share) as u64);
            let mut value = json!({
                "rif": rif, "rdf": rdf, "cdf": cdf, "nrm": nrm, "trm": trm, "out_of_rate": out_of_rate,
                "tcr": tcr, "adtf": adtf,
                "apply_tbe_icr_cap": flags[0], "frm_needs_data": flags[1], "quantise_rates": flags[2],
                "reset_saved_efci": flags[3],
                "er_below_mcr": if flags[4] { "clamp" } else { "ignore" },
            });
            if let Some((rules, air, mdf)) = rules {
                (value["rules"], value["air"], value["mdf"]) = (json!(rules), json!(air), json!(mdf));
                if mdf % 2 == 0 {
                    value["compensation"] = json!("counted");
                }
            }
            if let Some(crm) = crm {
                value["crm"] = json!(crm);
            }
            if let Some(unused) = unused {
                value["use_it_or_lose_it"] = json!(unused);
            }
            if flags[5] {
                value["pcr"] = json!(bits(1.0));
                let icr = icr.unwrap_or(1.0);
                value["icr"] = json!(bits(icr));
                if let Some(mcr) = mcr {
                    value["mcr"] = json!(bits(mcr.min(icr) * 0.2));
                }
            }
            read(value)
        },
    )
}
