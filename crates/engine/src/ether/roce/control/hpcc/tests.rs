//! The source by hand, and what holds after any sequence of acknowledgements.

use super::*;
use crate::kernel::Stream;

const GBPS: u64 = 1_000_000_000;

/// A source at 100 Gbit/s, 12.5 octets in a nanosecond, over lines of these Gbit/s: T is 13 us, B T 162,500 octets.
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

/// A hop after `ns` nanoseconds.
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

/// Steps and what they leave, W_AI at 80 octets. The first acknowledgement is only kept. 154,375 octets in 13 us are 95
/// Gbit/s, and 16,250 octets 0.1 of B T: U = 1.05, W = 162,500/(1.05/0.95) + 80. Half of T with 78,000 octets, 0.96,
/// and without a queue at its end: U = 1.005, and W follows W^c, not W. 65,000 octets in the other half, 0.8:
/// U = 0.9025, so W = W^c + 80.
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
    // The next packet that ends a round trip is 41.
    told(&mut hpcc, 40, 50, &[hop(39_000, 427_375, 0)]);
    close(hpcc.utilisation(), 0.8);
    close(hpcc.window(), 147_263.809_523_809_5);
    told(&mut hpcc, 41, 50, &[hop(52_000, 557_375, 0)]);
    close(hpcc.window(), 147_263.809_523_809_5);
}

/// At U = 0.8 every round trip adds 80 octets, in five of them; the sixth follows U: 0.95/0.8 times the window, and
/// 80. It never exceeds B T. With `max_stage` at 0 each follows U.
#[test]
fn additive_increases_are_max_stage_in_number() {
    for (max_stage, additive) in [(5, 5), (0, 0), (2, 2)] {
        let config = HpccConfig {
            max_stage,
            ..HpccConfig::default()
        };
        let mut hpcc = source(config, &[100]);
        // A full line and three times B T in its queue: U = 4.
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

/// Of three lines the fullest counts, by its own rate and its own span: 40 of 100 Gbit/s, 30 of 40, 5 of 10. Its queue
/// is the lesser of two: 13,000 octets are 0.2 of 65,000, which 40 Gbit/s carry in T.
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

/// The parameters T and `window`: W and its rate, and no limit of octets.
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
