//! Credit-based flow control of links: values computed by hand, comparison with FCVC, and random networks.

use super::pfc::{lose_none_of_covered, persistent, statistic, without_contradictions};
use super::*;
use crate::credit::FcvcConfig;
use crate::ether::cbfc::CbfcConfig;
use crate::kernel::units::Cells;
use crate::traffic::poisson::PoissonConfig;

/// CBFC of all priorities, with `credits` credits of `unit` octets for each. Each freed credit is returned by
/// itself.
fn cbfc(credits: u32, unit: u32) -> CbfcConfig {
    CbfcConfig {
        priorities: (0..8).collect(),
        unit,
        credits: Some(credits),
        batch: 1,
        response: Ps::ZERO,
    }
}

/// Two hosts joined by a line. One sends frames of `octets` from header to FCS without end.
fn line(gbps: u64, delay: Ps, octets: u32, config: CbfcConfig) -> Plan {
    let rate = Rate::from_bps(gbps * GBPS);
    let mut plan = row(2, rate, delay, u64::MAX, |there, _| FlowPlan {
        datagram: octets - 18 - 28,
        ..FlowPlan::new("one", persistent(), there, Vec::new())
    });
    plan.cbfc = Some(config);
    plan
}

/// Times in ps at which the last bits of frames leave on the link with the index `link`.
fn left(plan: &Plan, link: usize, until: Ps) -> Vec<u64> {
    let mut run = Simulation::new(plan.clone()).unwrap();
    run.tap(&[link]);
    run.run_until(until);
    run.take_seen().iter().map(|seen| seen.at.0).collect()
}

/// Share of a line that its frames take, as the mean over `frames` frames after the first hundred.
fn share(plan: &Plan, octets: u32, frames: usize) -> f64 {
    let times = left(plan, 0, Ps::from_us(400));
    let span = times[100 + frames] - times[100];
    let octet = 8e12 / plan.links[0].rate.bits_per_second();
    frames as f64 * f64::from(octets + 20) * octet / span as f64
}

/// An octet takes 40 ps at 200 Gbit/s. A frame of 2,480 octets takes 99.52 ns to its last bit, and 100 ns with its
/// gap. The propagation takes 10 ns, the credit frame 2.88 ns to its last bit, the propagation back 10 ns, and the
/// response time 21 ns. The sum is 143.4 ns, so one credit gives 69.74 % of the line, and two credits give all of
/// it.
#[test]
fn one_credit_gives_the_share_of_the_loop_and_two_the_whole_line() {
    let plan = |credits: u32| {
        let config = CbfcConfig {
            response: Ps(21_000),
            ..cbfc(credits, 2_480)
        };
        line(200, Ps(10_000), 2_480, config)
    };
    let [one, two] = [1, 2].map(|credits| left(&plan(credits), 0, Ps::from_us(1)));
    assert_eq!(one[..3], [99_520, 242_920, 386_320]);
    assert_eq!(two[..3], [99_520, 199_520, 299_520]);
    assert!((share(&plan(1), 2_480, 1_000) - 100.0 / 143.4).abs() < 1e-9);
    assert!((share(&plan(2), 2_480, 1_000) - 1.0).abs() < 1e-9);
}

/// At 100 Gbit/s a frame of 1,518 octets takes 123.04 ns, to its last bit 122.08 ns. The credit frame takes
/// 5.76 ns, and the propagation 1 us each way. The loop of 2,127.84 ns holds 17.3 frames.
#[test]
fn eighteen_credits_fill_a_microsecond_at_100_gigabit() {
    let plan = |credits: u32| line(100, Ps::from_us(1), 1_518, cbfc(credits, 1_518));
    let shares = [17, 18].map(|credits| share(&plan(credits), 1_518, 17 * 60));
    assert!(
        (shares[0] - 17.0 * 123.04 / 2_127.84).abs() < 1e-9,
        "{shares:?}"
    );
    assert!((shares[0] - 0.983).abs() < 1e-3, "{shares:?}");
    assert!((shares[1] - 1.0).abs() < 1e-9, "{shares:?}");
}

/// A frame of an octet more than the unit takes two credits, so half as many frames are under way.
#[test]
fn a_unit_of_an_octet_less_than_the_frame_halves_the_rate() {
    let plan = |unit: u32| line(100, Ps::from_us(1), 1_518, cbfc(8, unit));
    let [fits, short] = [1_518, 1_517].map(|unit| share(&plan(unit), 1_518, 400));
    assert!((fits - 8.0 * 123.04 / 2_127.84).abs() < 1e-9);
    assert!((short - fits / 2.0).abs() < 1e-9);
}

/// The number of credits that is derived from the link fills a path over two switches. The credits of two frames
/// fewer do not.
#[test]
fn derived_credits_fill_the_line() {
    let carried = |credits: Option<u32>| {
        let rate = Rate::from_bps(100 * GBPS);
        let mut plan = row(4, rate, Ps::from_us(1), u64::MAX, |there, _| FlowPlan {
            datagram: 1_472,
            ..FlowPlan::new("one", persistent(), there, Vec::new())
        });
        plan.cbfc = Some(CbfcConfig {
            credits,
            batch: 24,
            ..cbfc(0, 64)
        });
        share(&plan, 1_518, 1_000)
    };
    assert!((carried(None) - 1.0).abs() < 1e-9);
    // The loop without a frame in front of the returned credits is 2 x 123.04 + 2,005.76 - 0.96 ns, 18.29 frames.
    assert!((carried(Some(19 * 24 + 23)) - 1.0).abs() < 1e-9);
    assert!(carried(Some(18 * 24 + 23)) < 0.99);
}

/// One flow whose frames take one credit each behaves in the same way under CBFC and under FCVC with the same
/// buffers. CBFC counts credits and FCVC octets on the line, but frames and returned credits leave on each link at
/// the same times.
#[test]
fn cbfc_of_one_flow_and_one_unit_is_fcvc() {
    let mut stream = Stream::new(1, "ether", "cbfc and fcvc");
    for case in 0..60 {
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let (frame, batch) = (64 + below(1_400), 1 + below(4));
        let credits = 2 * batch + below(12);
        let rates = [10, 40, 100];
        let pick = |number: u64| Rate::from_bps(rates[number as usize] * GBPS);
        let (delay, load) = (Ps(below(2_000_000)), below(2));
        let mut plan = row(4, pick(below(3)), delay, u64::MAX, |there, _| {
            let source = match load {
                0 => persistent(),
                _ => SourceConfig::Poisson(PoissonConfig {
                    rate: Rate::from_bps(8 * GBPS),
                }),
            };
            FlowPlan {
                datagram: frame as u32,
                ..FlowPlan::new("one", source, there, Vec::new())
            }
        });
        plan.links[1].rate = pick(below(3));
        plan.links[2].rate = pick(below(3));
        let octets = plan.longest_frame();
        let on_line = u64::from(octets + 20);
        let times = |plan: &Plan| -> Vec<Vec<u64>> {
            let links = 0..plan.links.len();
            links
                .map(|link| left(plan, link, Ps::from_us(60)))
                .collect()
        };
        plan.fcvc = Some(FcvcConfig {
            n2: Cells(batch * on_line),
            n3: Some(Cells((credits - batch) * on_line)),
            ..FcvcConfig::default()
        });
        let by_fcvc = times(&plan);
        plan.fcvc = None;
        let without = times(&plan);
        plan.cbfc = Some(CbfcConfig {
            batch: batch as u32,
            ..cbfc(credits as u32, octets)
        });
        assert_eq!(by_fcvc, times(&plan), "case {case}: {plan:#?}");
        // Credits return over all links except those that lead to the source's side of the first link.
        assert!(by_fcvc[3].len() > 2 && without[3].is_empty(), "case {case}");
    }
}

/// Behind a switch is a line of a tenth of the rate. The switch holds at most the credits of the first link, and
/// the host waits for credits nine tenths of the time.
#[test]
fn a_slow_line_fills_the_buffer_and_no_more() {
    let rate = Rate::from_bps(8 * GBPS);
    let mut plan = row(3, rate, Ps::from_us(1), 2_000, |there, _| FlowPlan {
        datagram: 934,
        ..FlowPlan::new("one", persistent(), there, Vec::new())
    });
    plan.links[1].rate = Rate(rate.0 / 10);
    plan.cbfc = Some(cbfc(60, 100));
    let mut run = Simulation::new(plan).unwrap();
    let (from, to) = (Ps::from_us(200), Ps::from_us(1_000));
    let report = run.measure(from, to, to);
    let back = report.ports.iter().find(|port| port.name == "N1->N0");
    // A frame of 980 octets takes ten credits, so six are in the buffer: more than the limit of the queue.
    assert_eq!(statistic(back.unwrap(), "ingress_max_credits"), 60.0);
    let onward = report
        .ports
        .iter()
        .find(|port| port.name == "N1->N2")
        .unwrap();
    assert_eq!(onward.queues[0].queue_max_bytes, 6 * 980);
    assert!(onward.utilisation > 0.999, "{}", onward.utilisation);
    assert_eq!(report.totals.packets_dropped, 0);
}

/// Two priorities share the line of a host. The frames of the first priority wait for credits, the frames of the
/// second do not. In their own queue the latter pass the switch, too.
#[test]
fn a_virtual_channel_without_credits_does_not_stop_another() {
    let rate = Rate::from_bps(8 * GBPS);
    let plan = |queues: &[&[u8]]| {
        let mut plan = row(4, rate, Ps::from_us(1), u64::MAX, |there, _| FlowPlan {
            datagram: 934,
            priority: 3,
            ..FlowPlan::new("slow", persistent(), there, Vec::new())
        });
        // The slow flow ends behind a line of a tenth of the rate, the fast flow at another host.
        plan.links[2].rate = Rate(rate.0 / 10);
        plan.nodes.push(NodePlan {
            name: "N4".into(),
            switch: None,
        });
        for (from, to) in [(2, 4), (4, 2)] {
            plan.links.push(LinkPlan {
                name: format!("N{from}->N{to}"),
                from,
                to,
                rate,
                delay: Ps::from_us(1),
                errors: None,
            });
        }
        plan.flows.push(FlowPlan {
            datagram: 934,
            ..FlowPlan::new("fast", persistent(), Vec::from([0, 1, 6]), Vec::new())
        });
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            switch.queues = queues.iter().map(|queue| queue.to_vec()).collect();
        }
        plan.cbfc = Some(cbfc(60, 100));
        plan
    };
    let carried = |plan: Plan| {
        let (from, to) = (Ps::from_us(300), Ps::from_us(1_300));
        let report = Simulation::new(plan).unwrap().measure(from, to, to);
        let gate = report
            .ports
            .iter()
            .find(|port| port.name == "N1->N2")
            .unwrap();
        let waited = statistic(gate, "credits_awaited_seconds");
        let rates = report.flows.iter();
        let shares = rates.map(|flow| flow.throughput_bits_per_second / 0.934 / 8e9);
        (shares.collect::<Vec<f64>>(), waited)
    };
    let (apart, waited) = carried(plan(&[&[3], &[0]]));
    assert!(
        (apart[0] - 0.1).abs() < 0.01 && apart[1] > 0.85,
        "{apart:?}"
    );
    assert!(waited > 1e-3, "{waited}");
    let (together, _) = carried(plan(&[&[]]));
    assert!((together[0] - 0.1).abs() < 0.01, "{together:?}");
    assert!(
        together[1] < 0.15,
        "{together:?}: one queue waits for its first frame"
    );
}

/// Random networks under CBFC of some priorities, with random credits, units, batches and response times.
pub(super) fn credited(stream: &mut Stream) -> Plan {
    let mut plan = without_contradictions(stream);
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let all = below(2) == 0;
    let unit = [64, 200, 1_518, 9_018][below(4) as usize];
    let (batch, longest) = (1 + below(20) as u32, plan.longest_frame());
    let mut config = CbfcConfig {
        priorities: (0..8).filter(|_| all || below(4) > 0).chain([0]).collect(),
        batch,
        response: Ps(below(4) * 300_000),
        ..cbfc(0, unit)
    };
    // Some link may need more credits for its full rate than the counters hold, if the unit is small.
    let spare = below(3) * below(300);
    let derives = unit > 200 && below(3) == 0;
    config.credits = (!derives).then(|| (config.least(longest) + spare) as u32);
    plan.cbfc = Some(config);
    plan
}

/// The buffers of switches panic if a frame comes without credits.
#[test]
fn random_networks_lose_no_frame_under_cbfc() {
    let mut stream = Stream::new(1, "ether", "networks under cbfc");
    let (credits, lost) = lose_none_of_covered(&mut stream, &credited, "credit_frames_sent");
    assert!(
        credits > 10_000.0,
        "{credits}: the cases must return credits"
    );
    assert!(lost > 100, "{lost}: other priorities must lose frames");
}

/// No credit is lost: with the least number of credits each persistent flow still delivers frames in the last fifth
/// of a run. The network is a tree, so no buffers wait for one another.
#[test]
fn no_flow_stalls_with_the_fewest_credits() {
    let mut stream = Stream::new(1, "ether", "fewest credits");
    let mut delivered = 0;
    for case in 0..cases(30) {
        let mut plan = super::random::random_plan(&mut stream, super::random::any_source);
        for switch in plan
            .nodes
            .iter_mut()
            .filter_map(|node| node.switch.as_mut())
        {
            *switch = SwitchPlan::new(2_000);
        }
        let longest = plan.longest_frame();
        let mut config = cbfc(0, [64, 777, 9_018][case % 3]);
        config.batch = 1 + case as u32 % 7;
        config.credits = Some(config.least(longest) as u32);
        plan.cbfc = Some(config);
        let (from, to) = (Ps::from_ms(8), Ps::from_ms(10));
        let report = Simulation::new(plan.clone()).unwrap().measure(from, to, to);
        for flow in report
            .flows
            .iter()
            .filter(|flow| flow.source == "persistent")
        {
            assert!(flow.packets_delivered > 0, "case {case}: {plan:#?}");
            delivered += flow.packets_delivered;
        }
        assert_eq!(report.totals.packets_dropped, 0);
    }
    assert!(delivered > 10_000, "{delivered}");
}

#[test]
fn plans_that_contradict_cbfc_are_refused() {
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = line(100, Ps::from_us(1), 1_518, cbfc(40, 64));
        change(&mut plan);
        Simulation::new(plan).map(|_| ()).map_err(|error| error.0)
    };
    let of =
        |change: &dyn Fn(&mut CbfcConfig)| refused(&|plan| change(plan.cbfc.as_mut().unwrap()));
    let error = |text: &str| Err(String::from(text));
    assert_eq!(of(&|_| {}), Ok(()));
    assert_eq!(
        of(&|cbfc| cbfc.priorities.clear()),
        error("cbfc: no priority")
    );
    assert_eq!(
        of(&|cbfc| cbfc.batch = 0),
        error("cbfc: a unit of 0 octets or a batch of 0 credits")
    );
    // The longest frame takes 24 credits, and the receiver may keep 17 back.
    assert_eq!(of(&|cbfc| cbfc.batch = 17), Ok(()));
    assert_eq!(
        of(&|cbfc| cbfc.batch = 18),
        error("cbfc: link N0->N1: 40 credits; at least 41")
    );
    assert_eq!(
        of(&|cbfc| cbfc.credits = Some(32_768)),
        error("cbfc: link N0->N1: 32768 credits; at most 32767")
    );
    assert_eq!(
        refused(&|plan| plan.fcvc = Some(Default::default())),
        error("cbfc: credit for each channel beside credits")
    );
    assert_eq!(
        refused(&|plan| {
            plan.pfc = Some(crate::ether::pfc::PfcConfig {
                priorities: Vec::from([0]),
                xoff: 10_000,
                xon: 0,
                headroom: None,
                quanta: u16::MAX,
                response: Ps::ZERO,
            });
        }),
        error("cbfc: pauses beside credits")
    );
    assert_eq!(
        refused(&|plan| {
            plan.links.pop();
        }),
        error("cbfc: link N0->N1 has no way back for its credits")
    );
}
