//! BECN: which forward RM cells a congested port answers, and how much earlier than by EFCI a source slows down.
//! All numbers are worked out by hand.

use crate::support::plans::{Graph, back, cell_time_us, flow, marking_above, plain_switch};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::cell::{Info, RmCell, ServiceClass};
use cellrate_engine::atm::event::What;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::control::becn::BecnConfig;
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl, SwitchFacts};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;
use serde_json::{Value, json};

const FRM: RmCell = RmCell {
    er: 2e5,
    ccr: 1e5,
    mcr: 10.0,
    ci: false,
    ni: true,
    bn: false,
};

fn becn(mut parameters: Value) -> ControlConfig {
    parameters["scheme"] = json!("becn");
    serde_json::from_value(parameters).expect("valid parameters")
}

fn build(parameters: Value) -> Control {
    becn(parameters).build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(Rate::from_bps(155_520_000)),
        channels: 2,
    })
}

/// True if the port answers a forward RM cell of the channel `slot` that arrives at `ms` and finds `queue` cells.
fn answers(control: &mut Control, ms: u64, slot: u32, queue: u64) -> bool {
    let answer = control.generate(Ps::from_ms(ms), slot, &FRM, queue);
    if let Some(answer) = answer {
        let expected = RmCell {
            ci: true,
            bn: true,
            ..FRM
        };
        assert_eq!(answer, expected);
    }
    answer.is_some()
}

#[test]
fn a_congested_port_answers_each_channel_once_in_an_interval() {
    let mut control = build(json!({}));
    let calls = [
        (0, 0, 100, false),
        (1, 0, 101, true),
        (1, 1, 101, true),
        (2, 0, 500, false),
        (100, 0, 500, false),
        (101, 0, 100, false),
        (102, 0, 101, true),
        (102, 1, 101, true),
        (201, 0, 101, false),
        (202, 0, 101, true),
    ];
    for (ms, slot, queue, expected) in calls {
        let answer = answers(&mut control, ms, slot, queue);
        assert_eq!(answer, expected, "{ms} ms, {slot}, {queue} cells");
    }
    assert_eq!(control.statistics(), [("brm_cells_generated", 5.0)]);
}

#[test]
fn every_parameter_changes_what_is_answered_or_marked() {
    let observed = |parameters: Value| {
        let mut control = build(parameters);
        let mut passing = Info::data(0).passing();
        if control.marks_at_dequeue() {
            control.on_dequeue(Ps::ZERO, &mut passing, 101);
        }
        let [first, second] = [0, 100].map(|ms| answers(&mut control, ms, 0, 101));
        [passing.is_marked(), first, second]
    };
    let of_key = |key: &str| match key {
        "threshold" => (json!("101 cells"), [false, false, false]),
        "brm_interval" => (json!("101 ms"), [true, true, false]),
        "efci" => (json!(false), [false, true, true]),
        other => panic!("no case for {other}"),
    };
    assert_eq!(observed(json!({})), [true; 3]);
    let all = serde_json::to_value(BecnConfig::default()).unwrap();
    for key in all.as_object().unwrap().keys() {
        let (value, expected) = of_key(key);
        assert_eq!(observed(json!({ key: value })), expected, "{key}");
    }
}

#[test]
fn new_parameters_hold_from_the_next_answer_on() {
    let mut control = build(json!({}));
    assert!(answers(&mut control, 0, 0, 101));
    let changed = becn(json!({ "threshold": "50 cells", "brm_interval": "200 ms" }));
    control.change((Ps::from_ms(1), 101), &changed);
    let mut passing = Info::data(0).passing();
    control.on_dequeue(Ps::from_ms(1), &mut passing, 51);
    assert!(passing.is_marked());
    assert!(answers(&mut control, 100, 0, 51));
    assert!(!answers(&mut control, 299, 0, 51));
    assert!(answers(&mut control, 300, 0, 51));
}

#[test]
fn values_outside_their_range_and_outside_the_standard_are_found() {
    let facts = SwitchFacts {
        buffer: 100,
        service_time: Ps::from_us(10),
    };
    let found = |parameters: Value| -> Vec<(&str, bool, bool)> {
        let findings = becn(parameters).check(facts);
        let severity = |strict| findings.iter().map(move |it| it.is_fatal(strict));
        let fields = findings.iter().map(|it| it.field);
        let both = severity(true).zip(severity(false));
        fields.zip(both).map(|(f, (s, l))| (f, s, l)).collect()
    };
    let threshold = ("threshold", false, false);
    assert_eq!(found(json!({})), [threshold]);
    let cases = [
        ("brm_interval", json!("99 ms"), false),
        ("brm_interval", json!("9 us"), true),
        ("brm_interval", json!("0 s"), true),
        ("efci", json!(false), false),
    ];
    for (field, value, always) in cases {
        let value = json!({ "threshold": "99 cells", field: value });
        assert_eq!(found(value), [(field, true, always)]);
    }
}

/// A source of 200,000 cells/s, 1 ms before a switch, sends over a line of 100,000 cells/s and 50 ms. The reverse
/// lines have the same rates. Every eighth cell is a forward RM cell.
fn overloaded(control: ControlConfig) -> Plan {
    let mut graph = Graph::default();
    let settings = SwitchPlan {
        control,
        ..plain_switch()
    };
    let (from, switch, to) = (
        graph.host("a"),
        graph.switch("s", settings),
        graph.host("b"),
    );
    let access = graph.duplex(from, switch, cell_time_us(5), Ps::from_ms(1));
    let out = graph.duplex(switch, to, cell_time_us(10), Ps::from_ms(50));
    let source = SourceConfig::Persistent(PersistentConfig {});
    let mut abr = flow("abr", ServiceClass::Abr, source, vec![access, out]);
    abr.backward = back(&abr.forward);
    (abr.abr.pcr, abr.abr.icr) = (Some(cell_time_us(5)), Some(cell_time_us(5)));
    abr.abr.nrm = 8;
    let mut plan = graph.plan(vec![abr]);
    (plan.measure.events.mark, plan.measure.event_limit) = (true, 1_000);
    plan
}

/// ACR in cells/s just before and just after `us`.
fn acr_about(run: &mut Simulation, us: u64) -> [f64; 2] {
    [Ps::from_us(us), Ps(Ps::from_us(us).0 + 1)].map(|at| {
        run.run_until(at);
        run.acr(0).unwrap()
    })
}

/// Cell k arrives at the switch at 1,005 + 5 k us and finds half of k, rounded up: cell 24 is the first forward RM
/// cell beyond 10. It arrives at 1,125 us. The answer takes 5 us and 1 ms back. The next forward RM cell at which 2 ms have passed
/// is cell 424 at 3,125 us.
#[test]
fn a_source_slows_down_a_round_trip_behind_the_switch_earlier_than_by_efci() {
    let parameters = json!({ "threshold": "10 cells", "brm_interval": "2 ms" });
    let mut run: Simulation = Simulation::new(overloaded(becn(parameters))).unwrap();
    run.begin_window();
    assert_eq!(acr_about(&mut run, 2_130), [200_000.0, 187_500.0]);
    assert_eq!(acr_about(&mut run, 4_130), [187_500.0, 175_781.25]);
    let (events, _) = run.events(1_000);
    let marks: Vec<Ps> = events
        .iter()
        .filter(|event| matches!(event.what, What::Mark { .. }))
        .map(|event| event.at)
        .collect();
    assert_eq!(marks, [1_125, 3_125].map(Ps::from_us));
    run.end_window();
    let report = run.report();
    let inserted: Vec<u64> = report.vcs.iter().map(|vc| vc.rm_cells_inserted).collect();
    assert_eq!(inserted, [0, 2]);

    // By EFCI, cell 10 is the first that leaves more than 10 cells at its service start. The forward RM cell 16 behind
    // it has left at 1,175 us, and returns over 100 ms with 10 us, then over 1 ms with 5 us.
    let mut run: Simulation = Simulation::new(overloaded(marking_above(10))).unwrap();
    assert_eq!(acr_about(&mut run, 102_190), [200_000.0, 187_500.0]);
}
