//! EFCI marking: thresholds, hysteresis, place of marking, and an effect of every parameter.

use cellrate_engine::atm::cell::{Info, Kind, RmCell};
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl, SwitchFacts};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use serde_json::{Value, json};

fn build(mut parameters: Value) -> Control {
    parameters["scheme"] = json!("efci");
    let config: ControlConfig = serde_json::from_value(parameters).expect("valid parameters");
    config.build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(Rate::from_bps(155_520_000)),
        channels: 1,
    })
}

/// Marks of cells while the queue has these lengths, at its head and at its tail.
fn marks(control: &mut Control, queue: &[u64]) -> String {
    queue
        .iter()
        .map(|queue| if mark(control, *queue) { 'x' } else { '.' })
        .collect()
}

fn mark(control: &mut Control, queue: u64) -> bool {
    let mut passing = Info::data(0).passing();
    if control.marks_at_dequeue() {
        control.on_dequeue(Ps::ZERO, &mut passing, queue);
    } else {
        control.on_forward(Ps::ZERO, 0, &mut passing, None, queue);
    }
    passing.is_marked()
}

const LENGTHS: [u64; 10] = [0, 100, 101, 50, 300, 301, 200, 100, 99, 200];

#[test]
fn one_threshold_marks_while_the_queue_is_longer() {
    assert_eq!(
        marks(&mut build(json!({ "threshold": "100 cells" })), &LENGTHS),
        "..x.xxx..x"
    );
    assert_eq!(marks(&mut build(json!({})), &LENGTHS), "..x.xxx..x");
}

#[test]
fn hysteresis_marks_from_above_high_to_below_low() {
    // Begins at 301 > 300, holds at 200 and at 100, ends at 99 < 100, stays off at 200.
    let mut control = build(json!({ "high": "300 cells", "low": "100 cells" }));
    assert_eq!(marks(&mut control, &LENGTHS), ".....xxx..");
}

#[test]
fn only_data_cells_are_marked() {
    let mut control = build(json!({}));
    let mut frm = Info::rm(Kind::Frm, false).passing();
    control.on_dequeue(Ps::ZERO, &mut frm, 1_000);
    assert_eq!(frm, Info::rm(Kind::Frm, false).passing());
}

#[test]
fn a_cell_is_marked_at_the_chosen_end_of_the_queue_only() {
    for (place, at_head) in [("dequeue", true), ("enqueue", false)] {
        let mut control = build(json!({ "mark_at": place }));
        let [mut head, mut tail] = [Info::data(0).passing(); 2];
        control.on_forward(Ps::ZERO, 0, &mut tail, None::<&mut RmCell>, 1_000);
        if control.marks_at_dequeue() {
            control.on_dequeue(Ps::ZERO, &mut head, 1_000);
        }
        assert_eq!(
            (head.is_marked(), tail.is_marked()),
            (at_head, !at_head),
            "{place}"
        );
    }
}

#[test]
fn every_parameter_changes_what_is_marked() {
    let observed = |parameters: Value| {
        let mut control = build(parameters);
        (control.marks_at_dequeue(), marks(&mut control, &LENGTHS))
    };
    let cases = [
        ("threshold", json!({}), json!({ "threshold": "200 cells" })),
        ("high", json!({}), json!({ "high": "200 cells" })),
        (
            "low",
            json!({ "high": "100 cells" }),
            json!({ "high": "100 cells", "low": "40 cells" }),
        ),
        ("mark_at", json!({}), json!({ "mark_at": "enqueue" })),
    ];
    let all = serde_json::to_value(cellrate_engine::control::efci::EfciConfig::default()).unwrap();
    for key in all.as_object().unwrap().keys() {
        let (_, base, changed) = cases
            .iter()
            .find(|case| case.0 == key)
            .unwrap_or_else(|| panic!("no case for {key}"));
        assert_ne!(observed(base.clone()), observed(changed.clone()), "{key}");
    }
}

#[test]
fn contradictory_thresholds_are_refused() {
    for (parameters, field) in [
        (
            json!({ "scheme": "efci", "threshold": "1 cells", "high": "2 cells" }),
            "threshold",
        ),
        (json!({ "scheme": "efci", "low": "2 cells" }), "low"),
        (
            json!({ "scheme": "efci", "high": "1 cells", "low": "2 cells" }),
            "low",
        ),
    ] {
        let config: ControlConfig = serde_json::from_value(parameters).unwrap();
        let findings = config.check(SwitchFacts::ANY);
        assert!(
            findings
                .iter()
                .any(|finding| finding.field == field && finding.is_fatal(false)),
            "{field}"
        );
    }
}

#[test]
fn a_parameter_of_another_scheme_is_refused() {
    let wrong = json!({ "scheme": "none", "threshold": "1 cells" });
    assert!(serde_json::from_value::<ControlConfig>(wrong).is_err());
}
