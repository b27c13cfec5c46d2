//! NSCC: transfers to one host over a switch that marks and trims.

use super::roce::incast;
use super::trimming::trimming;
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::aqm::red::RedConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::nscc::NsccConfig;
use crate::ether::roce::{Resend, RoceConfig};

/// Completion time in us of the last of `sources` transfers of `packets` packets of 4,150 octets, 332 ns at 100 Gbit/s,
/// and the number of packets that were trimmed. The queue holds 40 packets. It marks with a probability that rises from
/// 0 at 8 packets to 1 at 32 packets.
fn tail(sources: usize, packets: u64, config: &NsccConfig) -> (f64, u64) {
    let roce = RoceConfig {
        payload: Bytes(4_068),
        ack_every: 4,
        timeout: Ps::from_us(100),
        resend: Resend::Selective,
        control: RoceControlConfig::Nscc(config.clone()),
    };
    let rate = Rate::from_bps(100 * GBPS);
    let marks = AqmConfig::Red(RedConfig::dcqcn(Bytes(8 * 4_150), Bytes(32 * 4_150), 1.0));
    let mut plan = incast(sources, rate, Ps::from_us(2), &marks, &roce);
    trimming(&mut plan);
    for flow in &mut plan.flows {
        flow.source = transfer(4_068 * packets);
    }
    for switch in plan
        .nodes
        .iter_mut()
        .filter_map(|node| node.switch.as_mut())
    {
        switch.buffer = 40 * 4_150;
    }
    let end = Ps::from_ms(40);
    let report = Simulation::new(plan).unwrap().measure(Ps::ZERO, end, end);
    let flows = report.flows.iter();
    let times = flows.map(|flow| flow.completion_seconds.unwrap() * 1e6);
    let queues = report.ports.iter().flat_map(|port| &port.queues);
    let trimmed = queues.filter_map(|queue| queue.packets_trimmed).sum();
    (times.fold(0.0, f64::max), trimmed)
}

/// A lone transfer has the whole line: it takes 500 packet times of 332 ns, one more packet time at the switch, four
/// delays of 2 us and twice the time of the report of 90 octets, less the last gap on each link. Sixteen transfers fill
/// the line within 5 %, and after the first windows few packets are trimmed.
#[test]
fn transfers_fill_the_line() {
    let config = NsccConfig::default();
    let (alone, trimmed) = tail(1, 500, &config);
    assert_eq!(trimmed, 0);
    let exact = 501.0 * 0.332 + 8.0 + (2.0 * 90.0 - 4.0 * 12.0) * 8e-5;
    assert!((alone - exact).abs() < 1e-6, "{alone} {exact}");
    let (last, trimmed) = tail(16, 500, &config);
    let line = 16.0 * 500.0 * 0.332;
    assert!((line..line * 1.05 + 8.0).contains(&last), "{last} {line}");
    // The first windows are 1.5 bandwidth-delay products each, with an empty queue: 16 times 42 packets.
    assert!((300..1_200).contains(&trimmed), "{trimmed}");
}

#[test]
fn each_parameter_matters() {
    let base = NsccConfig::default;
    let own = tail(8, 500, &base());
    let others = [
        NsccConfig {
            target: Some(Ps::from_us(3)),
            ..base()
        },
        NsccConfig {
            window: Some(Bytes(20_000)),
            ..base()
        },
        NsccConfig {
            fair_increase: 50.0,
            ..base()
        },
        NsccConfig {
            proportional_increase: 50.0,
            ..base()
        },
        NsccConfig { eta: 2.0, ..base() },
        NsccConfig {
            gamma: 0.1,
            ..base()
        },
        NsccConfig {
            weight: 0.5,
            ..base()
        },
        NsccConfig {
            quick_adapt: 0.0,
            ..base()
        },
    ];
    for other in others {
        let found = tail(8, 500, &other);
        assert!(
            (found.0 - own.0).abs() > 0.1,
            "{other:?}: {found:?} {own:?}"
        );
    }
    // Only a lone source with a small window finds the path empty.
    let small = |fast_increase| NsccConfig {
        window: Some(Bytes(20_000)),
        fast_increase,
        ..base()
    };
    let [slow, fast] = [0.0, 1.0].map(|share| tail(1, 500, &small(share)).0);
    assert!(fast + 1.0 < slow, "{fast} {slow}");
}
