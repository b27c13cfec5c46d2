//! Runs in which switches spray the frames of a flow over several ports.

use super::changes::with_changes;
use super::random::{any_source, with_any_switch};
use super::*;
use crate::endsystem::AbrConfig;
use crate::ether::completion_alone;
use crate::ether::spray::Multipath;
use crate::tcp::Recovery;

const RATE: Rate = Rate::from_bps(100 * GBPS);

/// Two leaves `L0` and `L1` with hosts, each joined to all spines `S0`, `S1` and so on. Every link has 100
/// Gbit/s and 1 us. Flow `n` leads from host `An` at `L0` to host `Bn` at `L1`, sprayed in both directions.
pub(super) fn leaf_spine(
    spines: usize,
    multipath: Multipath,
    flows: usize,
    flow: impl Fn(Vec<usize>, Vec<usize>) -> FlowPlan,
) -> Plan {
    let switch = SwitchPlan {
        multipath,
        ..SwitchPlan::new(u64::MAX)
    };
    let switches = 2 + spines;
    let hosts = |name: &str| (0..flows).map(|n| format!("{name}{n}")).collect::<Vec<_>>();
    let names = [String::from("L0"), String::from("L1")]
        .into_iter()
        .chain((0..spines).map(|spine| format!("S{spine}")))
        .chain(hosts("A"))
        .chain(hosts("B"));
    let nodes: Vec<NodePlan> = names
        .enumerate()
        .map(|(number, name)| NodePlan {
            name,
            switch: (number < switches).then(|| switch.clone()),
        })
        .collect();
    let mut links: Vec<LinkPlan> = Vec::new();
    let mut join = |from: usize, to: usize| {
        for (from, to) in [(from, to), (to, from)] {
            links.push(LinkPlan {
                name: format!("{}->{}", nodes[from].name, nodes[to].name),
                from,
                to,
                rate: RATE,
                delay: Ps::from_us(1),
                errors: None,
            });
        }
        links.len() - 2
    };
    let up: Vec<usize> = (0..spines).map(|spine| join(0, 2 + spine)).collect();
    let down: Vec<usize> = (0..spines).map(|spine| join(2 + spine, 1)).collect();
    let a: Vec<usize> = (0..flows).map(|n| join(switches + n, 0)).collect();
    let b: Vec<usize> = (0..flows).map(|n| join(1, switches + flows + n)).collect();
    let flows = (0..flows).map(|n| {
        let there = Vec::from([a[n], up[0], down[0], b[n]]);
        let back: Vec<usize> = there.iter().rev().map(|link| link + 1).collect();
        let all = [&[a[n]], &up[..], &down[..], &[b[n]]].concat();
        let returns = |links: &[usize]| links.iter().map(|link| link + 1).collect::<Vec<_>>();
        let all_back = [&[b[n]], &down[..], &up[..], &[a[n]]].map(returns).concat();
        FlowPlan {
            name: format!("f{n}"),
            sprayed: [all, all_back],
            ..flow(there, back)
        }
    });
    Plan {
        seed: 1,
        framing: Framing::default(),
        fcvc: None,
        pfc: None,
        cbfc: None,
        llr: None,
        changes: Vec::new(),
        port_controls: Vec::new(),
        flows: flows.collect(),
        nodes: nodes.clone(),
        links,
    }
}

fn link(plan: &Plan, name: &str) -> usize {
    let mut links = plan.links.iter();
    links.position(|link| link.name == name).unwrap()
}

/// Number of frames that have arrived at a port, dropped frames included.
fn arrived(report: &Report, name: &str) -> u64 {
    let mut ports = report.ports.iter();
    let port = ports.find(|port| port.name == name).unwrap();
    port.queues.iter().map(|queue| queue.packets_arrived).sum()
}

pub(super) fn over_tcp(bytes: u64) -> impl Fn(Vec<usize>, Vec<usize>) -> FlowPlan {
    move |there, back| FlowPlan {
        tcp: TcpConfig {
            mss: Bytes(1_460),
            window: Bytes(1 << 20),
            initial_window: 10,
            recovery: Recovery::Sack,
            ..TcpConfig::default()
        },
        ..FlowPlan::new("f", transfer(bytes), there, back)
    }
}

/// Four segments begin 1,538 octets of 80 ps apart. Each segment crosses four links of 1 us with 1,526
/// octets. The line from L0 to S1 has 1 us more. In turns over S0 and S1 every second segment takes this
/// line. So the segments arrive in the order 1 3 2 4 if the first takes S0, and 2 4 1 3 otherwise. The
/// acknowledgement of the last arrival crosses four links of 1 us with 72 octets.
#[test]
fn frames_in_turn_over_two_paths_arrive_out_of_order_when_they_must() {
    let mut firsts = Vec::new();
    for seed in 0..20 {
        let mut plan = leaf_spine(2, Multipath::RoundRobin, 1, over_tcp(4 * 1_460));
        plan.seed = seed;
        let [s0, s1] = ["L0->S0", "L0->S1"].map(|name| link(&plan, name));
        plan.links[s1].delay = Ps::from_us(2);
        let mut simulation = Simulation::new(plan).unwrap();
        simulation.tap(&[s0, s1]);
        let report = simulation.measure(Ps::ZERO, Ps::from_ms(1), Ps::from_ms(1));
        let seen: Vec<usize> = simulation
            .take_seen()
            .iter()
            .map(|seen| seen.link)
            .collect();
        let is_first = seen[0] == s0;
        let turns = if is_first { [s0, s1] } else { [s1, s0] };
        assert_eq!(seen, [turns, turns].concat());
        // The last arrival is the fourth or the third segment, which has taken the longer path.
        let (before, repeated) = if is_first { (3, 1) } else { (2, 2) };
        let there = before * 1_538 * 80 + 4 * 1_526 * 80 + 5_000_000;
        let ends = there + 4 * (72 * 80 + 1_000_000);
        let flow = &report.flows[0];
        assert_eq!(flow.completion_seconds, Some(Ps(ends).as_secs_f64()));
        assert_eq!((flow.duplicate_acks, flow.fast_retransmits), (repeated, 0));
        firsts.push(is_first);
    }
    assert!(firsts.contains(&true) && firsts.contains(&false));
}

/// With spines of different delays TCP takes reordering for loss and sends segments again. The receiver
/// delivers every byte once.
#[test]
fn tcp_delivers_all_although_frames_overtake_one_another() {
    for multipath in [Multipath::Random, Multipath::RoundRobin] {
        let run = |seed| {
            let mut plan = leaf_spine(3, multipath, 2, over_tcp(3_000_000));
            plan.seed = seed;
            let slow = link(&plan, "L0->S1");
            plan.links[slow].delay = Ps::from_us(3);
            let end = Ps::from_ms(20);
            Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end)
        };
        let report = run(1);
        assert_eq!(report.totals.packets_dropped, 0);
        for flow in &report.flows {
            let balance = flow.balance.as_ref().unwrap();
            assert_eq!((flow.delivered_bytes, flow.timeouts), (3_000_000, 0));
            assert!(flow.fast_retransmits > 0 && flow.duplicate_acks > 100);
            assert!(balance.duplicate_bytes > 0, "{balance:?}");
        }
        let shares = ["S0", "S1", "S2"].map(|spine| arrived(&report, &format!("{spine}->L1")));
        let all: u64 = report.flows.iter().map(|flow| flow.packets_sent).sum();
        assert_eq!(shares.iter().sum::<u64>(), all);
        // If ports take turns, the shares are equal within one frame. Drawn shares are equal within five
        // standard deviations.
        let within = match multipath {
            Multipath::RoundRobin => 1,
            _ => (5.0 * (all as f64 * 2.0 / 9.0).sqrt()) as u64,
        };
        assert!(
            shares.iter().all(|share| share.abs_diff(all / 3) <= within),
            "{shares:?} of {all}"
        );
        assert_eq!(text(&run(1)), text(&report));
        assert_ne!(run(2).digest, report.digest);
    }
}

/// If a flow is alone, no frame waits at a switch, so no frame overtakes another on paths of equal delays.
#[test]
fn a_flow_alone_is_as_fast_over_equal_paths_as_over_one() {
    let run = |multipath| {
        let mut plan = leaf_spine(3, multipath, 1, over_tcp(1_000_000));
        if multipath == Multipath::Ecmp {
            plan.flows[0].sprayed = Default::default();
        }
        let end = Ps::from_ms(5);
        let report = Simulation::new(plan.clone())
            .unwrap()
            .measure(Ps::ZERO, end, end);
        let alone = completion_alone(&plan, 0, end);
        assert_eq!(
            alone.map(Ps::as_secs_f64),
            report.flows[0].completion_seconds
        );
        report.flows[0].completion_seconds
    };
    assert!(run(Multipath::Ecmp).is_some());
    assert_eq!(run(Multipath::Random), run(Multipath::Ecmp));
    assert_eq!(run(Multipath::RoundRobin), run(Multipath::Ecmp));
}

#[test]
fn sprayed_runs_do_not_depend_on_the_schedule() {
    let mut stream = Stream::new(3, "ether", "sprayed networks");
    let mut dropped = 0;
    for case in 0..cases(40) {
        let below = |stream: &mut Stream, most: u64| stream.below(Ps(most)).0;
        let multipath = [Multipath::Random, Multipath::RoundRobin][below(&mut stream, 2) as usize];
        let spines = 2 + below(&mut stream, 3) as usize;
        let flows = 1 + below(&mut stream, 4) as usize;
        let mut plan = leaf_spine(spines, multipath, flows, over_tcp(1 << 30));
        plan.seed = stream.bits();
        for flow in &mut plan.flows {
            flow.source = any_source(&mut stream, RATE);
            flow.tcp.min_rto = Ps::from_us(200);
        }
        for link in &mut plan.links {
            link.rate.0 /= 1 + below(&mut stream, 3);
            link.delay = Ps(1_000 * below(&mut stream, 3_000));
        }
        let mut plan = with_any_switch(plan, &mut stream);
        plan.flows.iter_mut().for_each(|flow| flow.rates = None);
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.buffer = 30_000;
        }
        let (from, to) = (Ps::from_us(100), Ps::from_us(500));
        if case % 2 == 1 {
            plan = with_changes(plan, &mut stream, to);
        }
        let fast = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        let mut plain = Simulation::new(plan.clone()).unwrap();
        plain.tap(&(0..plan.links.len()).collect::<Vec<_>>());
        plain.run_plainly(from);
        plain.begin_window();
        plain.run_plainly(to);
        plain.end_window();
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        dropped += fast.totals.packets_dropped;
    }
    assert!(dropped > 1_000, "{dropped}");
}

#[test]
fn wrong_ways_are_refused() {
    let plan = || leaf_spine(2, Multipath::Random, 1, over_tcp(1_460));
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plan();
        change(&mut plan);
        let error = Simulation::new(plan).err();
        error.map_or(String::new(), |error| error.0)
    };
    assert_eq!(refused(&|_| ()), "");
    let there = |change: fn(&mut Vec<usize>)| {
        refused(&move |plan: &mut Plan| change(&mut plan.flows[0].sprayed[0]))
    };
    let leads = "flow f0, forward: its links do not lead from a host over switches that spray";
    assert_eq!(there(|links| links.swap(1, 3)), leads);
    assert_eq!(there(|links| links.push(links[1])), leads);
    let ends = "flow f0, forward: its links do not all lead to its end";
    assert_eq!(there(|links| links.truncate(5)), ends);
    assert_eq!(there(|links| _ = links.remove(3)), ends);
    let ecmp = |plan: &mut Plan| {
        plan.nodes[0].switch = Some(SwitchPlan::new(u64::MAX));
    };
    assert_eq!(refused(&ecmp), leads);
    let rates = |plan: &mut Plan| plan.flows[0].rates = Some(AbrConfig::default());
    assert!(refused(&rates).contains("rate records"));
}
