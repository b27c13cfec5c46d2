//! Trimming and selective resend: values computed by hand, runs under receiver credits, and random networks.

use super::parts::parts_change_nothing_of;
use super::random::{any_source, random_plan};
use super::roce::{incast, into_two_frames, left, over_roce, plainly, roce};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::aqm::red::RedConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::nscc::NsccConfig;
use crate::ether::roce::control::rccc::RcccConfig;
use crate::ether::roce::packet::Kind;
use crate::ether::roce::{Resend, RoceConfig};

/// Makes the switches trim: their first queue holds trimmed packets, of priority 7.
pub fn trimming(plan: &mut Plan) {
    for switch in plan
        .nodes
        .iter_mut()
        .filter_map(|node| node.switch.as_mut())
    {
        switch.queues = Vec::from([Vec::from([7]), Vec::new()]);
        switch.trim_priority = Some(7);
    }
}

fn selective() -> RoceConfig {
    RoceConfig {
        resend: Resend::Selective,
        timeout: Ps::from_us(100),
        ..roce()
    }
}

/// A packet that the source sends again: time in ns at which its last bit leaves, and packet number.
type Again = (u64, u64);

/// Runs for 500 us. Returns the report, and the packets that the source has sent again.
fn again(plan: Plan, packets: usize) -> (Report, Vec<Again>) {
    let mut run = Simulation::new(plan).unwrap();
    run.tap(&[0]);
    let end = Ps::from_us(500);
    let report = run.measure(Ps::ZERO, end, end);
    let sent = left(&run.take_seen(), 0, Kind::Data);
    (report, sent[packets..].to_vec())
}

/// As without trimming (see `tests/roce.rs`), packet 2 finds two frames at 3,994 ns. Its 64 octets of headers begin at 4,495
/// ns, before packet 1: the last bit leaves after 72 octets of 2.5 ns, and arrives at 5,675 ns. The request has 74 octets of
/// 1 ns on each link and arrives 2,148 ns later, at 7,823 ns. Packet 2 is sent again until 8,813 ns and reaches the switch
/// at 9,813 ns. There packet 3 has just freed the line (4,705 + 2 x 2,505 ns). Packet 2 arrives after 2,475 + 1,000 ns, at
/// 13,288 ns. The receiver has kept packet 3. The acknowledgement of all packets arrives 2,148 ns later.
#[test]
fn a_trimmed_packet_alone_is_sent_again() {
    let mut plan = into_two_frames(4, selective());
    trimming(&mut plan);
    let (report, sent) = again(plan, 4);
    assert_eq!(sent, [(8_813, 2)]);
    let flow = &report.flows[0];
    let counts = (
        flow.segments_retransmitted,
        flow.packets_dropped,
        flow.timeouts,
    );
    assert_eq!(counts, (1, 0, 0));
    assert_eq!(flow.naks_received, Some(1));
    assert_eq!(flow.completion_seconds, Some(15_436e-9));
    let balance = flow.balance.unwrap();
    let places = (
        balance.delivered_bytes,
        balance.dropped_bytes,
        balance.duplicate_bytes,
    );
    assert_eq!(places, (4 * 920, 920, 0));
    let port = report.ports.iter().find(|port| port.name == "N1->N2");
    let [first, last] = &port.unwrap().queues[..] else {
        panic!("two queues");
    };
    assert_eq!((first.packets_arrived, last.packets_arrived), (1, 4));
    assert_eq!(last.packets_trimmed, Some(1));
}

/// Under go-back-N the headers of packet 2 arrive before packet 1, at 5,675 ns, and the receiver waits for packet 1. It
/// arrives at 4,705 + 2,475 + 1,000 = 8,180 ns, and the NAK of packet 2 at the source at 10,328 ns, not at 12,623 ns as
/// without trimming. Packets 2 and 3 are sent again until 11,318 and 12,320 ns. At the switch packet 2 begins at 12,318 ns,
/// and packet 3 behind it at 14,823 ns. Packet 3 arrives at 18,298 ns, and its acknowledgement 2,148 ns later.
#[test]
fn under_go_back_n_the_headers_replace_the_next_packet() {
    let mut plan = into_two_frames(4, roce());
    trimming(&mut plan);
    let (report, sent) = again(plan, 4);
    assert_eq!(sent, [(11_318, 2), (12_320, 3)]);
    let flow = &report.flows[0];
    assert_eq!((flow.naks_received, flow.timeouts), (Some(1), 0));
    assert_eq!(flow.completion_seconds, Some(20_446e-9));
}

/// Packets 2 and 4 of 0 to 5 are lost and not trimmed. The receiver keeps packets 3 and 5, and acknowledges all before 2.
/// The acknowledgement of packet 1 reaches the source at 10,118 ns. 100 us later packet 2 is sent again until 111,108 ns. It
/// arrives at the receiver 1,000 + 2,475 + 1,000 ns later, and the acknowledgement of 2 and 3 at the source at 117,731 ns.
/// This names packet 4 as missing, which is sent again at once: its last acknowledgement takes 990 + 4,475 + 2,148 ns.
#[test]
fn one_timeout_sends_all_lost_packets_again_one_in_a_round_trip() {
    let (report, sent) = again(into_two_frames(6, selective()), 6);
    assert_eq!(sent, [(111_108, 2), (118_721, 4)]);
    let flow = &report.flows[0];
    assert_eq!((flow.timeouts, flow.packets_dropped), (1, 2));
    assert_eq!(flow.completion_seconds, Some(125_344e-9));
}

/// Eight windows of 20 packets meet a queue of 10 packets. The pulls pace the packets that are sent again, so only
/// first windows are trimmed, and no timer expires. Pulls fill 99 % of the line. All transfers end after the time that
/// their packets take at this rate, without those packets of first windows that were not trimmed. Without receiver
/// credits sources send again at the rate of their lines, and more packets are trimmed than the transfers have.
#[test]
fn pulls_pace_the_packets_that_are_sent_again() {
    let trimmed = |control: RoceControlConfig| {
        let roce = RoceConfig {
            payload: Bytes(4_068),
            resend: Resend::Selective,
            control,
            ..RoceConfig::default()
        };
        let rate = Rate::from_bps(100 * GBPS);
        let none = AqmConfig::default();
        let mut plan = incast(8, rate, Ps::from_us(1), &none, &roce);
        trimming(&mut plan);
        for flow in &mut plan.flows {
            flow.source = transfer(4_068 * 500);
        }
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.buffer = 10 * 4_150;
        }
        let end = Ps::from_ms(20);
        let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
        let flows = report.flows.iter();
        let times = flows.map(|flow| flow.completion_seconds.unwrap() * 1e6);
        let last = times.fold(0.0, f64::max);
        let timeouts: u64 = report.flows.iter().map(|flow| flow.timeouts).sum();
        let queues = report.ports.iter().flat_map(|port| &port.queues);
        let trimmed: u64 = queues.filter_map(|queue| queue.packets_trimmed).sum();
        (trimmed, timeouts, last)
    };
    let credit = RcccConfig {
        window: Some(Bytes(20 * 4_150)),
        ..RcccConfig::default()
    };
    let (paced, timeouts, last) = trimmed(RoceControlConfig::Rccc(credit));
    assert!((100..=160).contains(&paced), "{paced}");
    assert_eq!(timeouts, 0);
    let tail = (8.0 * 500.0 - 160.0 + paced as f64) * 0.332 / 0.99;
    assert!((tail..tail + 20.0).contains(&last), "{last} {tail}");
    let (free, ..) = trimmed(RoceControlConfig::default());
    assert!(free > 8 * 500, "{free}");
}

/// Random networks: the plain reference schedule and any partition of the nodes give the same report, whose balance of
/// bytes is checked.
#[test]
fn trimming_does_not_depend_on_the_schedule() {
    let mut stream = Stream::new(1, "ether", "networks that trim");
    let (mut trimmed, mut dropped, mut completed) = (0, 0, 0);
    for case in 0..cases(60) {
        let mut plan = over_roce(random_plan(&mut stream, any_source), &mut stream);
        trimming(&mut plan);
        let buffer = 10_000 + stream.below(Ps(30_000)).0;
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.buffer = buffer;
            if case % 2 == 0 {
                switch.aqm = AqmConfig::Red(RedConfig::dcqcn(Bytes(2_000), Bytes(buffer), 0.5));
            }
        }
        for flow in &mut plan.flows {
            let Some(roce) = &mut flow.roce else { continue };
            flow.priority %= 7;
            let mut below = |most: u64| stream.below(Ps(most)).0;
            if below(2) == 0 {
                roce.resend = Resend::Selective;
            }
            match below(4) {
                0 => {
                    roce.control = RoceControlConfig::Rccc(RcccConfig {
                        window: Some(Bytes(1 + below(100_000))),
                        pull: 1 + below(6) as u32,
                        ..RcccConfig::default()
                    });
                }
                1 => {
                    roce.control = RoceControlConfig::Nscc(NsccConfig {
                        target: Some(Ps::from_us(1 + below(20))),
                        window: Some(Bytes(1 + below(100_000))),
                        ..NsccConfig::default()
                    });
                }
                _ => {}
            }
        }
        let (from, to) = (Ps::from_us(200), Ps::from_ms(3));
        let fast = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        let mut plain = plainly(&plan, from, to);
        assert_eq!(text(&fast), text(&plain.report()), "case {case}: {plan:#?}");
        if case % 4 == 0 {
            parts_change_nothing_of(&plan, &mut stream, case);
        }
        let queues = fast.ports.iter().flat_map(|port| &port.queues);
        trimmed += queues
            .filter_map(|queue| queue.packets_trimmed)
            .sum::<u64>();
        dropped += fast.totals.packets_dropped;
        completed += fast
            .flows
            .iter()
            .filter(|flow| flow.completion_seconds.is_some())
            .count();
    }
    assert!(trimmed > 1_000, "{trimmed}: the cases must trim");
    assert!(dropped > 100, "{dropped}: the cases must drop");
    assert!(
        completed > 5,
        "{completed}: the cases must reach ends of files"
    );
}

#[test]
fn plans_that_contradict_trimming_are_refused() {
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = into_two_frames(4, selective());
        trimming(&mut plan);
        change(&mut plan);
        Simulation::new(plan).map(|_| ()).map_err(|error| error.0)
    };
    let error = |text: &str| Err(String::from(text));
    assert_eq!(refused(&|_| {}), Ok(()));
    let shared = "trimming: packets of flow one wait in the queue of trimmed ones";
    assert_eq!(refused(&|plan| plan.flows[0].priority = 7), error(shared));
    let set = |plan: &mut Plan, priority| {
        plan.nodes[1].switch.as_mut().unwrap().trim_priority = priority;
    };
    assert_eq!(
        refused(&|plan| set(plan, Some(8))),
        error("trimming: priority 8; the highest is 7")
    );
    assert_eq!(
        refused(&|plan| plan.fcvc = Some(Default::default())),
        error("trimming: a flow control beside it that loses nothing")
    );
    let credits = |resend: Resend| {
        move |plan: &mut Plan| {
            let control = RoceControlConfig::ExpressPass(Default::default());
            let roce = RoceConfig {
                resend,
                control,
                ..roce()
            };
            plan.flows[0].roce = Some(roce);
        }
    };
    assert_eq!(
        refused(&credits(Resend::GoBackN)),
        error("trimming: ExpressPass beside it")
    );
    assert_eq!(
        refused(&|plan| {
            set(plan, None);
            credits(Resend::Selective)(plan);
        }),
        error("trimming: selective resend under ExpressPass")
    );
}
