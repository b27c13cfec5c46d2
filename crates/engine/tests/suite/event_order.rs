//! The order of simultaneous events, worked out by hand: completions, timers, arrivals in the order
//! of the links, service starts (`docs/explanation/event-order.md`). Each case has a neighbour a
//! picosecond away, in which the events are not simultaneous and the outcome differs.

use std::collections::BTreeSet;

use crate::support::agreed;
use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::cell::{Info, ServiceClass};
use cellrate_engine::atm::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::atm::server::{
    Arrival, BuildServer, Context, EagerServer, LazyServer, Line, PriorityServer, Queued, Server,
    ServerSettings,
};
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::atm::transport::{Link, Outlet};
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::control::efci::{EfciConfig, MarkAt};
use cellrate_engine::control::erica::EricaConfig;
use cellrate_engine::control::{ControlConfig, PortFacts};
use cellrate_engine::kernel::units::{Buffer, Bytes, Cells};
use cellrate_engine::kernel::{CellClock, Ps, ServiceRate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::transfer::TransferConfig;
use serde_json::json;

/// Time of a cell on every line, 10 us; the propagation delay is 5 us.
const CELL: Ps = Ps::from_us(10);
const DELAY: Ps = Ps::from_us(5);

/// Report of a run of 1 ms; both engines agree.
fn run(plan: Plan) -> Report {
    agreed(plan, Ps::from_ms(1))
}

/// A source of cells: class, start, and the time between two cells in us.
#[derive(Clone, Copy)]
struct Source(ServiceClass, Ps, u64);

/// A host for each of `sources`, in the order of their links, around one switch.
fn star(settings: SwitchPlan, sources: &[Source]) -> Plan {
    let mut graph = Graph::default();
    let sink = graph.host("sink");
    let switch = graph.switch("s", settings);
    let out = graph.duplex(switch, sink, cell_time_us(10), DELAY);
    let mut flows = Vec::new();
    for (number, Source(class, start, period_us)) in sources.iter().enumerate() {
        let host = graph.host(&format!("h{number}"));
        let access = graph.duplex(host, switch, cell_time_us(10), DELAY);
        let source = SourceConfig::Cbr(CbrConfig {
            rate: cell_time_us(*period_us),
        });
        flows.push(FlowPlan {
            start: *start,
            ..flow(&format!("f{number}"), *class, source, vec![access, out])
        });
    }
    let mut plan = graph.plan(flows);
    plan.measure.cell_delay = true;
    plan
}

fn buffer_of(cells: u64) -> SwitchPlan {
    SwitchPlan {
        buffer: Buffer(cells),
        ..plain_switch()
    }
}

fn dropped(report: &Report) -> Vec<u64> {
    report.vcs.iter().map(|vc| vc.cells_dropped).collect()
}

/// Mean cell delays in us. Alone, a cell takes two cell times and two propagation delays: 30 us.
fn delays(report: &Report) -> Vec<f64> {
    let seconds = report
        .flows
        .iter()
        .map(|flow| flow.delays.cell_delay_mean_seconds.unwrap());
    seconds
        .map(|seconds| (seconds * 1e12).round() / 1e6)
        .collect()
}

use ServiceClass::{Cbr, Ubr};

#[test]
fn a_cell_that_arrives_at_the_instant_of_a_completion_finds_room() {
    let at = |second| {
        star(
            buffer_of(1),
            &[Source(Cbr, Ps::ZERO, 20), Source(Cbr, second, 20)],
        )
    };
    // First: arrivals at 15, 35, ...; services until 25, 45, ... Second: arrivals at 25, 45, ...
    assert_eq!(dropped(&run(at(CELL))), [0, 0]);
    // A picosecond earlier every cell of the second meets a full buffer: those sent at 10, 30, ...,
    // 970 us; that of 990 us is still on its way.
    assert_eq!(dropped(&run(at(Ps(CELL.0 - 1)))), [0, 49]);
}

#[test]
fn of_cells_that_arrive_together_the_one_from_the_first_link_comes_first() {
    let together = |settings| {
        star(
            settings,
            &[Source(Cbr, Ps::ZERO, 20), Source(Cbr, Ps::ZERO, 20)],
        )
    };
    assert_eq!(delays(&run(together(plain_switch()))), [30.0, 40.0]);
    // Sent at 0, 20, ..., 980 us; the last arrives at 995 us.
    assert_eq!(dropped(&run(together(buffer_of(1)))), [0, 50]);
    let first_late = star(
        buffer_of(1),
        &[Source(Cbr, Ps(1), 20), Source(Cbr, Ps::ZERO, 20)],
    );
    assert_eq!(dropped(&run(first_late)), [50, 0]);
}

#[test]
fn of_cells_that_arrive_together_any_comes_first_if_that_is_drawn() {
    let drawn = |first, seed| {
        let mut plan = star(
            buffer_of(1),
            &[Source(Cbr, first, 20), Source(Cbr, Ps::ZERO, 20)],
        );
        (plan.simultaneous_cells, plan.seed) = (SimultaneousCells::Drawn, seed);
        run(plan)
    };
    let mut digests = BTreeSet::new();
    for seed in 1..=20 {
        let report = drawn(Ps::ZERO, seed);
        let lost = dropped(&report);
        // One of each pair, either with equal probability: 25 with a deviation of 3.5, four of
        // them.
        assert_eq!(lost.iter().sum::<u64>(), 50);
        assert!((11..=39).contains(&lost[0]), "{lost:?}");
        digests.insert(report.digest);
    }
    assert_eq!(digests.len(), 20, "another order for each seed");
    // Without simultaneous cells no order is drawn.
    assert_eq!(dropped(&drawn(Ps(1), 1)), [50, 0]);
}

#[test]
fn the_order_is_that_of_the_links_not_of_the_flows() {
    let mut plan = star(
        buffer_of(1),
        &[Source(Cbr, Ps::ZERO, 20), Source(Cbr, Ps::ZERO, 20)],
    );
    plan.flows.swap(0, 1);
    assert_eq!(dropped(&run(plan)), [50, 0]);
}

#[test]
fn the_cell_in_service_counts_in_its_queue() {
    let three = |cells| star(buffer_of(cells), &[Source(Cbr, Ps::ZERO, 50); 3]);
    let (two, three) = (run(three(2)), run(three(3)));
    // Sent at 0, 50, ..., 950 us.
    assert_eq!(
        (dropped(&two), two.ports[0].queues[0].queue_max_cells),
        (vec![0, 0, 20], 2)
    );
    assert_eq!(
        (dropped(&three), three.ports[0].queues[0].queue_max_cells),
        (vec![0; 3], 3)
    );
}

#[test]
fn a_look_at_the_instant_of_a_completion_no_longer_counts_the_cell() {
    let mut fast: Simulation =
        Simulation::new(star(plain_switch(), &[Source(Cbr, Ps::ZERO, 500)])).unwrap();
    // The cell arrives at 15 us and has left at 25 us; a reading at 15 us comes before the arrival.
    for (at, length) in [
        (Ps::from_us(15), 0),
        (Ps(15_000_001), 1),
        (Ps(24_999_999), 1),
        (Ps::from_us(25), 0),
    ] {
        fast.run_until(at);
        assert_eq!(fast.port_states()[0].lengths, [length], "{at:?}");
    }
}

fn two_queues() -> SwitchPlan {
    SwitchPlan {
        priority: vec![vec![Cbr], vec![Ubr]],
        ..plain_switch()
    }
}

#[test]
fn services_start_after_all_arrivals_of_the_instant() {
    // The low class comes by the first link, but the high class is served first.
    let together = star(
        two_queues(),
        &[Source(Ubr, Ps::ZERO, 50), Source(Cbr, Ps::ZERO, 50)],
    );
    assert_eq!(delays(&run(together)), [40.0, 30.0]);
    // A picosecond later the high class meets a busy line, and service is not preempted.
    let later = star(
        two_queues(),
        &[Source(Ubr, Ps::ZERO, 50), Source(Cbr, Ps(1), 50)],
    );
    assert_eq!(delays(&run(later)), [30.0, 39.999999]);
}

/// Under credit, and with arrivals that are sorted many at a time: of six cells that arrive together
/// each 100 us, those of the first and the last link belong to the low class.
#[test]
fn services_start_after_all_arrivals_of_the_instant_under_credit() {
    let sources = [Ubr, Cbr, Cbr, Cbr, Cbr, Ubr].map(|class| Source(class, Ps::ZERO, 100));
    let mut plan = star(two_queues(), &sources);
    plan.measure.cell_delay = false;
    for link in &mut plan.links {
        link.delay = Ps::from_ms(2);
    }
    plan.fcvc = Some(serde_json::from_value(json!({"n2": "10 cells", "n3": "400 cells"})).unwrap());
    agreed(plan, Ps::from_ms(30));
}

#[test]
fn a_cell_that_arrives_at_a_completion_competes_for_the_service_that_starts_then() {
    // Two cells of the low class arrive at 15 us; at 25 us, when the first has left, one of the
    // high class arrives and is served before the second, which leaves at 45 instead of 35 us.
    let sources = |high| {
        [
            Source(Ubr, Ps::ZERO, 100),
            Source(Ubr, Ps::ZERO, 100),
            Source(Cbr, high, 100),
        ]
    };
    assert_eq!(
        delays(&run(star(two_queues(), &sources(CELL)))),
        [30.0, 50.0, 30.0]
    );
    assert_eq!(
        delays(&run(star(two_queues(), &sources(Ps(CELL.0 + 1))))),
        [30.0, 40.0, 39.999999]
    );
}

#[test]
fn of_terminals_of_one_host_the_first_sends_first() {
    let mut graph = Graph::default();
    let (host, sink) = (graph.host("h"), graph.host("sink"));
    let switch = graph.switch("s", plain_switch());
    let path = vec![
        graph.duplex(host, switch, cell_time_us(10), DELAY),
        graph.duplex(switch, sink, cell_time_us(10), DELAY),
    ];
    let source = SourceConfig::Cbr(CbrConfig {
        rate: cell_time_us(100),
    });
    let flows = (0..3)
        .map(|number| flow(&format!("f{number}"), Cbr, source.clone(), path.clone()))
        .collect();
    let mut plan = graph.plan(flows);
    plan.measure.cell_delay = true;
    assert_eq!(delays(&run(plan)), [30.0, 40.0, 50.0]);
}

#[test]
fn a_measuring_interval_ends_before_the_arrivals_of_its_last_instant() {
    let empty_intervals = |arrival: Ps| {
        let erica = EricaConfig {
            interval: Ps::from_us(100),
            ..EricaConfig::default()
        };
        let settings = SwitchPlan {
            control: ControlConfig::Erica(erica),
            ..plain_switch()
        };
        // The first cell of an ABR source leaves at its start and arrives 15 us later.
        let mut plan = star(
            settings,
            &[Source(ServiceClass::Abr, arrival - (CELL + DELAY), 100)],
        );
        plan.flows[0].backward = back(&plan.flows[0].forward);
        let control = run(plan)
            .ports
            .into_iter()
            .find(|port| port.name == "s->sink")
            .unwrap()
            .control;
        (
            control.statistics["intervals"],
            control.statistics["zero_input_intervals"],
        )
    };
    // Nine intervals end before 1 ms. Until 100 us no cell arrives, or one.
    assert_eq!(empty_intervals(Ps::from_us(100)), (9.0, 1.0));
    assert_eq!(empty_intervals(Ps(99_999_999)), (9.0, 0.0));
}

#[test]
fn a_timer_expires_before_the_acknowledgement_of_the_same_instant() {
    let timeouts = |rto: Ps| {
        let mut graph = Graph::default();
        let (source, sink) = (graph.host("source"), graph.host("sink"));
        let switch = graph.switch("s", plain_switch());
        let there = vec![
            graph.duplex(source, switch, cell_time_us(10), DELAY),
            graph.duplex(switch, sink, cell_time_us(10), DELAY),
        ];
        let transfer = SourceConfig::Transfer(TransferConfig { size: Bytes(512) });
        let mut flow = FlowPlan {
            backward: back(&there),
            ..flow("tcp", Ubr, transfer, there)
        };
        flow.tcp.granularity = Ps(1);
        (flow.tcp.initial_rto, flow.tcp.min_rto) = (rto, rto);
        run(graph.plan(vec![flow])).flows[0].timeouts
    };
    // The twelfth cell of the segment leaves its terminal at 110 us, its host at 120, the switch at
    // 135 and arrives at 140 us; the second of the acknowledgement leaves its terminal at 150 us,
    // its host at 160, the switch at 175 and arrives at 180 us.
    assert_eq!(timeouts(Ps::from_us(180)), 1);
    assert_eq!(timeouts(Ps(180_000_001)), 0);
}

/// Marks of two cells that arrive together.
fn marks<S: Server>(build: impl Fn(Line) -> S, mark_at: MarkAt, threshold: u64) -> Vec<bool> {
    let rate = cell_time_us(10);
    let efci = EfciConfig {
        threshold: Some(Cells(threshold)),
        mark_at,
        ..EfciConfig::default()
    };
    let mut control = ControlConfig::Efci(efci).build(PortFacts {
        seed: 0,
        rate: ServiceRate::of_cells(rate),
        channels: 1,
    });
    let line = Line {
        clock: CellClock::new(rate),
        delay: DELAY,
    };
    let mut server = build(line);
    let mut link = Link::default();
    let mut out = Outlet {
        link: &mut link,
        number: 0,
        fresh: &mut Vec::new(),
    };
    let arrival = Arrival {
        slot: 0,
        control_slot: 0,
        queue: 0,
        controlled: true,
        cell: Queued {
            label: 0,
            info: Info::data(0),
        },
    };
    for _ in 0..2 {
        let context = &mut Context::new(Ps(1), &mut control, &mut out);
        server.push(&arrival, None, context);
    }
    server.advance(&mut Context::new(Ps::from_ms(1), &mut control, &mut out));
    std::iter::from_fn(|| link.pop())
        .map(|(cell, _)| cell.info.efci())
        .collect()
}

/// A server of one queue that the scheme watches.
fn priority(line: Line) -> PriorityServer {
    PriorityServer::new(line, 1, Some(0), false)
}

fn watched<S: BuildServer>(line: Line, marks_above: Option<u64>) -> S {
    S::build(ServerSettings {
        line,
        queues: 1,
        watched: Some(0),
        marks_above,
        rm_first: false,
        orders: None,
        prompt: None,
        losses: None,
    })
}

fn eager(line: Line) -> EagerServer {
    watched(line, None)
}

#[test]
fn marking_at_dequeue_sees_the_queue_with_the_cell_that_starts() {
    for (threshold, expected) in [(0, [true, true]), (1, [true, false]), (2, [false, false])] {
        assert_eq!(marks(priority, MarkAt::Dequeue, threshold), expected);
        assert_eq!(marks(eager, MarkAt::Dequeue, threshold), expected);
        let marking = |line| {
            let server: LazyServer = watched(line, Some(threshold));
            assert!(matches!(server, LazyServer::Fifo(_)));
            server
        };
        assert_eq!(marks(marking, MarkAt::Dequeue, threshold), expected);
    }
}
