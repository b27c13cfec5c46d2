use super::*;

const BIT: Ps = Ps(1_000);

/// Numbers of the errored bits of a line of 1 Gbit/s that carries units of `unit` bits without pauses, up to `bits` bits.
fn errored(config: &BitErrorConfig, unit: u64, bits: u64) -> Vec<u64> {
    let mut errors = config.of_link(7, "A->B").unwrap();
    let mut found = Vec::new();
    for first in (0..bits).step_by(unit as usize) {
        let span = (Ps(first * BIT.0), Ps((first + unit) * BIT.0));
        errors.each(span, unit, |bit| {
            found.push(first + bit);
            true
        });
    }
    found
}

/// 4 10^6 bits with p = 0.001 have 4,000 errors in the mean, with a standard deviation of sqrt(4,000 x 0.999) = 63.2. The
/// distance of two errors is above d bits with the probability (1 - p)^d: above 1,000 bits 0.3677, or 1,471 of 4,000, with a
/// standard deviation of 30.5. Both bounds are four standard deviations wide.
#[test]
fn distances_of_independent_errors_are_geometric() {
    for unit in [424, 12_144, 1] {
        let found = errored(&BitErrorConfig::independent(1e-3), unit, 4_000_000);
        let count = found.len() as f64;
        assert!((count - 4_000.0).abs() < 253.0, "{unit}: {count}");
        let far = found.windows(2).filter(|pair| pair[1] - pair[0] > 1_000);
        let share = far.count() as f64 / (count - 1.0);
        assert!((share - 0.367_7).abs() < 0.030_5, "{unit}: {share}");
        assert!(found.is_sorted_by(|a, b| a < b), "{unit}");
    }
}

/// Of 40,000 units of 424 bits a share of 1 - (1 - p)^424 has an error: 0.3457 at p = 0.001. The standard deviation of the
/// share is 0.00238.
#[test]
fn the_share_of_hit_units_has_its_closed_form() {
    let mut errors = BitErrorConfig::independent(1e-3)
        .of_link(3, "A->B")
        .unwrap();
    let unit = |number: u64| (Ps(number * 424_000), Ps((number + 1) * 424_000));
    let hit = (0..40_000).filter(|number| errors.hit(unit(*number), 424));
    let share = hit.count() as f64 / 40_000.0;
    assert!((share - 0.345_7).abs() < 0.009_6, "{share}");
}

/// At p = 0.5, the greatest value, half of the bits are errored.
#[test]
fn the_worst_line_says_nothing() {
    let found = errored(&BitErrorConfig::independent(0.5), 424, 424 * 1_000);
    let share = found.len() as f64 / 424_000.0;
    // The standard deviation is 0.00077.
    assert!((share - 0.5).abs() < 0.003_1, "{share}");
}

fn bursts() -> BitErrorConfig {
    BitErrorConfig {
        bit_error_ratio: 0.0,
        bursts: Some(BurstConfig {
            every: Ps::from_us(9),
            length: Ps::from_us(1),
            bit_error_ratio: 0.5,
        }),
    }
}

/// A tenth of the time is burst, where half of the bits are errored: the mean ratio is 0.05. A burst has 1,000 bits in the
/// mean. Between errors of one burst lie a few bits, between bursts thousands: gaps above 40 bits, which a burst has with a
/// chance of 2^-40, separate bursts. 400,000 us have 40,000 bursts in the mean; those closer together than 40 bits, 0.44 %,
/// count as one. The bounds are about four standard deviations: of a burst count 1 / sqrt(40,000) = 0.5 %, of the share of
/// the time in bursts about 0.7 %.
#[test]
fn bursts_have_their_mean_length_distance_and_ratio() {
    let bits = 400_000_000;
    let found = errored(&bursts(), 12_144, bits / 12_144 * 12_144);
    assert!((bursts().mean() - 0.05).abs() < 1e-12);
    let ratio = found.len() as f64 / bits as f64;
    assert!((ratio / 0.05 - 1.0).abs() < 0.028, "{ratio}");
    let (mut count, mut inside) = (1_u64, 0_u64);
    for pair in found.windows(2) {
        match pair[1] - pair[0] {
            gap @ ..=40 => inside += gap,
            _ => count += 1,
        }
    }
    assert!((count as f64 / 39_820.0 - 1.0).abs() < 0.02, "{count}");
    let length = inside as f64 / count as f64;
    assert!((length / 1_000.0 - 1.0).abs() < 0.028, "{length}");
}

/// The state goes on while the line is idle. Units of a bit every 200 us, twenty cycles apart, are errored with the mean
/// ratio: 0.05. So are units every 500 us, whose state is drawn anew. The standard deviation of the share is 0.00109.
#[test]
fn the_state_goes_on_while_the_line_is_idle() {
    for apart in [200, 500] {
        let mut errors = bursts().of_link(5, "A->B").unwrap();
        let unit = |number: u64| {
            let at = Ps::from_us(number * apart);
            (at, at + BIT)
        };
        let hit = (0..40_000).filter(|number| errors.hit(unit(*number), 1));
        let share = hit.count() as f64 / 40_000.0;
        assert!((share - 0.05).abs() < 0.004_4, "{apart} us: {share}");
    }
}

/// Bursts of the same mean ratio hit fewer units than independent errors, since they hit the same units again and
/// again. A unit of 424 bits escapes surely if no burst touches it, with a probability of 0.9 exp(-0.424 / 9) = 0.8586;
/// so at most 0.14139 of the units are hit. If a burst touches only the first or last x bits of a unit, the unit stays
/// whole with the probability 2^-x, whose integral over x is 1 / ln 2 = 1.44 bits. So 2 x 0.1 x 1.44 / 1,000 = 0.00029
/// of the units stay whole although a burst touches them. The standard deviation of the share is about 0.0009.
#[test]
fn bursts_leave_more_units_whole_than_independent_errors() {
    let rate = Rate::from_bps(1_000_000_000);
    let expected = bursts().loss(424, rate);
    assert!((0.141_05..0.141_15).contains(&expected), "{expected}");
    let mut errors = bursts().of_link(9, "A->B").unwrap();
    let unit = |number: u64| (Ps(number * 424_000), Ps((number + 1) * 424_000));
    let hit = (0..400_000).filter(|number| errors.hit(unit(*number), 424));
    let share = hit.count() as f64 / 400_000.0;
    assert!((share - expected).abs() < 0.003_6, "{share}");
    let independent = BitErrorConfig::independent(0.05).loss(424, rate);
    assert!(share < 0.2 * independent);
}

/// Limits of the closed form: one bit errs with the mean ratio; bursts that never change are a mixture of two lines without
/// bursts; bursts far shorter than a unit are as independent errors whose hazard is the mean of the hazards of both states.
#[test]
fn the_closed_form_has_its_limits() {
    let rate = Rate::from_bps(1_000_000_000);
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    };
    near(bursts().loss(1, rate), 0.05);
    let with = |every: Ps, length: Ps| BitErrorConfig {
        bit_error_ratio: 1e-4,
        bursts: Some(BurstConfig {
            every,
            length,
            bit_error_ratio: 1e-2,
        }),
    };
    let alone = |ratio: f64| BitErrorConfig::independent(ratio).loss(424, rate);
    let slow = with(Ps::from_ms(3_000), Ps::from_ms(1_000)).loss(424, rate);
    near(slow, 0.75 * alone(1e-4) + 0.25 * alone(1e-2));
    let hazard = 0.75 * -f64::ln_1p(-1e-4) + 0.25 * -f64::ln_1p(-1e-2);
    let quick = with(Ps(3), Ps(1)).loss(424, rate);
    near(quick, -f64::exp_m1(-424.0 * hazard));
    // 1 - (1 - 1e-9)^12,144: in single steps the difference of numbers near 1 would have no correct digits.
    near(
        BitErrorConfig::independent(1e-9).loss(12_144, rate),
        1.214_4e-5,
    );
}

#[test]
fn a_link_without_errors_has_no_process() {
    assert!(BitErrorConfig::default().of_link(1, "A->B").is_none());
    let quiet = BurstConfig {
        bit_error_ratio: 0.0,
        ..bursts().bursts.unwrap()
    };
    let config = BitErrorConfig {
        bit_error_ratio: 0.0,
        bursts: Some(quiet),
    };
    assert!(config.of_link(1, "A->B").is_none());
}

#[test]
fn each_wrong_parameter_is_found() {
    let fields = |config: &BitErrorConfig| {
        let found = config.check(Some(Rate::from_bps(1_000_000_000)));
        found.iter().map(|one| one.field).collect::<Vec<_>>()
    };
    assert_eq!(fields(&bursts()), Vec::<&str>::new());
    assert_eq!(
        fields(&BitErrorConfig::independent(0.6)),
        ["bit_error_ratio"]
    );
    assert_eq!(
        fields(&BitErrorConfig::independent(f64::NAN)),
        ["bit_error_ratio"]
    );
    let wrong = BitErrorConfig {
        bit_error_ratio: 0.1,
        bursts: Some(BurstConfig {
            every: Ps(999),
            length: Ps::ZERO,
            bit_error_ratio: -0.1,
        }),
    };
    assert_eq!(
        fields(&wrong),
        ["bursts.bit_error_ratio", "bursts.every", "bursts.length"]
    );
}
