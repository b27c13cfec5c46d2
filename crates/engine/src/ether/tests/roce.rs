//! RoCE and DCQCN: values computed by hand, the fixed point of the fluid model, and random networks.

use alloc::collections::VecDeque;

use serde_json::json;

use super::changes::with_changes;
use super::hpcc::kept;
use super::parts::parts_change_nothing_of;
use super::pfc::paused;
use super::random::{any_source, random_plan, with_any_switch};
use super::rates::star;
use super::*;
use crate::endsystem::AbrConfig;
use crate::ether::aqm::red::RedConfig;
use crate::ether::aqm::threshold::ThresholdConfig;
use crate::ether::aqm::{AqmConfig, At, Length};
use crate::ether::frame::{Ecn, Info, Packet};
use crate::ether::pfc::PfcConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::dcqcn::DcqcnConfig;
use crate::ether::roce::control::hpcc::HpccConfig;
use crate::ether::roce::control::swift::SwiftConfig;
use crate::ether::roce::control::timely::TimelyConfig;
use crate::ether::roce::packet::{Kind, MOST_HOPS};
use crate::ether::roce::{Resend, RoceConfig};
use crate::ether::seen::Seen;
use crate::ether::{Change, FlowChange};

/// Packets with 920 octets of payload: frames of 982 octets, and 1,002 octets on the line.
pub fn roce() -> RoceConfig {
    RoceConfig {
        payload: Bytes(920),
        ..RoceConfig::default()
    }
}

fn dcqcn(config: DcqcnConfig) -> RoceConfig {
    RoceConfig {
        control: RoceControlConfig::Dcqcn(config),
        ..roce()
    }
}

/// A host at 8 Gbit/s, a switch with a buffer of two frames of 982 octets, and a host behind a line of 3.2
/// Gbit/s. An octet takes 1 ns on the first line and 2.5 ns on the second. All links in both directions are 1
/// us long.
pub fn into_two_frames(packets: u64, config: RoceConfig) -> Plan {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), 1_964, |there, back| FlowPlan {
        roce: Some(config.clone()),
        ..FlowPlan::new("one", transfer(920 * packets), there, back)
    });
    plan.links[1].rate = Rate(rate.0 * 2 / 5);
    plan
}

/// Frames of one kind that leave on a link: the time in ns and the PSN of each.
pub fn left(seen: &[Seen], link: usize, wanted: Kind) -> Vec<(u64, u64)> {
    let of_kind = |seen: &Seen| match seen.packet {
        Packet::Roce(packet) if packet.kind == wanted && seen.link == link => {
            Some((seen.at.0 / 1_000, packet.psn))
        }
        _ => None,
    };
    seen.iter().filter_map(of_kind).collect()
}

/// Packet k leaves at 990 + 1,002 k ns and reaches the switch 1,000 ns later. The switch transmits packet 0
/// from 1,990 to 4,495 ns. Packet 2 arrives at 3,994 ns, finds two frames and is lost. Packet 3 fits into the
/// buffer. The transmissions of packets 0, 1 and 3 begin at 1,990, 4,495 and 7,000 ns. The last bit of packet
/// 3 leaves at 9,475 ns and arrives at 10,475 ns. A NAK of 66 octets takes 74 ns and 1 us on each link. At
/// 12,623 ns the source sends packets 2 and 3 again. Packet 3 reaches the switch at 15,615 ns, waits until
/// 17,118 ns, and arrives at 20,593 ns. Its acknowledgement arrives 2,148 ns later.
#[test]
fn a_lost_packet_is_sent_again_with_all_that_followed() {
    let plan = into_two_frames(4, roce());
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[0, 2, 3]);
    let end = Ps::from_us(50);
    let report = run.measure(Ps::ZERO, end, end);
    let seen = run.take_seen();
    let sent = [990, 1_992, 2_994, 3_996].into_iter().zip(0..4);
    let again = [(13_613, 2), (14_615, 3)];
    let expected: Vec<(u64, u64)> = sent.chain(again).collect();
    assert_eq!(left(&seen, 0, Kind::Data), expected);
    assert_eq!(left(&seen, 2, Kind::Nak), [(10_549, 2)]);
    let acks: Vec<u64> = left(&seen, 2, Kind::Ack).iter().map(|ack| ack.1).collect();
    assert_eq!(acks, [1, 2, 3, 4]);
    let flow = &report.flows[0];
    let counts = (
        flow.segments_sent,
        flow.segments_retransmitted,
        flow.bytes_retransmitted,
        flow.packets_dropped,
        flow.timeouts,
    );
    assert_eq!(counts, (6, 2, 2 * 920, 1, 0));
    assert_eq!(flow.naks_received, Some(1));
    assert_eq!(flow.completion_seconds, Some(22_741e-9));
    let balance = flow.balance.unwrap();
    let places = (
        balance.sent_once_bytes,
        balance.delivered_bytes,
        balance.dropped_bytes,
        balance.duplicate_bytes,
    );
    assert_eq!(places, (4 * 920, 4 * 920, 920, 920));
}

/// The last packet is lost, and no later packet causes a NAK. The acknowledgement of packet 1 leaves the
/// receiver at 7,970 ns and reaches the source 2,148 ns later. After another 100 us the source sends packet 2
/// again, and its last bit leaves 990 ns later.
#[test]
fn a_lost_last_packet_waits_for_the_timer() {
    let config = RoceConfig {
        timeout: Ps::from_us(100),
        ..roce()
    };
    let mut run = Simulation::new(into_two_frames(3, config)).unwrap();
    run.tap(&[0]);
    let end = Ps::from_us(500);
    let report = run.measure(Ps::ZERO, end, end);
    let sent = left(&run.take_seen(), 0, Kind::Data);
    assert_eq!(sent[3..], [(7_970 + 2_148 + 100_000 + 990, 2)], "{sent:?}");
    let flow = &report.flows[0];
    assert_eq!((flow.timeouts, flow.naks_received), (1, Some(0)));
    assert_eq!(flow.delivered_bytes, 3 * 920);
}

/// At 2.5 us, after the start of packet 2, the source stops. Packet 2 is lost and is sent again by the timer.
/// Packet 3 waits until the source continues at 200 us.
#[test]
fn packets_that_have_not_been_sent_wait_for_a_change() {
    let config = RoceConfig {
        timeout: Ps::from_us(100),
        ..roce()
    };
    let mut plan = into_two_frames(4, config);
    let sends = |at, sends| {
        let mut to = FlowChange::of(&plan.flows[0]);
        to.sends = sends;
        Change {
            at,
            switches: Vec::new(),
            flows: Vec::from([(0, to)]),
        }
    };
    plan.changes = Vec::from([
        sends(Ps::from_ns(2_500), false),
        sends(Ps::from_us(200), true),
    ]);
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[0]);
    run.run_until(Ps::from_us(500));
    let sent = left(&run.take_seen(), 0, Kind::Data);
    let again = 7_970 + 2_148 + 100_000 + 990;
    let expected = [(990, 0), (1_992, 1), (2_994, 2), (again, 2), (200_990, 3)];
    assert_eq!(sent, expected);
}

/// A source that a change lets send only after its start then sends all its data.
#[test]
fn a_source_may_wait_from_its_start_on() {
    let mut plan = into_two_frames(2, roce());
    plan.flows[0].sends = false;
    let mut to = FlowChange::of(&plan.flows[0]);
    to.sends = true;
    plan.changes.push(Change {
        at: Ps::from_us(50),
        switches: Vec::new(),
        flows: Vec::from([(0, to)]),
    });
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[0]);
    run.run_until(Ps::from_us(500));
    let sent = left(&run.take_seen(), 0, Kind::Data);
    assert_eq!(sent, [(50_990, 0), (51_992, 1)]);
}

/// Every fourth packet and the last packet ask for an acknowledgement. Of ten packets the acknowledgements
/// are of all packets before 4, 8 and 10.
#[test]
fn packets_ask_for_acknowledgements_in_turn() {
    let config = RoceConfig {
        ack_every: 4,
        ..roce()
    };
    let mut plan = into_two_frames(10, config);
    plan.nodes[1].switch = Some(SwitchPlan::new(u64::MAX));
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[2]);
    run.run_until(Ps::from_us(100));
    let acks = left(&run.take_seen(), 2, Kind::Ack);
    let numbers: Vec<u64> = acks.iter().map(|ack| ack.1).collect();
    assert_eq!(numbers, [4, 8, 10]);
}

/// Flows without end from `sources` hosts to one host; queues have no limit.
pub fn incast(sources: usize, rate: Rate, delay: Ps, aqm: &AqmConfig, config: &RoceConfig) -> Plan {
    let none = json!({ "scheme": "none" });
    let mut plan = star(sources, rate, delay, none, AbrConfig::default());
    for flow in &mut plan.flows {
        (flow.rates, flow.roce) = (None, Some(config.clone()));
        flow.source = SourceConfig::Greedy(Default::default());
    }
    for switch in plan
        .nodes
        .iter_mut()
        .filter_map(|node| node.switch.as_mut())
    {
        switch.aqm = aqm.clone();
    }
    plan
}

/// Marks every packet that finds another packet in the queue.
fn marking_all() -> AqmConfig {
    AqmConfig::Threshold(ThresholdConfig {
        k: Length::Octets(0),
        at: At::Enqueue,
    })
}

/// Two sources at 40 Gbit/s, 200.4 ns a frame, share a queue that marks every packet. The receiver sends the
/// first CNP of a flow when the last bit of its first marked packet arrives. It sends the next CNP for the
/// first marked packet after tau. CNPs have 78 octets and a priority of their own.
#[test]
fn a_flow_has_one_cnp_in_each_interval() {
    for tau in [10, 50] {
        let config = dcqcn(DcqcnConfig {
            tau: Ps::from_us(tau),
            tau_alpha: Ps::from_us(tau + 5),
            ..DcqcnConfig::default()
        });
        let rate = Rate::from_bps(40 * GBPS);
        let plan = incast(2, rate, Ps::from_us(1), &marking_all(), &config);
        let back = plan.flows[0].backward[0];
        let mut run = Simulation::new(plan.clone()).unwrap();
        let down = *plan.flows[0].forward.last().unwrap();
        run.tap(&[down, back]);
        run.run_until(Ps::from_us(1_500));
        let seen = run.take_seen();
        let of_flow = |flow: usize, kind: Kind| {
            let mut found: Vec<(Ps, Info)> = Vec::new();
            for seen in &seen {
                let channel = seen.channel.unwrap();
                if let Packet::Roce(packet) = seen.packet
                    && (channel.flow(), packet.kind) == (flow, kind)
                {
                    found.push((seen.at, seen.info));
                }
            }
            found
        };
        for flow in 0..2 {
            let cnps = of_flow(flow, Kind::Cnp);
            assert!(cnps.len() > 2, "{}", cnps.len());
            assert!(
                cnps.iter()
                    .all(|(_, info)| info.octets() == 78 && info.priority() == 6)
            );
            let marked = of_flow(flow, Kind::Data).into_iter();
            let marked = marked.filter(|(_, info)| info.ecn() == Ecn::Ce);
            let mut arrives = marked.map(|(at, _)| at + Ps::from_us(1));
            let mut last = None;
            for (at, _) in cnps {
                // The first marked packet for which the receiver may send a CNP.
                let due = arrives.find(|at| last.is_none_or(|last| *at - last >= Ps::from_us(tau)));
                let due = due.unwrap();
                // The backward line may be busy with a frame of at most 86 octets, 17.2 ns. The CNP takes as
                // long.
                assert!(at > due && at - due <= Ps(2 * 19_600), "{due} {at}");
                last = Some(due);
            }
        }
    }
}

/// The settings by which queues mark under DCQCN, with the values of the paper: 5 kB, 200 kB and 1 percent.
fn marks() -> RedConfig {
    RedConfig::dcqcn(Bytes(5_000), Bytes(200_000), 0.01)
}

/// Mean and standard deviation of samples.
fn spread(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares = samples
        .iter()
        .map(|sample| (sample - mean) * (sample - mean));
    (mean, (squares.sum::<f64>() / count).sqrt())
}

/// Lengths of the queue in kB every 10 us from 60 ms to 200 ms, with `sources` hosts at 40 Gbit/s. `feedback`
/// is the time in us from the mark of a departing packet to the effect of the cut at the port.
fn queue_of(sources: usize, feedback: u64, marks: RedConfig) -> Vec<f64> {
    // A marked packet takes some 200 ns on the last line, and the source's next packet as much on the first
    // line.
    let delay = Ps((1_000_000 * feedback - 400_000) / 4);
    let config = RoceConfig {
        ack_every: 16,
        ..dcqcn(DcqcnConfig::default())
    };
    let rate = Rate::from_bps(40 * GBPS);
    let plan = incast(sources, rate, delay, &AqmConfig::Red(marks), &config);
    let down = *plan.flows[0].forward.last().unwrap();
    let mut run = Simulation::new(plan).unwrap();
    let queue = |at: u64| {
        run.run_until(Ps::from_us(10 * at));
        let port = run.ports().find(|port| port.link as usize == down);
        port.unwrap().held(0).octets as f64 / 1_000.0
    };
    (6_000..20_000).map(queue).collect()
}

/// Lengths of the queue in kB over 1 s, from the rules of the papers alone. The steps have 1 us, the queue is
/// a fluid, and each flow draws its marks.
fn queue_in_steps(sources: usize, feedback: u64, stream: &mut Stream) -> Vec<f64> {
    #[derive(Clone)]
    struct Flow {
        // Rates are in packets of 1,000 octets per us, and times in us.
        current: f64,
        target: f64,
        alpha: f64,
        notified: Option<u64>,
        cut_at: VecDeque<u64>,
        cut: Option<u64>,
        stage: u32,
    }
    let (line, step) = (5.0, 0.005);
    let mut flows = Vec::from([Flow {
        current: line,
        target: line,
        alpha: 1.0,
        notified: None,
        cut_at: VecDeque::new(),
        cut: None,
        stage: 0,
    }]);
    flows.resize(sources, flows[0].clone());
    let (mut queue, mut samples) = (0.0_f64, Vec::new());
    for now in 0..1_000_000 {
        let rates = flows.iter().map(|flow| flow.current);
        queue = (queue + rates.sum::<f64>() - line).max(0.0);
        let p = match queue {
            queue if queue <= 5.0 => 0.0,
            queue if queue <= 200.0 => 0.01 * (queue - 5.0) / 195.0,
            _ => 1.0,
        };
        for flow in &mut flows {
            let is_marked = stream.uniform() < 1.0 - (1.0 - p).powf(flow.current);
            if is_marked && flow.notified.is_none_or(|last| now - last >= 50) {
                flow.notified = Some(now);
                flow.cut_at.push_back(now + feedback);
            }
            // T and tau' are both 55 us.
            if flow
                .cut
                .is_some_and(|cut| now > cut && (now - cut) % 55 == 0)
            {
                flow.alpha *= 255.0 / 256.0;
                flow.stage += 1;
                flow.target += if flow.stage > 5 { step } else { 0.0 };
                flow.target = flow.target.min(line);
                flow.current = (flow.current + flow.target) / 2.0;
            }
            if flow.cut_at.front() == Some(&now) {
                flow.cut_at.pop_front();
                flow.target = flow.current;
                flow.current = (flow.current * (1.0 - flow.alpha / 2.0)).max(0.000_125);
                flow.alpha = (255.0 * flow.alpha + 1.0) / 256.0;
                (flow.cut, flow.stage) = (Some(now), 0);
            }
        }
        if now >= 60_000 && now % 10 == 0 {
            samples.push(queue);
        }
    }
    samples
}

/// Two sources with 4 us of feedback settle at the queue that the rules alone give. The fluid model has 20.2
/// kB at its exact fixed point, and 23.0 kB by the paper's Taylor series. The packet simulation stays above
/// both values. In the model CNPs have the rate of the marks. In the simulation a flow gets no CNP within tau
/// of the previous CNP, so the same cuts need more marks.
#[test]
fn two_flows_settle_above_the_fixed_point_of_the_fluid_model() {
    let (mean, deviation) = spread(&queue_of(2, 4, marks()));
    let mut stream = Stream::new(1, "ether", "rules of DCQCN");
    let (expected, _) = spread(&queue_in_steps(2, 4, &mut stream));
    assert!((mean / expected - 1.0).abs() < 0.1, "{mean} {expected}");
    assert!((22.0..27.0).contains(&mean), "{mean}");
    assert!(deviation < mean, "{deviation}");
}

/// Ten flows are stable with 4 us of feedback and oscillate with 85 us, as in section 3.3 of Zhu et al. 2016.
/// The oscillating queue is between empty and above K_max. If packets are marked at arrival, the marks wait
/// in the queue for some 25 us or more. So the flows then oscillate with 4 us, too (section 5.1).
#[test]
fn ten_flows_oscillate_with_late_feedback_alone() {
    let mut stream = Stream::new(1, "ether", "rules of DCQCN");
    let at_arrivals = RedConfig {
        at: At::Enqueue,
        ..marks()
    };
    let cases = [
        (4, marks(), true),
        (85, marks(), false),
        (4, at_arrivals, false),
    ];
    for (feedback, marks, is_stable) in cases {
        let at = marks.at;
        let queue = queue_of(10, feedback, marks);
        let (mean, deviation) = spread(&queue);
        let empty = queue.iter().filter(|queue| **queue < 5.0).count();
        assert_eq!(is_stable, deviation < 0.4 * mean, "{mean} {deviation}");
        assert_eq!(is_stable, empty * 100 < queue.len(), "{empty}");
        if at == At::Dequeue {
            let expected = spread(&queue_in_steps(10, feedback, &mut stream));
            assert!((mean / expected.0 - 1.0).abs() < 0.1, "{mean} {expected:?}");
            assert!(
                (deviation / expected.1 - 1.0).abs() < 0.15,
                "{deviation} {expected:?}"
            );
        }
    }
}

/// Sixteen hosts send files of 1 MB to one host at once, at 40 Gbit/s. With PFC, alone or with DCQCN, no
/// frame is lost or sent again. DCQCN needs fewer pauses. Without PFC and DCQCN the queue of 200 kB
/// overflows, but every file ends.
#[test]
fn pauses_keep_a_sender_at_line_rate_from_losses_and_dcqcn_from_pauses() {
    let run = |config: &RoceConfig, paused: bool| {
        let rate = Rate::from_bps(40 * GBPS);
        let aqm = AqmConfig::Red(marks());
        let mut plan = incast(16, rate, Ps::from_us(1), &aqm, config);
        for flow in &mut plan.flows {
            flow.source = transfer(1_000_000);
        }
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.buffer = 200_000;
        }
        plan.pfc = paused.then(|| PfcConfig {
            priorities: (0..8).collect(),
            xoff: 100_000,
            xon: 98_000,
            headroom: None,
            quanta: u16::MAX,
            response: Ps::ZERO,
        });
        let end = Ps::from_ms(200);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        assert_eq!(report.totals.flows_completed, 16);
        let statistics = report.ports.iter().filter_map(|port| port.control.as_ref());
        let pauses: f64 = statistics
            .map(|found| found.statistics["pause_frames_sent"])
            .sum();
        (report.totals, pauses)
    };
    let with_dcqcn = dcqcn(DcqcnConfig::default());
    let (alone, pauses) = run(&roce(), true);
    let (both, fewer) = run(&with_dcqcn, true);
    for totals in [&alone, &both] {
        assert_eq!(
            (totals.packets_dropped, totals.segments_retransmitted),
            (0, 0)
        );
    }
    assert!(pauses > 100.0 && fewer < pauses / 3.0, "{pauses} {fewer}");
    // All files end as early as their frames allow: 1,086 full frames of each file.
    let least = 16.0 * 1_086.0 * 200.4e-9;
    let last = alone.completion_p99_seconds.unwrap();
    assert!(last > least && last < 1.01 * least, "{last} {least}");
    let (lossy, _) = run(&roce(), false);
    assert!(lossy.packets_dropped > 1_000, "{lossy:?}");
    assert!(lossy.segments_retransmitted >= lossy.packets_dropped);
}

/// Replaces TCP by RoCE with random parameters in most flows.
pub fn over_roce(mut plan: Plan, stream: &mut Stream) -> Plan {
    for flow in &mut plan.flows {
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let is_elastic = matches!(
            flow.source,
            SourceConfig::Greedy(_) | SourceConfig::Transfer(_)
        );
        if !is_elastic || below(5) == 0 {
            continue;
        }
        let tau = 1 + below(50);
        let control = DcqcnConfig {
            tau: Ps::from_us(tau),
            tau_alpha: Ps::from_us(tau + 1 + below(10)),
            t: Ps::from_us(1 + below(60)),
            b: Bytes(10_000 + below(1_000_000)),
            r_ai: Rate::from_bps(1_000_000 * (1 + below(1_000))),
            r_hai: (below(2) == 0).then(|| Rate::from_bps(GBPS)),
            g: 1.0 / 16.0,
            clamp_target: below(2) == 0,
            cnp_priority: below(8) as u8,
            ..DcqcnConfig::default()
        };
        let with_hpcc = HpccConfig {
            eta: 0.5 + below(50) as f64 / 100.0,
            max_stage: below(8) as u32,
            w_ai: Bytes(50 + below(5_000)),
            t: (below(2) == 0).then(|| Ps::from_us(1 + below(50))),
            window: below(3) != 0,
        };
        let with_timely = TimelyConfig {
            patched: below(2) == 0,
            t_low: Ps::from_us(5 + below(50)),
            segment: Bytes(1 + below(16_000)),
            r_min: Rate::from_bps(1_000_000),
            ..TimelyConfig::default()
        };
        let has_one_path = flow.sprayed.iter().all(Vec::is_empty);
        let may_tell = has_one_path && flow.forward.len() <= 1 + MOST_HOPS;
        flow.rates = None;
        flow.roce = Some(RoceConfig {
            payload: Bytes(1 + below(4_096)),
            ack_every: 1 + below(4) as u32,
            timeout: Ps::from_us(100 + below(400)),
            control: match below(8) {
                0 => RoceControlConfig::default(),
                6 => RoceControlConfig::Timely(with_timely),
                7 => RoceControlConfig::Swift(SwiftConfig::default()),
                1 | 2 if may_tell => RoceControlConfig::Hpcc(with_hpcc),
                _ => RoceControlConfig::Dcqcn(control),
            },
            resend: Resend::GoBackN,
        });
    }
    plan
}

/// A run by the plain reference schedule, with the frames of all links captured, measured from `from` to its
/// end `to`.
pub fn plainly(plan: &Plan, from: Ps, to: Ps) -> Simulation {
    let mut plain = Simulation::new(plan.clone()).unwrap();
    plain.tap(&(0..plan.links.len()).collect::<Vec<_>>());
    plain.run_plainly(from);
    plain.begin_window();
    plain.run_plainly(to);
    plain.end_window();
    plain
}

/// Networks under PFC of some priorities, under credit control (FCVC), or without either: the plain reference
/// schedule and any partition of the nodes give the same report. Each report checks the balance of bytes.
/// Rates stay between the least rate and the line rate.
#[test]
fn random_networks_do_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "networks over RoCE");
    let (mut cnps, mut naks, mut timeouts, mut pauses, mut completed) = (0, 0, 0, 0.0, 0);
    let (mut dropped, mut told) = (0, 0);
    for case in 0..cases(60) {
        let plan = match case % 3 {
            0 => with_any_switch(random_plan(&mut stream, any_source), &mut stream),
            1 => paused(&mut stream),
            _ => {
                let mut plan = random_plan(&mut stream, any_source);
                for node in plan.nodes.iter_mut().filter(|node| node.switch.is_some()) {
                    node.switch = Some(SwitchPlan::new(u64::MAX));
                }
                plan.fcvc = Some(Default::default());
                plan
            }
        };
        let mut plan = over_roce(plan, &mut stream);
        if plan.fcvc.is_none() && stream.bits().is_multiple_of(2) {
            let marks = RedConfig::dcqcn(Bytes(1_000), Bytes(10_000), 1.0);
            for switch in plan
                .nodes
                .iter_mut()
                .filter_map(|node| node.switch.as_mut())
            {
                switch.aqm = AqmConfig::Red(marks.clone());
            }
        }
        let (from, to) = (Ps::from_us(200), Ps::from_ms(3));
        if stream.bits().is_multiple_of(3) {
            plan = with_changes(plan, &mut stream, to);
        }
        let fast = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        let mut plain = plainly(&plan, from, to);
        let (packets, places) = kept(&plain);
        assert_eq!(packets, places, "case {case}");
        told += packets;
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 == 0 {
            parts_change_nothing_of(&plan, &mut stream, case);
        }
        for (flow, plan_of) in fast.flows.iter().zip(&plan.flows) {
            let line = plan.links[plan_of.forward[0]].rate.bits_per_second();
            let rate = flow.rate_final_bits_per_second.unwrap_or(line);
            assert!((1e6..=line).contains(&rate), "case {case}: {rate}");
            cnps += flow.cnps_received.unwrap_or(0);
            naks += flow.naks_received.unwrap_or(0);
            if plan_of.roce.is_some() {
                timeouts += flow.timeouts;
                dropped += flow.packets_dropped;
                completed += flow.completion_seconds.is_some() as u64;
            }
        }
        let controls = fast.ports.iter().filter_map(|port| port.control.as_ref());
        let sent = controls.filter_map(|found| found.statistics.get("pause_frames_sent"));
        pauses += sent.sum::<f64>();
    }
    assert!(cnps > 100, "{cnps}: the cases must reach CNPs");
    assert!(told > 5, "{told}: the cases must reach telemetry in queues");
    assert!(naks > 5, "{naks}: the cases must reach losses");
    assert!(
        dropped > 1_000,
        "{dropped}: the cases must reach full buffers"
    );
    assert!(timeouts > 20, "{timeouts}: the cases must reach timeouts");
    assert!(pauses > 300.0, "{pauses}: the cases must reach pauses");
    assert!(
        completed > 5,
        "{completed}: the cases must reach ends of files"
    );
}

#[test]
fn plans_that_contradict_roce_are_refused() {
    let refused = |change: &dyn Fn(&mut FlowPlan)| {
        let mut plan = into_two_frames(4, roce());
        change(&mut plan.flows[0]);
        Simulation::new(plan).map(|_| ()).map_err(|error| error.0)
    };
    let error = |text: &str| Err(String::from(text));
    assert_eq!(refused(&|_| {}), Ok(()));
    let at_line = SourceConfig::Persistent(Default::default());
    assert_eq!(
        refused(&|flow| flow.source = at_line.clone()),
        error("one: source persistent does not run over RoCE")
    );
    assert_eq!(
        refused(&|flow| flow.rates = Some(AbrConfig::default())),
        error("one: rates beside RoCE")
    );
    assert_eq!(
        refused(&|flow| flow.backward.clear()),
        error("flow one, backward: no path")
    );
    let without_payload = RoceConfig {
        payload: Bytes(0),
        ..roce()
    };
    assert_eq!(
        refused(&|flow| flow.roce = Some(without_payload.clone())),
        error("flow one: payload: must be above 0, but is 0 bytes")
    );
    let above_line = dcqcn(DcqcnConfig {
        r_min: Rate::from_bps(9 * GBPS),
        ..DcqcnConfig::default()
    });
    assert_eq!(
        refused(&|flow| flow.roce = Some(above_line.clone())),
        error(
            "flow one: r_min: must be above 0 and at most the rate of the line, but is 9000 Mbit/s"
        )
    );
}
