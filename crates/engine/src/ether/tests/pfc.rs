//! Priority-based flow control: values computed by hand, headroom exact to the octet, and random networks.

use super::changes::with_changes;
use super::parts::parts_change_nothing_of;
use super::random::{any_source, random_plan, with_any_switch};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::frame::{Info, on_line};
use crate::ether::line::OctetClock;
use crate::ether::pause::{Order, Pauses};
use crate::ether::pfc::{Ingress, PfcConfig, headroom, least_quanta};
use crate::ether::report::PortReport;
use crate::ether::spray::Multipath;

pub(super) fn persistent() -> SourceConfig {
    SourceConfig::Persistent(Default::default())
}

/// PFC of all priorities, with pauses of the maximum duration.
fn pfc(xoff: u64, xon: u64) -> PfcConfig {
    PfcConfig {
        priorities: (0..8).collect(),
        xoff,
        xon,
        headroom: None,
        quanta: u16::MAX,
        response: Ps::ZERO,
    }
}

pub(super) fn statistic(port: &PortReport, name: &str) -> f64 {
    port.control.as_ref().unwrap().statistics[name]
}

/// A host, a switch, and a line to another host with a tenth of the rate of the first line. An octet takes 1
/// ns on the first line and 10 ns on the second. Each link is 1 us long. Frames have 980 octets, and 1,000 on
/// the line.
fn into_a_slow_line(config: PfcConfig) -> Plan {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), 2_000, |there, _| FlowPlan {
        datagram: 934,
        ..FlowPlan::new("one", persistent(), there, Vec::new())
    });
    plan.links[1].rate = Rate(rate.0 / 10);
    plan.pfc = Some(config);
    plan
}

/// Times in ns at which frames leave on the forward link, and pauses on the opposite link.
fn left(plan: &Plan, until: Ps) -> [Vec<u64>; 2] {
    let mut run = Simulation::new(plan.clone()).unwrap();
    run.tap(&[0, 3]);
    run.run_until(until);
    let seen = run.take_seen();
    [0, 3].map(|link| {
        let on_link = seen.iter().filter(|seen| seen.link == link);
        on_link.map(|seen| seen.at.0 / 1_000).collect()
    })
}

/// A pause of 65,535 quanta has 65,535 x 64 octets. At 60 Gbit/s an octet takes 400/3 ps, so the pause lasts 559,232 ns
/// and is sent again after 279,616 ns. At 70 Gbit/s an octet takes 800/7 ps: 479,341,714 2/7 ps, rounded up, and half of
/// it, 239,670,857 1/7 ps, rounded down.
#[test]
fn the_longest_pause_is_exact_at_rates_with_large_remainders() {
    assert_eq!(OctetClock::LONGEST_FRAME, on_line(Info::MOST_OCTETS));
    for (gbps, pause, half) in [
        (60, 559_232_000, 279_616_000),
        (70, 479_341_715, 239_670_857),
    ] {
        let rate = Rate::from_bps(gbps * GBPS);
        assert_eq!(
            Ingress::new(0, 0, (rate, u16::MAX)).half,
            Ps(half),
            "{gbps}"
        );
        let mut pauses = Pauses::new(rate, Ps::ZERO);
        let mut order = Order {
            quanta: u16::MAX,
            ..Order::default()
        };
        order.set(3, true);
        pauses.take(Ps(11), order);
        assert_eq!(pauses.ends_at(3), Ps(11 + pause), "{gbps}");
    }
}

/// Frame k leaves its host at 988 + 1,000 (k - 1) ns and reaches the switch 1,000 ns later. Frame 3 arrives
/// at 3,988 ns and raises the count to 2,940 octets, above XOFF of 1,960. The pause takes 72 octets and 1 us.
/// It arrives at 5,060 ns, when frame 6 has just begun. Frames leave the switch at 11,988 ns and every 10,000
/// ns from then on. The departure of frame 5 at 51,988 ns lowers the count to XON, 980 octets. The host
/// continues at 53,060 ns. Six frames are 5,880 octets, more than the buffer of the queue, since the limits
/// of queues do not apply to priorities under PFC.
#[test]
fn a_pause_and_its_end_act_as_worked_out_by_hand() {
    let plan = into_a_slow_line(pfc(1_960, 980));
    let [frames, pauses] = left(&plan, Ps(53_500_000));
    assert_eq!(frames, [988, 1_988, 2_988, 3_988, 4_988, 5_988, 54_048]);
    assert_eq!(pauses, [4_060, 52_060]);
    let mut run = Simulation::new(plan).unwrap();
    let report = run.measure(Ps::ZERO, Ps::from_us(55), Ps::from_us(55));
    let back = report
        .ports
        .iter()
        .find(|port| port.name == "N1->N0")
        .unwrap();
    assert_eq!(statistic(back, "pause_frames_sent"), 2.0);
    assert_eq!(statistic(back, "ingress_max_bytes"), 5_880.0);
    assert_eq!(report.totals.packets_dropped, 0);
}

/// The shortest pause that is allowed has 34 quanta or 2,176 ns. The switch sends it again every 1,088 ns
/// until the count has fallen: 44 times from 3,988 to 51,988 ns. The host sends as under one long pause.
#[test]
fn a_pause_that_lasts_is_sent_again_before_it_expires() {
    let quanta = least_quanta(980);
    assert_eq!(quanta, 34);
    let short = PfcConfig {
        quanta,
        ..pfc(1_960, 980)
    };
    let [frames, pauses] = left(&into_a_slow_line(short), Ps(53_500_000));
    assert_eq!(frames.len(), 7);
    assert_eq!(frames[5..], [5_988, 54_048]);
    assert_eq!(pauses.len(), 1 + 44 + 1);
    assert_eq!(pauses[1] - pauses[0], 1_088);
}

/// With a response time of 1,500 ns the pause that arrives at 5,060 ns acts at 6,560 ns. Frame 7 still
/// begins, at 6,000 ns, and frame 8 does not.
#[test]
fn frames_begin_until_the_response_time_is_over() {
    let late = PfcConfig {
        response: Ps(1_500_000),
        ..pfc(1_960, 980)
    };
    let [frames, _] = left(&into_a_slow_line(late), Ps(50_000_000));
    assert_eq!(frames.last(), Some(&6_988));
}

/// An octet takes 1 ns, and each link is 2,277 ns long. Frames of both directions have 1,518 octets, and
/// 1,538 on the line. The third frame crosses XOFF. If a backward frame begins just then, the pause arrives
/// 1,538 + 72 + 2,277 ns later. Frames have begun since 2,277 ns before that instant less 12 ns. In these
/// 6,152 ns four frames follow one another, and a fifth frame begins. Together with the frame that crosses
/// XOFF these are 6 x 1,518 octets. The test tries all 1,538 starts of the backward flow in steps of 1 ns, so
/// that the worst case occurs.
#[test]
fn headroom_is_needed_to_the_octet() {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps(2_277_000), 2_000, |there, back| FlowPlan {
        ..FlowPlan::new("there", persistent(), there, back)
    });
    plan.flows[0].backward = Vec::new();
    plan.links[1].rate = Rate(rate.0 / 1_000);
    let back = FlowPlan::new("back", persistent(), Vec::from([2, 3]), Vec::new());
    plan.links[2].rate = rate;
    plan.flows.push(back);
    let frame = plan.longest_frame();
    let room = headroom((&plan.links[0], frame), (&plan.links[3], frame), Ps::ZERO);
    assert_eq!((frame, room), (1_518, 6 * 1_518));
    let mut run = |given: u64, start: u64| {
        plan.pfc = Some(PfcConfig {
            headroom: Some(given),
            ..pfc(2 * 1_518, 0)
        });
        plan.flows[1].start = Ps(start * 1_000);
        let mut run = Simulation::new(plan.clone()).unwrap();
        let end = Ps::from_us(20);
        let report = run.measure(Ps::ZERO, end, end);
        let port = report
            .ports
            .iter()
            .find(|port| port.name == "N1->N0")
            .unwrap();
        (
            statistic(port, "ingress_max_bytes") as u64,
            report.totals.packets_dropped,
        )
    };
    let found: Vec<(u64, u64)> = (0..1_538).map(|start| run(room, start)).collect();
    assert!(found.iter().all(|(_, dropped)| *dropped == 0));
    let most = found.iter().map(|(most, _)| *most).max().unwrap();
    assert_eq!(most, 2 * 1_518 + room);
    let worst = found.iter().position(|(held, _)| *held == most).unwrap();
    assert_eq!(run(room - 1, worst as u64).1, 1);
}

/// The example of the standard: 100 Gbit/s, 1 us, and 25,216 octets of response time (394 quanta).
#[test]
fn headroom_grows_with_the_response_time() {
    let link = LinkPlan {
        name: "one".into(),
        from: 0,
        to: 1,
        rate: Rate::from_bps(100 * GBPS),
        delay: Ps::from_us(1),
        errors: None,
    };
    let of = |response: Ps| headroom((&link, 1_518), (&link, 1_518), response);
    // 25,000 + 1,538 + 60 octets are 17 whole frames of 1,538 octets and 452 octets, 432 of which belong to a
    // frame.
    assert_eq!(of(Ps::ZERO), 19 * 1_518 + 432);
    // With 25,216 octets more, 51,814 octets are 33 frames and 1,060 octets.
    assert_eq!(of(Ps(25_216 * 80)), 35 * 1_518 + 1_040);
}

/// Random networks without settings that contradict PFC or CBFC.
pub(super) fn without_contradictions(stream: &mut Stream) -> Plan {
    let mut plan = with_any_switch(random_plan(stream, any_source), stream);
    let switches = plan.nodes.iter_mut();
    for switch in switches.filter_map(|node| node.switch.as_mut()) {
        (switch.memory, switch.multipath) = (None, Multipath::Ecmp);
    }
    for flow in &mut plan.flows {
        flow.sprayed = Default::default();
    }
    let mut below = |most: u64| stream.below(Ps(most)).0;
    if below(2) == 0 {
        let switches = plan.nodes.iter_mut();
        for switch in switches.filter_map(|node| node.switch.as_mut()) {
            switch.aqm = AqmConfig::default();
        }
    }
    plan
}

/// Random networks under PFC of some priorities, with random thresholds and response times.
pub(super) fn paused(stream: &mut Stream) -> Plan {
    let mut plan = without_contradictions(stream);
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let (all, xoff) = (below(2) == 0, 1 + below(60_000));
    let least = least_quanta(plan.longest_frame());
    plan.pfc = Some(PfcConfig {
        priorities: (0..8).filter(|_| all || below(4) > 0).chain([0]).collect(),
        xon: below(xoff + 1),
        xoff,
        headroom: None,
        quanta: [least, 2 * least, u16::MAX][below(3) as usize],
        response: Ps(below(4) * 300_000),
    });
    plan
}

/// No frame of a priority under PFC is lost, although the limits of queues do not apply to it. Frames of
/// other priorities are lost.
#[test]
fn random_networks_lose_no_frame_of_a_paused_priority() {
    let mut stream = Stream::new(1, "ether", "paused networks");
    let (pauses, lost) = lose_none_of_covered(&mut stream, &paused, "pause_frames_sent");
    assert!(pauses > 1_000.0, "{pauses}: the cases must reach pauses");
    assert!(lost > 100, "{lost}: other priorities must lose frames");
}

/// Checks that random plans lose no frame of a priority under PFC or CBFC, and that the plain reference schedule and
/// any partition of the nodes give the same report. Returns the sum of a statistic of all ports, and the number of lost
/// frames.
pub(super) fn lose_none_of_covered(
    stream: &mut Stream,
    planned: &dyn Fn(&mut Stream) -> Plan,
    counted: &str,
) -> (f64, u64) {
    let (mut sum, mut lost) = (0.0, 0);
    for case in 0..cases(90) {
        let mut plan = planned(stream);
        if case % 2 == 1 {
            plan = with_changes(plan, stream, Ps::from_ms(1));
        }
        let mut switches = plan.nodes.iter().filter_map(|node| node.switch.as_ref());
        let drops_early = switches.any(|switch| !matches!(switch.aqm, AqmConfig::None(_)));
        let priorities = plan.lossless_priorities();
        let (from, to) = (Ps::from_us(200), Ps::from_ms(1));
        let mut run = Simulation::new(plan.clone()).unwrap();
        let fast = run.measure(from, to, to);
        for (flow, plan) in fast.flows.iter().zip(&plan.flows) {
            let covered = priorities >> plan.priority & 1 == 1 && !drops_early;
            assert!(
                !covered || flow.packets_dropped == 0,
                "case {case}: {plan:#?}"
            );
            lost += flow.packets_dropped;
        }
        let sent = fast.ports.iter().map(|port| statistic(port, counted));
        sum += sent.sum::<f64>();
        let mut plain = Simulation::new(plan.clone()).unwrap();
        plain.run_plainly(from);
        plain.begin_window();
        plain.run_plainly(to);
        plain.end_window();
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 == 0 {
            parts_change_nothing_of(&plan, stream, case);
        }
    }
    (sum, lost)
}

/// In the network of [`into_a_slow_line`] the pause leaves at 3,988 ns + 72 ns and arrives at 5,060 ns. From then on it
/// stops the host.
#[test]
fn a_pause_is_on_its_link_before_it_stops_the_neighbour() {
    let mut run = Simulation::new(into_a_slow_line(pfc(1_960, 980))).unwrap();
    run.run_until(Ps::from_ns(5_000));
    let orders = run
        .frames()
        .filter_map(|frame| Some((frame.link, frame.pause?.paused, frame.arrives?)));
    assert_eq!(orders.collect::<Vec<_>>(), [(3, 1, Ps::from_ns(5_060))]);
    assert!(run.held_links().is_empty());
    run.run_until(Ps::from_ns(5_100));
    assert!(run.frames().all(|frame| frame.pause.is_none()));
    assert_eq!(run.held_links(), [0]);
}

/// Frames that the network holds are on the paths of their channels. Only frames of PFC and CBFC have no channel.
#[test]
fn held_frames_are_those_of_channels() {
    let mut stream = Stream::new(73, "pauses", "held");
    for case in 0..40 {
        let planned = [paused, super::cbfc::credited][case % 2];
        let plan = planned(&mut stream);
        let mut run = Simulation::new(plan.clone()).unwrap();
        for at in 1..100 {
            run.run_until(Ps::from_us(4 * at));
            for frame in run.frames() {
                let on_path = |channel| plan.path(channel).contains(&frame.link);
                assert!(frame.channel.is_none_or(on_path), "{frame:?}");
                assert_eq!(
                    frame.channel.is_none(),
                    frame.info.is_of_link(),
                    "{frame:?}"
                );
            }
        }
    }
}

#[test]
fn plans_that_contradict_pauses_are_refused() {
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = into_a_slow_line(pfc(1_960, 980));
        change(&mut plan);
        Simulation::new(plan).map(|_| ()).map_err(|error| error.0)
    };
    let of = |change: &dyn Fn(&mut PfcConfig)| refused(&|plan| change(plan.pfc.as_mut().unwrap()));
    let error = |text: &str| Err(String::from(text));
    assert_eq!(of(&|_| {}), Ok(()));
    assert_eq!(of(&|pfc| pfc.priorities.clear()), error("pfc: no priority"));
    assert_eq!(
        of(&|pfc| pfc.xon = 1_961),
        error("pfc: xon of 1961 octets is above xoff")
    );
    assert_eq!(
        of(&|pfc| pfc.quanta = 33),
        error("pfc: a pause of 33 quanta; at least 34")
    );
    assert_eq!(
        refused(&|plan| {
            plan.nodes[1].switch = Some(SwitchPlan::new(u64::MAX));
            plan.fcvc = Some(Default::default());
        }),
        error("pfc: credit for each channel beside pauses")
    );
}
