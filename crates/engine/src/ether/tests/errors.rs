//! Links with bit errors: closed forms for lost frames, and what a run reports of them.

use super::super::log::{Cause, Kind};
use super::random::{any_source, random_plan};
use super::*;
use crate::net::EventKinds;
use crate::net::bit_errors::{BitErrorConfig, BurstConfig};

/// Gives about half of the links bit errors of a random kind.
pub fn with_any_errors(mut plan: Plan, stream: &mut Stream) -> Plan {
    for link in &mut plan.links {
        let bit_error_ratio = [0.0, 1e-7, 1e-5][stream.below(Ps(3)).0 as usize];
        let bursts = (stream.bits().is_multiple_of(2)).then(|| BurstConfig {
            every: Ps::from_us(1 + stream.below(Ps(500)).0),
            length: Ps::from_ns(10 + stream.below(Ps(5_000)).0),
            bit_error_ratio: 1e-3,
        });
        let errors = BitErrorConfig {
            bit_error_ratio,
            bursts,
        };
        link.errors = (stream.bits().is_multiple_of(2)).then_some(errors);
    }
    plan
}

/// Datagrams of 1,472 octets in frames of 1,518, as fast as the line of 10 Gbit/s carries them, over the links N0->N1 and
/// N1->N2 of 1 us.
fn datagrams(errors: BitErrorConfig) -> Plan {
    let always = SourceConfig::Persistent(Default::default());
    let rate = Rate::from_bps(10 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, _| {
        FlowPlan::new("one", always.clone(), there, Vec::new())
    });
    plan.links[0].errors = Some(errors);
    plan
}

/// A frame of 1,518 octets is lost with the probability 1 - (1 - p)^12,144: 0.11436 at p = 1e-5. In 40 ms the line carries
/// 32,510 frames; the share of lost frames has a standard deviation of 0.00176.
#[test]
fn frames_are_lost_with_the_probability_of_their_bits() {
    let plan = datagrams(BitErrorConfig::independent(1e-5));
    let (from, end) = (Ps::from_ms(1), Ps::from_ms(41));
    let report = Simulation::new(plan).unwrap().measure(from, end, end);
    let [link] = &report.links[..] else {
        panic!("one link errs")
    };
    assert_eq!((&*link.name, link.bit_error_ratio), ("N0->N1", 1e-5));
    assert!(
        (32_509..=32_512).contains(&link.packets_arrived),
        "{link:?}"
    );
    let share = link.packets_lost as f64 / link.packets_arrived as f64;
    assert_eq!(link.packet_loss_ratio, share);
    assert!((share - 0.114_36).abs() < 0.007_1, "{share}");
    let flow = &report.flows[0];
    assert_eq!(flow.packets_lost_on_links, link.packets_lost);
    assert_eq!(report.totals.packets_lost_on_links, link.packets_lost);
    assert_eq!(
        (flow.packets_dropped, report.totals.packets_dropped),
        (0, 0)
    );
}

/// Bursts last 20 us in the mean and are 180 us apart in the mean. In a burst every frame is lost (1 - 0.99^12,144). A
/// frame whose bits take 1.2144 us escapes if no burst touches it: with 0.9 exp(-1.2144 / 180) = 0.89395. 2 s have 10,000
/// cycles, so the standard deviation is about 0.1 sqrt(2 x 0.81 / 10,000) = 0.0013.
#[test]
fn bursts_lose_the_frames_that_they_touch() {
    let plan = datagrams(BitErrorConfig {
        bit_error_ratio: 0.0,
        bursts: Some(BurstConfig {
            every: Ps::from_us(180),
            length: Ps::from_us(20),
            bit_error_ratio: 0.01,
        }),
    });
    let end = Ps::from_ms(2_000);
    let report = Simulation::new(plan.clone())
        .unwrap()
        .measure(Ps::ZERO, end, end);
    // If a burst touches only some 100 bits, 0.01 us, the frame may stay whole; the closed form accounts for this.
    let rate = Rate::from_bps(10 * GBPS);
    let expected = plan.links[0].errors.as_ref().unwrap().loss(12_144, rate);
    assert!((0.105..0.106_05).contains(&expected), "{expected}");
    let ratio = report.links[0].packet_loss_ratio;
    assert!((ratio - expected).abs() < 0.005_2, "{ratio}");
    assert!((report.links[0].bit_error_ratio - 0.001).abs() < 1e-12);
}

/// Half of the bits of N0->N1 are errored, so nothing passes. The bit errors of a link must not depend on those of another
/// link.
#[test]
fn each_link_has_its_own_errors_and_a_link_without_errors_draws_nothing() {
    let end = Ps::from_ms(2);
    let run = |plan: Plan| Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
    let never = run(datagrams(BitErrorConfig::independent(0.5)));
    assert_eq!(never.flows[0].packets_delivered, 0);
    assert_eq!(never.links[0].packet_loss_ratio, 1.0);
    let quiet = datagrams(BitErrorConfig::default());
    let mut without = quiet.clone();
    without.links[0].errors = None;
    let [quiet, without] = [quiet, without].map(run);
    assert!(quiet.links.is_empty());
    assert_eq!(text(&quiet), text(&without));
    let seeds = [1, 2].map(|seed| {
        let plan = datagrams(BitErrorConfig::independent(1e-5));
        run(Plan { seed, ..plan })
    });
    assert_ne!(seeds[0].digest, seeds[1].digest);
    let mut both = datagrams(BitErrorConfig::independent(1e-5));
    both.links[1].errors = Some(BitErrorConfig::independent(1e-5));
    let both = run(both);
    let lost = seeds[0].links[0].packets_lost;
    assert_eq!(both.links[0].packets_lost, lost);
    // The second link carries a tenth fewer frames.
    assert_ne!(both.links[1].packets_lost, lost);
}

/// Each errored frame of a flow is one logged event, at a switch or at a host, with the channel of the frame.
#[test]
fn each_lost_frame_is_logged() {
    let mut stream = Stream::new(1, "ether", "logged errors");
    let (mut at_switches, mut at_hosts) = (0, 0);
    for case in 0..cases(40) {
        let plan = with_any_errors(random_plan(&mut stream, any_source), &mut stream);
        let mut run = Simulation::new(plan.clone()).unwrap();
        let kinds = EventKinds {
            loss: true,
            ..EventKinds::default()
        };
        run.log_events(kinds, 1_000_000);
        let end = Ps::from_ms(1);
        let report = run.measure(Ps::ZERO, end, end);
        let (events, _) = run.events(1_000_000);
        let lost = events
            .iter()
            .filter(|event| event.kind == Kind::Loss(Cause::BitErrors));
        let mut by_flow = alloc::vec![0; plan.flows.len()];
        let mut all = 0;
        for event in lost {
            let link = event.link.unwrap() as usize;
            assert!(plan.links_of(event.channel).contains(&link), "{event:?}");
            if plan.nodes[plan.links[link].to].switch.is_some() {
                at_switches += 1;
            } else {
                at_hosts += 1;
            }
            all += 1;
            by_flow[event.channel.flow()] += u64::from(event.channel.is_forward());
        }
        let reported = report.flows.iter().map(|flow| flow.packets_lost_on_links);
        assert_eq!(by_flow, reported.collect::<Vec<_>>(), "case {case}");
        assert_eq!(all, report.totals.packets_lost_on_links, "case {case}");
        let of_links = report.links.iter().map(|link| link.packets_lost);
        assert_eq!(all, of_links.sum::<u64>(), "case {case}");
    }
    assert!(
        at_switches > 1_000 && at_hosts > 1_000,
        "{at_switches} {at_hosts}"
    );
}

/// On a line of half the rate frames wait. At p = 1e-4 seven frames of ten get an errored bit, but only while they are sent.
#[test]
fn a_frame_that_waits_has_no_errored_bit_yet() {
    let mut plan = datagrams(BitErrorConfig::independent(0.0));
    plan.links[1].errors = Some(BitErrorConfig::independent(1e-4));
    plan.links[1].rate = Rate::from_bps(5 * GBPS);
    let mut simulation = Simulation::new(plan).unwrap();
    let (mut waiting, mut errored) = (0, 0);
    for us in 100..200 {
        simulation.run_until(Ps::from_us(us));
        for frame in simulation.frames().filter(|frame| frame.link == 1) {
            waiting += usize::from(frame.arrives.is_none());
            errored += usize::from(frame.info.is_errored());
            assert!(
                frame.arrives.is_some() || !frame.info.is_errored(),
                "{frame:?}"
            );
        }
    }
    assert!(waiting > 1_000 && errored > 10, "{waiting}, {errored}");
}
