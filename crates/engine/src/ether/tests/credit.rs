//! Credit control (FCVC) of frames: values computed by hand, and random networks, run by the fast schedule
//! and by the plain reference schedule.

use serde_json::json;

use super::changes::with_changes;
use super::random::{any_source, random_plan};
use super::*;
use crate::credit::FcvcConfig;
use crate::kernel::units::Cells;
use crate::net::ChannelId;

fn fcvc(n2: u64, n3: Option<u64>) -> Option<FcvcConfig> {
    Some(FcvcConfig {
        n2: Cells(n2),
        n3: n3.map(Cells),
        ..FcvcConfig::default()
    })
}

fn persistent() -> SourceConfig {
    SourceConfig::Persistent(Default::default())
}

/// Frames of 1,000 octets on the line have 934 octets of payload. At 8 Gbit/s an octet takes 1 ns. Each link
/// is 1 us long. N2 and N3 are one frame each.
///
/// Frames 1 and 2 use up 2,000 octets. The last bit of frame 1 leaves after preamble and frame, at 988 ns,
/// and reaches the switch at 1,988 ns. The switch has forwarded frame 1 at 2,988 ns, interframe gap included.
/// The credit takes 72 octets and 1 us, until 4,060 ns, when frame 3 begins. Frame 2 arrives at 2,988 ns and
/// has been forwarded at 3,988 ns. Its credit arrives at 5,060 ns, just when frame 3 ends. So two frames
/// leave every 4,060 ns: N2 + N3 = 2,000 octets in RTT + N2 = 2,000 + 1,000 + 60 + 1,000.
#[test]
fn three_frames_leave_as_worked_out_by_hand() {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, _| FlowPlan {
        datagram: 934,
        ..FlowPlan::new("one", persistent(), there, Vec::new())
    });
    plan.fcvc = fcvc(1_000, Some(1_000));
    let mut run = Simulation::new(plan).unwrap();
    let (there, back) = (0, 3);
    run.tap(&[there, back]);
    run.run_until(Ps(9_200_000));
    let seen = run.take_seen();
    let left = |link: usize| -> Vec<u64> {
        let on_link = seen.iter().filter(|seen| seen.link == link);
        on_link.map(|seen| seen.at.0 / 1_000).collect()
    };
    assert_eq!(left(there), [988, 1_988, 5_048, 6_048, 9_108, 10_108]);
    assert_eq!(left(back), [3_060, 4_060, 7_120, 8_120]);
    let credit = seen.iter().find(|seen| seen.link == back).unwrap();
    assert_eq!(
        (
            credit.info.is_credit(),
            credit.info.octets(),
            credit.channel
        ),
        (true, 64, Some(ChannelId::backward(0)))
    );
    let report = run.measure(Ps(9_200_000), Ps::from_ms(4), Ps::from_ms(4));
    let expected = 934.0 * 2.0 / 4_060e-9 * 8.0;
    let found = report.flows[0].throughput_bits_per_second;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}");
    // Frame 2 arrives when frame 1 has left the queue.
    let statistics = &report.ports[0].control.as_ref().unwrap().statistics;
    assert_eq!(statistics["channel_queue_max_bytes"], 1_000.0);
    assert_eq!(statistics["credited_channels"], 1.0);
}

/// A frame is sent if the credit balance of its channel covers it, as each channel has its own queue. Larger
/// frames of other channels do not matter.
#[test]
fn a_channel_without_credit_does_not_stop_the_others() {
    let rate = Rate::from_bps(GBPS);
    // The second flow leaves the switch over a line with a tenth of the rate.
    let mut plan = row(3, rate, Ps::from_us(10), u64::MAX, |there, _| {
        FlowPlan::new("fast", persistent(), there, Vec::new())
    });
    plan.nodes.push(NodePlan {
        name: "N3".into(),
        switch: None,
    });
    for (from, to) in [(1, 3), (3, 1)] {
        plan.links.push(LinkPlan {
            name: format!("N{from}->N{to}"),
            from,
            to,
            rate: Rate(rate.0 / 10),
            delay: Ps::from_us(10),
            errors: None,
        });
    }
    let slow = FlowPlan::new("slow", persistent(), Vec::from([0, 4]), Vec::new());
    plan.flows.push(slow);
    let carried = |fcvc: Option<FcvcConfig>| {
        let plan = Plan {
            fcvc,
            ..plan.clone()
        };
        let (from, end) = (Ps::from_ms(10), Ps::from_ms(30));
        let report = Simulation::new(plan).unwrap().measure(from, end, end);
        let flows = report.flows.iter();
        let share = |flow: &super::super::report::FlowReport| {
            flow.throughput_bits_per_second * (1_538.0 / 1_472.0) / 1e9
        };
        flows.map(share).collect::<Vec<f64>>()
    };
    // With credit control the slow flow takes a tenth of the first line, at the rate of its own credits. The
    // fast flow takes the rest. Without credit control each flow takes half, and the slow flow fills a queue.
    let (with, without) = (carried(fcvc(3_076, None)), carried(None));
    assert!((with[1] - 0.1).abs() < 0.002, "{with:?}");
    assert!((with[0] - 0.9).abs() < 0.005, "{with:?}");
    assert!((without[0] - 0.5).abs() < 0.005, "{without:?}");
}

/// Random networks under credit control (FCVC), with random N2 and N3.
fn credited(stream: &mut Stream) -> Plan {
    let mut plan = random_plan(stream, any_source);
    for switch in plan
        .nodes
        .iter_mut()
        .filter_map(|node| node.switch.as_mut())
    {
        *switch = SwitchPlan::new(u64::MAX);
    }
    let flows = plan.flows.iter();
    let longest = flows.map(|flow| flow.longest_packet() as u32).max();
    let longest = u64::from(plan.framing.frame(longest.unwrap_or(0)) + 20);
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let n2 = [1, 84, 1_538, 10_000, 100_000][below(5) as usize];
    let n3 = (below(3) > 0).then(|| longest + below(2) * below(50_000));
    plan.fcvc = fcvc(n2, n3);
    plan
}

/// Each report checks that no channel has held more than its reserve. No frame is dropped. In the last fifth
/// of the run each persistent flow delivers frames, so no flow stalls, unless the plan has changes. Credit frames
/// go first and take 84 octets of a line, so with an N2 of at most that they may take all of it.
#[test]
fn random_networks_lose_nothing_under_credit_control() {
    let mut stream = Stream::new(1, "ether", "credited networks");
    let (mut credits, mut fills) = (0.0, 0);
    for case in 0..cases(40) {
        let mut plan = credited(&mut stream);
        let (from, to) = (Ps::from_ms(8), Ps::from_ms(10));
        if case % 2 == 1 {
            plan = with_changes(plan, &mut stream, to);
        }
        let leaves_room = plan.fcvc.as_ref().unwrap().n2.0 > 84;
        let mut run = Simulation::new(plan.clone()).unwrap();
        let fast = run.measure(from, to, to);
        assert_eq!(fast.totals.packets_dropped, 0);
        for flow in &fast.flows {
            let always = flow.source == "persistent" && plan.changes.is_empty() && leaves_room;
            assert!(
                !always || flow.packets_delivered > 0,
                "case {case}: {plan:#?}"
            );
        }
        for port in &fast.ports {
            let statistics = &port.control.as_ref().unwrap().statistics;
            credits += statistics["credit_frames_sent"];
            fills += (statistics["channel_queue_max_bytes"] > 20_000.0) as u32;
        }
        let mut plain = Simulation::new(plan.clone()).unwrap();
        plain.run_plainly(from);
        plain.begin_window();
        plain.run_plainly(to);
        plain.end_window();
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        let mut divided = Simulation::new(plan).unwrap();
        for part in 1..=100u64 {
            divided.run_until(Ps(part * to.0 / 100));
            if Ps(part * to.0 / 100) == from {
                divided.begin_window();
            }
        }
        divided.end_window();
        assert_eq!(text(&fast), text(&divided.report()), "case {case}, divided");
    }
    assert!(credits > 10_000.0, "{credits}: the cases must reach credit");
    assert!(fills > 20, "{fills}: the cases must reach long queues");
}

/// Plans are refused if a setting of a switch contradicts credit control, or if reserves are impossible.
#[test]
fn plans_that_contradict_credit_are_refused() {
    let rate = Rate::from_bps(10 * GBPS);
    let plan = |fcvc: Option<FcvcConfig>, change: &dyn Fn(&mut Plan)| {
        let mut plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, back| {
            FlowPlan::new("one", transfer(1_000), there, back)
        });
        plan.fcvc = fcvc;
        change(&mut plan);
        Simulation::new(plan).map(|_| ()).map_err(|error| error.0)
    };
    let of_switch = |change: &dyn Fn(&mut SwitchPlan)| {
        plan(fcvc(10_000, None), &|plan| {
            plan.nodes[1].switch.iter_mut().for_each(change);
        })
    };
    assert_eq!(of_switch(&|_| {}), Ok(()));
    let error = |text: &str| Err(String::from(text));
    let red = serde_json::from_value(json!({ "algorithm": "red" })).unwrap();
    assert_eq!(
        of_switch(&|switch| switch.aqm = core::clone::Clone::clone(&red)),
        error("N1: active queue management beside credit")
    );
    assert_eq!(
        of_switch(&|switch| switch.queues.push(Vec::new())),
        error("N1: several queues beside credit")
    );
    assert_eq!(
        of_switch(&|switch| switch.buffer = 11_000),
        error("N1->N2: a buffer below 14352 octets")
    );
    assert_eq!(
        plan(fcvc(10_000, Some(100)), &|_| {}),
        error("n3: below the longest frame of 590 octets")
    );
    assert_eq!(
        plan(fcvc(10_000, None), &|plan| {
            plan.links
                .iter_mut()
                .for_each(|link| link.delay = Ps::from_ms(100));
        }),
        error("link N0->N1: 250011852 octets for one channel")
    );
    let marks = FcvcConfig {
        mark_interval: Some(Ps::from_ms(1)),
        ..FcvcConfig::default()
    };
    assert_eq!(
        plan(Some(marks), &|_| {}),
        error("credit of other frames than one with one record for N2 octets")
    );
}
