//! Random early detection against values computed by hand.

use alloc::vec::Vec;

use super::*;

const FACTS: QueueFacts = QueueFacts {
    // A packet of 500 octets takes 4 ms.
    rate: Rate::from_bps(1_000_000),
    limit: u64::MAX,
    largest: 1_518,
};

fn red(config: &RedConfig) -> Red {
    Red::new(config, FACTS, Stream::new(1, "test", "red"))
}

fn packets(packets: u64) -> Held {
    Held {
        octets: 500 * packets,
        packets,
    }
}

#[test]
fn the_probability_follows_the_paper_and_gentle_goes_on_to_twice_max() {
    let mut config = RedConfig {
        max_p: 0.1,
        ..RedConfig::default()
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found}");
    // With min 5 and max 15 the probability is halfway at 10. With `gentle` it is halfway from 0.1 to 1 at
    // 22.5, and 1 at 30.
    for (average, p) in [
        (5.0, 0.0),
        (10.0, 0.05),
        (15.0, 0.1),
        (22.5, 0.55),
        (30.0, 1.0),
    ] {
        near(config.probability(average), p);
    }
    config.gentle = false;
    for (average, p) in [(10.0, 0.05), (14.0, 0.09), (15.0, 1.0), (22.5, 1.0)] {
        near(config.probability(average), p);
    }
}

#[test]
fn the_average_is_that_of_the_weight_and_of_the_idle_time() {
    let config = RedConfig {
        weight: 0.25,
        min: Length::Packets(1_000),
        max: Length::Packets(1_000),
        ..RedConfig::default()
    };
    let mut red = red(&config);
    let mut average = |at, held| {
        red.on_enqueue(Ps::from_ms(at), 500, packets(held));
        red.average()
    };
    assert_eq!(average(0, 0), 0.0);
    // 0.25 * 8 = 2; 0.75 * 2 + 0.25 * 4 = 2.5.
    assert_eq!(average(1, 8), 2.0);
    assert_eq!(average(2, 4), 2.5);
    // The queue is empty from 10 ms on. In the 9 ms until 19 ms the line could send 2 packets of 4 ms: 2.5 *
    // 0.75^3 = 1.0546875.
    red.on_empty(Ps::from_ms(10));
    red.on_enqueue(Ps::from_ms(19), 500, packets(0));
    assert_eq!(red.average(), 1.0546875);
    // The average accounts for the idle time up to 19 ms. So the next packet, which meets an empty queue at
    // 20 ms, multiplies it by 0.75.
    red.on_enqueue(Ps::from_ms(20), 500, packets(0));
    assert_eq!(red.average(), 0.791015625);
}

/// Distances between packets that are marked at the constant probability 1/16.
fn distances(spacing: Spacing, marks: usize) -> Vec<u64> {
    let config = RedConfig {
        // 8 packets are a quarter of the way from 4 to 20, and the probability is 1/4 * 1/4.
        min: Length::Packets(4),
        max: Length::Packets(20),
        weight: 1.0,
        max_p: 0.25,
        spacing,
        ecn: true,
        ..RedConfig::default()
    };
    let mut red = red(&config);
    let (mut found, mut distance) = (Vec::new(), 0);
    while found.len() <= marks {
        distance += 1;
        if red.on_enqueue(Ps::ZERO, 500, packets(8)) == Decision::Mark {
            found.push(distance);
            distance = 0;
        }
    }
    // The first distance does not begin at a mark.
    found.split_off(1)
}

fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

#[test]
fn distances_have_the_distribution_of_their_spacing() {
    const MARKS: usize = 20_000;
    let root = libm::sqrt(MARKS as f64);
    // After a mark the n-th packet is marked with p / (1 - n p). So P[X = n] = p / (1 - p) for n from 1 to
    // 1/p - 1. The distance is uniform on 1 to 15, with the mean 1/(2p) = 8 and the variance (15^2 - 1) / 12.
    // Bounds are five standard errors.
    let uniform = distances(Spacing::Uniform, MARKS);
    let deviation = libm::sqrt(224.0 / 12.0);
    assert!((mean(&uniform) - 8.0).abs() < 5.0 * deviation / root);
    assert_eq!(
        uniform.iter().min().zip(uniform.iter().max()),
        Some((&1, &15))
    );
    for n in 1..=15 {
        let share = uniform.iter().filter(|distance| **distance == n).count() as f64;
        let expected = MARKS as f64 / 15.0;
        assert!(
            (share - expected).abs() < 5.0 * libm::sqrt(expected),
            "{n}: {share}"
        );
    }
    // With `wait` no packet is marked up to n = 1/p - 1, and then the probability is p / (2 - n p). The
    // distance is uniform on 16 to 31, with the mean (3/p - 1) / 2 = 23.5.
    let wait = distances(Spacing::Wait, MARKS);
    let deviation = libm::sqrt(255.0 / 12.0);
    assert!((mean(&wait) - 23.5).abs() < 5.0 * deviation / root);
    assert_eq!(wait.iter().min().zip(wait.iter().max()), Some((&16, &31)));
    // Geometric distances have the mean 1/p = 16 and the variance (1 - p) / p^2 = 240.
    let geometric = distances(Spacing::Geometric, MARKS);
    assert!((mean(&geometric) - 16.0).abs() < 5.0 * libm::sqrt(240.0) / root);
}

#[test]
fn a_packet_of_twice_the_mean_is_chosen_twice_as_often_by_size() {
    let config = RedConfig {
        min: Length::Packets(4),
        max: Length::Packets(20),
        weight: 1.0,
        max_p: 0.25,
        spacing: Spacing::Geometric,
        by_size: true,
        ..RedConfig::default()
    };
    let red = red(&config);
    let p = config.probability(8.0);
    let chance = |octets| red.spaced(p, octets);
    assert_eq!([250, 500, 1_000].map(chance), [0.03125, 0.0625, 0.125]);
    // Octets count in packets of the mean size. 4,000 octets are 8 packets: 0.0625 / (1 - 8 / 16) = 0.125.
    let spaced = Red {
        count: 2,
        count_octets: 4_000,
        config: RedConfig {
            spacing: Spacing::Uniform,
            ..config
        },
        ..red
    };
    assert_eq!(
        [500, 1_000].map(|octets| spaced.spaced(p, octets)),
        [0.125, 0.25]
    );
}

#[test]
fn the_marking_of_dcqcn_is_linear_in_the_instantaneous_queue() {
    let config = RedConfig::dcqcn(Bytes(5_000), Bytes(200_000), 0.01);
    assert_eq!(config.check(FACTS), []);
    let share = |octets| {
        let mut red = red(&config);
        let queue = Held { octets, packets: 1 };
        let decide = |_: &u32| red.on_dequeue(Ps::ZERO, Ps::ZERO, queue) == Decision::Mark;
        (0..100_000).filter(decide).count() as f64 / 1e5
    };
    assert_eq!(share(4_999), 0.0);
    assert_eq!(share(5_000), 0.0);
    // Halfway the probability is 0.005, within five standard errors of sqrt(0.005 * 0.995 / 1e5) = 0.00022.
    assert!((share(102_500) - 0.005).abs() < 0.0011);
    assert!((share(199_999) - 0.01).abs() < 0.0016);
    assert_eq!(share(200_000), 1.0);
    // With `at = "dequeue"` no arrival is marked.
    let arriving = red(&config).on_enqueue(
        Ps::ZERO,
        1_000,
        Held {
            octets: 300_000,
            packets: 1,
        },
    );
    assert_eq!(arriving, Decision::Pass);
    // The present queue decides, without an average over earlier queues.
    let mut red = red(&config);
    let queue = |octets| Held { octets, packets: 1 };
    assert_eq!(
        red.on_dequeue(Ps::ZERO, Ps::ZERO, queue(200_000)),
        Decision::Mark
    );
    assert_eq!(
        red.on_dequeue(Ps::ZERO, Ps::ZERO, queue(5_000)),
        Decision::Pass
    );
}

#[test]
fn above_the_thresholds_packets_are_dropped_unless_they_may_be_marked_there() {
    let config = RedConfig {
        weight: 1.0,
        ..RedConfig::default()
    };
    let decide = |ecn, hard_drop, held| {
        let config = RedConfig {
            ecn,
            hard_drop,
            ..config.clone()
        };
        red(&config).on_enqueue(Ps::ZERO, 500, packets(held))
    };
    // With `gentle` the first packet above min passes, and from twice max on every packet is chosen.
    assert_eq!(decide(true, true, 29), Decision::Pass);
    assert_eq!(decide(false, true, 30), Decision::Drop);
    assert_eq!(decide(true, true, 30), Decision::Drop);
    assert_eq!(decide(true, false, 30), Decision::Mark);
}

#[test]
fn a_packet_that_meets_at_most_one_other_passes() {
    let mut red = red(&RedConfig::default());
    red.average = 100.0;
    assert_eq!(red.on_enqueue(Ps::ZERO, 500, packets(1)), Decision::Pass);
    assert_eq!(red.on_enqueue(Ps::ZERO, 500, packets(2)), Decision::Drop);
}

#[test]
fn wrong_parameters_are_found() {
    let fields = |config: RedConfig| -> Vec<&str> {
        let findings = config.check(FACTS);
        findings.iter().map(|finding| finding.field).collect()
    };
    assert!(fields(RedConfig::default()).is_empty());
    let wrong = RedConfig {
        min: Length::Packets(16),
        weight: 0.0,
        max_p: f64::NAN,
        ..RedConfig::default()
    };
    assert_eq!(fields(wrong), ["max", "weight", "max_p"]);
    let units = RedConfig {
        min: Length::Octets(16),
        ..RedConfig::default()
    };
    assert_eq!(fields(units), ["max"]);
}
