//! The factor of ERICA+ on the capacity, worked out by hand.

use cellrate_engine::control::erica::{QueueControl, QueueFunction};
use cellrate_engine::kernel::Ps;

/// Capacity in cells/s at which T0 of 500 us is Q0 = 50 cells, and T1, twice as long, Q1 = 100.
const CAPACITY: f64 = 100_000.0;

fn control(function: QueueFunction) -> QueueControl {
    QueueControl {
        function,
        ..QueueControl::default()
    }
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9,
        "{found}, expected {expected}"
    );
}

fn factors(control: &QueueControl, queues: &[u64]) -> Vec<f64> {
    let mut draining = false;
    queues
        .iter()
        .map(|queue| control.factor(*queue, CAPACITY, &mut draining))
        .collect()
}

fn check(control: &QueueControl, expected: &[(u64, f64)]) {
    let queues: Vec<u64> = expected.iter().map(|pair| pair.0).collect();
    for (found, (_, expected)) in factors(control, &queues).into_iter().zip(expected) {
        near(found, *expected);
    }
}

#[test]
fn hyperbolas_meet_at_the_target() {
    let control = QueueControl::default();
    let factor = |queue| control.factor(queue, CAPACITY, &mut false);
    near(factor(0), 1.05);
    near(factor(25), 1.05 * 50.0 / (0.05 * 25.0 + 50.0));
    near(factor(50), 1.0);
    near(factor(100), 1.15 * 50.0 / (0.15 * 100.0 + 50.0));
    // QDLF is reached at Q0 (a / QDLF - 1) / (a - 1) = 8.67 Q0 = 433 cells.
    assert!(factor(433) > 0.5 && factor(434) == 0.5);
    assert_eq!(control.factor(7, 0.0, &mut false), 0.5);
}

#[test]
fn lines_fall_by_a_less_one_per_target_above_the_second_threshold() {
    let linear = control(QueueFunction::Linear);
    check(
        &linear,
        &[
            (0, 1.05),
            (25, 1.025),
            (50, 1.0),
            (75, 1.0),
            (100, 1.0),
            (150, 0.85),
            (200, 0.7),
            (266, 0.502),
        ],
    );
    check(&linear, &[(267, 0.5), (10_000, 0.5)]);
    let later = QueueControl {
        drain_delay: Some(Ps::from_ms(2)),
        ..linear
    };
    check(&later, &[(200, 1.0), (250, 0.85)]);
}

#[test]
fn steps_begin_behind_the_thresholds() {
    let step = control(QueueFunction::Step);
    check(
        &step,
        &[
            (0, 1.05),
            (49, 1.05),
            (50, 1.0),
            (100, 1.0),
            (101, 0.85),
            (150, 0.85),
            (151, 0.7),
            (201, 0.55),
        ],
    );
    check(&step, &[(251, 0.5), (10_000, 0.5)]);
}

/// The staircase is below the line and meets it at each of its edges.
#[test]
fn the_line_is_the_edge_of_the_steps() {
    let (linear, step) = (control(QueueFunction::Linear), control(QueueFunction::Step));
    for queue in 50..400 {
        let (line, stair) = (factors(&linear, &[queue])[0], factors(&step, &[queue])[0]);
        assert!(stair <= line + 1e-12, "{queue}");
        assert!(queue % 50 != 0 || (stair - line).abs() < 1e-12, "{queue}");
    }
}

#[test]
fn hysteresis_drains_from_the_second_threshold_down_to_the_first() {
    let hysteresis = control(QueueFunction::Hysteresis);
    check(
        &hysteresis,
        &[
            (0, 1.05),
            (49, 1.05),
            (50, 1.0),
            (100, 1.0),
            (101, 0.5),
            (51, 0.5),
            (50, 1.0),
            (100, 1.0),
        ],
    );
    check(&hysteresis, &[(500, 0.5), (100, 0.5), (0, 1.05), (75, 1.0)]);
}
