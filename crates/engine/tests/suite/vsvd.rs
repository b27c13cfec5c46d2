//! Switches that end ABR control loops and begin new ones: numbers worked out by hand, and the
//! benefits.
//!
//! Lines carry 100,000 cells/s, a cell in 10 us, unless a test says otherwise.

use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch};
use crate::support::{agreed, outcome};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::atm::report::PortReport;
use cellrate_engine::atm::{Change, FlowChange, Report, Simulation, SwitchChange};
use cellrate_engine::control::ControlConfig;
use cellrate_engine::endsystem::{AbrConfig, RateUpdate, VcRate, VsVdConfig};
use cellrate_engine::kernel::units::{Buffer, Cells};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use serde_json::{Value, json};

const LINE: Rate = cell_time_us(10);
const NEAR: Ps = Ps::from_us(100);
const FAR: Ps = Ps::from_ms(20);

fn control(value: Value) -> ControlConfig {
    serde_json::from_value(value).expect("valid parameters")
}

fn erica() -> ControlConfig {
    control(json!({"scheme": "erica"}))
}

fn switch(control: ControlConfig, vsvd: Option<VsVdConfig>) -> SwitchPlan {
    SwitchPlan {
        control,
        vsvd,
        ..plain_switch()
    }
}

/// Settings of virtual sources and destinations with all defaults.
fn split() -> Option<VsVdConfig> {
    Some(VsVdConfig::default())
}

fn persistent(name: &str, forward: Vec<usize>, abr: AbrConfig) -> FlowPlan {
    let backward = back(&forward);
    FlowPlan {
        backward,
        abr,
        ..flow(
            name,
            ServiceClass::Abr,
            SourceConfig::Persistent(Default::default()),
            forward,
        )
    }
}

/// One source, switches in a row, one destination, and a persistent flow. `links` are the lines in
/// order.
fn row(switches: Vec<SwitchPlan>, links: &[(Rate, Ps)], abr: AbrConfig) -> Plan {
    let mut graph = Graph::default();
    let mut nodes = vec![graph.host("src")];
    for (number, settings) in switches.into_iter().enumerate() {
        nodes.push(graph.switch(&format!("S{}", number + 1), settings));
    }
    nodes.push(graph.host("dst"));
    let pairs = nodes.windows(2).zip(links);
    let forward = pairs
        .map(|(pair, (rate, delay))| graph.duplex(pair[0], pair[1], *rate, *delay))
        .collect();
    let flow = persistent("f", forward, abr);
    graph.plan(vec![flow])
}

fn start(plan: Plan) -> Simulation {
    Simulation::new(plan).expect("a plan")
}

fn port<'a>(report: &'a Report, name: &str) -> &'a PortReport {
    report
        .ports
        .iter()
        .find(|port| port.name == name)
        .expect("a port of that name")
}

#[test]
fn feedback_comes_from_the_first_switch() {
    // The first cell is an FRM, at the switch at 0 + 10 + 100 us. The virtual source of the way
    // back begins with an FRM of its own and sends the turned-round one a cell time of its ICR =
    // PCR later, at 120 us; it is at the source 110 us after that. ERICA has one channel and 0.9 of
    // the link for it: VAL2 = 90,000 cells/s.
    let plan = row(
        vec![switch(erica(), split())],
        &[(LINE, NEAR), (LINE, FAR)],
        AbrConfig::default(),
    );
    let mut run = start(plan);
    run.run_until(Ps::from_us(230));
    assert_eq!(run.acr(0), Some(100_000.0));
    run.run_until(Ps(Ps::from_us(230).0 + 1));
    assert_eq!(run.acr(0), Some(90_000.0));
    assert_eq!(run.virtual_acrs(0), [("S1", 100_000.0)]);
}

#[test]
fn the_round_trip_of_a_source_is_that_of_its_loop() {
    // TBE of 11 cells over FRTT: 2 (100 + 10) us up to the switch, 2 (20,000 + 10) us behind it.
    let abr = AbrConfig {
        tbe: Cells(11),
        apply_tbe_icr_cap: true,
        crm: Some(1_000),
        ..AbrConfig::default()
    };
    let plan = |vsvd| {
        row(
            vec![switch(ControlConfig::default(), vsvd)],
            &[(LINE, NEAR), (LINE, FAR)],
            abr.clone(),
        )
    };
    let run = start(plan(split()));
    assert_eq!(run.acr(0), Some(11.0 / 220e-6));
    assert_eq!(run.virtual_acrs(0), [("S1", 11.0 / 40_020e-6)]);
    assert_eq!(start(plan(None)).acr(0), Some(11.0 / 40_240e-6));
    // In the other direction the loop of the destination is the long one.
    let backward = |vsvd| {
        let report = start(plan(vsvd)).measure(Ps::ZERO, Ps(1), Ps(1));
        report.vcs[1].acr_final_cells_per_second
    };
    assert_eq!(backward(split()), Some(11.0 / 40_020e-6));
    assert_eq!(backward(None), Some(11.0 / 40_240e-6));
}

#[test]
fn the_previous_loop_is_told_the_rate_of_the_next() {
    // The next loop has a line of 20,000 cells/s behind a switch of its own, of which ERICA gives
    // it 0.9.
    let slow = cell_time_us(50);
    let switches = vec![switch(erica(), split()), switch(erica(), None)];
    let mut run = start(row(
        switches,
        &[(LINE, NEAR), (LINE, NEAR), (slow, NEAR)],
        AbrConfig::default(),
    ));
    run.run_until(Ps::from_ms(200));
    let (at, acr) = run.virtual_acrs(0)[0];
    assert_eq!(at, "S1");
    assert!((acr / 18_000.0 - 1.0).abs() < 0.02, "{acr}");
    assert!(
        (run.acr(0).unwrap() / acr - 1.0).abs() < 0.02,
        "{:?} against {acr}",
        run.acr(0)
    );
}

#[test]
fn marks_of_one_loop_stay_in_it() {
    // S1 marks every cell, S2 ends the loop: the source receives the feedback, the virtual source
    // does not.
    let marking = control(json!({"scheme": "efci", "threshold": "0 cells", "mark_at": "dequeue"}));
    let links = [(LINE, NEAR), (LINE, NEAR), (LINE, NEAR)];
    let plan = |vsvd| {
        let switches = vec![
            switch(marking.clone(), None),
            switch(ControlConfig::default(), vsvd),
        ];
        row(switches, &links, AbrConfig::default())
    };
    let mut run = start(plan(split()));
    run.run_until(Ps::from_ms(50));
    assert_eq!(run.virtual_acrs(0), [("S2", 100_000.0)]);
    assert!(run.acr(0).unwrap() < 20_000.0);
    // A switch that marks behind its virtual source affects that virtual source.
    let mut run = start(row(
        vec![switch(marking, split())],
        &links[1..],
        AbrConfig::default(),
    ));
    run.run_until(Ps::from_ms(50));
    assert!(run.virtual_acrs(0)[0].1 < 20_000.0);
}

#[test]
fn the_scheme_is_asked_when_the_option_says() {
    // As in `feedback_comes_from_the_first_switch`; the next loop is 40.02 ms long.
    let at = |update, ps| {
        let vsvd = Some(VsVdConfig {
            update,
            ..VsVdConfig::default()
        });
        let mut run = start(row(
            vec![switch(erica(), vsvd)],
            &[(LINE, NEAR), (LINE, FAR)],
            AbrConfig::default(),
        ));
        run.run_until(Ps(ps));
        run.acr(0).unwrap()
    };
    let first = Ps::from_us(230).0 + 1;
    assert_eq!(at(RateUpdate::TurnRound, first), 90_000.0);
    assert_eq!(at(RateUpdate::Both, first), 90_000.0);
    // Nothing has come back yet, so no feedback has been requested.
    assert_eq!(at(RateUpdate::Backward, first), 100_000.0);
    assert_eq!(at(RateUpdate::Backward, Ps::from_ms(40).0), 100_000.0);
    assert!(at(RateUpdate::Backward, Ps::from_ms(45).0) < 95_000.0);
    let asked = |update: RateUpdate| (update.at_turn_round(), update.at_backward());
    assert_eq!(
        [RateUpdate::TurnRound, RateUpdate::Backward].map(asked),
        [(true, false), (false, true)]
    );
    assert_eq!(asked(RateUpdate::Both), (true, true));
}

#[test]
fn the_scheme_hears_of_the_rate_that_the_option_says() {
    // Both sources begin at 40,000 cells/s. Before the second FRM, 31 cells later, the virtual
    // source is allowed all of its loop, 100,000 cells/s. The OSU scheme, at a load of 1 and with
    // 90,000 for its one channel, allows a lower rate 1 + 0.1 of itself, a higher one 1 - 0.1.
    let icr = Some(Rate::from_cells_per_second(40_000.0));
    let abr = AbrConfig {
        icr,
        rif: 1.0,
        ..AbrConfig::default()
    };
    let second = |vc_rate| {
        let vsvd = Some(VsVdConfig {
            vc_rate,
            ..VsVdConfig::default()
        });
        let osu = control(json!({"scheme": "osu", "interval": "1 s"}));
        let mut run = start(row(
            vec![switch(osu, vsvd)],
            &[(LINE, NEAR), (LINE, NEAR)],
            abr.clone(),
        ));
        run.run_until(Ps::from_us(1_200));
        (run.acr(0).unwrap().round(), run.virtual_acrs(0)[0].1)
    };
    assert_eq!(second(VcRate::PreviousLoop), (44_000.0, 100_000.0));
    assert_eq!(second(VcRate::NextLoop), (90_000.0, 100_000.0));
}

#[test]
fn a_limited_virtual_source_hears_the_marks_of_its_own_port() {
    // Two channels share a port that either could fill, and that reduces rates from 20 waiting
    // cells on.
    let run = |limit_source| {
        let scheme = json!({"scheme": "rrm-p", "sampling": "10 cells", "low": "10 cells", "high": "20 cells"});
        let vsvd = Some(VsVdConfig {
            limit_source,
            ..VsVdConfig::default()
        });
        let mut graph = Graph::default();
        let (switch, sink) = (
            graph.switch("S", switch(control(scheme), vsvd)),
            graph.host("dst"),
        );
        let out = graph.duplex(switch, sink, LINE, NEAR);
        let flows = ["f", "g"].map(|name| {
            let source = graph.host(name);
            persistent(
                name,
                vec![graph.duplex(source, switch, LINE, NEAR), out],
                AbrConfig::default(),
            )
        });
        let mut run = start(graph.plan(flows.to_vec()));
        let report = run.measure(Ps::ZERO, Ps::from_ms(200), Ps::from_ms(200));
        let acrs = [0, 1].map(|flow| run.virtual_acrs(flow)[0].1);
        (port(&report, "S->dst").queues[0].queue_max_cells, acrs)
    };
    // Their own rates then go up and down, and cells wait in front of them.
    let (queue, acrs) = run(true);
    assert!(
        queue < 1_000 && acrs.iter().all(|acr| *acr < 100_000.0),
        "{queue} {acrs:?}"
    );
    // Otherwise they forward everything: the sources receive the marks, but only after they have
    // filled the port.
    assert_eq!(run(false).1, [100_000.0; 2]);
}

/// Twenty milliseconds to switch S1, a short way on to S2, and half the rate behind that.
fn satellite(vsvd: Option<VsVdConfig>) -> Report {
    let half = cell_time_us(20);
    let plus = || control(json!({"scheme": "erica", "queue_control": {}}));
    let switches = vec![switch(plus(), vsvd), switch(plus(), None)];
    let plan = row(
        switches,
        &[(LINE, FAR), (LINE, NEAR), (half, NEAR)],
        AbrConfig::default(),
    );
    start(plan).measure(Ps::ZERO, Ps::from_ms(1_000), Ps::from_ms(1_000))
}

#[test]
fn the_queue_of_a_long_way_stays_at_its_end() {
    // Without: the source receives the feedback of S2 40.4 ms after its first cell arrived there,
    // and until then fills it with the other half of the line: some 50,000 cells/s for 40 ms.
    let whole = satellite(None);
    let queue = |report: &Report, name| port(report, name).queues[0].queue_max_cells;
    let filled = queue(&whole, "S2->dst");
    assert!((1_900..2_300).contains(&filled), "{filled}");
    // With: S2 is protected by a loop of 0.4 ms, some 20 cells, and the cells that it cannot serve
    // wait at S1.
    let split = satellite(split());
    let (downstream, waiting) = (
        queue(&split, "S2->dst"),
        port(&split, "S1->S2").vc_queues_max_cells.unwrap(),
    );
    assert!(downstream < 60, "{downstream}");
    assert!((1_800..2_600).contains(&waiting), "{waiting}");
    assert!(queue(&split, "S1->S2") < 20);
    assert_eq!(port(&whole, "S1->S2").vc_queues_max_cells, None);
    // The throughput is not lower.
    assert!(split.vcs[0].cells_delivered > whole.vcs[0].cells_delivered);
}

#[test]
fn a_full_switch_counts_what_waits_in_front_of_virtual_sources() {
    let settings = SwitchPlan {
        buffer: cellrate_engine::kernel::units::Buffer(300),
        ..switch(erica(), split())
    };
    let switches = vec![settings, switch(erica(), None)];
    let plan = row(
        switches,
        &[(LINE, FAR), (LINE, NEAR), (cell_time_us(20), NEAR)],
        AbrConfig::default(),
    );
    let report = start(plan).measure(Ps::ZERO, Ps::from_ms(100), Ps::from_ms(100));
    let port = port(&report, "S1->S2");
    let waiting = port.vc_queues_max_cells.unwrap();
    assert!((290..=300).contains(&waiting), "{waiting}");
    assert!(port.queues[0].cells_dropped > 500);
    assert_eq!(report.vcs[0].cells_dropped, port.queues[0].cells_dropped);
}

/// A buffer of 300 cells from an instant on, or up to it. With virtual sources, cells in front of
/// them are refused as long as the buffer is full, and no longer.
#[test]
fn a_changed_buffer_holds_for_what_waits_in_front_of_virtual_sources() {
    let full = |buffer: Buffer, then: Buffer| {
        let settings = SwitchPlan {
            buffer,
            ..switch(erica(), split())
        };
        let change = SwitchChange {
            buffer: then,
            ..SwitchChange::of(&settings)
        };
        let switches = vec![settings, switch(erica(), None)];
        let lines = [(LINE, FAR), (LINE, NEAR), (cell_time_us(20), NEAR)];
        let mut plan = row(switches, &lines, AbrConfig::default());
        plan.changes = vec![Change {
            at: Ps::from_ms(25),
            switches: vec![(1, change)],
            flows: Vec::new(),
        }];
        let mut run = start(plan);
        run.run_until(Ps::from_ms(25));
        run.begin_window();
        run.run_until(Ps::from_ms(100));
        run.end_window();
        let report = run.report();
        let port = port(&report, "S1->S2");
        let (most, dropped) = (
            port.vc_queues_max_cells.unwrap(),
            port.queues[0].cells_dropped,
        );
        (most, dropped)
    };
    let (limit, none) = (Buffer(300), Buffer::INFINITE);
    let (always, shrunk) = (full(limit, limit), full(none, limit));
    assert_eq!(shrunk, always);
    assert!(always.1 > 500);
    let (never, grown) = (full(none, none), full(limit, none));
    assert_eq!((never.1, grown.1), (0, 0));
    assert!(grown.0 > 500 && never.0 > 500);
}

#[test]
fn rm_cells_begin_and_end_at_the_switch() {
    let plan = row(
        vec![switch(erica(), split())],
        &[(LINE, NEAR), (LINE, NEAR)],
        AbrConfig::default(),
    );
    let report = start(plan).measure(Ps::ZERO, Ps::from_ms(100), Ps::from_ms(100));
    let [forward, backward] = &report.vcs[..] else {
        panic!("two channels")
    };
    // No RM cell of the source or the destination goes beyond the switch.
    for vc in [forward, backward] {
        let sent = vc.frm_cells_sent + vc.brm_cells_sent;
        assert!(
            sent > 280 && sent.abs_diff(vc.rm_cells_absorbed) <= 2,
            "{vc:?}"
        );
    }
    // The destination's own channel has only RM cells, which all end at the switch.
    assert_eq!(backward.data_cells_sent, 0);
    assert!(
        backward
            .cells_delivered
            .abs_diff(backward.rm_cells_inserted)
            <= 2,
        "{backward:?}"
    );
}

#[test]
fn a_flow_that_returns_by_other_virtual_sources_is_no_plan() {
    let mut graph = Graph::default();
    let (source, sink) = (graph.host("src"), graph.host("dst"));
    let (a, b) = (
        graph.switch("A", switch(erica(), split())),
        graph.switch("B", switch(erica(), split())),
    );
    let ways = [a, b].map(|via| {
        [
            graph.duplex(source, via, LINE, NEAR),
            graph.duplex(via, sink, LINE, NEAR),
        ]
    });
    let there = ways[0].to_vec();
    let flow = FlowPlan {
        backward: back(&ways[1]),
        ..persistent("f", there, AbrConfig::default())
    };
    let error = Simulation::<cellrate_engine::atm::server::LazyServer>::new(graph.plan(vec![flow]))
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "flow f does not pass the same virtual sources there and back"
    );
}

/// A virtual source whose rate is below TCR sends forward RM cells out of rate from the start, as a source in
/// a host does. A change of its flow that changes nothing has no effect on this.
#[test]
fn a_virtual_source_below_tcr_probes_from_the_start() {
    let abr = AbrConfig {
        tcr: Rate::from_cells_per_second(1e6),
        ..AbrConfig::default()
    };
    let plan = row(
        vec![switch(ControlConfig::default(), split())],
        &[(LINE, NEAR), (LINE, NEAR)],
        abr,
    );
    // The first cell of the source comes at 110 us: one RM cell each microsecond from 0 to 99.
    let before = Ps::from_us(100);
    let report = start(plan.clone()).measure(Ps::ZERO, before, before);
    assert_eq!(port(&report, "S1->dst").queues[0].cells_arrived, 100);
    let changes = vec![Change {
        at: Ps::from_us(1),
        switches: Vec::new(),
        flows: vec![(0, FlowChange::of(&plan.flows[0]))],
    }];
    let end = Ps::from_ms(1);
    let changed = Plan {
        changes,
        ..plan.clone()
    };
    assert_eq!(outcome(&agreed(plan, end)), outcome(&agreed(changed, end)));
}
