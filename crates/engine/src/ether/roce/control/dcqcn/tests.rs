//! The reaction point against values computed by hand, and what holds after any sequence of events.

use super::*;
use crate::kernel::Stream;

const GBPS: u64 = 1_000_000_000;

fn at_40g(config: DcqcnConfig) -> Dcqcn {
    let way = Way {
        line: Rate::from_bps(40 * GBPS),
        hops: Vec::new(),
        round_trip: Ps::ZERO,
        packet: 1_000,
        payload: 1_000,
    };
    Dcqcn::new(&config, &way)
}

fn gbps(octets: f64) -> f64 {
    octets / 125e6
}

/// Runs all timers up to `until`. Returns R_C in Gbit/s after each timer that changes it.
fn run(rp: &mut Dcqcn, until: Ps) -> Vec<f64> {
    let mut rates = Vec::new();
    while rp.wake_at() <= until {
        let (now, before) = (rp.wake_at(), rp.rate());
        rp.wake(now);
        if rp.rate() != before {
            rates.push(gbps(rp.rate()));
        }
    }
    rates
}

/// At 40 Gbit/s a CNP with alpha at 1 halves the rate. Five increases of fast recovery, 55 us apart, each move the
/// rate halfway to the target. (1 - 1/256) times 1 plus 1/256 leaves alpha at 1; alpha is 255/256 after 55 us, and
/// a half after 177.1 intervals, or 9.74 ms.
#[test]
fn a_cut_and_its_recovery_are_as_by_hand() {
    let mut rp = at_40g(DcqcnConfig::default());
    assert_eq!(
        rp.wake_at(),
        Ps::NEVER,
        "no timer runs before the first CNP"
    );
    rp.on_cnp(Ps::ZERO);
    assert_eq!([rp.rate(), rp.target()].map(gbps), [20.0, 40.0]);
    assert_eq!(rp.alpha(), 1.0);
    let rates = run(&mut rp, Ps::from_us(5 * 55));
    assert_eq!(rates, [30.0, 35.0, 37.5, 38.75, 39.375]);
    let mut rp = at_40g(DcqcnConfig::default());
    rp.on_cnp(Ps::ZERO);
    run(&mut rp, Ps::from_us(55));
    assert_eq!(rp.alpha(), 0.99609375);
    run(&mut rp, Ps::from_us(177 * 55));
    assert!(rp.alpha() > 0.5, "{}", rp.alpha());
    run(&mut rp, Ps::from_us(178 * 55));
    assert!(rp.alpha() < 0.5, "{}", rp.alpha());
}

/// Two CNPs leave a rate of 10 and a target of 20 Gbit/s. After five increases of fast recovery the target rises by
/// 40 Mbit/s in each further increase.
#[test]
fn additive_increase_follows_fast_recovery() {
    let mut rp = at_40g(DcqcnConfig::default());
    rp.on_cnp(Ps::ZERO);
    rp.on_cnp(Ps::from_us(50));
    assert_eq!([rp.rate(), rp.target()].map(gbps), [10.0, 20.0]);
    run(&mut rp, Ps::from_us(50 + 5 * 55));
    assert_eq!([rp.rate(), rp.target()].map(gbps), [19.6875, 20.0]);
    run(&mut rp, Ps::from_us(50 + 6 * 55));
    assert_eq!([rp.rate(), rp.target()].map(gbps), [19.86375, 20.04]);
    run(&mut rp, Ps::from_us(50 + 7 * 55));
    assert_eq!([rp.rate(), rp.target()].map(gbps), [19.971875, 20.08]);
}

/// The byte counter counts each 10 MB sent. With F at 1 the first counts of timer and byte counter are fast
/// recovery. With two counts of each, hyper increase adds R_HAI, and with three counts of each twice R_HAI. Before
/// the second count of each, further counts add R_AI.
#[test]
fn hyper_increase_needs_timer_and_byte_counter() {
    let config = DcqcnConfig {
        f: 1,
        r_hai: Some(Rate::from_bps(200_000_000)),
        ..DcqcnConfig::default()
    };
    let mut rp = at_40g(config);
    rp.on_sent(Ps::ZERO, 9_999_999);
    rp.on_cnp(Ps::ZERO);
    rp.on_cnp(Ps::ZERO);
    let send = |rp: &mut Dcqcn, octets| {
        rp.on_sent(Ps::ZERO, octets);
        gbps(rp.target())
    };
    assert_eq!(send(&mut rp, 9_999_999), 20.0);
    assert_eq!(gbps(rp.rate()), 10.0, "a CNP empties the byte counter");
    send(&mut rp, 1);
    assert_eq!(gbps(rp.rate()), 15.0);
    assert_eq!(send(&mut rp, 10_000_000), 20.04);
    run(&mut rp, Ps::from_us(55));
    assert_eq!(gbps(rp.target()), 20.08, "the byte counter has more than F");
    run(&mut rp, Ps::from_us(110));
    assert_eq!(gbps(rp.target()), 20.28);
    assert_eq!(send(&mut rp, 10_000_000), 20.48);
    run(&mut rp, Ps::from_us(165));
    assert!((gbps(rp.target()) - 20.88).abs() < 1e-9, "{}", rp.target());
}

/// Without `clamp_target` a second CNP before any increase keeps the target that the first CNP left.
#[test]
fn a_target_that_is_not_clamped_survives_a_second_cnp() {
    for (clamp_target, target) in [(true, 20.0), (false, 40.0)] {
        let config = DcqcnConfig {
            clamp_target,
            ..DcqcnConfig::default()
        };
        let mut rp = at_40g(config);
        rp.on_cnp(Ps::ZERO);
        rp.on_cnp(Ps::from_us(50));
        assert_eq!([rp.rate(), rp.target()].map(gbps), [10.0, target]);
        run(&mut rp, Ps::from_us(105));
        rp.on_cnp(Ps::from_us(106));
        let raised = (10.0 + target) / 2.0;
        assert_eq!(gbps(rp.target()), raised, "an increase came before");
    }
}

/// After any sequence of events r_min <= R_C <= R_T <= the rate of the line, and alpha is from 0 to 1.
#[test]
fn rates_stay_between_the_least_and_the_line() {
    let mut stream = Stream::new(1, "ether", "reaction points");
    let (mut at_line, mut at_least) = (0, 0);
    for _ in 0..200 {
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let config = DcqcnConfig {
            t: Ps::from_us(1 + below(300)),
            b: Bytes(10_000 + below(10_000_000)),
            f: 1 + below(5) as u32,
            r_ai: Rate::from_bps(1_000_000 * (1 + below(1_000))),
            r_hai: (below(2) == 0).then(|| Rate::from_bps(200_000_000)),
            g: 1.0 / (1 << below(10)) as f64,
            r_min: Rate::from_bps(1_000_000 * (1 + below(100))),
            clamp_target: below(2) == 0,
            ..DcqcnConfig::default()
        };
        let (least, line) = (octets(config.r_min), octets(Rate::from_bps(40 * GBPS)));
        let cnps = 1 + below(20);
        let mut rp = at_40g(config);
        let mut now = Ps::ZERO;
        for _ in 0..500 {
            let step = Ps(below(100_000_000));
            run(&mut rp, now + step);
            now += step;
            match below(cnps) {
                0 => rp.on_cnp(now),
                _ => rp.on_sent(now, 1_000 * below(1_000) as u32),
            }
            let (r_c, r_t) = (rp.rate(), rp.target());
            assert!(least <= r_c && r_c <= r_t && r_t <= line, "{rp:?}");
            assert!((0.0..=1.0).contains(&rp.alpha()), "{rp:?}");
            at_line += (r_t == line) as u32;
            at_least += (r_c == least) as u32;
        }
    }
    assert!(at_line > 1_000 && at_least > 100, "{at_line} {at_least}");
}
