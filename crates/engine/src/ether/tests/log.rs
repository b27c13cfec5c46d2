//! The event log: a run computed by hand, and counts of the log against counts of the report.

use serde_json::json;

use super::super::log::{Cause, Event, Kind};
use super::super::report::QueueReport;
use super::changes::with_changes;
use super::parts::run_to;
use super::pfc::paused;
use super::random::{any_source, random_plan, with_any_switch};
use super::roce::over_roce;
use super::*;
use crate::ether::roce::RoceConfig;
use crate::net::{ChannelId, EventKinds};
use crate::tcp::Recovery;

const ALL: EventKinds = EventKinds {
    loss: true,
    timeout: true,
    retransmission: true,
    mark: true,
};

/// Five segments of 1,460 octets from a host of 10 Gbit/s over a switch to a link of 1 Gbit/s, each link of 1 us.
fn into_a_slow_line(buffer: u64) -> Plan {
    let rate = Rate::from_bps(GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), buffer, |there, back| {
        let mut flow = FlowPlan::new("tcp", transfer(5 * 1_460), there, back);
        flow.tcp = TcpConfig {
            mss: Bytes(1_460),
            initial_window: 5,
            delayed_ack: false,
            min_rto: Ps::from_ms(10),
            initial_rto: Ps::from_ms(10),
            granularity: Ps::from_us(10),
            ..TcpConfig::default()
        };
        flow
    });
    plan.links[0].rate = Rate::from_bps(10 * GBPS);
    plan
}

fn logged(plan: Plan, kinds: EventKinds) -> Vec<Event> {
    let mut run = Simulation::new(plan).unwrap();
    run.log_events(kinds, 100);
    run.run_until(Ps::from_ms(50));
    let (events, omitted) = run.events(100);
    assert_eq!(omitted, 0);
    events
}

fn at_switch(ps: u64, kind: Kind, seq: u64) -> Event {
    Event {
        at: Ps(ps),
        channel: ChannelId::forward(0),
        link: Some(1),
        kind,
        seq: Some(seq),
    }
}

/// A frame of 1,518 octets is at the switch after 1,526 x 0.8 ns + 1 us = 2,220.8 ns, the next ones 1,230.4 ns apart. Each
/// occupies the slow line and the buffer for 12,304 ns. Two frames fit, so that the other three are lost. The
/// acknowledgement of the second frame arrives after 2,220.8 + 12,304 + 12,208 + 1,000 + 2 x 1,576 = 30,884.8 ns and
/// restarts the timer. The timer expires at the 1,000th tick of 10 us: 9.99 to 10 ms later. The third segment is sent again
/// at once. Its acknowledgement arrives 2,220.8 + 13,208 + 3,152 ns later and lets the other two segments go, 1,230.4 ns
/// apart.
#[test]
fn a_full_buffer_a_timeout_and_three_segments_sent_again() {
    let events = logged(into_a_slow_line(3_100), ALL);
    let loss = |number: u64| {
        let at = 2_220_800 + number * 1_230_400;
        at_switch(at, Kind::Loss(Cause::Overflow), number * 1_460)
    };
    assert_eq!(events[..3], [loss(2), loss(3), loss(4)]);
    let expired = events[3].at;
    let latest = Ps::from_ms(10) + Ps(30_884_800);
    assert!(
        expired <= latest && expired + Ps::from_us(10) > latest,
        "{expired:?}"
    );
    let acknowledged = expired + Ps(18_580_800);
    let at_host = |at: Ps, kind, number: u64| Event {
        at,
        channel: ChannelId::forward(0),
        link: None,
        kind,
        seq: Some(number * 1_460),
    };
    assert_eq!(
        events[3..],
        [
            at_host(expired, Kind::Timeout, 2),
            at_host(expired, Kind::Retransmission, 2),
            at_host(acknowledged, Kind::Retransmission, 3),
            at_host(acknowledged + Ps(1_230_400), Kind::Retransmission, 4),
        ]
    );
}

/// A frame over RoCE with 1,024 bytes of payload has 1,086 octets. It is at the switch after 1,094 x 0.8 ns + 1 us = 1,875.2
/// ns, the next ones 884.8 ns apart. Each occupies the slow line for 8,848 ns. Two frames fit, and the other three are lost.
/// The acknowledgement of the second frame, of 66 octets, arrives after 1,875.2 + 8,848 + 8,752 + 1,000 + 2 x 1,592 =
/// 23,659.2 ns. The timer expires 1 ms later, and three packets are sent again, the last of which is lost once more.
#[test]
fn a_timeout_of_roce_sends_the_missing_packet_and_all_behind_it_again() {
    let mut plan = into_a_slow_line(2_200);
    plan.flows[0].source = transfer(5 * 1_024);
    plan.flows[0].roce = Some(RoceConfig {
        timeout: Ps::from_ms(1),
        ..RoceConfig::default()
    });
    let loss = |begin: u64, place: u64, number: u64| {
        let at = begin + 1_875_200 + place * 884_800;
        at_switch(at, Kind::Loss(Cause::Overflow), number * 1_024)
    };
    let at_host = |begin: u64, place: u64, kind, number: u64| Event {
        link: None,
        ..at_switch(begin + place * 884_800, kind, number * 1_024)
    };
    let first = 23_659_200 + Ps::from_ms(1).0;
    let second = 2 * first;
    let again = Kind::Retransmission;
    assert_eq!(
        logged(plan, ALL),
        [
            loss(0, 2, 2),
            loss(0, 3, 3),
            loss(0, 4, 4),
            at_host(first, 0, Kind::Timeout, 2),
            at_host(first, 0, again, 2),
            at_host(first, 1, again, 3),
            at_host(first, 2, again, 4),
            loss(first, 2, 4),
            at_host(second, 0, Kind::Timeout, 4),
            at_host(second, 0, again, 4),
        ]
    );
}

/// With marks at arrival, a frame that finds more than one frame at the port, the one in transmission included, is marked:
/// all but the first two. With marks at the start of transmission, a frame that leaves more than one behind is marked: the
/// second and the third, which leave three and two, 12,304 ns apart. The first frame finds an empty port.
#[test]
fn marks_have_the_time_of_the_decision() {
    for (at, times) in [
        (
            "enqueue",
            [2, 3, 4]
                .map(|number| (2_220_800 + number * 1_230_400, number))
                .to_vec(),
        ),
        (
            "dequeue",
            [1, 2]
                .map(|number| (2_220_800 + number * 12_304_000, number))
                .to_vec(),
        ),
    ] {
        let mut plan = into_a_slow_line(u64::MAX);
        let aqm = json!({ "algorithm": "threshold", "k": "1 packet", "at": at });
        plan.nodes[1].switch.as_mut().unwrap().aqm = serde_json::from_value(aqm).unwrap();
        plan.flows[0].tcp.recovery = Recovery::Dctcp(Default::default());
        let marks = times
            .iter()
            .map(|(ps, number)| at_switch(*ps, Kind::Mark, number * 1_460));
        assert_eq!(logged(plan, ALL), marks.collect::<Vec<_>>(), "{at}");
    }
}

/// A limit keeps the first events and counts the others; events of kinds that are not asked for are not logged.
#[test]
fn kinds_and_limits_leave_events_out() {
    let plan = into_a_slow_line(3_100);
    let all = logged(plan.clone(), ALL);
    let kinds = EventKinds {
        retransmission: true,
        ..EventKinds::default()
    };
    let again = all
        .iter()
        .filter(|event| event.kind == Kind::Retransmission);
    assert_eq!(
        logged(plan.clone(), kinds),
        again.copied().collect::<Vec<_>>()
    );
    assert!(logged(plan.clone(), EventKinds::default()).is_empty());
    let mut run = Simulation::new(plan).unwrap();
    run.log_events(ALL, 2);
    run.run_until(Ps::from_ms(50));
    // Two events are of the switch, two of the host; the first two of all are kept.
    assert_eq!(run.events(2), (all[..2].to_vec(), 5));
    assert_eq!(run.events(100).1, 3);
}

/// Checks the counts of the log against the counts of the report, port by port and flow by flow. Returns the numbers of
/// early drops, other drops, marks, timeouts and retransmissions, and the numbers of timeouts and retransmissions over RoCE
/// alone.
fn agrees(events: &[Event], plan: &Plan, report: &Report, case: usize) -> [u64; 7] {
    let count = |wanted: &dyn Fn(&Event) -> bool| {
        let found = events.iter().filter(|event| wanted(event));
        found.count() as u64
    };
    assert!(events.is_sorted_by_key(|event| event.at), "case {case}");
    let mut found = [0; 7];
    for port in &report.ports {
        let link = plan.links.iter().position(|link| link.name == port.name);
        let link = link.map(|link| link as u32);
        let of = |kind: Kind| count(&|event| event.link == link && event.kind == kind);
        let queues = |of: fn(&QueueReport) -> u64| port.queues.iter().map(of).sum::<u64>();
        let early = queues(|queue| queue.packets_dropped_early);
        let counted = [
            early,
            queues(|queue| queue.packets_dropped) - early,
            queues(|queue| queue.packets_marked),
        ];
        let logged = [
            Kind::Loss(Cause::Early),
            Kind::Loss(Cause::Overflow),
            Kind::Mark,
        ]
        .map(of);
        assert_eq!(logged, counted, "case {case}, {}: {plan:#?}", port.name);
        (0..3).for_each(|kind| found[kind] += logged[kind]);
    }
    for (number, flow) in report.flows.iter().enumerate() {
        let channel = ChannelId::forward(number);
        let of = |kind: Kind| count(&|event| event.channel == channel && event.kind == kind);
        let lost = [Cause::Early, Cause::Overflow].map(|cause| of(Kind::Loss(cause)));
        assert_eq!(
            lost.iter().sum::<u64>(),
            flow.packets_dropped,
            "case {case}, {}: {plan:#?}",
            flow.name
        );
        // The report counts no repeated SYN; in the log a SYN has no sequence number.
        let again = |event: &Event| {
            event.channel == channel && event.kind == Kind::Retransmission && event.seq.is_some()
        };
        let logged = [of(Kind::Timeout), count(&again)];
        let counted = [flow.timeouts, flow.segments_retransmitted];
        assert_eq!(logged, counted, "case {case}, {}: {plan:#?}", flow.name);
        (0..2).for_each(|kind| found[3 + kind] += logged[kind]);
        if plan.flows[number].roce.is_some() {
            (0..2).for_each(|kind| found[5 + kind] += logged[kind]);
        }
    }
    found
}

/// The counts of the log equal those of the report; the log changes no report; the plain reference schedule and any
/// partition of the nodes log the same events.
#[test]
fn the_log_of_random_networks_has_what_reports_count() {
    let mut stream = Stream::new(1, "ether", "logged networks");
    let mut found = [0; 7];
    for case in 0..cases(60) {
        let mut plan = match case % 3 {
            0 => paused(&mut stream),
            _ => with_any_switch(random_plan(&mut stream, any_source), &mut stream),
        };
        if case % 4 > 1 {
            plan = over_roce(plan, &mut stream);
        }
        let end = Ps::from_ms(2);
        if case % 2 == 1 {
            plan = with_changes(plan, &mut stream, end);
        }
        let begin = || {
            let mut run = Simulation::new(plan.clone()).unwrap();
            run.log_events(ALL, usize::MAX);
            run
        };
        let (mut fast, mut plain, mut divided) = (begin(), begin(), begin());
        let report = fast.measure(Ps::ZERO, end, end);
        let mut bare = Simulation::new(plan.clone()).unwrap();
        let bare = bare.measure(Ps::ZERO, end, end);
        assert_eq!(text(&report), text(&bare), "case {case}: {plan:#?}");
        let events = fast.events(usize::MAX).0;
        let counts = agrees(&events, &plan, &report, case);
        (0..7).for_each(|kind| found[kind] += counts[kind]);
        plain.run_plainly(end);
        assert!(
            events == plain.events(usize::MAX).0,
            "case {case}: {plan:#?}"
        );
        let parts: Vec<usize> = plan
            .nodes
            .iter()
            .map(|_| stream.below(Ps(3)).0 as usize)
            .collect();
        while let at = divided.make_due_change().min(end)
            && divided.now() < end
        {
            let ran = run_to(at, divided.divide(&parts), &mut stream);
            divided.join(ran);
        }
        let limit = 1 + stream.below(Ps(40)).0 as usize;
        let mut few = Simulation::new(plan.clone()).unwrap();
        few.log_events(ALL, limit);
        while let at = few.make_due_change().min(end)
            && few.now() < end
        {
            let at = at.min(few.now() + Ps(1 + stream.below(end).0));
            let mut ran = run_to(at, few.divide(&parts), &mut stream);
            ran.iter_mut()
                .for_each(|part| part.state().close_full_logs(limit));
            few.join(ran);
            few.close_full_logs(limit);
        }
        let (first, omitted) = few.events(limit);
        assert!(
            first == events[..events.len().min(limit)],
            "case {case}, the first {limit}: {plan:#?}"
        );
        assert_eq!(omitted as usize, events.len().saturating_sub(limit));
        assert!(
            events == divided.events(usize::MAX).0,
            "case {case}, in parts {parts:?}: {plan:#?}"
        );
    }
    assert!(
        found.iter().all(|number| *number > 50),
        "{found:?}: the cases must reach all kinds"
    );
}
