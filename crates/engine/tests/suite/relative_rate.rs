//! Relative rate control: the tables (1) to (4) of Ajmone Marsan et al. 1997 with their equalities,
//! the times of samples, the marks of backward RM cells, and the effect of the loop.

use crate::support::plans::{Dumbbell, back, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::cell::{Info, Kind, RmCell, ServiceClass};
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl, SwitchFacts};
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use cellrate_engine::traffic::SourceConfig;
use serde_json::{Value, json};

/// A line on which 100 slots take 1 ms.
const RATE: Rate = cell_time_us(10);

fn config(parameters: Value) -> ControlConfig {
    serde_json::from_value(parameters).expect("valid parameters")
}

fn law(scheme: &str, others: Value) -> Control {
    let mut parameters = json!({ "scheme": scheme, "low": "100 cells", "high": "200 cells" });
    parameters
        .as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    config(parameters).build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(RATE),
        channels: 2,
    })
}

const UNMARKED: RmCell = RmCell {
    er: 1e6,
    ccr: 1e3,
    mcr: 0.0,
    ci: false,
    ni: false,
    bn: false,
};

/// Mark of a backward RM cell: `+` none, `=` NI, `-` CI.
fn told(control: &mut Control) -> char {
    let mut rm = UNMARKED;
    control.on_backward(Ps::ZERO, 1, &mut rm, 0);
    sign(rm)
}

/// Mark of a forward RM cell.
fn told_forward(control: &mut Control, forward: Kind) -> char {
    let mut rm = UNMARKED;
    control.on_forward(
        Ps::ZERO,
        1,
        &mut Info::rm(forward, false).passing(),
        Some(&mut rm),
        0,
    );
    sign(rm)
}

fn sign(rm: RmCell) -> char {
    assert_eq!((rm.er, rm.ccr), (1e6, 1e3));
    match (rm.ci, rm.ni) {
        (false, false) => '+',
        (false, true) => '=',
        (true, false) => '-',
        (true, true) => '!',
    }
}

/// Marks after each of these samples of the number of cells that wait behind the one in service.
fn samples(control: &mut Control, queue: &[u64]) -> String {
    let told = queue.iter().map(|queue| {
        let now = control.wake_at();
        control.wake(now, *queue + 1, 1);
        told(control)
    });
    told.collect()
}

#[test]
fn p_compares_the_queue_with_two_thresholds_that_belong_to_the_region_above() {
    assert_eq!(
        samples(&mut law("rrm-p", json!({})), &[99, 100, 199, 200, 50]),
        "+==-+"
    );
}

#[test]
fn pd_keeps_the_rate_while_the_queue_moves_the_right_way() {
    // Below: growing, standing, falling. Between: any. Above: growing, standing, falling.
    let queue = [50, 50, 40, 150, 150, 140, 250, 250, 240];
    assert_eq!(samples(&mut law("rrm-pd", json!({})), &queue), "=++===--=");
    // On the thresholds the change decides: 100 is between, 200 is above.
    assert_eq!(
        samples(&mut law("rrm-pd", json!({})), &[120, 100, 210, 200, 200]),
        "==-=-"
    );
}

#[test]
fn pd_and_pd_plus_take_a_change_of_at_most_epsilon_for_none() {
    for scheme in ["rrm-pd", "rrm-pd-plus"] {
        // +1 and +2 below l_t, +3; -1 and -2 above h_t, -3.
        let queue = [1, 3, 6, 258, 257, 255, 252];
        let mut control = law(scheme, json!({ "epsilon": "2 cells" }));
        assert_eq!(samples(&mut control, &queue), "++=---=", "{scheme}");
    }
}

#[test]
fn pd_plus_lets_a_change_beyond_beta_decide_alone() {
    let mut control = law("rrm-pd-plus", json!({ "beta": "10 cells" }));
    // +11 decreases below l_t; -11 increases above h_t; +-10 is as by PD.
    assert_eq!(
        samples(&mut control, &[11, 21, 11, 100, 250, 240, 250, 239, 239]),
        "-=+--=-+-"
    );
}

#[test]
fn pid_follows_the_queue_up_and_its_mean_down() {
    let mut control = law("rrm-pid", json!({ "alpha": 0.5, "epsilon": "2 cells" }));
    // I = 150, 225, 157.5, 123.25, 106.6, 61.3: 300 and 300: by the queue, decrease. 90 falls: by
    // 157.5, keep. 89 falls by 1 only: by the queue. 90 grows: by the queue. 16 falls: by 61.3.
    assert_eq!(samples(&mut control, &[300, 300, 90, 89, 90, 16]), "--=+++");
    // With epsilon 1 the fall to 89 counts, and I = 123.25 keeps.
    let mut control = law("rrm-pid", json!({ "alpha": 0.5, "epsilon": "1 cell" }));
    assert_eq!(samples(&mut control, &[300, 300, 90, 89]), "--==");
}

#[test]
fn a_threshold_is_left_only_so_many_cells_below_it() {
    let mut control = law("rrm-p", json!({ "hysteresis": "30 cells" }));
    // On the way up as without; on the way down each region extends 30 cells lower: 170 is the last
    // of "decrease", 70 of "keep".
    assert_eq!(
        samples(
            &mut control,
            &[99, 100, 199, 200, 171, 170, 169, 199, 70, 69, 99, 100]
        ),
        "+==---===++="
    );
    // A fall through both at once ends where each would end alone.
    assert_eq!(samples(&mut control, &[250, 80, 250, 69]), "-=-+");
}

#[test]
fn hysteresis_remembers_where_the_queue_was_while_a_large_change_decides() {
    let sampled = |hysteresis: &str| {
        samples(
            &mut law(
                "rrm-pd-plus",
                json!({ "beta": "10 cells", "hysteresis": hysteresis }),
            ),
            &[250, 190, 185, 185],
        )
    };
    // 190 is still above 200 - 30: falling, then standing.
    assert_eq!(
        (sampled("0 cells"), sampled("30 cells")),
        ("-+==".into(), "-+=-".into())
    );
}

#[test]
fn hysteresis_of_pd_and_pid_is_that_of_their_thresholds() {
    // PD keeps a rate while a queue above h_t falls; standing at 180 it is still above.
    let pd = |hysteresis| {
        samples(
            &mut law("rrm-pd", json!({ "hysteresis": hysteresis })),
            &[250, 180, 180],
        )
    };
    assert_eq!(
        (pd("0 cells"), pd("30 cells")),
        ("-==".into(), "-=-".into())
    );
    // I = 125, 152.5, 166.25: the fall to 180 counts by the mean, which is below 200 - 30.
    let pid = |hysteresis| {
        samples(
            &mut law("rrm-pid", json!({ "alpha": 0.5, "hysteresis": hysteresis })),
            &[250, 180, 180],
        )
    };
    assert_eq!(
        (pid("0 cells"), pid("30 cells")),
        ("-==".into(), "-==".into())
    );
    assert_eq!(pid("60 cells"), "---");
}

#[test]
fn forward_rm_cells_are_told_if_wished() {
    for scheme in ["rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"] {
        for (queue, feedback) in [(0, '+'), (150, '='), (250, '-')] {
            let told = |marks: bool, forward: Kind| {
                // A change beyond beta would decide alone.
                let beta = if scheme == "rrm-pd-plus" {
                    json!({ "beta": "1000 cells" })
                } else {
                    json!({})
                };
                let mut parameters = json!({ "mark_forward": marks });
                parameters
                    .as_object_mut()
                    .unwrap()
                    .extend(beta.as_object().unwrap().clone());
                let mut control = law(scheme, parameters);
                samples(&mut control, &[queue]);
                told_forward(&mut control, forward)
            };
            assert_eq!(
                (told(false, Kind::Frm), told(true, Kind::Frm)),
                ('+', feedback),
                "{scheme} {queue}"
            );
            // Backward RM cells of channels in the other direction share the queue; they belong to
            // another loop.
            assert_eq!(told(true, Kind::Brm), '+', "{scheme} {queue}");
        }
    }
}

#[test]
fn a_link_in_use_has_no_queue_unless_the_cell_in_service_counts() {
    for scheme in ["rrm-pd", "rrm-pd-plus"] {
        let answers = |counts: bool| -> String {
            let mut control = law(scheme, json!({ "count_in_service": counts }));
            let tell = |queue: u64| {
                control.wake(control.wake_at(), queue, 1);
                told(&mut control)
            };
            [0, 1, 0, 1, 2].into_iter().map(tell).collect()
        };
        assert_eq!(
            (answers(false), answers(true)),
            ("++++=".into(), "+=+==".into()),
            "{scheme}"
        );
    }
    // One cell of 100 is in service: 99 wait, which is below l_t.
    for (counts, expected) in [(false, '+'), (true, '=')] {
        for scheme in ["rrm-p", "rrm-pid"] {
            let mut control = law(scheme, json!({ "count_in_service": counts }));
            control.wake(Ps::from_ms(1), 100, 1);
            assert_eq!(told(&mut control), expected, "{scheme}");
        }
    }
}

#[test]
fn the_mean_is_a_single_pole_filter() {
    let mut control = law("rrm-pid", json!({ "alpha": 0.1 }));
    let queue = [&[400; 7][..], &[30, 28, 26, 24, 22, 20, 18, 16, 14]].concat();
    assert_eq!(&samples(&mut control, &queue)[7..], expected_means());
}

/// Marks while the queue falls, by the closed form I(n) = (1 - alpha)^n I(0) + alpha sum of (1 -
/// alpha)^(n - i) Q(i).
fn expected_means() -> String {
    let queue = [
        &[400.0; 7][..],
        &[30.0, 28.0, 26.0, 24.0, 22.0, 20.0, 18.0, 16.0, 14.0],
    ]
    .concat();
    let mean = |n: usize| {
        (0..=n)
            .map(|i| 0.1 * 0.9f64.powi((n - i) as i32) * queue[i])
            .sum::<f64>()
    };
    let told: String = (7..16)
        .map(|n| if mean(n) < 100.0 { '+' } else { '=' })
        .collect();
    assert!(told.starts_with('=') && told.ends_with('+'), "{told}");
    told
}

#[test]
fn the_feedback_holds_from_one_sample_to_the_next() {
    let mut control = law("rrm-p", json!({}));
    assert_eq!(
        (told(&mut control), control.wake_at()),
        ('+', Ps::from_ms(1))
    );
    control.wake(Ps::from_ms(1), 250, 1);
    assert_eq!(
        (told(&mut control), told(&mut control), control.wake_at()),
        ('-', '-', Ps::from_ms(2))
    );
}

#[test]
fn samples_are_whole_numbers_of_slots_apart_in_the_long_run() {
    // 3 slots of 424 bits at 155.52 Mbit/s are 8,179,012.3456... ps; a million of them are
    // 8,179,012,345,679 ps.
    let rate = Rate::from_bps(155_520_000);
    let parameters = json!({ "scheme": "rrm-p", "sampling": "3 cells" });
    let mut control = config(parameters).build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(rate),
        channels: 1,
    });
    for _ in 1..1_000_000 {
        control.wake(control.wake_at(), 0, 1);
    }
    assert_eq!(control.wake_at(), Ps(8_179_012_345_679));
}

#[test]
fn marks_of_other_switches_stay() {
    for (queue, ci, ni) in [(0, true, true), (150, true, true), (250, true, true)] {
        let mut control = law("rrm-p", json!({}));
        control.wake(Ps::from_ms(1), queue, 1);
        let mut rm = RmCell {
            er: 1.0,
            ccr: 1.0,
            mcr: 0.0,
            ci: true,
            ni: true,
            bn: false,
        };
        control.on_backward(Ps::from_ms(1), 0, &mut rm, 0);
        assert_eq!((rm.ci, rm.ni), (ci, ni));
    }
}

#[test]
fn wrong_parameters_are_found() {
    let fields = |parameters: Value, buffer: u64| -> Vec<(&str, bool)> {
        let findings = config(parameters).check(SwitchFacts {
            buffer,
            service_time: Ps::ZERO,
        });
        findings
            .iter()
            .map(|finding| (finding.field, finding.is_fatal(false)))
            .collect()
    };
    for scheme in ["rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"] {
        assert_eq!(fields(json!({ "scheme": scheme }), u64::MAX), []);
        assert_eq!(
            fields(json!({ "scheme": scheme, "sampling": "0 cells" }), u64::MAX),
            [("sampling", true)]
        );
        assert_eq!(
            fields(json!({ "scheme": scheme, "high": "50 cells" }), u64::MAX),
            [("low", true)]
        );
        assert_eq!(
            fields(json!({ "scheme": scheme }), 2_500),
            [("high", false)]
        );
        // With these values the queue could never be below `low` again.
        assert_eq!(
            fields(
                json!({ "scheme": scheme, "low": "50 cells", "hysteresis": "49 cells" }),
                u64::MAX
            ),
            []
        );
        let all = json!({ "scheme": scheme, "low": "50 cells", "hysteresis": "50 cells" });
        assert_eq!(fields(all, u64::MAX), [("hysteresis", true)]);
    }
    for alpha in [0.0, 1.0, -0.1] {
        assert_eq!(
            fields(json!({ "scheme": "rrm-pid", "alpha": alpha }), u64::MAX),
            [("alpha", true)]
        );
    }
}

/// Five greedy sources over one bottleneck, with CBR in the same queue.
fn bottleneck(control: Value) -> Plan {
    let settings = SwitchPlan {
        buffer: Buffer(5_000),
        control: config(control),
        ..plain_switch()
    };
    let dumbbell = Dumbbell::new(6, Rate::from_bps(150_000_000), Ps::from_us(300), &settings);
    let flows = dumbbell.paths.iter().enumerate().map(|(number, path)| {
        let abr = number > 0;
        let (class, source) = if abr {
            (ServiceClass::Abr, json!({ "kind": "persistent" }))
        } else {
            (
                ServiceClass::Cbr,
                json!({ "kind": "cbr", "rate": "30 Mbit/s" }),
            )
        };
        let source: SourceConfig = serde_json::from_value(source).unwrap();
        let mut flow = flow(&format!("f.{number}"), class, source, path.clone());
        flow.backward = if abr { back(path) } else { Vec::new() };
        flow.start = Ps::from_us(1_300 * number as u64);
        flow.abr.icr = Some(Rate::from_bps(10_000_000));
        flow.abr.mcr = Some(Rate::from_bps(100_000));
        flow.abr.rif = 1.0 / 256.0;
        flow
    });
    let flows = flows.collect();
    dumbbell.graph.plan(flows)
}

/// Utilisation of the bottleneck, its longest queue, and cells lost there.
fn run(control: Value) -> (f64, u64, u64) {
    let (warm, end) = (Ps::from_ms(200), Ps::from_ms(600));
    let report = Simulation::<LazyServer>::new(bottleneck(control))
        .unwrap()
        .measure(warm, end, end);
    let port = report
        .ports
        .iter()
        .find(|port| port.name == "A->B")
        .expect("the bottleneck");
    let queue = &port.queues[0];
    (port.utilisation, queue.queue_max_cells, queue.cells_dropped)
}

#[test]
fn every_law_fills_the_link_and_loses_nothing_over_a_short_loop() {
    for scheme in ["rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"] {
        let (utilisation, longest, dropped) = run(json!({ "scheme": scheme }));
        assert!(
            utilisation > 0.9 && longest < 5_000 && dropped == 0,
            "{scheme}: {utilisation} {longest} {dropped}"
        );
    }
}
