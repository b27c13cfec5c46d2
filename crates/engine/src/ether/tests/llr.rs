//! Link-level retry: a trace computed by hand, no loss at hosts, and replay buffers by closed forms.

use super::errors::with_any_errors;
use super::pfc::{paused, statistic};
use super::*;
use crate::ether::errors::Erring;
use crate::ether::frame::{Ecn, Info};
use crate::ether::line::OctetClock;
use crate::ether::llr::{LlrConfig, Retry};
use crate::ether::plan::PlanError;
use crate::net::bit_errors::{BitErrorConfig, BurstConfig};

fn retry() -> LlrConfig {
    LlrConfig {
        buffer: None,
        response: None,
        tries: 1_000,
    }
}

fn line(errors: BitErrorConfig) -> LinkPlan {
    LinkPlan {
        name: "A->B".into(),
        from: 0,
        to: 1,
        rate: Rate::from_bps(100 * GBPS),
        delay: Ps::from_us(1),
        errors: Some(errors),
    }
}

/// Frames of 1,518 octets at 100 Gbit/s over 1 us each way. The last bit of a frame leaves 1,526 x 80 = 122,080 ps after the
/// frame begins. The answer arrives after 1 us, the response of 123,040 ps (a frame of 1,518 octets with preamble and gap),
/// a control word of 640 ps and 1 us: 2,123,680 ps later. So a second try begins 2,245,760 ps after the first, and the line
/// is free 123,040 ps after the start of the try that succeeds. A burst that lasts until 1 us damages the first try alone.
#[test]
fn an_errored_frame_is_sent_again_a_round_trip_later() {
    let link = line(BitErrorConfig {
        bit_error_ratio: 0.0,
        bursts: Some(BurstConfig {
            every: Ps::from_us(10),
            length: Ps::from_us(1),
            bit_error_ratio: 0.5,
        }),
    });
    let clock = OctetClock::new(link.rate);
    let info = Info::tcp(1_518, 0, Ecn::NotEct);
    let mut seen = alloc::collections::BTreeSet::new();
    for seed in 0..100 {
        let own = Retry::new(&retry(), (&link, &link), 1_518);
        let mut erring = Erring::new(&link, seed, Some(own)).unwrap();
        let sent = erring.send(&clock, (Ps(7), 0), info);
        let retries = erring.retry().unwrap().retries();
        let begin = 7 + retries * 2_245_760;
        assert!(!sent.info.is_errored());
        assert_eq!(sent.last_bit, Ps(begin + 122_080), "seed {seed}");
        assert_eq!(sent.free, (Ps(begin + 123_040), 0), "seed {seed}");
        assert_eq!(erring.retry().unwrap().waited_ps(), retries * 2_245_760);
        seen.insert(retries.min(2));
    }
    assert!(seen.contains(&0) && seen.contains(&1), "{seen:?}");
}

/// Half of all bits are errored, so no try succeeds. After three tries the frame is lost.
#[test]
fn a_frame_is_given_up_after_its_last_try() {
    let link = line(BitErrorConfig::independent(0.5));
    let config = LlrConfig {
        tries: 3,
        ..retry()
    };
    let own = Retry::new(&config, (&link, &link), 1_518);
    let mut erring = Erring::new(&link, 1, Some(own)).unwrap();
    let clock = OctetClock::new(link.rate);
    let sent = erring.send(&clock, (Ps::ZERO, 0), Info::tcp(1_518, 0, Ecn::NotEct));
    assert!(sent.info.is_errored());
    assert_eq!(erring.retry().unwrap().retries(), 2);
    assert_eq!(sent.last_bit, Ps(2 * 2_245_760 + 122_080));
}

/// Datagrams of 1,472 octets as fast as the line carries them, over one switch.
fn datagrams(errors: Option<BitErrorConfig>, llr: Option<LlrConfig>) -> Plan {
    let always = SourceConfig::Persistent(Default::default());
    let rate = Rate::from_bps(100 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), u64::MAX, |there, _| {
        FlowPlan::new("one", always.clone(), there, Vec::new())
    });
    (plan.links[0].errors, plan.llr) = (errors, llr);
    plan
}

fn run(plan: Plan, end: Ps) -> Report {
    Simulation::new(plan)
        .unwrap()
        .measure(Ps::from_us(100), end, end)
}

/// A frame is unanswered until 2,123,680 ps after its last bit, and the next frame may begin 960 ps after this bit:
/// ceil(2,122,720 / 123,040) = 18 frames lack their answer when another begins. So 19 frames of 1,518 octets fill the line,
/// which is the default. With w frames, fewer than 19, a frame begins when the answer to the w-th frame before it arrives: w
/// frames in 122,080 + 2,123,680 ps.
#[test]
fn throughput_is_the_replay_buffer_in_a_round_trip() {
    let end = Ps::from_us(2_100);
    let payload = |frames: Option<u64>| {
        let buffer = frames.map(|frames| frames * 1_518 + 100);
        let llr = LlrConfig { buffer, ..retry() };
        let report = run(datagrams(None, Some(llr)), end);
        report.flows[0].throughput_bits_per_second
    };
    let full = 1_472.0 * 8.0 / 123_040e-12;
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
    assert!(near(payload(None), full) && near(payload(Some(19)), full));
    for frames in [1, 2, 7, 18] {
        let expected = frames as f64 * 1_472.0 * 8.0 / 2_245_760e-12;
        assert!(expected < full);
        let found = payload(Some(frames));
        assert!(near(found, expected), "{frames}: {found} {expected}");
    }
    let link = line(BitErrorConfig::default());
    assert_eq!(retry().full_rate(&link, &link, 1_518), 19 * 1_518);
}

/// With p = 1e-6 a frame is errored with q = 1 - (1 - p)^12,144 = 0.012071 at each try. The mean time of a frame is
/// 123,040 + 2,245,760 q / (1 - q) ps, and a delay grows by at least 2,245,760 ps for each retry. The 16,255 frames of 2 ms
/// lose 18.2 % of the line to retries; the standard deviation of the number of tries is about 8 %.
#[test]
fn retries_lose_nothing_and_cost_a_round_trip_each() {
    let errors = Some(BitErrorConfig::independent(1e-6));
    let end = Ps::from_us(20_100);
    let without = run(datagrams(errors.clone(), None), end);
    assert!(without.flows[0].packets_lost_on_links > 1_000);
    let with = run(datagrams(errors, Some(retry())), end);
    let (flow, link) = (&with.flows[0], &with.links[0]);
    assert_eq!((flow.packets_lost_on_links, link.packets_lost), (0, 0));
    assert_eq!(without.links[0].packets_retried, None);
    let q = 0.012_071;
    let tries = link.packets_retried.unwrap() as f64 / link.packets_arrived as f64;
    assert!((tries / (q / (1.0 - q)) - 1.0).abs() < 0.12, "{tries}");
    let mean = 123_040.0 + 2_245_760.0 * tries;
    let frames = 20_000e6 / mean;
    assert!(
        (flow.packets_delivered as f64 / frames - 1.0).abs() < 2e-3,
        "{flow:?}"
    );
}

/// One datagram each millisecond: its delay through two links is 2 x (122,080 + 1,000,000) ps, and 2,245,760 ps more for
/// each retry. So the greatest delay exceeds the least delay by a multiple of 2,245,760 ps.
#[test]
fn the_delay_grows_by_round_trips() {
    let mut plan = datagrams(Some(BitErrorConfig::independent(3e-5)), Some(retry()));
    plan.flows[0].source = cbr(Rate::from_bps(12_000_000));
    let report = run(plan, Ps::from_ms(1_000));
    let (flow, link) = (&report.flows[0], &report.links[0]);
    let tries = link.packets_retried.unwrap() as f64 / link.packets_arrived as f64;
    let mean = flow.packet_delay_mean_seconds.unwrap() * 1e12;
    let expected = 2.0 * 1_122_080.0 + 2_245_760.0 * tries;
    assert!(
        tries > 0.2 && (mean / expected - 1.0).abs() < 5e-3,
        "{mean} {expected}"
    );
}

/// Networks under PFC: bit errors lose nothing, ports obey pauses, and the plain reference schedule gives the same
/// report. A pause waits behind a frame that is sent again, so it may come too late for the headroom.
#[test]
fn retries_beside_pauses_lose_nothing_by_errors() {
    let mut stream = Stream::new(1, "ether", "retries");
    let (mut retried, mut pauses) = (0, 0);
    for case in 0..cases(60) {
        let mut plan = with_any_errors(paused(&mut stream), &mut stream);
        plan.llr = Some(retry());
        let end = Ps::from_ms(1);
        let report = Simulation::new(plan.clone())
            .unwrap()
            .measure(Ps::ZERO, end, end);
        assert_eq!(report.totals.packets_lost_on_links, 0, "case {case}");
        let of_link = report.links.iter().filter_map(|link| link.packets_retried);
        retried += of_link.sum::<u64>();
        let held = report.ports.iter().filter(|port| port.control.is_some());
        let held = held.filter(|port| statistic(port, "paused_seconds") > 0.0);
        pauses += held.count();
        let mut plain = Simulation::new(plan.clone()).unwrap();
        plain.tap(&(0..plan.links.len()).collect::<Vec<_>>());
        plain.begin_window();
        plain.run_plainly(end);
        plain.end_window();
        assert_eq!(text(&report), text(&plain.report()), "case {case}");
    }
    assert!(retried > 1_000 && pauses > 10, "{retried} {pauses}");
}

#[test]
fn plans_that_contradict_retry_are_refused() {
    let refused = |llr: LlrConfig| Simulation::new(datagrams(None, Some(llr))).err();
    let error = |text: &str| Some(PlanError(text.into()));
    let small = LlrConfig {
        buffer: Some(1_517),
        ..retry()
    };
    let text = "llr: a replay buffer of 1517 octets; a frame has 1518";
    assert_eq!(refused(small), error(text));
    let never = LlrConfig {
        tries: 0,
        ..retry()
    };
    assert_eq!(
        refused(never),
        error("llr: a frame that is sent at most 0 times")
    );
    let mut one_way = datagrams(None, Some(retry()));
    one_way.links.truncate(2);
    let found = Simulation::new(one_way).err();
    assert_eq!(
        found,
        error("llr: link N0->N1 has no way back for its answers")
    );
}
