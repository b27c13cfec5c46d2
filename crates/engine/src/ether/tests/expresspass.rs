//! ExpressPass in packets: values computed by hand, bounds, incasts without losses, and random networks.

use super::cbfc::credited;
use super::changes::with_changes;
use super::parts::parts_change_nothing_of;
use super::pfc::paused;
use super::random::{any_source, random_plan, with_any_switch};
use super::roce::{incast, over_roce, plainly};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::frame::Packet;
use crate::ether::roce::RoceConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::expresspass::ExpressPassConfig;
use crate::ether::roce::packet::Kind;
use crate::ether::seen::Seen;
use crate::ether::{Change, FlowChange};

/// Packets of 1,452 octets of payload: 1,538 octets on the line. A credit has 84 octets on the line.
fn expresspass(config: ExpressPassConfig) -> RoceConfig {
    RoceConfig {
        payload: Bytes(1_452),
        control: RoceControlConfig::ExpressPass(config),
        ..RoceConfig::default()
    }
}

/// Times in ps of the last bits of the frames of the kind `wanted` that leave on a link.
fn left(seen: &[Seen], link: usize, wanted: Kind) -> Vec<u64> {
    let of_kind = |seen: &Seen| match seen.packet {
        Packet::Roce(packet) if packet.kind == wanted && seen.link == link => Some(seen.at.0),
        _ => None,
    };
    seen.iter().filter_map(of_kind).collect()
}

fn to_incast(sources: usize, config: ExpressPassConfig) -> Plan {
    let rate = Rate::from_bps(10 * GBPS);
    let none = AqmConfig::default();
    incast(sources, rate, Ps::from_us(1), &none, &expresspass(config))
}

fn run(plan: &Plan, from: Ps, to: Ps) -> Report {
    Simulation::new(plan.clone()).unwrap().measure(from, to, to)
}

/// The statistic `name` of a port's control.
fn statistic(report: &Report, name: &str) -> f64 {
    let controls = report.ports.iter().filter_map(|port| port.control.as_ref());
    let of_ports = controls.filter_map(|found| found.statistics.get(name));
    of_ports.sum()
}

/// The greatest share of a line of 10 Gbit/s for data, beside the credits of the other direction: 94.82 %.
const MOST: f64 = 1_538.0 / 1_622.0;

/// Two links at 10 Gbit/s, 0.8 ns an octet, each 1 us long. The request of 64 octets with its preamble takes 57.6 ns on each
/// link, and so does the credit. The first packet begins at 4,230.4 ns, and its last bit leaves 1,220.8 ns later. The rate
/// begins at half of the greatest, a credit each 2,595.2 ns. The first data arrive at 8,652.8 ns, 6,537.6 ns after their
/// credit. The first credit at least a round trip later is due at 2,115.2 + 6 times 2,595.2 = 17,686.4 ns. From then on the
/// rate is three quarters of the greatest: a credit each 1,730.13 ns.
#[test]
fn a_source_asks_and_answers_each_credit() {
    let plan = to_incast(
        1,
        ExpressPassConfig {
            jitter: 0.0,
            ..ExpressPassConfig::default()
        },
    );
    let (up, back) = (plan.flows[0].forward[0], plan.flows[0].backward[0]);
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[up, back]);
    run.run_until(Ps::from_us(23));
    let seen = run.take_seen();
    assert_eq!(left(&seen, up, Kind::Request), [57_600]);
    let half = (0..7).map(|credit| 2_172_800 + 2_595_200 * credit);
    let faster = (1..=3).map(|later| 17_744_000 + 1_730_133 * later);
    let expected: Vec<u64> = half.chain(faster).collect();
    assert_eq!(left(&seen, back, Kind::Credit), expected);
    let data = left(&seen, up, Kind::Credited);
    let answers: Vec<u64> = expected
        .iter()
        .map(|at| at + 1_057_600 + 1_000_000 + 1_220_800)
        .collect();
    assert_eq!(data, answers[..data.len()]);
    assert_eq!(data.len(), 8);
}

/// A file of five packets: the stop follows the fifth packet at once and reaches the receiver 9 us after it began to send
/// credits. Credits that are under way then remain unused, and nothing is sent for them.
#[test]
fn a_source_stops_behind_its_last_packet() {
    let mut plan = to_incast(1, ExpressPassConfig::default());
    plan.flows[0].source = transfer(5 * 1_452);
    let (up, back) = (plan.flows[0].forward[0], plan.flows[0].backward[0]);
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[up, back]);
    let end = Ps::from_us(500);
    let report = run.measure(Ps::ZERO, end, end);
    let seen = run.take_seen();
    let (data, stops) = (left(&seen, up, Kind::Credited), left(&seen, up, Kind::Stop));
    assert_eq!((data.len(), stops.len()), (5, 1));
    // A gap of 9.6 ns, and 72 octets of the stop.
    assert_eq!(stops[0], data[4] + 9_600 + 57_600);
    // 2 us and 115.2 ns later the credits end; the last credit came within 2,854.7 ns.
    let stopped = stops[0] + 2_000_000 + 57_600;
    let credits = left(&seen, back, Kind::Credit);
    assert!(*credits.last().unwrap() <= stopped + 57_600, "{credits:?}");
    let flow = &report.flows[0];
    assert_eq!(flow.credits_sent, Some(credits.len() as u64));
    assert_eq!(flow.credits_received, flow.credits_sent);
    assert_eq!(flow.credits_unused, Some(credits.len() as u64 - 5));
    assert_eq!((flow.timeouts, flow.naks_received), (0, Some(0)));
    // Only the last packet has an acknowledgement of its own.
    assert_eq!(left(&seen, back, Kind::Ack).len(), 1);
    assert!(flow.completion_seconds.is_some());
    assert_eq!(flow.rate_final_bits_per_second, Some(0.0));
}

/// In no span do more packets with data leave a host than credits pass: one packet in 1,297.6 ns. In addition the test
/// allows the depth of the bucket, one packet that a boundary of the span cuts, and two packets for credits that wait on
/// their way. Over a long time a single flow uses 93 % of the line or more, but never more than 94.82 %.
#[test]
fn data_never_exceed_their_share_of_the_line() {
    for (seed, burst) in [(1, 1), (2, 2), (3, 8)] {
        let config = ExpressPassConfig {
            burst,
            ..ExpressPassConfig::default()
        };
        let mut plan = to_incast(1, config);
        plan.seed = seed;
        let up = plan.flows[0].forward[0];
        let mut run = Simulation::new(plan).unwrap();
        run.tap(&[up]);
        let (from, to) = (Ps::from_us(500), Ps::from_ms(5));
        let report = run.measure(from, to, to);
        let data = left(&run.take_seen(), up, Kind::Credited);
        for first in (0..data.len()).step_by(7) {
            for last in (first..data.len()).step_by(11) {
                let (span, packets) = (data[last] - data[first], (last - first) as u64);
                let most = span / 1_297_600 + u64::from(burst) + 3;
                assert!(packets <= most, "{seed}: {packets} in {span} ps");
            }
        }
        let down = &report.ports[0];
        let share = down.utilisation;
        assert!(share <= MOST + 1e-4, "{seed}: {share}");
        assert!(share > 0.93, "{seed}: {share}");
    }
}

/// Many sources send to one receiver: a buffer of a few frames loses none, shares are equal, and the line is used. Without
/// the feedback by losses, the credits of each source would fill the line of its host.
#[test]
fn incasts_lose_no_data_and_share_equally() {
    for (sources, buffer) in [(2, 8_000), (8, 14_000), (32, 40_000), (64, 70_000)] {
        let mut plan = to_incast(sources, ExpressPassConfig::default());
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.buffer = buffer;
        }
        let (from, to) = (Ps::from_ms(5), Ps::from_ms(65));
        let report = run(&plan, from, to);
        let most = report
            .ports
            .iter()
            .map(|port| port.queues[0].queue_max_bytes);
        let before = report.ports.iter();
        let before = before.filter_map(|port| port.queues[0].queue_max_before_window_bytes);
        let most = most.chain(before).max().unwrap();
        assert_eq!(report.totals.packets_dropped, 0, "{sources}: {most}");
        assert!(report.flows.iter().all(|flow| flow.timeouts == 0));
        let jain = report.totals.jain_index.unwrap();
        assert!(jain > 0.98, "{sources}: {jain}");
        let down = report
            .ports
            .iter()
            .find(|port| port.queues[0].queue_max_bytes > 0);
        let share = down.unwrap().utilisation;
        assert!((0.9..MOST + 1e-3).contains(&share), "{sources}: {share}");
        // The sources together get more credits than the line can answer, so some are lost,
        // and with many sources most.
        let credits = report.flows.iter().filter_map(|flow| flow.credits_sent);
        let received = report.flows.iter().filter_map(|flow| flow.credits_received);
        let lost = 1.0 - received.sum::<u64>() as f64 / credits.sum::<u64>() as f64;
        assert!(
            lost > 0.05 && lost < 1.0 - 0.9 / sources as f64,
            "{sources}: {lost}"
        );
    }
}

/// Flows in both directions over a row of switches: data and credits of both directions fit each line, so queues stay short
/// over a long time.
#[test]
fn data_of_both_directions_and_their_credits_fit_the_lines() {
    let rate = Rate::from_bps(10 * GBPS);
    let roce = expresspass(ExpressPassConfig::default());
    let mut plan = row(4, rate, Ps::from_us(2), 20_000, |there, back| FlowPlan {
        roce: Some(roce.clone()),
        ..FlowPlan::new(
            "there",
            SourceConfig::Greedy(Default::default()),
            there,
            back,
        )
    });
    let back = FlowPlan {
        name: "back".into(),
        forward: plan.flows[0].backward.clone(),
        backward: plan.flows[0].forward.clone(),
        ..plan.flows[0].clone()
    };
    plan.flows.push(back);
    let report = run(&plan, Ps::from_ms(1), Ps::from_ms(40));
    for port in &report.ports {
        let most = port.queues[0].queue_max_bytes;
        assert!(most <= 4 * 1_518, "{}: {most}", port.name);
        assert!(
            (0.98..=1.0).contains(&port.utilisation),
            "{}",
            port.utilisation
        );
    }
    for flow in &report.flows {
        let share = flow.throughput_bits_per_second * 1_538.0 / 1_452.0 / 10e9;
        assert!((0.93..=MOST).contains(&share), "{}: {share}", flow.name);
        assert_eq!((flow.timeouts, flow.naks_received), (0, Some(0)));
    }
    assert_eq!(report.totals.packets_dropped, 0);
}

/// The lines of the forward path and of the backward path have different rates: the bucket must follow the line of the data.
/// The middle of the row has 1 Gbit/s forwards and 40 Gbit/s backwards.
#[test]
fn a_bucket_follows_the_line_of_the_data() {
    let rate = Rate::from_bps(10 * GBPS);
    let roce = expresspass(ExpressPassConfig::default());
    let mut plan = row(4, rate, Ps::from_us(2), 20_000, |there, back| FlowPlan {
        roce: Some(roce.clone()),
        ..FlowPlan::new("one", SourceConfig::Greedy(Default::default()), there, back)
    });
    plan.links[1].rate = Rate::from_bps(GBPS);
    plan.links[4].rate = Rate::from_bps(40 * GBPS);
    let report = run(&plan, Ps::from_ms(5), Ps::from_ms(30));
    let share = report.flows[0].throughput_bits_per_second * 1_538.0 / 1_452.0 / 1e9;
    // One packet more may fall into the window.
    assert!((0.9..=MOST + 5e-4).contains(&share), "{share}");
    assert_eq!(report.totals.packets_dropped, 0);
    assert!(statistic(&report, "flow_credits_dropped") > 50.0);
}

/// Datagrams without any control fill a small buffer beside the file. Packets and requests are lost, and still the file
/// ends, by NAKs and the timer.
#[test]
fn losses_among_other_traffic_are_repaired() {
    let (mut naks, mut timeouts) = (0, 0);
    for seed in 0..10 {
        let mut plan = to_incast(2, ExpressPassConfig::default());
        plan.seed = seed;
        plan.flows[0].source = transfer(1_000_000 + 1_452 * seed);
        plan.flows[1].source = cbr(Rate::from_bps(2 * GBPS));
        plan.flows[1].roce = None;
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.buffer = 4_000;
        }
        let report = run(&plan, Ps::ZERO, Ps::from_ms(150));
        let flow = &report.flows[0];
        assert!(flow.packets_dropped > 5, "{seed}: {flow:?}");
        assert!(flow.completion_seconds.is_some(), "{seed}: {flow:?}");
        assert_eq!(flow.delivered_bytes, 1_000_000 + 1_452 * seed);
        naks += flow.naks_received.unwrap();
        timeouts += flow.timeouts;
    }
    assert!(naks > 20 && timeouts > 0, "{naks} {timeouts}");
}

/// A source that a change stops also stops the credits, and requests them again when it continues.
#[test]
fn a_source_that_is_stopped_stops_the_credits() {
    let mut plan = to_incast(1, ExpressPassConfig::default());
    let sends = |at, sends| Change {
        at,
        switches: Vec::new(),
        flows: Vec::from([(
            0,
            FlowChange {
                sends,
                source: SourceConfig::Greedy(Default::default()),
                rates: None,
            },
        )]),
    };
    plan.changes = Vec::from([
        sends(Ps::from_us(100), false),
        sends(Ps::from_us(300), true),
    ]);
    let (up, back) = (plan.flows[0].forward[0], plan.flows[0].backward[0]);
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[up, back]);
    run.run_until(Ps::from_us(400));
    let seen = run.take_seen();
    let times = |link, kind| left(&seen, link, kind);
    let within = |times: &[u64], from: u64, to: u64| {
        let of_span = |at: &&u64| (from * 1_000_000..to * 1_000_000).contains(*at);
        times.iter().filter(of_span).count()
    };
    let (data, credits) = (times(up, Kind::Credited), times(back, Kind::Credit));
    for (from, to, is_silent) in [(50, 100, false), (110, 300, true), (320, 400, false)] {
        assert_eq!(within(&data, from, to) == 0, is_silent, "{from} us");
        assert_eq!(within(&credits, from, to) == 0, is_silent, "{from} us");
    }
    assert_eq!(times(up, Kind::Request).len(), 2);
    assert_eq!(times(up, Kind::Stop).len(), 1);
}

/// Each parameter changes the result of an incast of four sources.
#[test]
fn each_parameter_matters() {
    let ok = ExpressPassConfig::default;
    let changed = [
        ok(),
        ExpressPassConfig {
            alpha: 0.25,
            ..ok()
        },
        ExpressPassConfig {
            w_init: 0.25,
            ..ok()
        },
        ExpressPassConfig { w_min: 0.2, ..ok() },
        ExpressPassConfig { w_max: 0.9, ..ok() },
        ExpressPassConfig {
            w_step: 0.01,
            ..ok()
        },
        ExpressPassConfig {
            target_loss: 0.3,
            ..ok()
        },
        ExpressPassConfig {
            jitter: 0.05,
            ..ok()
        },
        ExpressPassConfig {
            credit_queue: 4,
            ..ok()
        },
        ExpressPassConfig { burst: 4, ..ok() },
    ];
    let digests = changed.map(|config| run(&to_incast(4, config), Ps::ZERO, Ps::from_ms(1)).digest);
    for (number, digest) in digests.iter().enumerate() {
        assert!(!digests[..number].contains(digest), "{number}");
    }
}

/// Most elastic flows of random networks under ExpressPass, beside TCP, datagrams and other controls, with losses: the
/// plain reference schedule and any partition of the nodes give the same report.
#[test]
fn credits_do_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "networks under ExpressPass");
    let (mut sent, mut limited, mut again, mut ended) = (0, 0.0, 0, 0);
    for case in 0..cases(80) {
        let mut plan = match case % 5 {
            0 => paused(&mut stream),
            1 => credited(&mut stream),
            _ => random_plan(&mut stream, any_source),
        };
        if case % 5 > 2 {
            plan = with_any_switch(plan, &mut stream);
        }
        let mut plan = over_roce(plan, &mut stream);
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let (credit_queue, burst) = (1 + below(10) as u32, 1 + below(4) as u32);
        for roce in plan.flows.iter_mut().filter_map(|flow| flow.roce.as_mut()) {
            if below(5) > 0 {
                roce.control = RoceControlConfig::ExpressPass(ExpressPassConfig {
                    alpha: 0.1 + below(9) as f64 / 10.0,
                    jitter: below(3) as f64 / 10.0,
                    credit_queue,
                    burst,
                    ..ExpressPassConfig::default()
                });
            }
        }
        let (from, to) = (Ps::from_us(200), Ps::from_ms(3));
        if case % 4 == 1 {
            plan = with_changes(plan, &mut stream, to);
        }
        let fast = run(&plan, from, to);
        let mut plain = plainly(&plan, from, to);
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 < 2 {
            parts_change_nothing_of(&plan, &mut stream, case);
        }
        limited += statistic(&fast, "flow_credits_dropped");
        for flow in fast.flows.iter().filter(|flow| flow.credits_sent.is_some()) {
            sent += flow.segments_sent;
            again += (flow.segments_retransmitted > 0) as u32;
            ended += flow.completion_seconds.is_some() as u32;
        }
    }
    assert!(sent > 10_000, "{sent}: the cases must send");
    assert!(
        limited > 100.0,
        "{limited}: the cases must reach limits of ports"
    );
    assert!(again > 5, "{again}: the cases must reach losses");
    assert!(ended > 10, "{ended}: the cases must reach ends of files");
}

#[test]
fn plans_that_contradict_expresspass_are_refused() {
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = to_incast(2, ExpressPassConfig::default());
        change(&mut plan);
        Simulation::new(plan).map(|_| ()).map_err(|error| error.0)
    };
    let error = |text: &str| Err(String::from(text));
    assert_eq!(refused(&|_| {}), Ok(()));
    assert_eq!(
        refused(&|plan| plan.fcvc = Some(Default::default())),
        error("ExpressPass: credit for each channel beside it")
    );
    assert_eq!(
        refused(&|plan| plan.flows[0].sprayed[0] = plan.flows[0].forward.clone()),
        error("ExpressPass: flow flow.1 needs one path")
    );
    let other = ExpressPassConfig {
        burst: 3,
        ..ExpressPassConfig::default()
    };
    assert_eq!(
        refused(&|plan| plan.flows[1].roce = Some(expresspass(other.clone()))),
        error("ExpressPass: flow flow.2 has another `credit_queue` or `burst`")
    );
    let wrong = ExpressPassConfig {
        alpha: 2.0,
        ..ExpressPassConfig::default()
    };
    assert_eq!(
        refused(&|plan| plan.flows[1].roce = Some(expresspass(wrong.clone()))),
        error("flow flow.2: alpha: must be above 0 and at most 1, but is 2")
    );
    // A second link back to the same host.
    assert_eq!(
        refused(&|plan| {
            let link = plan.links[plan.flows[0].backward[1]].clone();
            plan.flows[0].backward[1] = plan.links.len();
            plan.links.push(link);
        }),
        error("ExpressPass: flow flow.1: credits do not return over the links of the data")
    );
}
