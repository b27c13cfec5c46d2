//! Swift in packets: the delay at which it holds the queue, and random networks.

use super::parts::parts_change_nothing_of;
use super::pfc::paused;
use super::random::{any_source, random_plan};
use super::roce::{incast, over_roce, plainly};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::roce::RoceConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::swift::SwiftConfig;

/// Greedy flows at 10 Gbit/s over a switch. N windows of w packets of 1,002 octets, 801.6 ns, fill the time of a target
/// T(w): N w 0.8016 us = T(w) = 20 + 3.053 - 3.266 + 32.656/sqrt(w) us. So two flows have windows of 17.4 packets and a
/// delay of 27.9 us, 64 flows 1.0 packet and 52 us, 200 flows 0.43 packets and 69 us. An increase of a window below one
/// packet is a whole packet, so with 200 flows the delay is a quarter above the target. If windows could not be below
/// one packet, 200 flows would have a delay of 160 us.
#[test]
fn delay_stays_near_the_target() {
    for (flows, least, most) in [(2, 0.97, 1.03), (64, 0.93, 1.0), (200, 1.0, 1.35)] {
        let mut w = 1.0_f64;
        for _ in 0..200 {
            let target = 19.787 + 32.656 / libm::sqrt(w);
            w = 0.5 * (w + target / (0.8016 * flows as f64));
        }
        let target = 0.8016 * flows as f64 * w;
        let roce = RoceConfig {
            payload: Bytes(920),
            control: RoceControlConfig::Swift(SwiftConfig::default()),
            ..RoceConfig::default()
        };
        let rate = Rate::from_bps(10 * GBPS);
        let none = AqmConfig::default();
        let mut plan = incast(flows, rate, Ps::from_ns(10), &none, &roce);
        for (number, flow) in plan.flows.iter_mut().enumerate() {
            flow.start = Ps::from_us(7 * number as u64);
        }
        let mut run = Simulation::new(plan.clone()).unwrap();
        let (from, to) = (Ps::from_ms(20), Ps::from_ms(40));
        let report = run.measure(from, to, to);
        let down = &plan.links[*plan.flows[0].forward.last().unwrap()].name;
        let port = report.ports.iter().find(|port| port.name == *down).unwrap();
        let delay = port.queues[0].queue_mean_bytes / 982.0 * 0.8016;
        let ratio = delay / target;
        assert!((least..most).contains(&ratio), "{flows}: {delay} {target}");
        assert!(port.utilisation > 0.99, "{flows}: {}", port.utilisation);
    }
}

/// Networks under PFC and without, all flows over RoCE under Swift: the plain reference schedule and any partition of
/// the nodes give the same report.
#[test]
fn swift_does_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "networks under Swift");
    let (mut sent, mut again, mut paced, mut pauses) = (0, 0, 0, 0.0);
    for case in 0..cases(40) {
        let plan = match case % 2 {
            0 => paused(&mut stream),
            _ => random_plan(&mut stream, any_source),
        };
        let mut plan = over_roce(plan, &mut stream);
        for roce in plan.flows.iter_mut().filter_map(|flow| flow.roce.as_mut()) {
            let mut below = |most: u64| stream.below(Ps(most)).0;
            roce.control = RoceControlConfig::Swift(SwiftConfig {
                base: Ps::from_us(1 + below(40)),
                fs_range: Ps::from_us(below(100)),
                cwnd: 0.5 + below(20) as f64,
                ..SwiftConfig::default()
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
            if plan_of.roce.is_some() {
                let line = plan.links[plan_of.forward[0]].rate.bits_per_second();
                paced += (flow.rate_final_bits_per_second.unwrap() < line) as u32;
                sent += flow.segments_sent;
                again += (flow.segments_retransmitted > 0) as u32;
            }
        }
        let controls = fast.ports.iter().filter_map(|port| port.control.as_ref());
        let of_pauses = controls.filter_map(|found| found.statistics.get("pause_frames_sent"));
        pauses += of_pauses.sum::<f64>();
    }
    assert!(sent > 5_000, "{sent}: the cases must send");
    assert!(again > 5, "{again}: the cases must reach losses");
    assert!(paced > 10, "{paced}: the cases must reach small windows");
    assert!(pauses > 10.0, "{pauses}: the cases must reach pauses");
}
