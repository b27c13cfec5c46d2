//! Credit feedback against values computed by hand.

use super::ExpressPassConfig;
use super::feedback::Feedback;
use crate::ether::frame::Framing;
use crate::ether::roce::RoceConfig;
use crate::ether::roce::control::{RateControlParameters, RoceControlConfig};
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Rate};

/// 10 Gbit/s times 84/(84 + 1538): 64,734,895.19 octets of credits in a second.
const MOST: f64 = 1.25e9 * 84.0 / 1_622.0;

/// Feedback with the rate `alpha` of `config`, as a share of the greatest rate.
fn begun(config: &ExpressPassConfig) -> Feedback {
    let mut feedback = Feedback::new(config, MOST, 84);
    feedback.begin();
    feedback
}

/// A period of 100 us with `answered` answers, each 100 us after its credit, and `lost` losses before the first.
fn period(feedback: &mut Feedback, number: u64, answered: u64, lost: u64) {
    let begin = Ps::from_us(100 * number);
    feedback.on_answer(begin, Ps::from_us(100), lost);
    for _ in 1..answered {
        feedback.on_answer(begin, Ps::from_us(100), 0);
    }
    feedback.update(Ps::from_us(100 * (number + 1)));
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-7, "{found} {expected}");
}

/// A packet of 1,452 octets of payload has a frame of 1,518. So credit and data have 84 and 1,538 octets on the line, as in
/// the public simulator.
#[test]
fn sizes_are_those_of_the_simulator() {
    let config = RoceConfig {
        payload: Bytes(1_452),
        control: RoceControlConfig::ExpressPass(ExpressPassConfig::default()),
        ..RoceConfig::default()
    };
    let found = |tagged| config.credit_and_data(Framing { tagged });
    assert_eq!(found(false), Some((84, 1_538)));
    assert_eq!(found(true), Some((88, 1_542)));
    assert_eq!(MOST as u64, 64_734_895);
}

/// The rate begins at half of the greatest rate, 32.37 MB/s. Without losses w stays at 0.5 in the first period, and at its
/// limit of 0.5 later. So the rates are 0.75 and 0.875 of the greatest rate.
#[test]
fn without_losses_the_rate_goes_halfway_to_the_greatest() {
    let mut feedback = begun(&ExpressPassConfig::default());
    near(feedback.rate(), 32_367_447.6);
    period(&mut feedback, 1, 100, 0);
    near(feedback.rate(), 48_551_171.4);
    period(&mut feedback, 2, 100, 0);
    near(feedback.rate(), 56_643_033.3);
}

/// At half the greatest rate the target loss is 6.25 %. Of 100 credits in 100 us 10 are lost. 84 times 90 octets in 100 us
/// are 75.6 MB/s, times 1.0625 80.3 MB/s. That is above the old rate, which stays, and w halves. If 40 of 50 credits are
/// lost, 84 times 10 octets are 8.4 MB/s, times 1.0625 8.925 MB/s.
#[test]
fn losses_above_the_target_lower_the_rate() {
    let mut feedback = begun(&ExpressPassConfig::default());
    period(&mut feedback, 1, 90, 10);
    near(feedback.rate(), 32_367_447.6);
    near(feedback.w(), 0.25);
    period(&mut feedback, 2, 10, 40);
    near(feedback.rate(), 8_925_000.0);
    near(feedback.w(), 0.125);
    // The first period without a decrease does not raise w, the second raises it by 0.05.
    period(&mut feedback, 3, 10, 0);
    near(feedback.w(), 0.125);
    let rate = 0.125 * MOST + 0.875 * 8_925_000.0;
    near(feedback.rate(), rate);
    period(&mut feedback, 4, 10, 0);
    near(feedback.w(), 0.175);
    near(feedback.rate(), 0.175 * MOST + 0.825 * rate);
}

/// At half the greatest rate the target loss is 6.25 %. If 2 of 32 credits are lost, that is exactly the target, and the
/// rate does not decrease. With 3 of 32 it decreases, unless a late answer takes one loss back.
#[test]
fn losses_at_the_target_are_none() {
    for (lost, late, rate) in [
        (2, 0, 48_551_171.4),
        (3, 0, 25_882_500.0),
        (3, 1, 48_551_171.4),
    ] {
        let mut feedback = begun(&ExpressPassConfig::default());
        feedback.on_answer(Ps::ZERO, Ps::from_us(100), lost);
        for _ in 1..32 - lost {
            feedback.on_answer(Ps::ZERO, Ps::from_us(100), 0);
        }
        (0..late).for_each(|_| feedback.on_late_answer());
        // 29 answers in 100 us: 24.36 MB/s, times 1.0625.
        feedback.update(Ps::from_us(100));
        near(feedback.rate(), rate);
    }
}

/// A period lasts a smoothed round trip: after round trips of 100 and 200 us it lasts 120 us.
#[test]
fn a_period_lasts_a_smoothed_round_trip() {
    let mut feedback = begun(&ExpressPassConfig::default());
    feedback.on_answer(Ps::ZERO, Ps::from_us(100), 0);
    feedback.on_answer(Ps::ZERO, Ps::from_us(200), 0);
    feedback.update(Ps(119_999_999));
    near(feedback.rate(), 32_367_447.6);
    feedback.update(Ps(120_000_000));
    near(feedback.rate(), 48_551_171.4);
}

/// Without an answer nothing changes, whatever the time.
#[test]
fn without_answers_the_rate_stays() {
    let mut feedback = begun(&ExpressPassConfig::default());
    feedback.update(Ps::from_ms(10));
    near(feedback.rate(), 32_367_447.6);
    period(&mut feedback, 1, 1, 99);
    let low = feedback.rate();
    feedback.update(Ps::from_ms(20));
    near(feedback.rate(), low);
}

/// One credit of 84 octets each 100 us is 840 kB/s, the least rate. With round trips of 1 us the least rate would be 84
/// MB/s; the greatest rate takes precedence.
#[test]
fn the_floor_is_one_credit_in_a_round_trip() {
    let mut feedback = begun(&ExpressPassConfig::default());
    period(&mut feedback, 1, 1, 999);
    // 84 octets times 1.0625 in 100 us.
    near(feedback.rate(), 892_500.0);
    feedback.on_answer(Ps::from_us(200), Ps::from_us(100), 999);
    feedback.update(Ps::from_ms(1));
    near(feedback.rate(), 840_000.0);
    let mut feedback = begun(&ExpressPassConfig::default());
    feedback.on_answer(Ps::ZERO, Ps::from_us(1), 99);
    feedback.update(Ps::from_us(100));
    near(feedback.rate(), MOST);
}

#[test]
fn parameters_have_their_ranges() {
    let ok = ExpressPassConfig::default();
    let fields = |config: ExpressPassConfig| -> alloc::vec::Vec<&'static str> {
        let found = config.check(Rate::from_bps(1));
        found.iter().map(|finding| finding.field).collect()
    };
    assert!(fields(ok.clone()).is_empty());
    let cases: [(ExpressPassConfig, &[&str]); 10] = [
        (
            ExpressPassConfig {
                alpha: 0.0,
                ..ok.clone()
            },
            &["alpha"],
        ),
        (
            ExpressPassConfig {
                w_init: 0.6,
                ..ok.clone()
            },
            &["w_init"],
        ),
        (
            ExpressPassConfig {
                w_min: 0.0,
                ..ok.clone()
            },
            &["w_min"],
        ),
        (
            ExpressPassConfig {
                w_max: 1.5,
                ..ok.clone()
            },
            &["w_max"],
        ),
        (
            ExpressPassConfig {
                w_max: 0.4,
                ..ok.clone()
            },
            &["w_init"],
        ),
        (
            ExpressPassConfig {
                w_step: f64::NAN,
                ..ok.clone()
            },
            &["w_step"],
        ),
        (
            ExpressPassConfig {
                target_loss: 1.0,
                ..ok.clone()
            },
            &["target_loss"],
        ),
        (
            ExpressPassConfig {
                jitter: 1.0,
                ..ok.clone()
            },
            &["jitter"],
        ),
        (
            ExpressPassConfig {
                credit_queue: 0,
                ..ok.clone()
            },
            &["credit_queue"],
        ),
        (
            ExpressPassConfig {
                burst: 0,
                ..ok.clone()
            },
            &["burst"],
        ),
    ];
    for (config, expected) in cases {
        assert_eq!(fields(config.clone()), expected, "{config:?}");
    }
}
