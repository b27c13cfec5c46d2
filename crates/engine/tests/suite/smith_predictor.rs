//! EPRCA by Smith's principle: the source and the switch with numbers worked out by hand, and the
//! properties of the law.

use crate::support::plans::{Dumbbell, back, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::cell::{Info, Kind, RmCell, ServiceClass};
use cellrate_engine::atm::plan::{FlowPlan, SwitchPlan};
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl, SwitchFacts};
use cellrate_engine::endsystem::{AbrConfig, AbrSource};
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use cellrate_engine::traffic::SourceConfig;
use serde_json::{Value, json};

fn abr(changes: Value) -> AbrConfig {
    let mut parameters = json!({"rules": "smith-predictor", "time_constant": "10 ms"});
    parameters
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    serde_json::from_value(parameters).expect("valid parameters")
}

fn source(changes: Value) -> AbrSource {
    let (config, line) = (abr(changes), Rate::from_cells_per_second(1e6));
    assert_eq!(config.check(line), []);
    AbrSource::new(&config, line, Ps::from_ms(5))
}

fn rm(er: f64) -> RmCell {
    RmCell {
        er,
        ccr: 0.0,
        mcr: 0.0,
        ci: false,
        ni: false,
        bn: false,
    }
}

/// Sends as early as allowed up to `until`; returns the number of cells.
fn send(source: &mut AbrSource, until: Ps) -> u64 {
    let mut cells = 0;
    while source.next_wake(true) <= until {
        assert!(source.opportunity(source.next_wake(true), true).is_some());
        cells += 1;
    }
    cells
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn the_loop_is_of_first_order() {
    // Once the source has learnt of a free space of X0 = 1,000 cells, it has sent X0 (1 - e^(-t /
    // tau)) of them at t.
    let mut source = source(json!({"icr": "1 cells/s"}));
    source.on_brm(Ps::ZERO, &rm(1_000.0 / 0.010));
    let mut sent = 0;
    for tau in 1..=4u64 {
        sent += send(&mut source, Ps::from_ms(10 * tau));
        let expected = 1_000.0 * (1.0 - (-(tau as f64)).exp());
        assert!(
            (sent as f64 - expected).abs() < 2.0,
            "{sent} is not {expected}"
        );
    }
    // Apart from probes out of rate it never sends more than the free space.
    sent += send(&mut source, Ps::from_ms(150));
    assert_eq!(sent - source.counters().out_of_rate_frms, 1_000);
    near(source.acr(), 0.0);
}

#[test]
fn what_the_queue_cannot_show_yet_is_subtracted() {
    // 1,000 cells/s while the reported space is at most 10 cells: each cell reduces the rate by 100
    // cells/s.
    let mut source = source(json!({"icr": "1000 cells/s", "pcr": "1000 cells/s", "rtd": "5 ms"}));
    let mut times = Vec::new();
    for _ in 0..3 {
        let at = source.next_wake(true);
        source.opportunity(at, true);
        times.push(at);
    }
    near(source.acr(), 700.0);
    // 0, 1/900 s, then 1/800 s. At 5 ms + 1/900 s the first two are a round trip old.
    assert_eq!(times[1], Ps(1_111_111_111));
    source.on_brm(Ps(times[1].0 + Ps::from_ms(5).0), &rm(850.0));
    near(source.acr(), 750.0);
    // One picosecond earlier one more was on the way.
    source.opportunity(source.next_wake(true), true);
    source.on_brm(Ps(times[2].0 + Ps::from_ms(5).0 - 1), &rm(850.0));
    near(source.acr(), 650.0);
}

#[test]
fn neither_marks_nor_idle_time_matter() {
    let mut source = source(json!({"icr": "5000 cells/s", "crm": 1, "cdf": 0.5}));
    source.on_brm(
        Ps::from_ms(1),
        &RmCell {
            ci: true,
            ni: true,
            ..rm(4_000.0)
        },
    );
    near(source.acr(), 4_000.0);
    assert_eq!((source.counters().rule_5, source.counters().rule_6), (0, 0));
}

fn port(set_point: u64, channels: usize) -> Control {
    let parameters = json!({
        "scheme": "smith-predictor", "set_point": format!("{set_point} cells"), "time_constant": "10 ms",
    });
    let config: ControlConfig = serde_json::from_value(parameters).expect("valid parameters");
    config.build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(Rate::from_cells_per_second(100_000.0)),
        channels,
    })
}

#[test]
fn a_channel_is_told_the_room_that_its_own_cells_leave() {
    let mut port = port(10, 2);
    let told = |port: &mut Control, slot: u32, queue: u64| {
        let mut cell = rm(1e9);
        port.on_backward(Ps::ZERO, slot, &mut cell, queue);
        cell.er
    };
    for slot in [0, 1, 0, 1, 0] {
        port.on_forward(Ps::ZERO, slot, &mut Info::data(0).passing(), None, 0);
    }
    // 10 - 3 and 10 - 2 cells over 10 ms.
    near(told(&mut port, 0, 5), 700.0);
    near(told(&mut port, 1, 5), 800.0);
    // The three oldest have left.
    near(told(&mut port, 0, 2), 900.0);
    near(told(&mut port, 1, 2), 900.0);
    // An FRM counts, too, and a lower rate stays.
    port.on_forward(
        Ps::ZERO,
        1,
        &mut Info::rm(Kind::Frm, false).passing(),
        Some(&mut rm(1e9)),
        1,
    );
    near(told(&mut port, 1, 2), 900.0);
    near(told(&mut port, 0, 2), 900.0);
    let mut cell = rm(5.0);
    port.on_backward(Ps::ZERO, 0, &mut cell, 2);
    near(cell.er, 5.0);
    // Without free space the rate is zero.
    for _ in 0..20 {
        port.on_forward(Ps::ZERO, 0, &mut Info::data(0).passing(), None, 0);
    }
    near(told(&mut port, 0, 22), 0.0);
}

#[test]
fn wrong_parameters_are_found() {
    let fields = |changes: Value| -> Vec<(&'static str, bool)> {
        let mut parameters = json!({"scheme": "smith-predictor"});
        parameters
            .as_object_mut()
            .unwrap()
            .extend(changes.as_object().unwrap().clone());
        let config: ControlConfig = serde_json::from_value(parameters).expect("valid");
        let findings = config.check(SwitchFacts {
            buffer: 5_000,
            service_time: Ps::from_us(10),
        });
        findings
            .iter()
            .map(|finding| (finding.field, finding.is_fatal(false)))
            .collect()
    };
    assert_eq!(fields(json!({})), []);
    assert_eq!(
        fields(json!({"set_point": "0 cells"})),
        [("set_point", true)]
    );
    assert_eq!(
        fields(json!({"set_point": "5001 cells"})),
        [("set_point", false)]
    );
    assert_eq!(
        fields(json!({"time_constant": "0 s"})),
        [("time_constant", true)]
    );
    assert_eq!(
        fields(json!({"time_constant": "1 us"})),
        [("time_constant", true)]
    );
    let line = Rate::from_cells_per_second(1e6);
    let of_source = |config: AbrConfig| -> Vec<_> {
        config
            .check(line)
            .iter()
            .map(|finding| finding.field)
            .collect()
    };
    assert_eq!(
        of_source(AbrConfig {
            time_constant: None,
            ..abr(json!({}))
        }),
        ["rules"]
    );
    assert_eq!(
        of_source(abr(json!({"time_constant": "0 s"}))),
        ["time_constant"]
    );
    assert_eq!(of_source(abr(json!({"air": "1 Mbit/s"}))), ["air"]);
    assert_eq!(of_source(abr(json!({"rules": "tm4"}))), ["time_constant"]);
    assert_eq!(
        of_source(abr(json!({"rules": "tm4", "rtd": "1 ms"}))),
        ["time_constant", "rtd"]
    );
}

/// Persistent sources over a dumbbell of lines of 100,000 cells/s and 1 ms each, so that RTD is
/// 6.06 ms, with the time constant of the sources, VBR that uses half the line half of the time
/// with priority, and a buffer for all set points.
fn dumbbell(sources: usize, set_point: u64, abr: &AbrConfig, vbr: bool) -> Report {
    let control = json!({
        "scheme": "smith-predictor", "set_point": format!("{set_point} cells"), "time_constant": abr.time_constant,
    });
    let settings = SwitchPlan {
        buffer: Buffer(sources as u64 * set_point),
        priority: vec![vec![ServiceClass::Vbr], vec![ServiceClass::Abr]],
        control: serde_json::from_value(control).expect("valid parameters"),
        ..plain_switch()
    };
    let Dumbbell { graph, paths, .. } =
        Dumbbell::new(sources + 1, cell_time_us(10), Ps::from_ms(1), &settings);
    let on_off =
        json!({"kind": "on-off", "peak": "50000 cells/s", "period": "60 ms", "duty_cycle": 0.5});
    let mut flows: Vec<FlowPlan> = paths[..sources]
        .iter()
        .enumerate()
        .map(|(number, path)| FlowPlan {
            backward: back(path),
            abr: abr.clone(),
            ..flow(
                &format!("f{number}"),
                ServiceClass::Abr,
                SourceConfig::Persistent(Default::default()),
                path.clone(),
            )
        })
        .collect();
    if vbr {
        let source: SourceConfig = serde_json::from_value(on_off).expect("a source");
        flows.push(flow(
            "vbr",
            ServiceClass::Vbr,
            source,
            paths[sources].clone(),
        ));
    }
    let run = Simulation::new(graph.plan(flows));
    let mut run: Simulation = run.expect("a plan");
    run.measure(Ps::from_ms(300), Ps::from_ms(900), Ps::from_ms(900))
}

fn bottleneck(report: &Report) -> (f64, u64, u64) {
    let port = report
        .ports
        .iter()
        .find(|port| port.name == "A->B")
        .expect("the bottleneck");
    let queue = port.queues.last().expect("the queue of ABR");
    (
        port.utilisation,
        queue.queue_max_cells,
        report.totals.cells_dropped,
    )
}

#[test]
fn the_link_is_full_above_the_set_point_of_the_law_and_as_full_as_it_says_below() {
    // C (RTD + tau) = 100,000 (6.06 + 10) ms = 1,606 cells.
    let (utilisation, queue, dropped) = bottleneck(&dumbbell(
        1,
        1_900,
        &abr(json!({"icr": "1000 cells/s"})),
        false,
    ));
    assert!(
        utilisation > 0.999 && dropped == 0,
        "{utilisation}, {dropped} lost"
    );
    assert!(queue < 400, "{queue}");
    // u = (X0 - x - u RTD) / tau with x = 0; between two feedbacks, Nrm cells apart, half as many
    // count in addition.
    let (utilisation, _, _) = bottleneck(&dumbbell(
        1,
        800,
        &abr(json!({"icr": "1000 cells/s", "nrm": 4})),
        false,
    ));
    let expected = (800.0 - 1.5) / 1_606.0;
    assert!(
        (utilisation / expected - 1.0).abs() < 0.02,
        "{utilisation} is not {expected}"
    );
}

#[test]
fn nothing_is_lost_with_the_predictor_and_much_without() {
    // Five sources whose set points fill the buffer, and VBR that comes and goes.
    let sources =
        |rtd: Value| abr(json!({"icr": "1000 cells/s", "time_constant": "1 ms", "rtd": rtd}));
    let (utilisation, queue, dropped) = bottleneck(&dumbbell(5, 400, &sources(Value::Null), true));
    assert_eq!(dropped, 0);
    assert!(
        utilisation > 0.99 && queue > 1_000,
        "{utilisation}, {queue}"
    );
    // Sources that do not subtract the cells that were on the way at the feedback.
    let dropped = bottleneck(&dumbbell(5, 400, &sources(json!("0 s")), true)).2;
    assert!(dropped > 1_000, "{dropped}");
}
