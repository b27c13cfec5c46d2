//! TIMELY and patched TIMELY: round trips computed by hand, the fixed point of the fluid model, shares, and random networks.

use super::parts::parts_change_nothing_of;
use super::pfc::paused;
use super::random::{any_source, random_plan};
use super::roce::{incast, over_roce, plainly};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::roce::RoceConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::timely::TimelyConfig;

/// Packets of 920 octets of payload: frames of 982 octets, and 1,002 octets on the line. A segment has `packets` packets.
fn timely(packets: u64, config: TimelyConfig) -> RoceConfig {
    RoceConfig {
        payload: Bytes(920),
        ack_every: 64,
        control: RoceControlConfig::Timely(TimelyConfig {
            segment: Bytes(920 * packets),
            ..config
        }),
        ..RoceConfig::default()
    }
}

/// A host at 8 Gbit/s, 1 ns an octet, a switch with `buffer` octets, and a host behind a line of 3.2 Gbit/s. All links are 1
/// us long.
fn to_a_slow_line(buffer: u64, packets: u64, config: TimelyConfig) -> Plan {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), buffer, |there, back| FlowPlan {
        roce: Some(timely(2, config.clone())),
        ..FlowPlan::new("one", transfer(920 * packets), there, back)
    });
    plan.links[1].rate = Rate(rate.0 * 2 / 5);
    plan
}

/// Patched TIMELY with T_low of 1 us, so that the rate after the first round trip, whose gradient is 0, shows the length of
/// this round trip.
fn readable() -> TimelyConfig {
    TimelyConfig {
        patched: true,
        t_low: Ps::from_us(1),
        beta: Some(0.01),
        delta: Some(Rate::from_bps(10_000_000)),
        r_min: Rate::from_bps(1_000_000),
        ..TimelyConfig::default()
    }
}

/// Rate in Gbit/s after a first round trip of `rtt` us, from the rate `start`: delta/2 + R (1 - beta/2 (RTT - T_low)/T_low).
fn first_rate(start: f64, rtt: f64) -> f64 {
    0.005 + start * (1.0 - 0.005 * (rtt - 1.0))
}

/// Packets 0 and 1 leave at the line's rate; the last bit of packet 1 leaves at 1,992 ns. The switch begins packet 1 at
/// 4,495 ns, behind packet 0. Its last bit leaves there at 6,970 ns and arrives at 7,970 ns. The acknowledgement takes 74 ns
/// and 1 us on each link and arrives at 10,118 ns: 8,126 ns after the last bit of the segment left, although only every 64th
/// packet asks for an acknowledgement.
#[test]
fn a_round_trip_begins_with_the_last_bit_of_a_segment() {
    let mut run = Simulation::new(to_a_slow_line(u64::MAX, 100, readable())).unwrap();
    run.run_until(Ps::from_ns(10_118));
    assert_eq!(run.roce_rate(0), Some(1e9));
    run.run_until(Ps(10_118_001));
    let rate = run.roce_rate(0).unwrap() * 8e-9;
    let expected = first_rate(8.0, 8.126);
    assert!((rate / expected - 1.0).abs() < 1e-12, "{rate} {expected}");
}

/// Of six packets the third is lost in a buffer of two frames, and all packets from the third on are sent again. Their
/// segments have no round trip. The first segment has the round trip of the test above.
#[test]
fn a_segment_that_is_sent_again_has_no_round_trip() {
    let mut run = Simulation::new(to_a_slow_line(1_964, 6, readable())).unwrap();
    let end = Ps::from_ms(1);
    let report = run.measure(Ps::ZERO, end, end);
    let flow = &report.flows[0];
    assert_eq!(flow.delivered_bytes, 6 * 920);
    assert!(flow.segments_retransmitted >= 4, "{flow:?}");
    let rate = flow.rate_final_bits_per_second.unwrap() * 1e-9;
    let expected = first_rate(8.0, 8.126);
    assert!((rate / expected - 1.0).abs() < 1e-12, "{rate} {expected}");
}

/// Four flows of a host at 8 Gbit/s, the second without control. The first begins alone, the third beside two flows. The
/// first has ended when the fourth begins, beside two flows again. No flow has a round trip before it ends, except the
/// first, whose whole transfer is one packet.
#[test]
fn a_source_begins_with_its_part_of_the_line() {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(100), u64::MAX, |there, back| {
        let roce = Some(timely(100_000, TimelyConfig::default()));
        FlowPlan {
            roce,
            ..FlowPlan::new("0", SourceConfig::Greedy(Default::default()), there, back)
        }
    });
    let first = plan.flows.remove(0);
    for (number, at) in [0, 10, 20, 1_000].into_iter().enumerate() {
        let mut flow = first.clone();
        flow.name = format!("{number}");
        flow.start = Ps::from_us(at);
        plan.flows.push(flow);
    }
    plan.flows[0].source = transfer(920);
    plan.flows[1].roce = Some(RoceConfig::default());
    let mut run = Simulation::new(plan).unwrap();
    let mut rates = |at: u64| {
        run.run_until(Ps::from_us(at));
        [0, 2, 3].map(|flow| run.roce_rate(flow).unwrap() * 8e-9)
    };
    assert_eq!(rates(30), [8.0, 8.0 / 3.0, 8.0]);
    assert_eq!(rates(1_001), [8.0, 8.0 / 3.0, 8.0 / 3.0]);
}

/// Greedy sources of hosts at 10 Gbit/s, which begin at these rates in Mbit/s, 7 us after one another, behind links of 10
/// ns.
fn at_10g(rates: &[u64], config: &TimelyConfig) -> Plan {
    let rate = Rate::from_bps(10 * GBPS);
    let roce = timely(16, config.clone());
    let mut plan = incast(
        rates.len(),
        rate,
        Ps::from_ns(10),
        &AqmConfig::default(),
        &roce,
    );
    for (number, (flow, rate)) in plan.flows.iter_mut().zip(rates).enumerate() {
        flow.start = Ps::from_us(7 * number as u64);
        let start = Some(Rate::from_bps(1_000_000 * rate));
        let config = TimelyConfig {
            start,
            ..config.clone()
        };
        flow.roce = Some(timely(16, config));
    }
    plan
}

fn patched() -> TimelyConfig {
    TimelyConfig {
        patched: true,
        ..TimelyConfig::default()
    }
}

/// Mean and standard deviation of the octets in the last port's queue, sampled each 10 us from 200 to 300 ms.
fn queue_of(plan: Plan) -> (f64, f64) {
    let down = *plan.flows[0].forward.last().unwrap();
    let mut run = Simulation::new(plan).unwrap();
    let samples: Vec<f64> = (20_000..30_000)
        .map(|at| {
            run.run_until(Ps::from_us(10 * at));
            let port = run.ports().find(|port| port.link as usize == down);
            port.unwrap().held(0).octets as f64
        })
        .collect();
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares = samples.iter().map(|one| (one - mean) * (one - mean));
    (mean, (squares.sum::<f64>() / count).sqrt())
}

/// At the fixed point of the fluid model a round trip of T_low (1 + N delta/(beta C)) fills 78.125 kB at N = 2, 140.625 kB
/// at N = 10, and 375 kB at N = 40. Four links take 40 ns of this round trip, a packet and its acknowledgement on the last
/// lines 0.9 us. A queue counts frames without 20 of their 1,002 octets on the line, and counts the frame in transmission.
/// Up to some 20 flows the queue is constant. With 40 flows it moves by 3 %, rates differ, and the queue is shorter:
/// decreases go with the sum of the squares of the rates.
#[test]
fn the_patch_holds_the_queue_of_its_fixed_point() {
    for (flows, by_fluid, below, swing) in [
        (2, 78_125.0, 0.01, 0.01),
        (10, 140_625.0, 0.01, 0.01),
        (40, 375_000.0, 0.08, 0.05),
    ] {
        let rates = std::vec![10_000 / flows; flows as usize];
        let (mean, deviation) = queue_of(at_10g(&rates, &patched()));
        let base = 1.25 * (40.0 + 0.8 * (990.0 + 2.0 * 74.0));
        let expected = (by_fluid - base) * 982.0 / 1_002.0 + 982.0;
        let ratio = mean / expected;
        assert!((1.0 - below..1.01).contains(&ratio), "{flows}: {ratio}");
        assert!(deviation < swing * mean, "{flows}: {deviation} {mean}");
        if flows == 40 {
            assert!(deviation > 0.02 * mean, "{flows}: {deviation} {mean}");
        }
    }
}

/// Two flows of patched TIMELY have rates that differ by D. At a constant queue, x = D/C falls in the fluid model by dx/dt =
/// -delta/(2 Seg) x (1 - x^2)/(1 + x^2). So x needs 2 Seg/delta (f(x0) - f(x1)) from x0 to x1, with f = ln(x/(1 - x^2)). To
/// a tenth of a share, x1 = 1/20, that is 58 ms from 7 and 3 Gbit/s, and 97 ms from 9 and 1. The linear form of Zhu et al.
/// has 2 Seg/delta ln 20 = 76.9 ms for x0 = 1.
#[test]
fn shares_of_the_patch_become_equal_in_the_time_of_the_fluid_model() {
    let f = |x: f64| libm::log(x / (1.0 - x * x));
    for (rates, begin) in [([7_000, 3_000], 0.4), ([9_000, 1_000], 0.8)] {
        let mut run = Simulation::new(at_10g(&rates, &patched())).unwrap();
        let apart = |at: u64, run: &mut Simulation| {
            run.run_until(Ps::from_us(100 * at));
            let rates = [0, 1].map(|flow| run.roce_rate(flow).unwrap() * 8e-9);
            (rates[0] - rates[1]).abs() / 10.0
        };
        let reached = (1..2_000).find(|at| apart(*at, &mut run) < 0.05).unwrap();
        let expected = 2.0 * 8.0 * 16.0 * 1_002.0 / 10e6 * (f(begin) - f(0.05));
        let ratio = reached as f64 * 1e-4 / expected;
        assert!((0.88..1.02).contains(&ratio), "{rates:?}: {ratio}");
    }
}

/// The original TIMELY has no fixed point, or infinitely many: the flow that begins at a higher rate keeps more, here nearly
/// everything. Patched TIMELY makes shares equal from every start.
#[test]
fn shares_of_the_original_depend_on_the_start() {
    let share = |config: &TimelyConfig, rates: [u64; 2]| {
        let mut run = Simulation::new(at_10g(&rates, config)).unwrap();
        run.run_until(Ps::from_ms(200));
        let rates = [0, 1].map(|flow| run.roce_rate(flow).unwrap());
        rates[0] / (rates[0] + rates[1])
    };
    let original = TimelyConfig::default();
    let without_hai = TimelyConfig {
        hai_steps: 1,
        most_decrease: 1.0,
        ..TimelyConfig::default()
    };
    for config in [original, without_hai] {
        let ends = [[7_000, 3_000], [3_000, 7_000]].map(|rates| share(&config, rates));
        assert!(ends[0] > 0.9 && ends[1] < 0.1, "{ends:?}");
    }
    for rates in [[7_000, 3_000], [3_000, 7_000], [9_000, 1_000]] {
        let end = share(&patched(), rates);
        assert!((end - 0.5).abs() < 0.02, "{end}");
    }
}

/// Networks under PFC and without, all flows over RoCE under TIMELY: the plain reference schedule and any partition of
/// the nodes give the same report, and rates stay within their bounds.
#[test]
fn timely_does_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "networks under TIMELY");
    let (mut moved, mut again, mut pauses) = (0, 0, 0.0);
    for case in 0..cases(60) {
        let plan = match case % 2 {
            0 => paused(&mut stream),
            _ => random_plan(&mut stream, any_source),
        };
        let mut plan = over_roce(plan, &mut stream);
        for roce in plan.flows.iter_mut().filter_map(|flow| flow.roce.as_mut()) {
            let mut below = |most: u64| stream.below(Ps(most)).0;
            let t_low = 5 + below(50);
            roce.control = RoceControlConfig::Timely(TimelyConfig {
                patched: below(2) == 0,
                t_low: Ps::from_us(t_low),
                t_high: Ps::from_us(t_low + 1 + below(200)),
                segment: Bytes(1 + below(3_000)),
                delta: Some(Rate::from_bps(1_000_000 * (1 + below(50)))),
                r_min: Rate::from_bps(5_000_000),
                start: (below(2) == 0).then(|| Rate::from_bps(5_000_000 + below(50_000_000))),
                ..TimelyConfig::default()
            });
        }
        let (from, to) = (Ps::from_us(200), Ps::from_ms(3));
        let fast = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        let mut plain = plainly(&plan, from, to);
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 < 2 {
            parts_change_nothing_of(&plan, &mut stream, case);
        }
        for (flow, plan_of) in fast.flows.iter().zip(&plan.flows) {
            let Some(roce) = &plan_of.roce else { continue };
            let RoceControlConfig::Timely(config) = &roce.control else {
                unreachable!("all have TIMELY");
            };
            let line = plan.links[plan_of.forward[0]].rate.bits_per_second();
            let rate = flow.rate_final_bits_per_second.unwrap();
            assert!((5e6..=line).contains(&rate), "case {case}: {rate}");
            let start = config.start.map(Rate::bits_per_second);
            moved += start.is_some_and(|start| start != rate) as u32;
            again += (flow.segments_retransmitted > 0) as u32;
        }
        let controls = fast.ports.iter().filter_map(|port| port.control.as_ref());
        let sent = controls.filter_map(|found| found.statistics.get("pause_frames_sent"));
        pauses += sent.sum::<f64>();
    }
    assert!(moved > 30, "{moved}: the cases must reach completions");
    assert!(again > 20, "{again}: the cases must reach losses");
    assert!(pauses > 100.0, "{pauses}: the cases must reach pauses");
}
