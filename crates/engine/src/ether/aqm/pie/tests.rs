//! PIE against values computed by hand.

use alloc::vec::Vec;

use super::*;
use crate::kernel::Rate;

const FACTS: QueueFacts = QueueFacts {
    rate: Rate::from_bps(10_000_000),
    limit: u64::MAX,
    largest: 1_518,
};
const LONG: Held = Held {
    octets: 100_000,
    packets: 100,
};

fn pie(config: &PieConfig) -> Pie {
    Pie::new(config, FACTS, Stream::new(1, "test", "pie"))
}

/// Serves a packet after a wait of `delay` milliseconds, and lets the timer expire. Returns the new
/// probability.
fn update(pie: &mut Pie, delay: u64) -> f64 {
    let now = pie.wake_at().min(pie.next);
    pie.on_dequeue(now, Ps(now.0 - Ps::from_ms(delay).0), LONG);
    let due = pie.wake_at();
    pie.wake(due);
    pie.drop_prob()
}

/// PIE that lets no burst pass.
fn without_burst(config: PieConfig) -> Pie {
    pie(&PieConfig {
        max_burst: Ps::ZERO,
        ..config
    })
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-15,
        "{found} is not {expected}"
    );
}

#[test]
fn the_probability_follows_delay_and_change_at_the_speed_of_its_size() {
    let mut pie = pie(&PieConfig::default());
    pie.next = Ps::from_ms(60);
    // From 0 to 25 ms: 0.125 * (0.025 - 0.015) + 1.25 * 0.025 = 0.0325. For a probability below 0.000001 the
    // factor is 1/2048.
    let first = 0.0325 / 2048.0;
    near(update(&mut pie, 25), first);
    // The probability 0.0000159 is below 0.0001, so the factor is 1/128 and the change 0.125 * 0.005 + 1.25 *
    // (0.020 - 0.025) = -0.005625. The sum is -0.0000281 and is raised to 0.
    near(update(&mut pie, 20), 0.0);
    // From 20 to 35 ms: 0.125 * 0.020 + 1.25 * 0.015 = 0.02125, with the factor 1/2048.
    near(update(&mut pie, 35), 0.02125 / 2048.0);
}

#[test]
fn each_size_of_the_probability_has_its_factor() {
    let mut pie = pie(&PieConfig::default());
    (pie.qdelay, pie.qdelay_old) = (Ps::from_ms(23), Ps::from_ms(23));
    // 0.125 * 0.008 = 0.001. A probability at a bound of the table has the factor of larger probabilities.
    for (drop_prob, factor) in [
        (0.0, 2048.0),
        (0.000001, 512.0),
        (0.00001, 128.0),
        (0.0001, 32.0),
        (0.001, 8.0),
        (0.01, 2.0),
        (0.1, 1.0),
        (0.9, 1.0),
    ] {
        pie.drop_prob = drop_prob;
        near(pie.adjustment(), 0.001 / factor);
    }
    // 1.25 * 0.023 + 0.001 = 0.02975 exceeds the cap of 0.02.
    pie.qdelay_old = Ps::ZERO;
    near(pie.adjustment(), 0.02);
    pie.config.cap_drop_adjustment = false;
    near(pie.adjustment(), 0.02975);
}

#[test]
fn without_congestion_the_probability_decays_by_two_percent() {
    let mut pie = pie(&PieConfig::default());
    pie.drop_prob = 0.5;
    pie.wake(Ps::from_ms(15));
    // (0.5 - 0.125 * 0.015) * 0.98 = 0.4881625.
    near(pie.drop_prob(), 0.4881625);
}

#[test]
fn a_burst_passes_until_its_allowance_is_used() {
    let mut pie = pie(&PieConfig::default());
    pie.next = Ps::from_ms(300);
    pie.drop_prob = 1.0;
    pie.config.alpha = 0.0;
    pie.config.beta = 0.0;
    // The allowance of 150 ms covers ten updates of 15 ms.
    for _ in 0..9 {
        update(&mut pie, 100);
        assert_eq!(pie.on_enqueue(Ps::ZERO, 1_000, LONG), Decision::Pass);
    }
    update(&mut pie, 100);
    assert_eq!(pie.on_enqueue(Ps::ZERO, 1_000, LONG), Decision::Drop);
    // The allowance returns when the probability is 0 and two delays in a row are below 7.5 ms.
    pie.drop_prob = 0.0;
    update(&mut pie, 7);
    assert_eq!(pie.burst_allowance, Ps::ZERO);
    update(&mut pie, 7);
    assert_eq!(pie.burst_allowance, Ps::from_ms(150));
}

#[test]
fn short_queues_and_light_loads_pass() {
    let mut pie = without_burst(PieConfig::default());
    let held = |octets| Held { octets, packets: 3 };
    let mut decide = |drop_prob, delay_old, octets| {
        (pie.drop_prob, pie.qdelay_old) = (drop_prob, Ps::from_us(delay_old));
        let decide = |_: &u32| pie.on_enqueue(Ps::ZERO, 1_000, held(octets)) == Decision::Drop;
        (0..10_000).filter(decide).count()
    };
    // Packets pass that meet at most two packets of 1,000 octets, or at a delay below 7.5 ms and a
    // probability below 0.2.
    assert_eq!(decide(1.0, 10_000, 2_000), 0);
    assert_eq!(decide(1.0, 10_000, 2_001), 10_000);
    assert_eq!(decide(0.19, 7_499, 2_001), 0);
    assert_eq!(decide(1.0, 7_499, 2_001), 10_000);
    // 0.19 of 10,000 packets are dropped, within five standard errors of sqrt(1e4 * 0.19 * 0.81) = 39.2.
    let dropped = decide(0.19, 7_500, 2_001) as f64;
    assert!((dropped - 1_900.0).abs() < 196.0, "{dropped}");
}

#[test]
fn packets_are_marked_below_the_threshold_and_dropped_from_it() {
    let mut pie = without_burst(PieConfig {
        ecn: true,
        ..PieConfig::default()
    });
    pie.qdelay_old = Ps::from_ms(20);
    let mut chosen = |drop_prob: f64| {
        pie.drop_prob = drop_prob;
        let decide = |_| pie.on_enqueue(Ps::ZERO, 1_000, LONG);
        (0..1_000)
            .map(decide)
            .find(|decision| *decision != Decision::Pass)
    };
    assert_eq!(chosen(0.0999), Some(Decision::Mark));
    assert_eq!(chosen(0.1), Some(Decision::Drop));
}

#[test]
fn derandomized_drops_keep_a_distance() {
    let mut pie = without_burst(PieConfig {
        derandomize: true,
        ..PieConfig::default()
    });
    (pie.qdelay_old, pie.drop_prob) = (Ps::from_ms(20), 0.0625);
    let (mut distances, mut distance) = (Vec::new(), 0);
    for _ in 0..100_000 {
        distance += 1;
        if pie.on_enqueue(Ps::ZERO, 1_000, LONG) == Decision::Drop {
            distances.push(distance);
            distance = 0;
        }
    }
    // The sum of probabilities of 1/16 reaches 0.85 at the 14th packet and 8.5 at the 136th packet.
    assert_eq!(distances.iter().min(), Some(&14));
    assert!(distances.iter().all(|distance| *distance <= 136));
}

#[test]
fn a_queue_at_rest_has_no_timer_and_finds_its_phase_again() {
    let mut pie = pie(&PieConfig::default());
    assert_eq!(pie.wake_at(), Ps::NEVER);
    // No packet has waited yet.
    pie.on_dequeue(Ps::from_ms(20), Ps::from_ms(20), LONG);
    assert_eq!(pie.wake_at(), Ps::NEVER);
    // Updates at 15, 30 and 45 ms changed nothing; the next is at 60 ms.
    pie.on_dequeue(Ps::from_ms(45), Ps::from_ms(44), LONG);
    assert_eq!(pie.wake_at(), Ps::from_ms(60));
}

#[test]
fn wrong_parameters_are_found() {
    assert_eq!(PieConfig::default().check(FACTS), []);
    let config = PieConfig {
        t_update: Ps::ZERO,
        alpha: -1.0,
        beta: f64::NAN,
        mark_threshold: 1.1,
        ..PieConfig::default()
    };
    let findings = config.check(FACTS);
    let fields: Vec<&str> = findings.iter().map(|finding| finding.field).collect();
    assert_eq!(fields, ["t_update", "alpha", "beta", "mark_threshold"]);
}

/// Updates are due every 15 ms, and are left out while the state is at rest. After the updates of 15 and 30
/// ms the next update is due at 45 ms. A change of the period to 4 ms at 32 ms keeps this update, and the
/// next follows at 49 ms. A longer burst allowance keeps the state at rest.
#[test]
fn a_change_at_rest_keeps_the_next_update() {
    let ms = Ps::from_ms;
    let config = |t_update, max_burst| PieConfig {
        t_update: ms(t_update),
        max_burst: ms(max_burst),
        ..PieConfig::default()
    };
    for (at, next) in [(32, 45), (30, 30), (31, 45)] {
        let mut pie = pie(&config(15, 150));
        pie.change(ms(at), &config(4, 300));
        assert_eq!((pie.wake_at(), pie.next), (Ps::NEVER, ms(next)), "{at}");
        // A packet that has waited begins the updates.
        pie.on_dequeue(ms(46), ms(41), LONG);
        assert_eq!(pie.wake_at(), ms(if next == 45 { 49 } else { 50 }));
        assert_eq!(pie.burst_allowance, ms(300));
    }
}

#[test]
fn what_is_left_of_a_burst_is_at_most_the_new_one() {
    let mut pie = pie(&PieConfig::default());
    update(&mut pie, 5);
    assert_eq!(pie.burst_allowance, Ps::from_ms(135));
    for (max_burst, left) in [(200, 135), (20, 20), (150, 20)] {
        let config = PieConfig {
            max_burst: Ps::from_ms(max_burst),
            ..PieConfig::default()
        };
        pie.change(Ps::from_ms(16), &config);
        assert_eq!(pie.burst_allowance, Ps::from_ms(left));
    }
}
