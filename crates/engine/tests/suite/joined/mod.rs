//! Networks of both link layers: by hand, against the plain engines, and against networks of one link layer.

mod random;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan as cells;
use cellrate_engine::atm::server::EagerServer;
use cellrate_engine::ether;
use cellrate_engine::ether::frame::Framing;
use cellrate_engine::ether::plan as frames;
use cellrate_engine::joined::{
    FlowPlan, Joined, JoinedPlan, JoinedReport, Layer, LinkPlan, NodeKind, NodePlan, RouterPlan,
};
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate, Stream};
use cellrate_engine::net;
use cellrate_engine::tcp::{Recovery, TcpConfig};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::transfer::TransferConfig;
use serde_json::json;

const GBPS: u64 = 1_000_000_000;
const NS: u64 = 1_000;
const US: u64 = 1_000 * NS;

/// A plan while nodes and links are added to it.
struct Draft(JoinedPlan);

impl Draft {
    fn new(seed: u64) -> Draft {
        Draft(JoinedPlan {
            seed,
            framing: Framing::default(),
            fcvc: None,
            errors: LinkErrors::default(),
            measure: cells::MeasurePlan::default(),
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
        })
    }
    fn node(&mut self, name: &str, kind: NodeKind) -> usize {
        self.0.nodes.push(NodePlan {
            name: name.into(),
            kind,
        });
        self.0.nodes.len() - 1
    }
    fn host(&mut self, name: &str) -> usize {
        self.node(name, NodeKind::Host)
    }
    fn atm_switch(&mut self, name: &str) -> usize {
        let switch = cells::SwitchPlan::new(Buffer::INFINITE);
        self.node(name, NodeKind::AtmSwitch(Box::new(switch)))
    }
    fn ethernet_switch(&mut self, name: &str) -> usize {
        let switch = frames::SwitchPlan::new(u64::MAX);
        self.node(name, NodeKind::EthernetSwitch(Box::new(switch)))
    }
    fn router(&mut self, name: &str, forwarding_delay: Ps, ports: frames::SwitchPlan) -> usize {
        let router = RouterPlan {
            forwarding_delay,
            ports,
        };
        self.node(name, NodeKind::Router(Box::new(router)))
    }
    /// Adds two links between two nodes, one in each direction.
    fn duplex(&mut self, layer: Layer, (from, to): (usize, usize), rate: Rate, delay: Ps) {
        for (from, to) in [(from, to), (to, from)] {
            let name = format!("{}->{}", self.0.nodes[from].name, self.0.nodes[to].name);
            let line = net::LinkPlan {
                name,
                from,
                to,
                rate,
                delay,
                errors: None,
            };
            self.0.links.push(LinkPlan { layer, line });
        }
    }
    /// The path with the fewest links, the first found of several.
    fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let mut paths: Vec<Option<Vec<usize>>> = vec![None; self.0.nodes.len()];
        paths[from] = Some(Vec::new());
        let mut open = std::collections::VecDeque::from([from]);
        while let Some(node) = open.pop_front() {
            if node != from && matches!(self.0.nodes[node].kind, NodeKind::Host) {
                continue;
            }
            for (number, link) in self.0.links.iter().enumerate() {
                if link.line.from == node && paths[link.line.to].is_none() {
                    let mut path = paths[node].clone().unwrap();
                    path.push(number);
                    paths[link.line.to] = Some(path);
                    open.push_back(link.line.to);
                }
            }
        }
        paths[to].take().expect("a connected network")
    }
    /// Adds a flow between two hosts.
    fn flow(&mut self, name: &str, (from, to): (usize, usize), bytes: u64, tcp: TcpConfig) {
        let source = SourceConfig::Transfer(TransferConfig { size: Bytes(bytes) });
        let channel = cells::FlowPlan {
            backward: self.path(to, from),
            tcp,
            ..cells::FlowPlan::new(name, ServiceClass::Ubr, source, self.path(from, to))
        };
        self.0.flows.push(FlowPlan {
            channel,
            priority: 0,
            datagram: 1_472,
            rates: None,
        });
    }
}

fn nanoseconds(seconds: Option<f64>) -> u64 {
    (seconds.unwrap() * 1e9).round() as u64
}

fn run(plan: &JoinedPlan, end: Ps) -> JoinedReport {
    let mut joined: Joined = Joined::new(plan).unwrap();
    joined.measure(Ps::ZERO, end, end)
}

/// Segments of 1,000 bytes, one at a time.
fn one_at_a_time() -> TcpConfig {
    TcpConfig {
        mss: Bytes(1_000),
        window: Bytes(1_000),
        ..TcpConfig::default()
    }
}

/// Host `e` - 1 Gbit/s - switch `f` - 1 Gbit/s - router `r` - switch `s` - host `a`; a cell takes 1 us, and every
/// link is 1 us long. The flow leads from `e` to `a`, or `returns`.
fn chain(returns: bool) -> Draft {
    let mut draft = Draft::new(1);
    let (e, f) = (draft.host("e"), draft.ethernet_switch("f"));
    let r = draft.router("r", Ps::from_us(10), frames::SwitchPlan::new(u64::MAX));
    let (s, a) = (draft.atm_switch("s"), draft.host("a"));
    let (gigabit, cell_us) = (Rate::from_bps(GBPS), Rate::from_bps(424_000_000));
    for ends in [(e, f), (f, r)] {
        draft.duplex(Layer::Ethernet, ends, gigabit, Ps::from_us(1));
    }
    for ends in [(r, s), (s, a)] {
        draft.duplex(Layer::Atm, ends, cell_us, Ps::from_us(1));
    }
    let ends = if returns { (a, e) } else { (e, a) };
    draft.flow("one", ends, 5_000, one_at_a_time());
    draft
}

/// A frame with 1,000 + 40 bytes takes (8 + 1,058) x 8 ns and 1 us on each of two links, the router 10 us, the 22
/// cells of 1,056 bytes 22 us, and each of two links 1 us, the switch another 1 us for the last: 54.056 us.
/// The answer of 40 bytes is two cells, 2 + 1 + 1 + 1 us, then 10 us, then twice the shortest frame of
/// (8 + 64) x 8 ns and 1 us: 18.152 us. The other way is as long: 22 + 3 us, 10 us, 19.056 us.
#[test]
fn a_segment_and_its_answer_take_the_time_of_their_frames_and_cells() {
    for returns in [false, true] {
        let report = run(&chain(returns).0, Ps::from_ms(1));
        let flow = &report.whole.flows[0];
        assert_eq!(nanoseconds(flow.packet_delay_mean_seconds), 54_056);
        let all = Ps(5 * (54_056 + 18_152) * NS);
        assert_eq!(flow.completion_seconds, Some(all.as_secs_f64()));
        assert_eq!((flow.packets_sent, flow.packets_delivered), (5, 5));
        assert_eq!((flow.delivered_bytes, flow.acked_bytes), (5_000, 5_000));
        let totals = &report.whole.totals;
        assert_eq!((totals.packets_sent, totals.packets_delivered), (10, 10));
        // 5 times 22 and 2 cells over two links.
        assert_eq!(report.atm.cell_hops, 5 * 24 * 2);
    }
}

/// Two routers with the same switch of ATM between them: 54.056 us to the second router's queue as to host `a`
/// before, then 10 us and 2 links of 8.528 and 1 us. Answers take 3.152, 10, 5, 10 and 3.152 us.
#[test]
fn a_flow_may_cross_one_router_into_atm_and_another_out_of_it() {
    let mut draft = Draft::new(1);
    let (gigabit, cell_us) = (Rate::from_bps(GBPS), Rate::from_bps(424_000_000));
    let s = draft.atm_switch("s");
    let hosts = ["1", "2"].map(|number| {
        let host = draft.host(&format!("e{number}"));
        let switch = draft.ethernet_switch(&format!("f{number}"));
        let plain = frames::SwitchPlan::new(u64::MAX);
        let router = draft.router(&format!("r{number}"), Ps::from_us(10), plain);
        for ends in [(host, switch), (switch, router)] {
            draft.duplex(Layer::Ethernet, ends, gigabit, Ps::from_us(1));
        }
        draft.duplex(Layer::Atm, (router, s), cell_us, Ps::from_us(1));
        host
    });
    draft.flow("one", (hosts[0], hosts[1]), 3_000, one_at_a_time());
    let report = run(&draft.0, Ps::from_ms(1));
    let flow = &report.whole.flows[0];
    let (there, back) = (
        54_056 + 10_000 + 19_056,
        3_152 + 10_000 + 5_000 + 10_000 + 3_152,
    );
    assert_eq!(nanoseconds(flow.packet_delay_mean_seconds), there);
    let all = Ps(3 * (there + back) * NS);
    assert_eq!(flow.completion_seconds, Some(all.as_secs_f64()));
    assert_eq!(flow.router_queue_max_cells, Some(22));
}

/// The queue of a virtual channel at a router, with room for two segments of 22 cells, loses the rest of a window
/// of ten that comes at 1 Gbit/s; the balance of bytes in the report counts this loss.
#[test]
fn a_router_loses_what_the_queue_of_its_channel_has_no_room_for() {
    let mut draft = chain(false);
    let channel = &mut draft.0.flows[0].channel;
    (channel.tcp.window, channel.tcp.initial_window) = (Bytes(10_000), 10);
    channel.source = SourceConfig::Transfer(TransferConfig {
        size: Bytes(10_000),
    });
    channel.source_queue = Buffer(44);
    let report = run(&draft.0, Ps::from_s(20));
    let flow = &report.whole.flows[0];
    assert!(flow.packets_dropped > 0 && flow.completion_seconds.is_some());
    assert_eq!(flow.router_queue_max_cells, Some(44));
    let balance = flow.balance.unwrap();
    assert_eq!(balance.dropped_bytes, 1_000 * flow.packets_dropped);
    assert_eq!(balance.delivered_bytes, 10_000);
}

/// A port of 100 Mbit/s behind a line of 1 Gbit/s marks what waits. The marks cross ATM, DCTCP's receiver there
/// echoes them, and the sender reduces its window.
#[test]
fn a_mark_crosses_the_part_over_atm() {
    let window = |aqm: &str| {
        let mut draft = chain(false);
        draft.0.links[2].line.rate = Rate::from_bps(GBPS / 10);
        let NodeKind::EthernetSwitch(switch) = &mut draft.0.nodes[1].kind else {
            unreachable!()
        };
        switch.aqm = serde_json::from_value(json!({ "algorithm": aqm })).unwrap();
        let channel = &mut draft.0.flows[0].channel;
        channel.source = SourceConfig::Greedy(Default::default());
        channel.tcp = TcpConfig {
            recovery: Recovery::Dctcp(Default::default()),
            mss: Bytes(1_000),
            window: Bytes(1_000_000),
            initial_window: 100,
            ..TcpConfig::default()
        };
        let mut joined: Joined = Joined::new(&draft.0).unwrap();
        joined.run_until(Ps::from_ms(100));
        joined.ethernet().tcp_window(0).unwrap().0
    };
    assert!(2 * window("threshold") < window("none"));
}

#[test]
fn a_plan_that_cannot_be_joined_is_refused_with_the_reason() {
    let fault = |change: fn(&mut JoinedPlan)| {
        let mut plan = chain(false).0;
        change(&mut plan);
        Joined::<EagerServer>::new(&plan).err().expect("a fault")
    };
    let wrong_layer = fault(|plan| plan.links[0].layer = Layer::Atm);
    assert_eq!(
        wrong_layer,
        "link e->f joins nodes of different link layers: only a router has links of both"
    );
    let no_delay = fault(|plan| {
        if let NodeKind::Router(router) = &mut plan.nodes[2].kind {
            router.forwarding_delay = Ps::ZERO;
        }
    });
    assert_eq!(
        no_delay,
        "router r: `forwarding_delay` is 0 s; allowed: above 0 s"
    );
    let no_router = fault(|plan| plan.nodes[2].kind = NodeKind::Host);
    assert_eq!(
        no_router,
        "flow one changes its link layer at r, which is no router"
    );
    let one_way = fault(|plan| plan.flows[0].channel.backward.clear());
    assert_eq!(
        one_way,
        "flow one: the way back does not cross the same routers over the same link layers"
    );
    let at_router = fault(|plan| {
        plan.flows[0].channel.forward.truncate(2);
    });
    assert_eq!(at_router, "flow one ends at a router");
    let datagrams = fault(|plan| {
        plan.flows[0].channel.source = SourceConfig::Persistent(Default::default());
    });
    assert_eq!(
        datagrams,
        "flow one crosses a router, which only flows over TCP can"
    );
}

/// The graph over Ethernet alone in which every router is a switch, and every link to it longer by its forwarding
/// delay: frames reach its ports at the same times.
fn with_switches_for_routers(plan: &JoinedPlan) -> frames::Plan {
    let delay = |node: usize| match &plan.nodes[node].kind {
        NodeKind::Router(router) => router.forwarding_delay,
        _ => Ps::ZERO,
    };
    let node = |node: &NodePlan| frames::NodePlan {
        name: node.name.clone(),
        switch: match &node.kind {
            NodeKind::EthernetSwitch(switch) => Some((**switch).clone()),
            NodeKind::Router(router) => Some(router.ports.clone()),
            _ => None,
        },
    };
    let link = |LinkPlan { line, .. }: &LinkPlan| net::LinkPlan {
        delay: line.delay + delay(line.to),
        ..line.clone()
    };
    let flow = |flow: &FlowPlan| {
        let channel = flow.channel.clone();
        frames::FlowPlan {
            tcp: channel.tcp,
            start: channel.start,
            ..frames::FlowPlan::new(
                &channel.name,
                channel.source,
                channel.forward,
                channel.backward,
            )
        }
    };
    frames::Plan {
        seed: plan.seed,
        framing: plan.framing,
        fcvc: None,
        pfc: None,
        cbfc: None,
        llr: None,
        changes: Vec::new(),
        port_controls: Vec::new(),
        nodes: plan.nodes.iter().map(node).collect(),
        links: plan.links.iter().map(link).collect(),
        flows: plan.flows.iter().map(flow).collect(),
    }
}

/// Networks over Ethernet alone, whose routers are switches with a delay. Delays are odd numbers of picoseconds, so
/// that no frames meet, whose order is drawn by different names.
#[test]
fn routers_between_links_of_ethernet_equal_switches_behind_longer_links() {
    let mut stream = Stream::new(1, "joined", "routers of Ethernet");
    let (mut crossed, mut dropped) = (0, 0);
    for case in 0..60 {
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let mut draft = Draft::new(case);
        let mut inner = Vec::new();
        for number in 0..2 + below(3) {
            let buffer = [20_000, 100_000, u64::MAX][below(3) as usize];
            let mut ports = frames::SwitchPlan::new(buffer);
            if below(2) == 0 {
                let name = ["red", "codel", "threshold", "pie"][below(4) as usize];
                ports.aqm = serde_json::from_value(json!({ "algorithm": name })).unwrap();
            }
            let name = format!("n{number}");
            inner.push(if below(2) == 0 {
                draft.router(&name, Ps(1 + below(20 * US)), ports)
            } else {
                draft.node(&name, NodeKind::EthernetSwitch(Box::new(ports)))
            });
        }
        let rates = [1, 10].map(|gbps| Rate::from_bps(gbps * GBPS));
        let mut join = |draft: &mut Draft, from: usize, to: usize| {
            let (rate, delay) = (rates[below(2) as usize], Ps(1 + below(5 * US)));
            draft.duplex(Layer::Ethernet, (from, to), rate, delay);
        };
        for pair in inner.windows(2) {
            join(&mut draft, pair[0], pair[1]);
        }
        let mut hosts = Vec::new();
        for (number, node) in inner.iter().cycle().take(5).enumerate() {
            hosts.push(draft.host(&format!("h{number}")));
            join(&mut draft, hosts[number], *node);
        }
        for number in 0..5usize {
            let ends = (hosts[number], hosts[(number + 1 + below(4) as usize) % 5]);
            let dctcp = Recovery::Dctcp(Default::default());
            let tcp = TcpConfig {
                recovery: [Recovery::NewReno, Recovery::Sack, dctcp][below(3) as usize].clone(),
                mss: Bytes(1_000 + below(460)),
                window: Bytes(200_000),
                min_rto: Ps::from_us(200),
                initial_rto: Ps::from_us(400),
                granularity: Ps::from_us(10),
                connection_setup: below(2) == 0,
                ..TcpConfig::default()
            };
            draft.flow(&format!("f{number}"), ends, 1 + below(1_000_000), tcp);
            draft.0.flows[number].channel.start = Ps(below(100 * US));
        }
        let end = Ps::from_ms(3);
        let joined = run(&draft.0, end);
        crossed += draft.0.divide().unwrap().crossings.len();
        let single = with_switches_for_routers(&draft.0);
        let single = ether::Simulation::new(single)
            .unwrap()
            .measure(Ps::ZERO, end, end);
        let facts = |report: &ether::Report| format!("{:?} {:?}", report.flows, report.ports);
        assert_eq!(facts(&joined.whole), facts(&single), "case {case}");
        dropped += single.totals.packets_dropped;
    }
    assert!(crossed > 100 && dropped > 100, "{crossed} {dropped}");
}
