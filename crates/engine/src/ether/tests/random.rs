//! Random networks: the plain reference schedule and any division of a run into calls give the same report.

use alloc::collections::{BTreeMap, VecDeque};

use serde_json::json;

use super::changes::with_changes;
use super::errors::with_any_errors;
use super::*;
use crate::control::schemes;
use crate::endsystem::AbrConfig;
use crate::ether::aqm::algorithms;
use crate::ether::memory::MemoryConfig;
use crate::ether::port::Port;
use crate::schedule::{ScheduleConfig, disciplines};
use crate::tcp::Recovery;
use crate::traffic::on_off::OnOffConfig;
use crate::traffic::poisson::PoissonConfig;

/// A row of switches with hosts at them, and random rates, delays, buffers and flows.
pub fn random_plan(
    stream: &mut Stream,
    sources: impl Fn(&mut Stream, Rate) -> SourceConfig,
) -> Plan {
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
                errors: None,
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
            // Switches form a row; each host is at a random switch.
            let to = if node < switches {
                node - 1
            } else {
                below(switches as u64) as usize
            };
            let rate = rates[below(4) as usize];
            // With whole nanoseconds frames often arrive at one instant; a few picoseconds more prevent this.
            join(
                node,
                to,
                rate,
                Ps(1_000 * below(3_000) + below(2) * below(1_000)),
            );
        }
    }
    let path = |from: usize, to: usize| {
        // Breadth-first search from `from`: `came` has the link over which each node was reached.
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
        pfc: None,
        cbfc: None,
        llr: None,
        changes: Vec::new(),
        port_controls: Vec::new(),
    }
}

pub fn any_source(stream: &mut Stream, rate: Rate) -> SourceConfig {
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

/// A random scheduling discipline that shares a line among `queues` queues.
fn any_schedule(stream: &mut Stream, queues: usize) -> ScheduleConfig {
    let shared = disciplines();
    let name = shared[1 + stream.below(Ps(shared.len() as u64 - 1)).0 as usize].name;
    let strict = stream.below(Ps(queues as u64)).0 as usize;
    let (key, values) = match name {
        "deficit-round-robin" => ("quanta", ["1500 bytes", "4000 bytes"].map(|of| json!(of))),
        _ => ("weights", [1, 3].map(|of| json!(of))),
    };
    let values = &values[..queues - strict];
    serde_json::from_value(json!({ "discipline": name, "strict": strict, key: values })).unwrap()
}

/// Gives each switch random active queue management, order of service, shared memory and control scheme, and
/// gives flows rate control.
pub fn with_any_switch(mut plan: Plan, stream: &mut Stream) -> Plan {
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
            switch.schedule = any_schedule(stream, switch.queues.len());
        }
        switch.memory = (stream.bits().is_multiple_of(2)).then(|| MemoryConfig {
            total: Bytes(100_000 + stream.below(Ps(400_000)).0),
            alpha: [0.25, 1.0, 8.0][stream.below(Ps(3)).0 as usize],
            reserved: Bytes(stream.below(Ps(2_000)).0),
        });
    }
    plan
}

/// The simulation that runs by the plain reference schedule captures all links, so none of its ports fixes
/// the times of frames on the line when they arrive.
#[test]
fn the_plain_schedule_and_any_division_into_calls_give_the_same() {
    let mut stream = Stream::new(1, "ether", "random networks");
    let (mut dropped, mut marked, mut records, mut ahead, mut errored) = (0, 0, 0, 0, 0);
    for case in 0..cases(150) {
        let plan = random_plan(&mut stream, any_source);
        let mut plan = with_any_switch(plan, &mut stream);
        if case % 3 == 0 {
            plan = with_any_errors(plan, &mut stream);
        }
        let (from, to) = (Ps::from_us(200), Ps::from_ms(1));
        if case % 2 == 1 {
            plan = with_changes(plan, &mut stream, to);
        }
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
        errored += fast.totals.packets_lost_on_links;
        records += fast
            .flows
            .iter()
            .filter_map(|flow| flow.records_sent)
            .sum::<u64>();
    }
    assert!(
        ahead > 5_000,
        "{ahead}: the cases must reach frames served ahead"
    );
    assert!(
        records > 1_000,
        "{records}: the cases must reach rate records"
    );
    assert!(
        errored > 1_000,
        "{errored}: the cases must reach errored frames"
    );
    assert!(marked > 50, "{marked}: the cases must reach marks");
    assert!(
        dropped > 10_000,
        "{dropped}: the cases must reach full buffers"
    );
}
