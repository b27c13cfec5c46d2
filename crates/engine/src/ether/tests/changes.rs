//! Changes during a run act at their instants and not before. Times are computed by hand.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::random::{any_source, random_plan, with_any_switch};
use super::*;
use crate::endsystem::AbrConfig;
use crate::ether::aqm::{AqmConfig, Length};
use crate::ether::frame::{Ecn, Packet};
use crate::ether::memory::MemoryConfig;
use crate::ether::{Change, FlowChange, SwitchChange};

/// Gives a plan one to four changes before `end`: settings of some switches, and of all flows. Parameters are
/// scaled, and some flows stop and continue.
pub fn with_changes(mut plan: Plan, stream: &mut Stream, end: Ps) -> Plan {
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let mut times: Vec<u64> = (0..1 + below(4)).map(|_| 1 + below(end.0 - 1)).collect();
    times.sort_unstable();
    times.dedup();
    for at in times {
        let [of_switch, of_flow] = [0, 0].map(|_| [0.3, 0.7, 1.0, 1.9, 4.0][below(5) as usize]);
        let switches = plan.nodes.iter().enumerate().filter_map(|(node, found)| {
            let switch = found.switch.as_ref()?;
            let to = SwitchChange {
                buffer: [u64::MAX, 10_000 + below(300_000)][below(2) as usize],
                memory: switch.memory.as_ref().map(|memory| MemoryConfig {
                    total: Bytes(memory.total.0 / (1 + below(3))),
                    alpha: [0.25, 1.0, 8.0][below(3) as usize],
                    reserved: Bytes(memory.reserved.0 / (4 * (1 + below(3)))),
                }),
                aqm: scaled(&switch.aqm, of_switch),
                control: scaled(&switch.control, of_switch),
            };
            (below(4) > 0).then_some((node, to))
        });
        let switches = switches.collect();
        let flows = plan.flows.iter().enumerate().map(|(number, flow)| {
            let to = FlowChange {
                sends: below(3) > 0,
                source: scaled(&flow.source, of_flow),
                rates: flow.rates.as_ref().map(|rates| scaled(rates, of_flow)),
            };
            (number, to)
        });
        let flows = flows.collect();
        plan.changes.push(Change {
            at: Ps(at),
            switches,
            flows,
        });
    }
    plan
}

/// Parameters with every number multiplied by `factor`, as far as its range permits.
fn scaled<T: Serialize + DeserializeOwned>(config: &T, factor: f64) -> T {
    let mut value = serde_json::to_value(config).unwrap();
    scale(&mut value, factor);
    serde_json::from_value(value).unwrap()
}

fn scale(value: &mut Value, factor: f64) {
    let whole = |number: u64| (number as f64 * factor).clamp(2.0, 1e18) as u64;
    match value {
        Value::Object(fields) => {
            let fixed = ["pcr", "mcr", "size"];
            let fields = fields.iter_mut();
            let free = fields.filter(|(key, _)| !fixed.contains(&key.as_str()));
            free.for_each(|(_, value)| scale(value, factor));
        }
        Value::String(text) => {
            let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
            let is_time = unit.ends_with('s') && unit.len() <= 2;
            if is_time && let Ok(Ps(time)) = serde_json::from_value(json!(text)) {
                *value = json!(Ps(whole(time)));
            } else if unit.ends_with("bit/s")
                && let Ok(Rate(rate)) = serde_json::from_value(json!(text))
            {
                *value = json!(Rate(whole(rate)));
            } else if ["cells", "packets", "bytes"].contains(&unit)
                && let Ok(number) = number.parse()
            {
                *value = json!(format!("{} {unit}", whole(number)));
            }
        }
        Value::Number(number) => {
            *value = match (number.as_u64(), number.as_f64()) {
                (Some(number), _) => json!(whole(number)),
                (None, Some(share)) if share <= 1.0 => json!((share * factor).min(0.999)),
                (None, Some(number)) => json!(1.0 + (number - 1.0) * factor),
                (None, None) => return,
            };
        }
        _ => {}
    }
}

#[test]
fn most_drawn_changes_change_a_run() {
    let mut stream = Stream::new(1, "ether", "drawn changes");
    let end = Ps::from_ms(1);
    let differ = (0..40).filter(|_| {
        let plan = with_any_switch(random_plan(&mut stream, any_source), &mut stream);
        let changed = with_changes(plan.clone(), &mut stream, end);
        let [one, other] = [plan, changed].map(|plan| {
            let mut run = Simulation::new(plan).unwrap();
            text(&run.measure(Ps::ZERO, end, end))
        });
        one != other
    });
    let count = differ.count();
    assert!(count > 30, "{count}");
}

#[test]
fn a_change_to_the_same_changes_nothing() {
    let mut stream = Stream::new(1, "ether", "changes to the same");
    let end = Ps::from_ms(1);
    for case in 0..cases(60) {
        let plan = with_any_switch(random_plan(&mut stream, any_source), &mut stream);
        let same = |at: u64| {
            let nodes = plan.nodes.iter().enumerate();
            let switches = nodes.filter_map(|(node, found)| {
                let switch = found.switch.as_ref()?;
                Some((node, SwitchChange::of(switch)))
            });
            let flows = plan.flows.iter().map(FlowChange::of).enumerate();
            Change {
                at: Ps(at),
                switches: switches.collect(),
                flows: flows.collect(),
            }
        };
        let mut times: Vec<u64> = (0..6).map(|_| 1 + stream.below(Ps(end.0 - 1)).0).collect();
        times.sort_unstable();
        times.dedup();
        let changed = Plan {
            changes: times.into_iter().map(same).collect(),
            ..plan.clone()
        };
        let run = |plan| Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let found = run(changed);
        assert_eq!(
            text(&run(plan.clone())),
            text(&found),
            "case {case}: {plan:#?}"
        );
    }
}

/// 200 frames of 1,518 octets follow each other from a host over 10 Gbit/s and 1 us to a port of 1 Gbit/s.
/// Frame n, from 0, arrives at 2,220.8 + 1,230.4 n ns. The port serves a frame in 12,304 ns. So frame n meets
/// n - n/10 frames, rounded up, at the port.
fn burst(ecn: bool) -> Plan {
    let rate = Rate::from_bps(10 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, back| {
        let mut flow = FlowPlan::new("tcp", transfer(200 * 1_460), there, back);
        flow.tcp.mss = Bytes(1_460);
        flow.tcp.initial_window = 200;
        flow.tcp.window = Bytes(1_000_000);
        flow.tcp.ecn = Some(ecn);
        flow
    });
    plan.links[1].rate = Rate::from_bps(GBPS);
    plan
}

/// Time at which frame `n` of [`burst`] arrives at the port.
fn arrival(n: u64) -> Ps {
    Ps(2_220_800 + 1_230_400 * n)
}

/// A change of the switch in the plan of [`burst`] at the instant `at`, edited by `act`.
fn of_switch(plan: &Plan, at: Ps, act: impl FnOnce(&mut SwitchChange)) -> Change {
    let mut to = SwitchChange::of(plan.nodes[1].switch.as_ref().unwrap());
    act(&mut to);
    Change {
        at,
        switches: Vec::from([(1, to)]),
        flows: Vec::new(),
    }
}

/// A change of the first flow at the instant `at`, edited by `act`.
fn of_flow(plan: &Plan, at: Ps, act: impl FnOnce(&mut FlowChange)) -> Change {
    let mut to = FlowChange::of(&plan.flows[0]);
    act(&mut to);
    Change {
        at,
        switches: Vec::new(),
        flows: Vec::from([(0, to)]),
    }
}

fn threshold(k: u64) -> AqmConfig {
    let k = Length::Packets(k);
    serde_json::from_value(json!({ "algorithm": "threshold", "k": k })).unwrap()
}

/// Frame 39 meets 39 - 3 = 36 frames. It is the first marked frame if its arrival lowers the threshold to 20
/// frames. If the change comes a picosecond later, frame 40 is the first. A threshold of 40 frames first
/// marks frame 45, which meets 45 - 4 = 41 frames.
#[test]
fn the_first_mark_after_a_threshold_is_lowered_is_on_the_frame_worked_out_by_hand() {
    for (k, at, first) in [
        (20, arrival(39), 39),
        (20, Ps(arrival(39).0 + 1), 40),
        (40, arrival(39), 45),
        (1_000, arrival(39), 61),
    ] {
        let mut plan = burst(true);
        plan.nodes[1].switch.as_mut().unwrap().aqm = threshold(1_000);
        let change = of_switch(&plan, at, |to| to.aqm = threshold(k));
        plan.changes.push(change);
        let end = Ps(arrival(60).0 + 1);
        let mut run = Simulation::new(plan.clone()).unwrap();
        let report = run.measure(Ps::ZERO, end, end);
        assert_eq!(report.ports[0].queues[0].packets_marked, 61 - first);
        // The frames that leave the port must show the same. They are captured, so this port does not fix the
        // times of frames on the line when they arrive.
        let mut run = Simulation::new(plan).unwrap();
        run.tap(&[1]);
        run.run_until(Ps::from_ms(2));
        let seen = run.take_seen();
        let marked = seen.iter().filter(|seen| seen.info.ecn() == Ecn::Ce);
        let sequence = marked.filter_map(|seen| match seen.packet {
            Packet::Tcp(segment) => segment.sequence(),
            _ => None,
        });
        let found = sequence.min().map(|sequence| sequence / 1_460);
        assert_eq!(found, (k < 1_000).then_some(first), "{k}");
    }
}

/// The buffer shrinks to 36 frames at the arrival of frame 39, which is the first dropped frame. Frames 40,
/// 50 and 60 arrive at the end of a transmission and fit into the buffer. All other frames from frame 39 on
/// are dropped.
#[test]
fn a_smaller_buffer_keeps_what_it_holds_and_drops_from_its_instant_on() {
    for (until, dropped) in [(38, 0), (39, 1), (40, 1), (49, 10), (50, 10), (60, 19)] {
        let mut plan = burst(false);
        let change = of_switch(&plan, arrival(39), |to| to.buffer = 36 * 1_518);
        plan.changes.push(change);
        let end = Ps(arrival(until).0 + 1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        assert_eq!(report.totals.packets_dropped, dropped, "{until}");
    }
}

/// With alpha = 1 a queue may hold as many octets as are free: 36 frames of a memory of 72 frames. At the
/// arrival of frame 30, which meets 27 frames, the memory shrinks to 40 frames and has 13 free. No frame is
/// admitted until 20 frames are left.
#[test]
fn a_smaller_memory_admits_nothing_until_its_threshold_is_met() {
    let memory = |frames: u64| MemoryConfig {
        total: Bytes(1_518 * frames),
        alpha: 1.0,
        reserved: Bytes(0),
    };
    for (until, dropped) in [(29, 0), (30, 1), (60, 31), (100, 71), (110, 80)] {
        let mut plan = burst(false);
        plan.nodes[1].switch.as_mut().unwrap().memory = Some(memory(72));
        let change = of_switch(&plan, arrival(30), |to| to.memory = Some(memory(40)));
        plan.changes.push(change);
        let end = Ps(arrival(until).0 + 1);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        // The queue has 27 frames when frame 30 arrives, and 20 when frame 100 arrives, at the end of the
        // tenth transmission; frame 100 is dropped. The next admitted frame is frame 110, at the end of the
        // next transmission.
        assert_eq!(report.totals.packets_dropped, dropped, "{until}");
    }
}

fn sent_by(plan: &Plan, us: u64) -> u64 {
    let end = Ps::from_us(us);
    let mut run = Simulation::new(plan.clone()).unwrap();
    run.measure(Ps::ZERO, end, end).flows[0].packets_sent
}

/// Datagrams at the rate of the line begin every 12,304 ns, the fifth at 49.2 us. From 50 us to 100 us the
/// source makes no datagram, and the sixth begins at 100 us. If the source continues at 55 us, the sixth
/// waits for the line until 61.52 us.
#[test]
fn datagrams_stop_and_go_on() {
    for (from, to, until, sent) in [
        (50, 100, 100, 5),
        (50, 100, 101, 6),
        (50, 100, 112, 6),
        (50, 100, 113, 7),
        (50, 55, 61, 5),
        (50, 55, 62, 6),
        (49, 100, 100, 4),
    ] {
        let mut plan = row(2, Rate::from_bps(GBPS), Ps::from_us(1), 0, |there, _| {
            let always = SourceConfig::Persistent(Default::default());
            FlowPlan::new("udp", always, there, Vec::new())
        });
        let [stop, go_on] = [(from, false), (to, true)]
            .map(|(at, sends)| of_flow(&plan, Ps::from_us(at), |to| to.sends = sends));
        plan.changes = Vec::from([stop, go_on]);
        assert_eq!(sent_by(&plan, until), sent, "{from} {to} {until}");
    }
}

/// A datagram takes 1,538 octets on the line, which are 100 us at 123.04 Mbit/s. From 250 us on the rate is
/// half of this rate. The second half of the fourth datagram takes 100 us, and the next datagrams follow
/// every 200 us.
#[test]
fn a_source_of_datagrams_goes_on_at_its_new_rate() {
    let rate = |kbps: u64| cbr(Rate::from_bps(1_000 * kbps));
    let mut plan = row(2, Rate::from_bps(GBPS), Ps::from_us(1), 0, |there, _| {
        FlowPlan::new("udp", rate(123_040), there, Vec::new())
    });
    let change = of_flow(&plan, Ps::from_us(250), |to| to.source = rate(61_520));
    plan.changes.push(change);
    let sent = [350, 351, 550, 551, 750, 751].map(|us| sent_by(&plan, us));
    assert_eq!(sent, [3, 4, 4, 5, 5, 6]);
}

/// Data over TCP wait until 100 us. Then a segment takes 12,208 ns and 1 us, and the acknowledgement of the
/// segment 576 ns and 1 us.
#[test]
fn data_over_tcp_wait_until_a_change_lets_them() {
    let mut plan = row(2, Rate::from_bps(GBPS), Ps::from_us(1), 0, |there, back| {
        let mut flow = FlowPlan::new("tcp", transfer(1_460), there, back);
        flow.tcp.mss = Bytes(1_460);
        flow.sends = false;
        flow
    });
    let change = of_flow(&plan, Ps::from_us(100), |to| to.sends = true);
    plan.changes.push(change);
    let end = Ps::from_ms(1);
    let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
    let found = report.flows[0].completion_seconds.unwrap();
    assert!((found - 114.784e-6).abs() < 1e-12, "{found}");
}

/// 31 frames of 12.304 us follow a rate record of 0.672 us at an ICR of 1 Gbit/s, in 382.096 us together.
/// From the second rate record on three frames follow each rate record, in 37.584 us together.
#[test]
fn a_source_sends_records_as_often_as_its_new_nrm_says() {
    let rates = AbrConfig {
        icr: Some(Rate::from_bps(GBPS)),
        ..AbrConfig::default()
    };
    let mut plan = row(
        2,
        Rate::from_bps(10 * GBPS),
        Ps::from_ms(10),
        0,
        |there, back| {
            let always = SourceConfig::Persistent(Default::default());
            FlowPlan {
                rates: Some(rates.clone()),
                ..FlowPlan::new("udp", always, there, back)
            }
        },
    );
    let change = of_flow(&plan, Ps(382_096_000), |to| {
        to.rates = Some(AbrConfig { nrm: 4, ..rates });
    });
    plan.changes.push(change);
    let end = Ps(382_096_000 + 10 * 37_584_000);
    let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
    let flow = &report.flows[0];
    assert_eq!((flow.packets_sent, flow.records_sent), (32 + 40, Some(11)));
}

#[test]
fn changes_that_are_more_than_parameters_are_refused() {
    let refused = |act: &dyn Fn(&mut Change)| {
        let mut plan = burst(false);
        let mut change = of_switch(&plan, Ps(5), |_| {});
        change.flows = of_flow(&plan, Ps(5), |_| {}).flows;
        act(&mut change);
        plan.changes = Vec::from([change]);
        Simulation::new(plan)
            .err()
            .map_or(String::new(), |error| error.0)
    };
    assert_eq!(refused(&|_| {}), "");
    let late = "the change at 0 s does not come after the one before it, or after the start";
    assert_eq!(refused(&|change| change.at = Ps::ZERO), late);
    for (act, fault) in [
        (
            &(|change: &mut Change| change.switches[0].0 = 0) as &dyn Fn(&mut Change),
            "concerns a switch that does not exist",
        ),
        (
            &|change| change.flows[0].0 = 1,
            "concerns a flow that does not exist",
        ),
        (
            &|change| change.switches[0].1.aqm = threshold(5),
            "replaces the scheme or the queue management of a switch",
        ),
        (
            &|change| {
                change.switches[0].1.control =
                    serde_json::from_value(json!({ "scheme": "erica" })).unwrap();
            },
            "replaces the scheme or the queue management of a switch",
        ),
        (
            &|change| {
                change.switches[0].1.memory = Some(MemoryConfig {
                    total: Bytes(100_000),
                    alpha: 1.0,
                    reserved: Bytes(0),
                });
            },
            "gives a shared memory to a switch, or takes it away",
        ),
        (
            &|change| change.flows[0].1.source = cbr(Rate::from_bps(GBPS)),
            "replaces the source of a flow, its rate control, its PCR or its MCR",
        ),
        (
            &|change| change.flows[0].1.rates = Some(AbrConfig::default()),
            "replaces the source of a flow, its rate control, its PCR or its MCR",
        ),
    ] {
        assert_eq!(refused(act), format!("the change at 5 ps {fault}"));
    }
    // A threshold that decides at arrivals fixes the times of frames on the line when they arrive.
    let mut plan = burst(false);
    let at = |at: &str| {
        let aqm = json!({ "algorithm": "threshold", "k": "5 packets", "at": at });
        serde_json::from_value::<AqmConfig>(aqm).unwrap()
    };
    plan.nodes[1].switch.as_mut().unwrap().aqm = at("enqueue");
    let change = of_switch(&plan, Ps(5), |to| to.aqm = at("dequeue"));
    plan.changes.push(change);
    assert!(Simulation::new(plan).is_err());
}
