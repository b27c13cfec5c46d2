//! A source under HPCC against values computed by hand, and what holds after any sequence of acknowledgements.

use super::*;
use crate::kernel::Stream;

const GBPS: u64 = 1_000_000_000;

/// A source at 100 Gbit/s, 12.5 octets in a nanosecond. The lines behind the switches have the rates `lines` in Gbit/s.
/// T is 13 us, and B T is 162,500 octets.
fn source(config: HpccConfig, lines: &[u64]) -> Hpcc {
    let way = Way {
        line: Rate::from_bps(100 * GBPS),
        hops: lines
            .iter()
            .map(|rate| Rate::from_bps(rate * GBPS))
            .collect(),
        round_trip: Ps::from_us(13),
        packet: 1_000,
        payload: 1_000,
    };
    Hpcc::new(&config, &way)
}

/// The telemetry of a port at `ns` nanoseconds.
fn hop(ns: u64, sent: u64, waiting: u64) -> Hop {
    Hop {
        at: Ps(1_000 * ns),
        sent,
        waiting,
    }
}

fn told(hpcc: &mut Hpcc, acknowledged: u64, next: u64, hops: &[Hop]) {
    hpcc.on_told(&Told {
        acknowledged,
        next,
        hops,
    });
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

/// Four acknowledgements and the windows after them; W_AI is 80 octets. The first only stores its telemetry. Second:
/// 154,375 octets in 13 us are 95 Gbit/s, and a queue of 16,250 octets is 0.1 of B T. So U = 1.05 and W =
/// 162,500/(1.05/0.95) + 80. Third: 78,000 octets in half of T are 0.96, and the lesser queue is empty. So U = 1.005,
/// and W follows W^c, not W. Fourth: 65,000 octets in the other half are 0.8. So U = 0.9025 and W = W^c + 80.
#[test]
fn a_window_follows_the_utilisation_as_by_hand() {
    let mut hpcc = source(HpccConfig::default(), &[100]);
    assert_eq!((hpcc.window(), hpcc.rate()), (162_500.0, 12.5e9));
    told(&mut hpcc, 1, 10, &[hop(0, 0, 16_250)]);
    assert_eq!((hpcc.window(), hpcc.utilisation()), (162_500.0, 1.0));
    told(&mut hpcc, 11, 20, &[hop(13_000, 154_375, 16_250)]);
    close(hpcc.utilisation(), 1.05);
    close(hpcc.window(), 147_103.809_523_809_5);
    close(hpcc.rate(), 147_103.809_523_809_5 / 13e-6);
    told(&mut hpcc, 20, 30, &[hop(19_500, 232_375, 0)]);
    close(hpcc.utilisation(), 1.005);
    close(hpcc.window(), 139_133.352_286_188_1);
    told(&mut hpcc, 21, 40, &[hop(26_000, 297_375, 0)]);
    close(hpcc.utilisation(), 0.9025);
    close(hpcc.window(), 147_183.809_523_809_5);
    // Packet 41 is the next packet whose acknowledgement ends a round trip.
    told(&mut hpcc, 40, 50, &[hop(39_000, 427_375, 0)]);
    close(hpcc.utilisation(), 0.8);
    close(hpcc.window(), 147_263.809_523_809_5);
    told(&mut hpcc, 41, 50, &[hop(52_000, 557_375, 0)]);
    close(hpcc.window(), 147_263.809_523_809_5);
}

/// At U = 0.8 each of five round trips adds 80 octets. In the sixth W follows U: it is 0.95/0.8 times the window,
/// plus 80. W never exceeds B T. With `max_stage` at 0 W follows U in each round trip.
#[test]
fn additive_increases_are_max_stage_in_number() {
    for (max_stage, additive) in [(5, 5), (0, 0), (2, 2)] {
        let config = HpccConfig {
            max_stage,
            ..HpccConfig::default()
        };
        let mut hpcc = source(config, &[100]);
        // A full line, and a queue of three times B T: U = 4.
        told(&mut hpcc, 1, 1, &[hop(0, 0, 487_500)]);
        told(&mut hpcc, 2, 2, &[hop(13_000, 162_500, 487_500)]);
        let mut w = 162_500.0 * 0.95 / 4.0 + 80.0;
        close(hpcc.window(), w);
        for round in 0..12_u64 {
            let (at, sent) = (26_000 + 13_000 * round, 292_500 + 130_000 * round);
            told(&mut hpcc, 3 + round, 3 + round, &[hop(at, sent, 0)]);
            w = if round % (additive + 1) < additive {
                w + 80.0
            } else {
                (w * 0.95 / 0.8 + 80.0).min(162_500.0)
            };
            close(hpcc.window(), w);
        }
    }
}

/// Of three lines the fullest sets U, by its own rate and its own time span: 40 of 100 Gbit/s, 30 of 40, 5 of 10. Its
/// queue is the lesser of two samples: 13,000 octets are 0.2 of the 65,000 octets that 40 Gbit/s carry in T.
#[test]
fn the_fullest_line_counts() {
    let mut hpcc = source(HpccConfig::default(), &[100, 40, 10]);
    told(
        &mut hpcc,
        1,
        1,
        &[hop(0, 0, 0), hop(1_000, 0, 13_000), hop(2_000, 0, 0)],
    );
    let second = [
        hop(13_000, 65_000, 90_000),
        hop(7_500, 24_375, 26_000),
        hop(15_000, 8_125, 0),
    ];
    told(&mut hpcc, 2, 2, &second);
    // U = 1/2 + 1/2 (0.75 + 0.2).
    close(hpcc.utilisation(), 0.975);
}

/// The parameter T sets W and its rate. With `window = false` no number of octets limits the source.
#[test]
fn t_and_window_set_what_limits() {
    let config = HpccConfig {
        t: Some(Ps::from_us(26)),
        ..HpccConfig::default()
    };
    let hpcc = source(config, &[100]);
    assert_eq!((hpcc.window(), hpcc.rate()), (325_000.0, 12.5e9));
    let config = HpccConfig {
        window: false,
        ..HpccConfig::default()
    };
    let mut hpcc = source(config, &[100]);
    told(&mut hpcc, 1, 10, &[hop(0, 0, 16_250)]);
    told(&mut hpcc, 11, 20, &[hop(13_000, 154_375, 16_250)]);
    assert_eq!(hpcc.window(), f64::INFINITY);
    close(hpcc.rate(), 147_103.809_523_809_5 / 13e-6);
}

/// Whatever acknowledgements say, W_AI <= W <= B T, or W = B T if W_AI exceeds it.
#[test]
fn windows_stay_between_w_ai_and_b_t() {
    let mut stream = Stream::new(1, "ether", "sources of HPCC");
    let (mut at_most, mut below_half) = (0, 0);
    for _ in 0..200 {
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let config = HpccConfig {
            eta: (1 + below(100)) as f64 / 100.0,
            max_stage: below(8) as u32,
            w_ai: Bytes(1 + below(200_000)),
            ..HpccConfig::default()
        };
        let least = (config.w_ai.0 as f64).min(162_500.0);
        let mut hpcc = source(config, &[100, 100]);
        let mut hops = [hop(0, 0, 0), hop(1_000, 0, 0)];
        let (mut acknowledged, mut next) = (0, 1);
        for _ in 0..500 {
            for hop in &mut hops {
                let ns = 10 + below(20_000);
                hop.at += Ps(1_000 * ns);
                hop.sent += below(25 * ns / 2);
                hop.waiting = below(100_000).saturating_sub(50_000);
            }
            acknowledged += below(3);
            next = acknowledged + below(20);
            told(&mut hpcc, acknowledged, next, &hops);
            let w = hpcc.window();
            assert!(least <= w && w <= 162_500.0, "{hpcc:?}");
            at_most += (w == 162_500.0) as u32;
            below_half += (w < 81_250.0) as u32;
        }
        assert!(next > 0);
    }
    assert!(
        at_most > 1_000 && below_half > 1_000,
        "{at_most} {below_half}"
    );
}
