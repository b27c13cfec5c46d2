//! HPCC and its telemetry: values computed by hand, the steady state, and the telemetry that switches store.

use super::parts::parts_change_nothing_of;
use super::random::{any_source, random_plan};
use super::roce::{incast, over_roce, plainly};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::node::Node;
use crate::ether::roce::RoceConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::hpcc::HpccConfig;

/// Packets of 920 octets of payload: frames of 1,024 octets, and 1,044 octets on the line.
pub fn hpcc(config: HpccConfig) -> RoceConfig {
    RoceConfig {
        payload: Bytes(920),
        control: RoceControlConfig::Hpcc(config),
        ..RoceConfig::default()
    }
}

/// Number of packets in switches that have space for telemetry, and number of packets whose telemetry switches store.
pub fn kept(run: &Simulation) -> (usize, usize) {
    let (mut packets, mut places) = (0, 0);
    for node in run.nodes() {
        if let Node::Switch(switch) = node {
            places += switch.trails();
            let waiting = switch.ports.iter().flat_map(|port| port.waiting());
            packets += waiting.filter(|frame| frame.info.has_telemetry()).count();
        }
    }
    (packets, places)
}

/// A host at 8 Gbit/s, 1 ns an octet, two switches and a host; the last line has 4 Gbit/s. All links are 1 us long.
fn over_two_switches(config: HpccConfig) -> Plan {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(4, rate, Ps::from_us(1), u64::MAX, |there, back| FlowPlan {
        roce: Some(hpcc(config.clone())),
        ..FlowPlan::new("one", SourceConfig::Greedy(Default::default()), there, back)
    });
    plan.links[2].rate = Rate(rate.0 / 2);
    plan
}

/// On the way there packets take 1,032, 1,032 and 2,064 ns, and on the way back acknowledgements of 108 octets take 116
/// ns on each link, each time with 1 us more. So T is 10,476 ns, and W at first as many octets. Packets leave each 1,044
/// ns; the last line takes 2,088 ns for each packet. So its transmission k begins at 4,064 + 2,088 k ns behind 1,044 k
/// octets. Behind packet k wait the packets that arrived in between: none for k up to 1, then k - 1. The acknowledgement
/// of packet k arrives at 10,476 + 2,088 k ns. It gives u = 1 plus the lesser queue of packets k - 1 and k over B T,
/// 5,238 octets; tau is 2,088 ns.
#[test]
fn telemetry_of_the_slowest_line_sets_the_window() {
    let plan = over_two_switches(HpccConfig::default());
    let (flow, links) = (&plan.flows[0], &plan.links);
    let way = |path: &'static [usize]| path.iter().map(|link| &links[*link]);
    let roce = flow.roce.as_ref().unwrap();
    let trip = roce.round_trip(plan.framing, way(&[0, 1, 2]), way(&[3, 4, 5]));
    assert_eq!(trip, Ps(10_476_000));
    let (mut u, tau) = (1.0, 2_088.0 / 10_476.0);
    for (packet, queue) in [(1, 0.0), (2, 0.0), (3, 1_044.0), (4, 2_088.0)] {
        let mut run = Simulation::new(plan.clone()).unwrap();
        run.tap(&[2, 3]);
        let end = Ps(1_000 * (10_476 + 2_088 * packet) + 1);
        let report = run.measure(Ps::ZERO, end, end);
        let seen = run.take_seen();
        let of = |link: usize, octets: u32, hops: usize| {
            let mut of_link = seen.iter().filter(|seen| seen.link == link);
            let all = of_link.all(|seen| (seen.info.octets(), seen.info.hops()) == (octets, hops));
            assert!(all && seen.iter().any(|seen| seen.link == link), "{link}");
        };
        of(2, 1_024, 2);
        of(3, 108, 2);
        u = (1.0 - tau) * u + tau * (1.0 + queue / 5_238.0);
        let rate = report.flows[0].rate_final_bits_per_second.unwrap();
        let expected = (10_476.0 * 0.95 / u + 80.0) / 10_476.0 * 8e9;
        assert!(
            (rate / expected - 1.0).abs() < 1e-9,
            "{packet}: {rate} {expected}"
        );
    }
}

/// W = W^c eta/U + W_AI for each flow, and U = sum W/(B T) without a queue: the sum of all W is eta B T + N W_AI. So the
/// line is used by eta + N W_AI/(B T), and shares are equal although the second half starts later.
#[test]
fn flows_use_eta_of_the_line_and_their_increases() {
    for (flows, eta, w_ai) in [(1, 0.95, 80), (2, 0.95, 800), (4, 0.9, 800), (2, 0.8, 800)] {
        let config = HpccConfig {
            eta,
            w_ai: Bytes(w_ai),
            ..HpccConfig::default()
        };
        let rate = Rate::from_bps(40 * GBPS);
        let none = AqmConfig::default();
        let mut plan = incast(flows, rate, Ps::from_us(5), &none, &hpcc(config));
        for flow in plan.flows.iter_mut().skip(flows.div_ceil(2)) {
            flow.start = Ps::from_us(500);
        }
        let mut run = Simulation::new(plan.clone()).unwrap();
        let (from, to) = (Ps::from_ms(20), Ps::from_ms(30));
        let report = run.measure(from, to, to);
        // T: 1,032 octets twice and 116 octets twice at 5 octets in a nanosecond, and 20 us.
        let b_t = 5.0 * (20_000.0 + 2.0 * (206.4 + 23.2));
        let expected = eta + (flows as u64 * w_ai) as f64 / b_t;
        let rates = report
            .flows
            .iter()
            .map(|flow| flow.rate_mean_bits_per_second.unwrap());
        let shares: Vec<f64> = rates.map(|rate| rate / 40e9).collect();
        let sum: f64 = shares.iter().sum();
        assert!((sum / expected - 1.0).abs() < 0.005, "{sum} {expected}");
        let down = &plan.links[*plan.flows[0].forward.last().unwrap()].name;
        let port = report.ports.iter().find(|port| port.name == *down).unwrap();
        assert!(
            (port.utilisation / sum - 1.0).abs() < 0.005,
            "{}",
            port.utilisation
        );
        for share in &shares {
            assert!(
                (share * flows as f64 / sum - 1.0).abs() < 0.01,
                "{shares:?}"
            );
        }
        // One frame of each other flow may arrive at the same time.
        let most = report.ports.iter().flat_map(|port| &port.queues);
        let most = most.map(|queue| queue.queue_max_bytes).max().unwrap();
        assert!(most <= 1_024 * flows as u64, "{most}");
    }
}

/// If N W_AI exceeds (1 - eta) B T, the line is full, and U = 1 + q/(B T) when the sum of all windows is B T + q: the
/// queue q is N W_AI - (1 - eta) B T octets.
#[test]
fn too_great_increases_leave_a_queue() {
    let config = HpccConfig {
        w_ai: Bytes(10_000),
        ..HpccConfig::default()
    };
    let rate = Rate::from_bps(40 * GBPS);
    let plan = incast(
        4,
        rate,
        Ps::from_us(10),
        &AqmConfig::default(),
        &hpcc(config),
    );
    let mut run = Simulation::new(plan.clone()).unwrap();
    let (from, to) = (Ps::from_ms(20), Ps::from_ms(30));
    let report = run.measure(from, to, to);
    let down = *plan.flows[0].forward.last().unwrap();
    let port = report
        .ports
        .iter()
        .find(|port| port.name == plan.links[down].name);
    let queue = &port.unwrap().queues[0];
    let b_t = 5.0 * (40_000.0 + 2.0 * (206.4 + 23.2));
    let expected = 40_000.0 - 0.05 * b_t;
    let mean = queue.queue_mean_bytes * 1_044.0 / 1_024.0;
    assert!((mean / expected - 1.0).abs() < 0.1, "{mean} {expected}");
}

/// Without a window only the rate limits the flow: at the start it sends until the first acknowledgement. With a window
/// it sends the octets of W and one packet more.
#[test]
fn a_window_limits_what_is_on_its_way() {
    for (window, sent) in [(true, 7), (false, 100)] {
        let config = HpccConfig {
            t: Some(Ps::from_us(6)),
            window,
            ..HpccConfig::default()
        };
        let mut plan = over_two_switches(config);
        for link in &mut plan.links {
            link.delay = Ps::from_us(100);
        }
        let mut run = Simulation::new(plan).unwrap();
        run.tap(&[0]);
        run.run_until(Ps(100 * 1_044_000));
        let data = run.take_seen();
        // At 8 Gbit/s W is 6,000 octets, so six packets of 1,044 octets are on their way.
        let expected = if window { 6 } else { sent };
        assert_eq!(data.len(), expected);
    }
}

/// Packets are lost and wait: a switch stores the telemetry of each packet with telemetry in it, and of no other packet.
#[test]
fn a_switch_keeps_telemetry_of_its_own_packets_alone() {
    let rate = Rate::from_bps(40 * GBPS);
    let mut plan = incast(
        8,
        rate,
        Ps::from_us(5),
        &AqmConfig::default(),
        &hpcc(HpccConfig::default()),
    );
    for switch in plan
        .nodes
        .iter_mut()
        .filter_map(|node| node.switch.as_mut())
    {
        switch.buffer = 20_000;
    }
    let mut run = Simulation::new(plan).unwrap();
    let (mut most, mut dropped) = (0, 0);
    for step in 1..200 {
        run.run_until(Ps::from_us(step));
        let (packets, places) = kept(&run);
        assert_eq!(packets, places, "{step} us");
        most = most.max(places);
        dropped = run.ports().map(|port| port.dropped()).sum();
    }
    assert!(most > 10 && dropped > 10, "{most} {dropped}");
}

/// Some switches fix the transmission time of a frame when the frame arrives; switches that write telemetry do not. All
/// flows over RoCE have telemetry: the plain reference schedule and any partition of the nodes give the same report.
#[test]
fn telemetry_does_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "networks with telemetry");
    let (mut told, mut dropped, mut slowed) = (0, 0, 0);
    for case in 0..cases(60) {
        let plan = random_plan(&mut stream, any_source);
        let mut plan = over_roce(plan, &mut stream);
        for roce in plan.flows.iter_mut().filter_map(|flow| flow.roce.as_mut()) {
            if !roce.control.has_telemetry() {
                roce.control = RoceControlConfig::Hpcc(HpccConfig::default());
            }
        }
        let (from, to) = (Ps::from_us(200), Ps::from_ms(2));
        let fast = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        let mut plain = plainly(&plan, from, to);
        let (packets, places) = kept(&plain);
        assert_eq!(packets, places, "case {case}");
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 == 0 {
            parts_change_nothing_of(&plan, &mut stream, case);
        }
        told += packets;
        for (flow, plan_of) in fast.flows.iter().zip(&plan.flows) {
            let line = plan.links[plan_of.forward[0]].rate.bits_per_second();
            slowed += flow
                .rate_final_bits_per_second
                .is_some_and(|rate| rate < 0.5 * line) as u32;
            dropped += plan_of.roce.as_ref().map_or(0, |_| flow.packets_dropped);
        }
    }
    assert!(
        told > 20,
        "{told}: the cases must reach telemetry in queues"
    );
    assert!(dropped > 100, "{dropped}: the cases must reach losses");
    assert!(slowed > 20, "{slowed}: the cases must reach small windows");
}

#[test]
fn plans_that_contradict_telemetry_are_refused() {
    let rate = Rate::from_bps(8 * GBPS);
    let of = |switches: usize| {
        row(
            switches + 2,
            rate,
            Ps::from_us(1),
            u64::MAX,
            |there, back| FlowPlan {
                roce: Some(hpcc(HpccConfig::default())),
                ..FlowPlan::new("one", transfer(920), there, back)
            },
        )
    };
    let refused = |plan: Plan| Simulation::new(plan).map(|_| ()).map_err(|error| error.0);
    let error = |text: &str| Err(String::from(text));
    assert_eq!(refused(of(5)), Ok(()));
    assert_eq!(
        refused(of(6)),
        error("flow one: 6 switches on its way; a packet has room for the telemetry of 5")
    );
    let mut plan = of(2);
    plan.flows[0].sprayed[0] = [0, 1, 2].into();
    assert_eq!(
        refused(plan),
        error("flow one, forward: telemetry needs one path")
    );
    let mut plan = of(2);
    let config = HpccConfig {
        eta: 0.0,
        ..HpccConfig::default()
    };
    plan.flows[0].roce = Some(hpcc(config));
    assert_eq!(
        refused(plan),
        error("flow one: eta: must be above 0 and at most 1, but is 0")
    );
}
