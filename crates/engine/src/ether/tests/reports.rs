//! Reports of datagrams and of losses, and plans that are refused.

use super::*;
use crate::ether::memory::MemoryConfig;
use crate::schedule::ScheduleConfig;
use crate::schedule::drr::DrrConfig;
use crate::traffic::on_off::OnOffConfig;
use crate::traffic::poisson::PoissonConfig;

fn of_datagrams(source: SourceConfig, buffer: u64, delay: Ps) -> Plan {
    let rate = Rate::from_bps(100 * GBPS);
    row(3, rate, delay, buffer, |there, _| {
        FlowPlan::new("one", source.clone(), there, Vec::new())
    })
}

fn run(plan: Plan, from: Ps, to: Ps) -> Report {
    Simulation::new(plan).unwrap().measure(from, to, to)
}

/// A line of 100 Gbit/s feeds a line of 50 Gbit/s with a buffer of one frame. All frames are sent before the
/// window. They arrive or are dropped within the window.
#[test]
fn losses_are_a_share_of_what_is_decided_in_the_window() {
    let source = SourceConfig::OnOff(OnOffConfig {
        peak: Rate::from_bps(100 * GBPS),
        period: Ps::from_ms(10),
        duty_cycle: 0.001,
    });
    let mut plan = of_datagrams(source, 1_518, Ps::from_us(100));
    plan.links[1].rate = Rate::from_bps(50 * GBPS);
    let report = run(plan, Ps::from_us(50), Ps::from_ms(1));
    let totals = &report.totals;
    // 82 frames leave in 10 us. The slower line takes every second frame.
    assert_eq!((totals.packets_sent, totals.packets_delivered), (0, 41));
    assert_eq!(
        (totals.packets_dropped, totals.packet_loss_ratio),
        (41, 0.5)
    );
    assert_eq!(report.ports[0].packet_loss_ratio, 0.5);
}

/// Each frame of 1,538 octets on the line carries 1,472 bytes of payload.
#[test]
fn datagrams_have_a_throughput_but_none_of_tcp() {
    let source = cbr(Rate::from_bps(10 * GBPS));
    let report = run(
        of_datagrams(source, u64::MAX, Ps::ZERO),
        Ps::from_us(100),
        Ps::from_us(100) + Ps(1_000 * 1_230_400),
    );
    let (flow, totals) = (&report.flows[0], &report.totals);
    let expected = 10e9 * 1_472.0 / 1_538.0;
    assert!((flow.throughput_bits_per_second / expected - 1.0).abs() < 1e-9);
    assert_eq!(
        totals.throughput_bits_per_second,
        flow.throughput_bits_per_second
    );
    assert_eq!(
        (
            flow.tcp_throughput_bits_per_second,
            flow.goodput_bits_per_second
        ),
        (None, None)
    );
    assert_eq!(
        (
            totals.tcp_throughput_bits_per_second,
            totals.goodput_bits_per_second
        ),
        (0.0, 0.0)
    );
}

/// A frame takes 1,538 x 80 ps = 123.04 ns, so five frames begin in the ON half of a microsecond.
#[test]
fn on_off_datagrams_fill_the_on_part_of_each_period() {
    let source = SourceConfig::OnOff(OnOffConfig {
        peak: Rate::from_bps(100 * GBPS),
        period: Ps::from_us(1),
        duty_cycle: 0.5,
    });
    let plan = of_datagrams(source, u64::MAX, Ps::ZERO);
    assert_eq!(run(plan, Ps::ZERO, Ps::from_us(10)).totals.packets_sent, 50);
}

/// At 10 Gbit/s a frame comes every 1.2304 us on average.
#[test]
fn poisson_datagrams_have_the_mean_and_the_variance_of_their_rate() {
    let source = SourceConfig::Poisson(PoissonConfig {
        rate: Rate::from_bps(10 * GBPS),
    });
    let counts: Vec<f64> = (1..=100)
        .map(|seed| {
            let plan = Plan {
                seed,
                ..of_datagrams(source.clone(), u64::MAX, Ps::ZERO)
            };
            let report = run(plan, Ps::ZERO, Ps::from_us(100));
            report.totals.packets_sent as f64
        })
        .collect();
    // Each run has 81.274 frames on average. The mean of 100 runs deviates by 0.9, and the variance by 81.3 x
    // sqrt(2 / 99).
    let mean = counts.iter().sum::<f64>() / 100.0;
    let variance = counts
        .iter()
        .map(|count| (count - mean).powi(2))
        .sum::<f64>()
        / 99.0;
    assert!((mean - 81.274).abs() < 3.0, "{mean}");
    assert!((variance - 81.274).abs() < 4.0 * 11.6, "{variance}");
}

#[test]
fn plans_that_cannot_run_are_refused() {
    let good = || of_datagrams(cbr(Rate::from_bps(GBPS)), 100_000, Ps::ZERO);
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = good();
        change(&mut plan);
        Simulation::new(plan).err().map(|error| error.0)
    };
    let switch = |plan: &mut Plan, change: fn(&mut SwitchPlan)| {
        change(plan.nodes[1].switch.as_mut().unwrap());
    };
    assert_eq!(refused(&|_| {}), None);
    for (change, expected) in [
        (
            &(|plan: &mut Plan| plan.flows[0].priority = 8) as &dyn Fn(&mut Plan),
            "one: priority 8; the highest is 7",
        ),
        (
            &|plan| plan.flows[0].source = cbr(Rate(0)),
            "one: a source of 0 bit/s",
        ),
        (
            &|plan| plan.flows[0].source = transfer(0),
            "one: source, size: a transfer must have at least 1 byte",
        ),
        (
            &|plan| switch(plan, |switch| switch.queues.clear()),
            "N1: 0 queues; a port has 1 to 8",
        ),
        (
            &|plan| {
                switch(plan, |switch| {
                    switch.queues = Vec::from([const { Vec::new() }; 9])
                })
            },
            "N1: 9 queues; a port has 1 to 8",
        ),
        (
            &|plan| switch(plan, |switch| switch.queues = Vec::from([Vec::from([8])])),
            "N1: priority 8; the highest is 7",
        ),
        (
            &|plan| {
                switch(plan, |switch| {
                    let quanta = Vec::new();
                    switch.schedule =
                        ScheduleConfig::DeficitRoundRobin(DrrConfig { quanta, strict: 0 });
                });
            },
            "N1: quanta: has 0 values; allowed: one for each of the 1 queues",
        ),
        (
            &|plan| {
                switch(plan, |switch| {
                    switch.memory = Some(MemoryConfig {
                        total: Bytes(10_000),
                        alpha: 0.3,
                        reserved: Bytes(0),
                    });
                });
            },
            "N1: alpha: 0.3 is not a power of two from 1/128 to 128",
        ),
    ] {
        assert_eq!(refused(change).as_deref(), Some(expected));
    }
}
