//! Whole runs: by hand, against the plain schedule, and against a small simulator of datagrams that
//! shares nothing with the engine.

extern crate std;
mod credit;
mod reports;
mod spraying;

use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::aqm::algorithms;
use super::frame::Framing;
use super::memory::MemoryConfig;
use super::plan::{FlowPlan, NodePlan, Plan, SwitchPlan};
use super::port::Port;
use super::report::Report;
use super::schedule::ScheduleConfig;
use super::schedule::drr::DrrConfig;
use super::simulation::Simulation;
use crate::control::schemes;
use crate::endsystem::AbrConfig;
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Rate, Stream};
use crate::net::LinkPlan;
use crate::tcp::{Recovery, TcpConfig};
use crate::traffic::SourceConfig;
use crate::traffic::cbr::CbrConfig;
use crate::traffic::on_off::OnOffConfig;
use crate::traffic::poisson::PoissonConfig;
use crate::traffic::transfer::TransferConfig;

/// Number of random cases: `few`, or as many as `PROPTEST_CASES` says.
fn cases(few: usize) -> usize {
    let wanted = std::env::var("PROPTEST_CASES").ok();
    wanted.map_or(few, |text| text.parse().expect("a whole number"))
}

const GBPS: u64 = 1_000_000_000;

/// A row of nodes, the first and the last of which are hosts, joined in both directions.
fn row(
    nodes: usize,
    rate: Rate,
    delay: Ps,
    buffer: u64,
    flow: impl Fn(Vec<usize>, Vec<usize>) -> FlowPlan,
) -> Plan {
    let is_switch = |node: usize| node > 0 && node + 1 < nodes;
    let node = |node: usize| NodePlan {
        name: format!("N{node}"),
        switch: is_switch(node).then(|| SwitchPlan::new(buffer)),
    };
    let link = |from: usize, to: usize| LinkPlan {
        name: format!("N{from}->N{to}"),
        from,
        to,
        rate,
        delay,
    };
    let there = (1..nodes).map(|to| link(to - 1, to));
    let back = (1..nodes).rev().map(|from| link(from, from - 1));
    Plan {
        seed: 1,
        framing: Framing::default(),
        fcvc: None,
        nodes: (0..nodes).map(node).collect(),
        links: there.chain(back).collect(),
        flows: Vec::from([flow(
            (0..nodes - 1).collect(),
            (nodes - 1..2 * nodes - 2).collect(),
        )]),
    }
}

fn cbr(rate: Rate) -> SourceConfig {
    SourceConfig::Cbr(CbrConfig { rate })
}

fn transfer(bytes: u64) -> SourceConfig {
    SourceConfig::Transfer(TransferConfig { size: Bytes(bytes) })
}

/// Two flows of six segments each from one host to another, at 1 Gbit/s over 1 us: a frame of 1,518 octets is
/// received after 12,208 ns, the next leaves 12,304 ns later, and its acknowledgement of 64 octets takes 576 ns.
/// The first flow begins with two frames, since the second comes behind its next one; then both alternate, and it
/// ends with the tenth. Bursts of three or six frames alternate instead.
#[test]
fn frames_of_a_burst_leave_back_to_back() {
    for (tso, last) in [(None, [10, 12]), (Some(3), [9, 12]), (Some(6), [6, 12])] {
        let rate = Rate::from_bps(GBPS);
        let mut plan = row(2, rate, Ps::from_us(1), u64::MAX, |there, back| {
            let mut flow = FlowPlan::new("tcp", transfer(6 * 1_460), there, back);
            flow.tcp.mss = Bytes(1_460);
            flow.tcp.initial_window = 6;
            flow.tcp.tso = tso.map(|segments: u64| Bytes(segments * 1_460));
            flow
        });
        plan.flows.push(FlowPlan {
            name: "other".into(),
            index: 2,
            ..plan.flows[0].clone()
        });
        let end = Ps::from_ms(1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let completions = report.flows.iter().map(|flow| flow.completion_seconds);
        let expected = last.map(|frame| {
            let ns = (frame - 1) * 12_304 + 12_208 + 576 + 2_000;
            Some(Ps::from_ns(ns).as_secs_f64())
        });
        assert_eq!(completions.collect::<Vec<_>>(), expected, "{tso:?}");
    }
}

/// One datagram in a frame of 1,518 octets over two links of 100 Gbit/s and 1 us: each takes
/// (8 + 1,518) x 80 ps and 1 us.
#[test]
fn a_datagram_takes_preamble_frame_and_propagation_at_each_link() {
    let slow = cbr(Rate::from_bps(1_000));
    let plan = row(
        3,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, _| FlowPlan::new("one", slow.clone(), there, Vec::new()),
    );
    let report = Simulation::new(plan)
        .unwrap()
        .measure(Ps::ZERO, Ps::from_ms(1), Ps::from_ms(1));
    let flow = &report.flows[0];
    assert_eq!(
        (
            flow.packets_sent,
            flow.packets_delivered,
            flow.delivered_bytes
        ),
        (1, 1, 1_472)
    );
    assert_eq!(flow.packet_delay_mean_seconds, Some(2_244_160.0 * 1e-12));
    // The switch is busy with 1,538 octets of a millisecond, and holds 1,518 of them for that time.
    let busy = 1_538.0 * 80.0 / 1e9;
    let port = &report.ports[0];
    assert!(
        (port.utilisation - busy).abs() < 1e-15,
        "{}",
        port.utilisation
    );
    assert!((port.queues[0].queue_mean_bytes - 1_518.0 * busy).abs() < 1e-9);
    assert_eq!(
        (port.queues[0].queue_max_bytes, report.packet_hops),
        (1_518, 2)
    );
}

/// A segment of 1,448 bytes with time stamps fills a frame of 1,518 octets, its acknowledgement has 20 + 20 + 12
/// in one of 70. Each link of 100 Gbit/s takes 8 octets of preamble and the frame, at 80 ps, and 1 us.
/// Without time stamps the frames have 1,506 and, padded, 64.
#[test]
fn time_stamps_lengthen_every_frame_of_a_connection() {
    for (timestamps, octets) in [(true, 1_518 + 70), (false, 1_506 + 64)] {
        let tcp = TcpConfig {
            mss: Bytes(1_448),
            timestamps,
            ..TcpConfig::default()
        };
        let rate = Rate::from_bps(100 * GBPS);
        let plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, back| FlowPlan {
            tcp: tcp.clone(),
            ..FlowPlan::new("one", transfer(1_448), there, back)
        });
        let end = Ps::from_ms(1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let expected = 2 * ((16 + octets) * 80 + 2_000_000);
        let found = report.flows[0].completion_seconds.unwrap();
        assert!((found - expected as f64 * 1e-12).abs() < 1e-15, "{found}");
    }
}

/// A frame of 1,518 octets behind 8 of preamble lasts 122,080 ps at 100 Gbit/s. The first bit goes over
/// 1 us of fibre from 0 to 1,000,000 ps, the last one from 122,080 to 1,122,080 ps, then the switch sends.
#[test]
fn a_frame_lies_on_a_link_from_its_head_to_its_tail() {
    let slow = cbr(Rate::from_bps(1_000));
    let plan = row(
        3,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, _| FlowPlan::new("one", slow.clone(), there, Vec::new()),
    );
    let mut simulation = Simulation::new(plan).unwrap();
    for (ps, link, head, tail) in [
        (61_040, 0, 0.061_04, 0.0),
        (622_080, 0, 0.622_08, 0.5),
        (1_061_040, 0, 1.0, 0.938_96),
        (1_200_000, 1, 0.077_92, 0.0),
        (1_744_160, 1, 0.622_08, 0.5),
    ] {
        simulation.run_until(Ps(ps));
        let [frame] = simulation.frames().collect::<Vec<_>>()[..] else {
            panic!("one frame at {ps} ps");
        };
        let (at_head, at_tail) = simulation.head_and_tail(&frame).unwrap();
        assert_eq!((frame.link, frame.info.octets()), (link, 1_518));
        assert!(
            (at_head - head).abs() < 1e-9 && (at_tail - tail).abs() < 1e-9,
            "{ps} ps: {at_head} {at_tail}"
        );
    }
    simulation.run_until(Ps(2_244_161));
    assert_eq!(simulation.frames().count(), 0);
}

/// Frames begin every 123,040 ps and arrive 1,122,080 ps later at a port of 10 Gbit/s, which needs
/// 1,230,400 ps for each. At 1,500,000 ps 13 have begun and 4 have arrived: one of these is in service.
#[test]
fn frames_that_wait_are_held_by_the_port_they_wait_for() {
    let always = SourceConfig::Persistent(Default::default());
    let mut plan = row(
        3,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, _| FlowPlan::new("one", always.clone(), there, Vec::new()),
    );
    plan.links[1].rate = Rate::from_bps(10 * GBPS);
    let mut simulation = Simulation::new(plan).unwrap();
    simulation.run_until(Ps(1_500_000));
    let on = |link: usize, waits: bool| {
        let frames = simulation.frames();
        let here = frames.filter(|frame| frame.link == link && frame.arrives.is_none() == waits);
        here.count()
    };
    assert_eq!([on(0, false), on(1, false), on(1, true)], [9, 1, 3]);
    assert_eq!(simulation.received(0), 0);
}

/// 222 segments of 8,960 bytes at once over six links of 100 Gbit/s and 1 us. The last begins after
/// 221 x 9,038 octets of 80 ps; each link takes 9,026 of them for its frame and 1 us, and on the way
/// back 72 for the acknowledgement in the shortest frame: 176.158880 us.
#[test]
fn a_transfer_without_congestion_ends_when_it_must() {
    let tcp = TcpConfig {
        mss: Bytes(8_960),
        window: Bytes(4 << 20),
        initial_window: 300,
        ..TcpConfig::default()
    };
    let plan = row(
        7,
        Rate::from_bps(100 * GBPS),
        Ps::from_us(1),
        u64::MAX,
        |there, back| FlowPlan {
            tcp: tcp.clone(),
            ..FlowPlan::new("one", transfer(222 * 8_960), there, back)
        },
    );
    let report = Simulation::new(plan)
        .unwrap()
        .measure(Ps::ZERO, Ps::from_ms(1), Ps::from_ms(1));
    let ends = 221 * 9_038 * 80 + 6 * (9_026 * 80 + 1_000_000) + 6 * (72 * 80 + 1_000_000);
    assert_eq!(ends, 176_158_880);
    assert_eq!(
        report.flows[0].completion_seconds,
        Some(Ps(ends).as_secs_f64())
    );
    assert_eq!(
        report.totals.completion_p99_seconds,
        report.totals.completion_mean_seconds
    );
}

/// A star of switches with hosts around, random rates, delays, buffers and flows.
fn random_plan(stream: &mut Stream, sources: impl Fn(&mut Stream, Rate) -> SourceConfig) -> Plan {
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let (switches, hosts) = (1 + below(3) as usize, 2 + below(5) as usize);
    let rates = [1, 10, 25, 100].map(|gbps| Rate::from_bps(gbps * GBPS));
    let buffer = [20_000, 200_000, u64::MAX][below(3) as usize];
    let queues = if below(2) == 0 {
        Vec::from([Vec::new()])
    } else {
        Vec::from([Vec::from([1, 7]), Vec::new()])
    };
    let mut nodes = Vec::new();
    let mut links = Vec::new();
    let mut join = |from: usize, to: usize, rate: Rate, delay: Ps| {
        for (from, to) in [(from, to), (to, from)] {
            links.push(LinkPlan {
                name: format!("{from}->{to}"),
                from,
                to,
                rate,
                delay,
            });
        }
    };
    for node in 0..switches + hosts {
        let switch = SwitchPlan {
            queues: queues.clone(),
            ..SwitchPlan::new(buffer)
        };
        nodes.push(NodePlan {
            name: format!("N{node}"),
            switch: (node < switches).then_some(switch),
        });
        if node > 0 {
            // Switches in a row, hosts at any of them.
            let to = if node < switches {
                node - 1
            } else {
                below(switches as u64) as usize
            };
            let rate = rates[below(4) as usize];
            // Whole nanoseconds make arrivals meet; a few picoseconds keep them apart.
            join(
                node,
                to,
                rate,
                Ps(1_000 * below(3_000) + below(2) * below(1_000)),
            );
        }
    }
    let path = |from: usize, to: usize| {
        // Along the tree: up from both ends until the ways meet.
        let mut came: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(node) = open.pop_front() {
            for (number, link) in links
                .iter()
                .enumerate()
                .filter(|(_, link)| link.from == node)
            {
                if link.to != from && !came.contains_key(&link.to) {
                    came.insert(link.to, number);
                    open.push_back(link.to);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            path.push(came[&node]);
            node = links[came[&node]].from;
        }
        path.reverse();
        path
    };
    let flows = (0..1 + below(6)).map(|number| {
        let from = switches + below(hosts as u64) as usize;
        let to = switches + (from - switches + 1 + below(hosts as u64 - 1) as usize) % hosts;
        let dctcp = Recovery::Dctcp(Default::default());
        let recoveries = [Recovery::Tahoe, Recovery::NewReno, Recovery::Sack, dctcp];
        let mut tcp = TcpConfig {
            recovery: recoveries[below(4) as usize].clone(),
            mss: Bytes(400 + below(8_500)),
            window: Bytes(60_000 + below(1_000_000)),
            delayed_ack: below(2) == 0,
            min_rto: Ps::from_us(200),
            initial_rto: Ps::from_us(400),
            granularity: Ps::from_us(10),
            ..TcpConfig::default()
        };
        tcp.connection_setup = below(2) == 0;
        tcp.connection_close = below(2) == 0;
        tcp.pacing = below(4) == 0;
        tcp.tso = (below(4) == 0).then(|| Bytes((2 + below(5)) * tcp.mss.0));
        let (priority, start, datagram) =
            (below(8) as u8, Ps(below(100_000_000)), below(8_900) as u32);
        FlowPlan {
            tcp,
            priority,
            start,
            datagram,
            ..FlowPlan::new(
                &format!("f{number}"),
                cbr(Rate::from_bps(GBPS)),
                path(from, to),
                path(to, from),
            )
        }
    });
    let mut flows: Vec<FlowPlan> = flows.collect();
    for flow in &mut flows {
        let rate = rates[stream.below(Ps(4)).0 as usize];
        flow.source = sources(stream, rate);
    }
    Plan {
        seed: stream.bits(),
        framing: Framing {
            tagged: stream.bits().is_multiple_of(2),
        },
        nodes,
        links,
        flows,
        fcvc: None,
    }
}

fn any_source(stream: &mut Stream, rate: Rate) -> SourceConfig {
    let part = Rate(rate.0 / (2 + stream.below(Ps(5)).0));
    match stream.below(Ps(4)).0 {
        0 => match stream.below(Ps(3)).0 {
            0 => cbr(part),
            1 => SourceConfig::Poisson(PoissonConfig { rate: part }),
            _ => SourceConfig::OnOff(OnOffConfig {
                peak: rate,
                period: Ps::from_us(10 + stream.below(Ps(90)).0),
                duty_cycle: 0.3,
            }),
        },
        1 => SourceConfig::Persistent(Default::default()),
        2 => SourceConfig::Greedy(Default::default()),
        _ => transfer(1 + stream.below(Ps(3_000_000)).0),
    }
}

fn text(report: &Report) -> String {
    format!("{report:?}")
}

/// Gives each switch algorithms, orders of service, shared memories and control schemes at random, and flows
/// rate control.
fn with_any_switch(mut plan: Plan, stream: &mut Stream) -> Plan {
    let quanta = [Bytes(1_500), Bytes(4_000)];
    if stream.bits().is_multiple_of(2) {
        let (priority, icr) = (plan.flows[0].priority, Rate::from_bps(GBPS));
        for flow in &mut plan.flows {
            flow.priority = priority;
            flow.rates = (!stream.bits().is_multiple_of(4)).then(|| AbrConfig {
                icr: Some(icr),
                nrm: 8,
                ..AbrConfig::default()
            });
        }
    }
    for switch in plan
        .nodes
        .iter_mut()
        .filter_map(|node| node.switch.as_mut())
    {
        let names = algorithms();
        let name = names[stream.below(Ps(names.len() as u64)).0 as usize].name;
        switch.aqm = serde_json::from_value(json!({ "algorithm": name })).unwrap();
        let schemes = schemes();
        let scheme = schemes[stream.below(Ps(schemes.len() as u64)).0 as usize].name;
        switch.control = serde_json::from_value(json!({ "scheme": scheme })).unwrap();
        if stream.bits().is_multiple_of(2) {
            let quanta = quanta[..switch.queues.len()].to_vec();
            switch.schedule = ScheduleConfig::DeficitRoundRobin(DrrConfig { quanta });
        }
        switch.memory = (stream.bits().is_multiple_of(2)).then(|| MemoryConfig {
            total: Bytes(100_000 + stream.below(Ps(400_000)).0),
            alpha: [0.25, 1.0, 8.0][stream.below(Ps(3)).0 as usize],
            reserved: Bytes(stream.below(Ps(2_000)).0),
        });
    }
    plan
}

/// The plain simulation has taps on all links, so that its ports serve no frame ahead.
#[test]
fn the_plain_schedule_and_any_division_into_calls_give_the_same() {
    let mut stream = Stream::new(1, "ether", "random networks");
    let (mut dropped, mut marked, mut records, mut ahead) = (0, 0, 0, 0);
    for case in 0..cases(150) {
        let plan = random_plan(&mut stream, any_source);
        let plan = with_any_switch(plan, &mut stream);
        let (from, to) = (Ps::from_us(200), Ps::from_ms(1));
        let fast = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        let mut plain = Simulation::new(plan.clone()).unwrap();
        plain.tap(&(0..plan.links.len()).collect::<Vec<_>>());
        let mut divided = Simulation::new(plan.clone()).unwrap();
        for part in 1..=100u64 {
            let until = Ps(part * to.0 / 100);
            plain.run_plainly(until);
            divided.run_until(until);
            if until == from {
                plain.begin_window();
                divided.begin_window();
            }
            let held = [&plain, &divided].map(|s| s.frames().collect::<Vec<_>>());
            assert!(held[0] == held[1], "case {case} at {until}: {held:#?}");
            ahead += divided.ports().map(Port::waiting_on_link).sum::<usize>();
        }
        plain.end_window();
        divided.end_window();
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        assert_eq!(text(&fast), text(&divided.report()), "case {case}, divided");
        dropped += fast.totals.packets_dropped;
        marked += fast.totals.packets_marked;
        records += fast
            .flows
            .iter()
            .filter_map(|flow| flow.records_sent)
            .sum::<u64>();
    }
    assert!(
        ahead > 10_000,
        "{ahead}: the cases must reach frames served ahead"
    );
    assert!(
        records > 1_000,
        "{records}: the cases must reach records of rates"
    );
    assert!(marked > 50, "{marked}: the cases must reach marks");
    assert!(
        dropped > 10_000,
        "{dropped}: the cases must reach full buffers"
    );
}

/// Datagrams of the plan by a list of events, one frame at a time: arrivals by flow, drops, and the sum
/// of delays. `None` if two frames meet at a port at one instant, since their order is drawn.
fn datagrams(plan: &Plan, end: u64) -> Option<Vec<(u64, u64, u128)>> {
    #[derive(Clone, Copy)]
    struct Sent {
        flow: usize,
        hop: usize,
        born: u64,
    }
    struct Line {
        octet_ps: u64,
        free_at: u64,
        /// Time of the last arrival.
        came: Option<u64>,
        /// By class: frames that wait or are in service, with the end of their stay if it is known.
        stays: [Vec<(u64, u64)>; 2],
        waiting: [VecDeque<Sent>; 2],
    }
    let octets = |flow: usize| {
        let tag = if plan.framing.tagged { 4 } else { 0 };
        (20 + 8 + plan.flows[flow].datagram as u64 + 18 + tag).max(64)
    };
    let mut lines: Vec<Line> = plan
        .links
        .iter()
        .map(|link| Line {
            octet_ps: 8_000_000_000_000_000 / link.rate.0,
            free_at: 0,
            came: None,
            stays: Default::default(),
            waiting: Default::default(),
        })
        .collect();
    let mut results = alloc::vec![(0, 0, 0); plan.flows.len()];
    // At one instant completions come before arrivals.
    let mut events: BTreeMap<(u64, u8, u64), (usize, Option<Sent>)> = BTreeMap::new();
    let mut serial = 0;
    let mut add = |events: &mut BTreeMap<_, _>, at: u64, kind: u8, what: (usize, Option<Sent>)| {
        serial += 1;
        events.insert((at, kind, serial), what);
    };
    for (flow, of) in plan.flows.iter().enumerate() {
        let SourceConfig::Cbr(CbrConfig { rate }) = &of.source else {
            unreachable!()
        };
        for number in 0.. {
            let interval = (octets(flow) + 20) as u128 * 8_000_000_000_000_000;
            let born = of.start.0 + (number as u128 * interval / rate.0 as u128) as u64;
            if born >= end {
                break;
            }
            add(
                &mut events,
                born,
                1,
                (of.forward[0], Some(Sent { flow, hop: 0, born })),
            );
        }
    }
    while let Some(((now, _, _), (number, arrived))) = events.pop_first() {
        if now >= end {
            break;
        }
        let switch = &plan.nodes[plan.links[number].from].switch;
        if let Some(sent) = arrived {
            let class = switch.as_ref().map_or(0, |s| {
                s.queue_of()[plan.flows[sent.flow].priority as usize] as usize
            });
            let line = &mut lines[number];
            if line.came.replace(now) == Some(now) {
                return None;
            }
            line.stays[class].retain(|(until, _)| *until > now);
            let held: u64 = line.stays[class].iter().map(|(_, octets)| octets).sum();
            let limit = switch.as_ref().map_or(u64::MAX, |switch| switch.buffer);
            if held + octets(sent.flow) > limit {
                results[sent.flow].1 += 1;
                continue;
            }
            line.stays[class].push((u64::MAX, octets(sent.flow)));
            line.waiting[class].push_back(sent);
        }
        let line = &mut lines[number];
        if now < line.free_at {
            continue;
        }
        let Some(class) = (0..2).find(|class| !line.waiting[*class].is_empty()) else {
            continue;
        };
        let sent = line.waiting[class].pop_front().unwrap();
        line.free_at = now + (octets(sent.flow) + 20) * line.octet_ps;
        let stay = line.stays[class]
            .iter_mut()
            .find(|(until, _)| *until == u64::MAX)
            .unwrap();
        stay.0 = line.free_at;
        add(&mut events, line.free_at, 0, (number, None));
        let arrives = now + (8 + octets(sent.flow)) * line.octet_ps + plan.links[number].delay.0;
        let path = &plan.flows[sent.flow].forward;
        if sent.hop + 1 < path.len() {
            add(
                &mut events,
                arrives,
                1,
                (
                    path[sent.hop + 1],
                    Some(Sent {
                        hop: sent.hop + 1,
                        ..sent
                    }),
                ),
            );
        } else if arrives < end {
            results[sent.flow].0 += 1;
            results[sent.flow].2 += (arrives - sent.born) as u128;
        }
    }
    Some(results)
}

#[test]
fn datagrams_fare_as_in_a_simulator_of_another_kind() {
    let mut stream = Stream::new(2, "ether", "random datagrams");
    let (mut dropped, mut waited) = (0, 0);
    for case in 0..cases(300) {
        // Odd rates, so that frames hardly ever meet at one instant at a node.
        let mut plan = random_plan(&mut stream, |stream, rate| {
            cbr(Rate(rate.0 / 2 + stream.below(Ps(rate.0)).0))
        });
        for (number, link) in plan.links.iter_mut().enumerate() {
            link.delay.0 = 7_919 * (number as u64 / 2 + 1) + 13;
        }
        // Datagrams of one host would wait for one another in its round: one flow for each host.
        let mut seen = Vec::new();
        plan.flows.retain(|flow| {
            !seen.contains(&flow.forward[0]) && {
                seen.push(flow.forward[0]);
                true
            }
        });
        let end = Ps::from_us(300);
        let report = Simulation::new(plan.clone())
            .unwrap()
            .measure(Ps::ZERO, end, end);
        let Some(expected) = datagrams(&plan, end.0) else {
            continue;
        };
        for (flow, (arrived, lost, delays)) in report.flows.iter().zip(expected) {
            assert_eq!(
                (flow.packets_delivered, flow.packets_dropped),
                (arrived, lost),
                "case {case} {}: {plan:#?}",
                flow.name
            );
            let mean = flow.packet_delay_mean_seconds.unwrap_or(0.0) * 1e12;
            let expected = delays as f64 / arrived.max(1) as f64;
            assert!(
                (mean - expected).abs() < 1e-3 * expected.max(1.0) * 1e-6,
                "case {case} {}: {mean} {expected}",
                flow.name
            );
            dropped += lost;
        }
        waited += report
            .ports
            .iter()
            .filter(|port| port.queues[0].queue_max_packets > 2)
            .count();
    }
    assert!(dropped > 1_000 && waited > 100, "{dropped} {waited}");
}

/// Hosts `H0` to `Hn`, the first of which receives what the others send over one switch, every flow with rate
/// control and a scheme at the switch's ports.
fn star(sources: usize, rate: Rate, delay: Ps, control: Value, rates: AbrConfig) -> Plan {
    let host = |node: usize| NodePlan {
        name: format!("H{node}"),
        switch: None,
    };
    let switch = NodePlan {
        name: "S".into(),
        switch: Some(SwitchPlan {
            control: serde_json::from_value(control).unwrap(),
            ..SwitchPlan::new(u64::MAX)
        }),
    };
    let middle = sources + 1;
    let link = |from: usize, to: usize| LinkPlan {
        name: format!("{from}->{to}"),
        from,
        to,
        rate,
        delay,
    };
    let up = (0..middle).map(|node| link(node, middle));
    let down = (0..middle).map(|node| link(middle, node));
    let flow = |number: usize| FlowPlan {
        rates: Some(rates.clone()),
        ..FlowPlan::new(
            &format!("flow.{number}"),
            SourceConfig::Persistent(Default::default()),
            Vec::from([number, middle]),
            Vec::from([0, middle + number]),
        )
    };
    Plan {
        seed: 1,
        framing: Framing::default(),
        fcvc: None,
        nodes: (0..middle).map(host).chain([switch]).collect(),
        links: up.chain(down).collect(),
        flows: (1..=sources).map(flow).collect(),
    }
}

/// A source alone sends at its ICR: frames of 1,538 octets 1,538/ICR apart, and before the first and after
/// each 31 a record in 84 octets. ICR is 125 million octets/s, so a frame takes 12.304 us and a record
/// 0.672 us: 32 frames take 382.096 us.
#[test]
fn a_source_paces_octets_and_sends_a_record_among_32_frames() {
    let rates = AbrConfig {
        icr: Some(Rate::from_bps(GBPS)),
        ..AbrConfig::default()
    };
    // Nothing comes back within 40 ms.
    let plan = star(
        1,
        Rate::from_bps(10 * GBPS),
        Ps::from_ms(10),
        json!({ "scheme": "none" }),
        rates,
    );
    let mut simulation = Simulation::new(plan).unwrap();
    let report = simulation.measure(Ps::ZERO, Ps(382_096_000 * 10), Ps(382_096_000 * 10));
    let flow = &report.flows[0];
    assert_eq!((flow.packets_sent, flow.records_sent), (320, Some(10)));
    let acr = [
        flow.acr_mean_bits_per_second,
        flow.acr_final_bits_per_second,
    ];
    assert_eq!(acr, [Some(1e9); 2]);
}

/// The steady state of each scheme, by its own paper, over Ethernet: the rates of datagrams with preambles,
/// gaps and records in units of what the scheme shares.
#[test]
fn schemes_share_a_line_of_ethernet_as_their_papers_say() {
    let line = 10e9;
    for (control, share) in [
        // Kalyanaraman: the target over the number of sources.
        (
            json!({ "scheme": "erica", "target_utilisation": 0.9, "interval": "1 ms",
                "interval_cells": "1000000 cells", "delta": 0.0 }),
            0.9 / 4.0,
        ),
        // Afek, Mansour and Ostfeld: u C / (1 + n u), u the utilisation factor.
        (
            json!({ "scheme": "phantom", "utilisation_factor": 5.0, "interval": "1 ms", "alpha_dec": 0.0625 }),
            5.0 / 21.0,
        ),
    ] {
        let rates = AbrConfig {
            icr: Some(Rate::from_bps(GBPS)),
            nrm: 8,
            rif: 1.0,
            ..AbrConfig::default()
        };
        let plan = star(
            4,
            Rate::from_bps(10 * GBPS),
            Ps::from_us(2),
            control.clone(),
            rates,
        );
        let mut simulation = Simulation::new(plan).unwrap();
        let report = simulation.measure(Ps::from_ms(100), Ps::from_ms(200), Ps::from_ms(200));
        for flow in &report.flows {
            let acr = flow.acr_mean_bits_per_second.unwrap();
            assert!(
                (acr / (share * line) - 1.0).abs() < 0.01,
                "{control}: {acr} is not {}",
                share * line
            );
        }
    }
}
