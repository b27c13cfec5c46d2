//! Changes of settings during a run: each acts at its instant and not before. All times are worked
//! out by hand.

use crate::support::agreed;
use crate::support::plans::{
    Dumbbell, Graph, back, cell_time_us, flow, marked_bottleneck, marking_above, plain_switch,
    stop_and_wait,
};
use cellrate_engine::atm::cell::{Info, Kind, RmCell, ServiceClass};
use cellrate_engine::atm::plan::{NodeKind, Plan};
use cellrate_engine::atm::{Change, FlowChange, Simulation, SwitchChange};
use cellrate_engine::control::{Control, ControlConfig, PortFacts, SwitchControl};
use cellrate_engine::discard::{Cause, DiscardConfig, DiscardPolicy, Verdict};
use cellrate_engine::endsystem::{AbrConfig, AbrSource, Emission};
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, Rate, ServiceRate, Stream};
use cellrate_engine::traffic::{CellSource, Cells, Demand, SourceConfig};
use serde_json::{Value, json};

fn us(us: u64) -> Ps {
    Ps::from_us(us)
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

// ---- sources

fn cells(source: &SourceConfig) -> Cells {
    match source.demand(us(0), Stream::new(1, "a", "source")) {
        Demand::Cells(cells) => cells,
        _ => panic!("not a source of raw cells"),
    }
}

/// Times of cells before `until` in microseconds.
fn times(cells: &mut Cells, until: Ps) -> Vec<f64> {
    let mut times = Vec::new();
    while cells.next() < until {
        times.push(cells.next().0 as f64 / 1e6);
        cells.advance();
    }
    times
}

#[test]
fn a_cell_half_generated_is_finished_at_the_new_rate() {
    // A cell per 10 us; from 35 us on one per 20 us: the half that is missing takes 10 us.
    let config = |rate| read(json!({ "kind": "cbr", "rate": rate }));
    let mut cbr = cells(&config("42.4 Mbit/s"));
    assert_eq!(times(&mut cbr, us(35)), [0.0, 10.0, 20.0, 30.0]);
    cbr.change(us(35), &config("21.2 Mbit/s"));
    assert_eq!(times(&mut cbr, us(90)), [45.0, 65.0, 85.0]);
    // And back at 95 us, when half of the cell of 105 us is missing.
    cbr.change(us(95), &config("42.4 Mbit/s"));
    assert_eq!(times(&mut cbr, us(120)), [100.0, 110.0]);
}

#[test]
fn the_first_cell_comes_at_the_start_at_any_rate() {
    let config = |rate| read(json!({ "kind": "cbr", "rate": rate }));
    let source: SourceConfig = config("42.4 Mbit/s");
    let Demand::Cells(mut cbr) = source.demand(us(100), Stream::new(1, "a", "source")) else {
        panic!()
    };
    cbr.change(us(35), &config("4.24 Mbit/s"));
    assert_eq!(times(&mut cbr, us(350)), [100.0, 200.0, 300.0]);
}

#[test]
fn fractions_of_a_picosecond_survive_a_change() {
    // 155.52 Mbit/s to itself a hundred times: 155,520 cells still take 0.424 s exactly.
    let source: SourceConfig = read(json!({ "kind": "cbr", "rate": "155.52 Mbit/s" }));
    let mut cbr = cells(&source);
    for part in 1..=100 {
        times(&mut cbr, us(part * 4_000));
        cbr.change(us(part * 4_000), &source);
    }
    times(&mut cbr, Ps::from_ms(424));
    assert_eq!(cbr.next(), Ps::from_ms(424));
}

#[test]
fn an_on_part_goes_on_at_the_new_peak_and_ends_when_it_would() {
    // ON for 50 of every 100 us.
    let config = |peak| {
        read(json!({ "kind": "on-off", "peak": peak, "period": "100 us", "duty_cycle": 0.5 }))
    };
    let mut source = cells(&config("42.4 Mbit/s"));
    assert_eq!(times(&mut source, us(25)), [0.0, 10.0, 20.0]);
    source.change(us(25), &config("21.2 Mbit/s"));
    assert_eq!(times(&mut source, us(160)), [35.0, 100.0, 120.0, 140.0]);
    // While OFF nothing is being generated.
    source.change(us(160), &config("42.4 Mbit/s"));
    assert_eq!(times(&mut source, us(225)), [200.0, 210.0, 220.0]);
}

#[test]
fn what_is_left_of_a_random_gap_is_scaled() {
    let config = |rate| read(json!({ "kind": "poisson", "rate": rate }));
    let mut source = cells(&config("42.4 Mbit/s"));
    let mut twin = source.clone();
    let at = Ps(source.next().0 / 2);
    source.change(at, &config("21.2 Mbit/s"));
    // Half of the gap has passed; the other half takes twice as long.
    assert_eq!(source.next().0, at.0 + 2 * (twin.next().0 - at.0));
    // Later gaps are those of the same random numbers, twice as long, but for rounding.
    let (first, twins_first) = (source.next(), twin.next());
    source.advance();
    twin.advance();
    assert!(
        (source.next() - first)
            .0
            .abs_diff(2 * (twin.next() - twins_first).0)
            <= 2
    );
}

// ---- control schemes

fn scheme(value: Value) -> ControlConfig {
    read(value)
}

fn control(value: Value) -> Control {
    scheme(value).build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(cell_time_us(10)),
        channels: 2,
    })
}

#[test]
fn a_threshold_holds_from_the_change_on() {
    let mut efci = control(json!({ "scheme": "efci", "threshold": "5 cells" }));
    let marks = |efci: &mut Control, queue| {
        let mut passing = Info::data(0).passing();
        efci.on_dequeue(us(0), &mut passing, queue);
        passing.is_marked()
    };
    assert!(marks(&mut efci, 6));
    efci.change(
        (Ps::ZERO, 0),
        &scheme(json!({ "scheme": "efci", "threshold": "10 cells" })),
    );
    assert!(!marks(&mut efci, 10));
    assert!(marks(&mut efci, 11));
}

#[test]
fn hysteresis_remembers_across_a_change() {
    let config = |high: &str, low: &str| json!({ "scheme": "efci", "high": high, "low": low });
    let mut efci = control(config("10 cells", "3 cells"));
    efci.on_dequeue(us(0), &mut Info::data(0).passing(), 11);
    efci.change((Ps::ZERO, 0), &scheme(config("20 cells", "5 cells")));
    let mut passing = Info::data(0).passing();
    efci.on_dequeue(us(0), &mut passing, 5);
    let marked = passing.is_marked();
    assert!(marked, "congested since 11 cells, and not below 5 yet");
}

#[test]
fn an_interval_that_has_begun_has_the_new_length() {
    for name in ["erica", "osu", "capc", "phantom", "charny", "fmmra", "ucsc"] {
        let config = |interval: &str| json!({ "scheme": name, "interval": interval });
        let mut control = control(config("1 ms"));
        control.wake(us(1_000), 0, 1);
        assert_eq!(control.wake_at(), us(2_000), "{name}");
        control.change((Ps::ZERO, 0), &scheme(config("3 ms")));
        assert_eq!(control.wake_at(), us(4_000), "{name}");
        control.change((Ps::ZERO, 0), &scheme(config("0.5 ms")));
        assert_eq!(control.wake_at(), us(1_500), "{name}");
    }
}

#[test]
fn samples_follow_the_last_one_at_the_new_distance() {
    let config = |sampling: &str| json!({ "scheme": "rrm-p", "sampling": sampling });
    let mut control = control(config("100 cells"));
    control.wake(us(1_000), 0, 1);
    control.change((Ps::ZERO, 0), &scheme(config("30 cells")));
    assert_eq!(control.wake_at(), us(1_300));
    control.change((Ps::ZERO, 0), &scheme(
        json!({ "scheme": "rrm-p", "sampling": "30 cells", "low": "1 cell", "high": "2 cells" }),
    ));
    assert_eq!(control.wake_at(), us(1_300));
    control.wake(us(1_300), 4, 1);
    let mut rm = BRM;
    control.on_backward(us(1_300), 0, &mut rm, 4);
    assert!(
        rm.ci,
        "three cells and the one in service are above the new threshold"
    );
}

#[test]
fn a_policy_follows_its_new_threshold_and_remembers_its_pdus() {
    let config = |threshold: &str| -> DiscardConfig {
        read(json!({ "policy": "epd", "threshold": threshold }))
    };
    let mut epd = config("10 cells").build(2);
    let middle = Info::data(0).passing();
    assert_eq!(
        epd.admit(Ps::ZERO, 0, middle, 20, 100),
        Verdict::Drop(Cause::EarlyPacket)
    );
    assert_eq!(epd.admit(Ps::ZERO, 1, middle, 5, 100), Verdict::Accept);
    epd.change(Ps::ZERO, &config("30 cells"));
    // The PDU of channel 0 stays dropped, that of channel 1 accepted; then the threshold counts.
    assert_eq!(
        epd.admit(Ps::ZERO, 0, middle, 20, 100),
        Verdict::Drop(Cause::EarlyPacket)
    );
    assert_eq!(epd.admit(Ps::ZERO, 1, middle, 40, 100), Verdict::Accept);
    let end = Info::end_of_message(0).passing();
    assert_eq!(
        epd.admit(Ps::ZERO, 0, end, 20, 100),
        Verdict::Drop(Cause::EarlyPacket)
    );
    assert_eq!(epd.admit(Ps::ZERO, 0, middle, 20, 100), Verdict::Accept);
}

// ---- ABR sources

const BRM: RmCell = RmCell {
    er: 1e9,
    ccr: 0.0,
    mcr: 0.0,
    ci: false,
    ni: false,
    bn: false,
};

fn abr(others: Value) -> AbrConfig {
    let mut value = json!({ "icr": "0.0424 Mbit/s", "pcr": "0.424 Mbit/s" });
    value
        .as_object_mut()
        .unwrap()
        .extend(others.as_object().unwrap().clone());
    read(value)
}

#[test]
fn an_increase_has_the_factor_of_its_moment() {
    // ICR of 100 cells/s, PCR of 1,000: RIF of 1/16 adds 62.5, 1/4 adds 250.
    let mut source = AbrSource::new(&abr(json!({})), Rate::from_bps(424_000_000), us(0));
    source.on_brm(us(0), &BRM);
    assert_eq!(source.acr(), 162.5);
    source.change(&abr(json!({ "rif": 0.25, "rdf": 0.5 })));
    assert_eq!(source.acr(), 162.5);
    source.on_brm(us(1), &BRM);
    assert_eq!(source.acr(), 412.5);
    source.on_brm(us(2), &RmCell { ci: true, ..BRM });
    assert_eq!(source.acr(), 206.25);
}

#[test]
fn nrm_counts_from_the_last_frm() {
    let mut source = AbrSource::new(
        &abr(json!({ "nrm": 8 })),
        Rate::from_bps(424_000_000),
        us(0),
    );
    let sent = |source: &mut AbrSource, cells: usize| -> String {
        let next = |_| {
            let at = source.next_wake(true);
            match source.opportunity(at, true) {
                Some(Emission::Rm(info, _)) if info.kind() == Kind::Frm => 'F',
                _ => 'd',
            }
        };
        (0..cells).map(next).collect()
    };
    assert_eq!(sent(&mut source, 11), "FdddddddFdd");
    source.change(&abr(json!({ "nrm": 4 })));
    assert_eq!(sent(&mut source, 6), "dFdddF");
}

// ---- networks

/// A cell every 5 us through a switch onto a line of 10 us per cell, with these changes of the
/// switch's buffer, without limit at first.
fn overloaded(changes: &[(u64, u64)]) -> Plan {
    let mut graph = Graph::default();
    let (from, switch, to) = (
        graph.host("a"),
        graph.switch("s", plain_switch()),
        graph.host("b"),
    );
    let access = graph.duplex(from, switch, cell_time_us(5), us(1));
    let out = graph.duplex(switch, to, cell_time_us(10), us(1));
    let source = read(json!({ "kind": "cbr", "rate": "84.8 Mbit/s" }));
    let cbr = flow("cbr", ServiceClass::Cbr, source, vec![access, out]);
    let mut plan = graph.plan(vec![cbr]);
    (plan.measure.events.loss, plan.measure.event_limit) = (true, 10_000);
    let NodeKind::Switch(settings) = &plan.nodes[switch].kind else {
        panic!()
    };
    let of = |buffer| SwitchChange {
        buffer: Buffer(buffer),
        ..SwitchChange::of(settings)
    };
    let change = |(at, buffer): &(u64, u64)| Change {
        at: us(*at),
        switches: vec![(switch, of(*buffer))],
        flows: Vec::new(),
    };
    plan.changes = changes.iter().map(change).collect();
    plan
}

/// Instants of losses in microseconds, in a run of a millisecond.
fn losses(plan: Plan) -> Vec<u64> {
    let mut run: Simulation = Simulation::new(plan).unwrap();
    run.run_until(us(1_000));
    let (events, _) = run.events(usize::MAX);
    events.iter().map(|event| event.at.0 / 1_000_000).collect()
}

#[test]
fn a_smaller_buffer_refuses_from_its_instant_and_keeps_what_it_holds() {
    // Cells arrive at 6, 11, 16, ... and leave at 16, 26, ...: 10 k + 6 us after the start, after
    // the departure and before the arrival of that instant, the queue holds k cells. At 401 us the
    // 80th cell arrives, 39 have left: 41 with it, at 406 us 41 again. Above 30 cells all are
    // refused; the departure at 506 us leaves 30, that at 516 us 29, so the cell of 516 us is the
    // first with room, and then every other cell.
    let lost = losses(overloaded(&[(404, 30)]));
    assert_eq!(lost[0], 406);
    let refused: Vec<u64> = (406..=511).step_by(5).collect();
    assert_eq!(&lost[..refused.len()], &refused);
    let after: Vec<u64> = (521..1_000).step_by(10).collect();
    assert_eq!(&lost[refused.len()..], &after);
}

#[test]
fn a_change_comes_before_the_events_of_its_instant() {
    assert_eq!(losses(overloaded(&[(406, 30)]))[0], 406);
    let later = losses(overloaded(&[(406, 30)]).tap(|plan| plan.changes[0].at = Ps(us(406).0 + 1)));
    assert_eq!(later[0], 411);
}

#[test]
fn a_larger_buffer_takes_cells_again() {
    let lost = losses(overloaded(&[(404, 30), (450, 1_000)]));
    let refused: Vec<u64> = (406..450).step_by(5).collect();
    assert_eq!(lost, refused);
}

trait Tap: Sized {
    fn tap(mut self, act: impl FnOnce(&mut Self)) -> Self {
        act(&mut self);
        self
    }
}
impl Tap for Plan {}

/// `plan` with changes of its only flow: whether the source sends from each of these instants on.
fn sending(mut plan: Plan, changes: &[(u64, bool)]) -> Plan {
    let of = |sends| FlowChange {
        sends,
        ..FlowChange::of(&plan.flows[0])
    };
    let change = |(at, sends): &(u64, bool)| Change {
        at: us(*at),
        switches: Vec::new(),
        flows: vec![(0, of(*sends))],
    };
    plan.changes = changes.iter().map(change).collect();
    plan
}

/// Segments that have been sent at each of these instants in microseconds.
fn segments(plan: &Plan, at: &[u64]) -> Vec<u64> {
    let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
    at.iter()
        .map(|at| {
            run.run_until(us(*at));
            run.begin_window();
            run.tcp_window(0).unwrap().1 / 40
        })
        .collect()
}

#[test]
fn tcp_without_new_data_finishes_what_it_has_sent_and_goes_on_when_released() {
    // See `stop_and_wait`: a segment every 120 us, acknowledged when the next one is sent.
    let plan = stop_and_wait();
    assert_eq!(segments(&plan, &[121, 1_201]), [1, 10]);
    // The segment of 240 us is on its way at 250 us; the next begins at 1,000 us.
    let plan = sending(plan, &[(250, false), (1_000, true)]);
    assert_eq!(segments(&plan, &[361, 1_119, 1_121, 1_241]), [3, 3, 4, 5]);
}

#[test]
fn a_flow_may_begin_by_sending_nothing() {
    let mut plan = sending(stop_and_wait(), &[(500, true)]);
    plan.flows[0].sends = false;
    assert_eq!(segments(&plan, &[619, 621, 741]), [0, 1, 2]);
}

#[test]
fn bare_cells_do_not_come_into_being_while_their_source_is_off() {
    // Cells of 0, 5, 10, ... us; those of 100 to 195 us are missing.
    let plan = sending(overloaded(&[]), &[(100, false), (200, true)]);
    let sent = |until| {
        let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
        run.measure(us(0), us(until), us(until)).vcs[0].data_cells_sent
    };
    assert_eq!(
        [sent(100), sent(200), sent(201), sent(206)],
        [20, 20, 21, 22]
    );
}

#[test]
fn a_persistent_source_stops_and_goes_on_at_once() {
    let Dumbbell { graph, paths } = Dumbbell::new(1, cell_time_us(10), us(5), &plain_switch());
    let source = read(json!({ "kind": "persistent" }));
    let mut persistent = flow("abr", ServiceClass::Abr, source, paths[0].clone());
    persistent.backward = back(&persistent.forward);
    let plan = sending(
        graph.plan(vec![persistent]),
        &[(1_000, false), (2_000, true)],
    );
    let sent = |until| {
        let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
        run.measure(us(0), us(until), us(until)).vcs[0].data_cells_sent
    };
    // PCR is the line: a hundred cells in 1 ms. FRMs are the cells of 0, 320, 640 and 960 us, and
    // one cell returns the FRM with which the destination begins.
    assert_eq!([sent(1_000), sent(2_000)], [95, 95]);
    assert_eq!([sent(2_001), sent(2_011), sent(2_021)], [96, 97, 98]);
}

#[test]
fn changes_out_of_order_or_of_another_kind_are_refused() {
    let told = |plan: Plan| {
        Simulation::<cellrate_engine::atm::server::LazyServer>::new(plan)
            .err()
            .unwrap()
            .0
    };
    let plan = overloaded(&[(404, 30), (404, 40)]);
    assert!(told(plan).contains("does not come after the one before it"));
    let plan = overloaded(&[(404, 30)]).tap(|plan| {
        plan.changes[0].switches[0].1.control = scheme(json!({ "scheme": "erica" }));
    });
    assert!(told(plan).contains("replaces the scheme"));
    let plan = sending(stop_and_wait(), &[(250, false)]).tap(|plan| {
        plan.changes[0].flows[0].1.source = read(json!({ "kind": "persistent" }));
    });
    assert!(told(plan).contains("replaces the source"));
}

/// A source that is released before its start stays silent until then. A timer due at the instant
/// of the change would turn the source's time back.
#[test]
fn a_source_that_is_released_before_its_start_waits_for_it() {
    let mut graph = Graph::default();
    let (from, to) = (graph.host("a"), graph.host("b"));
    let switch = graph.switch("s", plain_switch());
    let path = vec![
        graph.duplex(from, switch, cell_time_us(10), us(5)),
        graph.duplex(switch, to, cell_time_us(10), us(5)),
    ];
    let source =
        read(json!({ "kind": "messages", "mean_length": "1000 bytes", "mean_rate": "10 Mbit/s" }));
    let mut flow = flow("f", ServiceClass::Ubr, source, path);
    flow.backward = back(&flow.forward);
    (flow.start, flow.sends, flow.tcp.connection_setup) = (us(900), false, true);
    let released = FlowChange {
        sends: true,
        ..FlowChange::of(&flow)
    };
    let mut plan = graph.plan(vec![flow]);
    plan.changes = vec![Change {
        at: us(500),
        switches: Vec::new(),
        flows: vec![(0, released)],
    }];
    let mut run: Simulation = Simulation::new(plan).unwrap();
    run.begin_window();
    run.run_until(us(900));
    assert_eq!(run.cells_held(), 0);
    run.run_until(Ps::from_ms(100));
    run.end_window();
    let report = run.report();
    assert!(report.flows[0].delivered_bytes > 10_000);
    // Never before its start: a share of the time cannot exceed one.
    let flow = &report.flows[0];
    let limited = flow.rate_limited_share + flow.window_limited_share;
    assert!((0.0..=1.0).contains(&limited), "{limited}");
}

/// Cells that wait when the threshold changes are marked by the new one as they leave.
#[test]
fn cells_that_wait_are_marked_by_the_threshold_that_holds_as_they_leave() {
    let end = Ps::from_ms(40);
    let mut plan = marked_bottleneck(12);
    let NodeKind::Switch(switch) = plan.nodes[0].kind.clone() else {
        panic!("the first node is a switch")
    };
    let change = |(number, threshold): (u64, u64)| Change {
        at: us(1_993 * number),
        switches: vec![(
            0,
            SwitchChange {
                control: marking_above(threshold),
                ..SwitchChange::of(&switch)
            },
        )],
        flows: Vec::new(),
    };
    let thresholds = [40, 3, 25, 0, 60, 9, 1, 30, 2, 50, 12, 5, 20, 0, 70, 4];
    plan.changes = (1..).zip(thresholds).map(change).collect();
    let changed = agreed(plan, end);
    let unchanged = agreed(marked_bottleneck(12), end);
    assert_ne!(changed.digest, unchanged.digest);
}
