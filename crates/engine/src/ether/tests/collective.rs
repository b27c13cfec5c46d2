//! Flows that await other flows: values computed by hand, and random networks.

use super::parts::parts_change_nothing_of;
use super::random::{any_source, random_plan, with_any_switch};
use super::roce::{over_roce, plainly};
use super::*;
use crate::ether::plan::Awaited;
use crate::ether::roce::RoceConfig;

/// Two hosts and a switch at 8 Gbit/s, 1 ns an octet, with links of 1 us. Each flow is one packet of 982 octets.
fn there_and_back_and_there(wait: Ps) -> Plan {
    let awaited = |flow, wait| Awaited { flow, wait };
    let rate = Rate::from_bps(8 * GBPS);
    let one = |there: Vec<usize>, back: Vec<usize>| FlowPlan {
        roce: Some(RoceConfig {
            payload: Bytes(920),
            ..RoceConfig::default()
        }),
        ..FlowPlan::new("first", transfer(920), there, back)
    };
    let mut plan = row(3, rate, Ps::from_us(1), u64::MAX, one);
    let first = plan.flows[0].clone();
    plan.flows.push(FlowPlan {
        name: "second".into(),
        forward: first.backward.clone(),
        backward: first.forward.clone(),
        after: Vec::from([awaited(0, wait)]),
        ..first.clone()
    });
    plan.flows.push(FlowPlan {
        name: "third".into(),
        after: Vec::from([awaited(0, Ps::ZERO), awaited(1, Ps::ZERO)]),
        ..first
    });
    for flow in &mut plan.flows {
        flow.group = "ring".into();
    }
    plan
}

/// A packet arrives 2 (990 + 1,000) ns after its start, and an acknowledgement of 66 octets 2 (74 + 1,000) ns after it
/// was sent. The first packet arrives at 3,980 ns; after 500 ns the second packet begins, at 4,480, and arrives at
/// 8,460. The acknowledgement of the second takes the line of that host for 86 ns. So the third packet leaves at 8,546
/// and is acknowledged at 8,546 + 3,980 + 2,148 = 14,674.
#[test]
fn a_flow_begins_when_those_that_it_awaits_have_ended() {
    let plan = there_and_back_and_there(Ps::from_ns(500));
    let end = Ps::from_us(50);
    let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
    let found = report
        .flows
        .iter()
        .map(|flow| (flow.start_seconds, flow.completion_seconds));
    let ns = |begin: f64, length: f64| (Some(begin * 1e-9), Some(length * 1e-9));
    let expected = [ns(0.0, 6_128.0), ns(4_480.0, 6_128.0), ns(8_460.0, 6_214.0)];
    for (found, expected) in found.zip(expected) {
        let near =
            |one: Option<f64>, other: Option<f64>| (one.unwrap() - other.unwrap()).abs() < 1e-15;
        assert!(
            near(found.0, expected.0) && near(found.1, expected.1),
            "{found:?} {expected:?}"
        );
    }
    let [whole] = &report.collectives[..] else {
        panic!("{:?}", report.collectives)
    };
    assert_eq!((whole.flows, whole.flows_completed), (3, 3));
    assert!((whole.completion_seconds.unwrap() - 14_674e-9).abs() < 1e-15);
    let names = [&whole.last_flow, &whole.straggler].map(|name| name.as_deref().unwrap());
    assert_eq!(names, ["third", "third"]);
}

/// The third packet awaits the first, acknowledged at 6,128 ns, and the second, which arrives at 8,460 ns. With waits of
/// 2,300 and 0 ns the second decides, with 2,400 and 0 ns the first does: the third packet begins at 8,528 ns. Then the
/// chain to the third packet leads over the first alone. The latest of all may also be the start that the plan sets.
#[test]
fn each_awaited_flow_has_a_wait_of_its_own() {
    let end = Ps::from_us(50);
    for (wait, start, begin, released_by) in [
        (2_300, 0, 8_460, 1),
        (2_400, 0, 8_528, 0),
        (2_400, 9_000, 9_000, 0),
    ] {
        let mut plan = there_and_back_and_there(Ps::from_ns(500));
        plan.flows[2].after[0].wait = Ps::from_ns(wait);
        plan.flows[2].start = Ps::from_ns(start);
        let mut run = Simulation::new(plan).unwrap();
        let report = run.measure(Ps::ZERO, end, end);
        let found = report.flows[2].start_seconds.unwrap();
        assert!((found - begin as f64 * 1e-9).abs() < 1e-15, "{found}");
        assert_eq!(run.span(2).released_by, Some(released_by));
    }
}

/// The run ends before the third packet is acknowledged, or before it begins.
#[test]
fn what_has_not_ended_has_no_completion() {
    for (end, begun) in [(14_000, true), (8_000, false)] {
        let mut run = Simulation::new(there_and_back_and_there(Ps::from_ns(500))).unwrap();
        let report = run.measure(Ps::ZERO, Ps::from_ns(end), Ps::from_ns(end));
        assert_eq!(report.flows[2].start_seconds.is_some(), begun);
        let whole = &report.collectives[0];
        assert_eq!(whole.flows_completed, 1 + u64::from(begun));
        assert_eq!((whole.completion_seconds, &whole.straggler), (None, &None));
    }
}

#[test]
fn plans_with_impossible_waiting_are_refused() {
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = there_and_back_and_there(Ps::ZERO);
        change(&mut plan);
        Simulation::new(plan).err().map(|error| error.0)
    };
    assert_eq!(refused(&|_| {}), None);
    let expected = |name: &str| {
        Some(format!(
            "flow {name}: it awaits a flow that stands behind it, has no end, or neither begins nor ends at its host"
        ))
    };
    let second = Awaited {
        flow: 1,
        wait: Ps::ZERO,
    };
    for (number, name) in [(0, "first"), (1, "second")] {
        assert_eq!(
            refused(&|plan| plan.flows[number].after.push(second)),
            expected(name)
        );
    }
    let endless = SourceConfig::Greedy(Default::default());
    assert_eq!(
        refused(&|plan| plan.flows[0].source = endless.clone()),
        expected("second")
    );
}

/// Random flows over TCP and RoCE that await other flows, with losses: the plain reference schedule and any partition
/// of the nodes give the same report. No flow begins before the flows that it awaits have ended, or later than their
/// ends and its waits allow.
#[test]
fn random_networks_do_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "flows that await others");
    let (mut waiting, mut begun, mut dropped) = (0, 0, 0);
    for case in 0..cases(60) {
        let plan = with_any_switch(random_plan(&mut stream, any_source), &mut stream);
        let mut plan = over_roce(plan, &mut stream);
        for number in 0..plan.flows.len() {
            if stream.bits().is_multiple_of(4) && !plan.flows[number].source.over_tcp() {
                continue;
            }
            plan.flows[number].source = transfer(1 + stream.below(Ps(40_000)).0);
            let [host, _] = plan.hosts(number);
            let meets = |other: &usize| {
                plan.flows[*other].source.transfers().is_some()
                    && plan.hosts(*other).contains(&host)
            };
            let mut after = Vec::new();
            for flow in (0..number).filter(meets) {
                if stream.bits().is_multiple_of(2) {
                    let wait = stream.below(Ps::from_us(3));
                    after.push(Awaited { flow, wait });
                }
            }
            plan.flows[number].after = after;
        }
        let to = Ps::from_ms(6);
        let fast = Simulation::new(plan.clone())
            .unwrap()
            .measure(Ps::ZERO, to, to);
        let mut plain = plainly(&plan, Ps::ZERO, to);
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 == 0 {
            parts_change_nothing_of(&plan, &mut stream, case);
        }
        for (number, flow) in plan
            .flows
            .iter()
            .enumerate()
            .filter(|(_, flow)| !flow.after.is_empty())
        {
            waiting += 1;
            let Some(begin) = fast.flows[number].start_seconds else {
                continue;
            };
            begun += 1;
            // A flow that ends at its destination by arrival ends at its source later, when the acknowledgement
            // arrives.
            let [host, _] = plan.hosts(number);
            let sent_here = flow
                .after
                .iter()
                .filter(|awaited| plan.hosts(awaited.flow)[0] == host);
            // End of an awaited flow plus the wait after it.
            let due = |awaited: &Awaited| {
                let other = &fast.flows[awaited.flow];
                let end = other.start_seconds? + other.completion_seconds?;
                Some(end + awaited.wait.as_secs_f64())
            };
            for awaited in sent_here {
                assert!(
                    begin >= due(awaited).unwrap() - 1e-12,
                    "case {case}, {number}"
                );
            }
            if let Some(dues) = flow.after.iter().map(due).collect::<Option<Vec<f64>>>() {
                let last = dues.into_iter().fold(flow.start.as_secs_f64(), f64::max);
                assert!(begin <= last + 1e-12, "case {case}, {number}");
            }
        }
        dropped += fast.totals.packets_dropped;
    }
    assert!(begun > 40 && waiting > begun, "{begun} of {waiting} begin");
    assert!(dropped > 100, "{dropped}: the cases must reach losses");
}
