//! Measures compared with numbers worked out by hand.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::plans::{
    Dumbbell, Graph, back, cell_time_us, flow, plain_switch, stop_and_wait,
};
use cellrate_engine::atm::cell::ServiceClass::{Abr, Cbr, Ubr};
use cellrate_engine::atm::event::What;
use cellrate_engine::atm::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::atm::{Reference, Report, Simulation};
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::net::ChannelId;
use cellrate_engine::net::EventKinds;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use cellrate_engine::traffic::poisson::PoissonConfig;

fn run(plan: Plan, from: Ps, to: Ps) -> Report {
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    simulation.measure(from, to, to)
}

fn every_40_us(
    name: &str,
    class: cellrate_engine::atm::cell::ServiceClass,
    start: u64,
    path: Vec<usize>,
) -> FlowPlan {
    let source = SourceConfig::Cbr(CbrConfig {
        rate: cell_time_us(40),
    });
    FlowPlan {
        start: Ps::from_us(start),
        ..flow(name, class, source, path)
    }
}

#[test]
fn the_jitter_of_a_class_is_that_of_all_its_cells() {
    let mut graph = Graph::default();
    let (switch, sink) = (graph.switch("s", plain_switch()), graph.host("sink"));
    let out = graph.duplex(switch, sink, cell_time_us(10), Ps::from_us(5));
    // Cells of 10 us never meet; alone, each takes two cell times, 5 us and the delay of its
    // access.
    let accesses = [(Cbr, 5, 0), (Cbr, 12, 3), (Ubr, 25, 0)];
    let flows = accesses
        .iter()
        .enumerate()
        .map(|(number, (class, delay, start))| {
            let host = graph.host(&format!("h{number}"));
            let access = graph.duplex(host, switch, cell_time_us(10), Ps::from_us(*delay));
            every_40_us(&format!("f{number}"), *class, *start, vec![access, out])
        });
    let flows = flows.collect();
    let mut plan = graph.plan(flows);
    plan.measure.cell_delay = true;
    // A whole number of periods: equally many cells of each flow arrive.
    let report = run(plan, Ps::from_us(400), Ps::from_us(8_400));
    let us = |seconds: Option<f64>| seconds.unwrap() * 1e6;
    for (flow, expected) in report.flows.iter().zip([30.0, 37.0, 50.0]) {
        let delays = &flow.delays;
        assert!(
            (us(delays.cell_delay_mean_seconds) - expected).abs() < 1e-9,
            "{}: {delays:?}",
            flow.name
        );
        assert!(us(delays.cell_delay_std_seconds) < 1e-9);
        assert_eq!(
            flow.efficiency, None,
            "cells without TCP are no bytes that could arrive"
        );
    }
    let [cbr, ubr] = &report.classes[..] else {
        panic!("two classes")
    };
    assert_eq!(
        (
            cbr.service,
            cbr.flows,
            cbr.cells_delivered,
            ubr.cells_delivered
        ),
        (Cbr, 2, 400, 200)
    );
    let found = [
        cbr.delays.cell_delay_mean_seconds,
        cbr.delays.cell_delay_std_seconds,
    ]
    .map(us);
    assert!(
        (found[0] - 33.5).abs() < 1e-9 && (found[1] - 3.5).abs() < 1e-9,
        "{found:?}"
    );
    let found = [
        cbr.delays.cell_delay_min_seconds,
        cbr.delays.cell_delay_max_seconds,
    ]
    .map(us);
    assert!(
        (found[0] - 30.0).abs() < 1e-9 && (found[1] - 37.0).abs() < 1e-9,
        "{found:?}"
    );
    let found = [
        cbr.delays.cell_delay_p50_seconds,
        cbr.delays.cell_delay_p999_seconds,
    ]
    .map(us);
    assert!(
        (found[0] / 30.0 - 1.0).abs() < 1.0 / 32.0 && (found[1] / 37.0 - 1.0).abs() < 1.0 / 32.0,
        "{found:?}"
    );
    assert!(us(ubr.delays.cell_delay_std_seconds) < 1e-9);
}

#[test]
fn only_where_cells_may_wait_there_is_a_source_queue() {
    let mut dumbbell = Dumbbell::new(2, cell_time_us(10), Ps::from_us(5), &plain_switch());
    let tcp = dumbbell.paths.remove(0);
    let tcp = FlowPlan {
        backward: back(&tcp),
        ..flow("tcp", Ubr, SourceConfig::Greedy(GreedyConfig {}), tcp)
    };
    let flows = vec![tcp, every_40_us("cbr", Cbr, 0, dumbbell.paths.remove(0))];
    let mut run: Simulation = Simulation::new(dumbbell.graph.plan(flows)).unwrap();
    run.run_until(Ps::from_ms(1));
    assert_eq!(
        (run.source_queue(0).is_some(), run.source_queue(1)),
        (true, None)
    );
}

/// Bursts of 8 and of 3 cells, each at twice the rate of the outgoing line: cell `n` arrives at 10
/// `n` us, when the line has served the cells of 10 (`n` - 1) us. The longest queue is that at the
/// last cell.
#[test]
fn the_longest_queue_of_the_start_up_is_kept_apart() {
    let bursts = |from: Ps, engine: fn(Plan, Ps, Ps) -> Report| {
        let mut graph = Graph::default();
        let (switch, sink) = (graph.switch("s", plain_switch()), graph.host("sink"));
        let out = graph.duplex(switch, sink, cell_time_us(20), Ps::from_us(5));
        // An ON time of 8 cells, and after 2 ms one of 3.
        let flows = [(80, 0), (30, 2_000)].map(|(on, start)| {
            let host = graph.host(&format!("h{start}"));
            let access = graph.duplex(host, switch, cell_time_us(10), Ps::from_us(5));
            let config = format!(
                r#"{{"kind": "on-off", "peak": "42.4 Mbit/s", "period": "1 s", "duty_cycle": {}}}"#,
                f64::from(on) / 1e6
            );
            let source = serde_json::from_str(&config).unwrap();
            FlowPlan {
                start: Ps::from_us(start),
                ..flow(&format!("f{start}"), Cbr, source, vec![access, out])
            }
        });
        let report = engine(graph.plan(flows.into()), from, Ps::from_ms(4));
        let queue = &report.ports[0].queues[0];
        (queue.queue_max_before_window_cells, queue.queue_max_cells)
    };
    let plain = |plan: Plan, from: Ps, to: Ps| Reference::new(plan).unwrap().measure(from, to, to);
    for engine in [run, plain] {
        // The eighth cell comes 70 us after the first, when three have left; the third of three
        // when one has.
        assert_eq!(bursts(Ps::ZERO, engine), (None, 5));
        assert_eq!(bursts(Ps::from_ms(1), engine), (Some(5), 2));
        assert_eq!(bursts(Ps::from_ms(3), engine), (Some(5), 0));
    }
}

/// Cells of 10 us leave the switch from 15 us on, one every 40 us.
#[test]
fn of_a_cell_at_an_end_of_the_window_the_part_within_it_counts() {
    let used = |from: u64, to: u64, engine: fn(Plan, Ps, Ps) -> Report| {
        let mut graph = Graph::default();
        let (switch, sink) = (graph.switch("s", plain_switch()), graph.host("sink"));
        let out = graph.duplex(switch, sink, cell_time_us(10), Ps::from_us(5));
        let host = graph.host("h");
        let access = graph.duplex(host, switch, cell_time_us(10), Ps::from_us(5));
        let flows = vec![every_40_us("cbr", Cbr, 0, vec![access, out])];
        let report = engine(graph.plan(flows), Ps::from_us(from), Ps::from_us(to));
        report.ports[0].utilisation
    };
    let plain = |plan: Plan, from: Ps, to: Ps| Reference::new(plan).unwrap().measure(from, to, to);
    for engine in [run, plain] {
        // 7 us of the first cell, and 7 us of the second.
        assert_eq!(used(18, 62, engine), 14.0 / 44.0);
        assert_eq!(used(15, 55, engine), 10.0 / 40.0);
        assert_eq!(used(25, 55, engine), 0.0);
        assert_eq!(used(58, 60, engine), 1.0);
        assert_eq!(used(0, 100, engine), 25.0 / 100.0);
    }
}

/// A persistent ABR source at `icr` with PCR = 4000 and RIF = 1/8, through a switch whose other
/// line serves `served` cells/s.
fn persistent_abr(icr: u64, served: u64) -> Plan {
    let mut graph = Graph::default();
    let control = serde_json::from_str(r#"{"scheme": "efci", "threshold": "10 cells"}"#).unwrap();
    let switch = graph.switch(
        "s",
        SwitchPlan {
            control,
            ..plain_switch()
        },
    );
    let (from, to) = (graph.host("a"), graph.host("b"));
    let access = graph.duplex(from, switch, cell_time_us(10), Ps::from_us(5));
    let out = graph.duplex(switch, to, Rate(served * 424_000), Ps::from_us(5));
    let source = serde_json::from_str(r#"{"kind": "persistent"}"#).unwrap();
    let mut abr = flow("abr", Abr, source, vec![access, out]);
    abr.backward = back(&abr.forward);
    (abr.abr.icr, abr.abr.pcr) = (Some(Rate(icr * 424_000)), Some(Rate(4_000 * 424_000)));
    (abr.abr.rdf, abr.abr.rif) = (0.5, 0.125);
    graph.plan(vec![abr])
}

fn acr_range(report: &Report) -> (f64, f64) {
    let vc = &report.vcs[0];
    (
        vc.acr_min_cells_per_second.unwrap(),
        vc.acr_max_cells_per_second.unwrap(),
    )
}

/// The line is never full: each backward RM cell adds 500 cells/s, up to PCR.
#[test]
fn the_range_of_acr_begins_with_the_value_at_the_beginning_of_the_window() {
    let range = |from: Ps, to: Ps| acr_range(&run(persistent_abr(1_000, 100_000), from, to));
    // A cell per millisecond: the first, an RM cell, is back within one; the second RM cell is the
    // 33rd cell.
    let ms = Ps::from_ms;
    assert_eq!(range(Ps::ZERO, Ps::from_us(20)), (1_000.0, 1_000.0));
    assert_eq!(range(Ps::ZERO, ms(10)), (1_000.0, 1_500.0));
    assert_eq!(range(ms(10), ms(20)), (1_500.0, 1_500.0));
    assert_eq!(range(ms(10), ms(1_000)), (1_500.0, 4_000.0));
    assert_eq!(range(ms(900), ms(1_000)), (4_000.0, 4_000.0));
}

/// ACR is constant for longer than 50 us at a time, so readings every 50 us see all its values.
#[test]
fn the_range_of_acr_is_that_of_its_trace() {
    let (from, end) = (Ps::from_ms(300), Ps::from_ms(900));
    let mut simulation: Simulation = Simulation::new(persistent_abr(3_000, 1_000)).unwrap();
    simulation.run_until(from);
    simulation.begin_window();
    let mut seen = Vec::new();
    for at in (from.0..=end.0).step_by(50_000_000) {
        simulation.run_until(Ps(at));
        seen.push(simulation.acr(0).unwrap());
    }
    simulation.end_window();
    let (least, greatest) = acr_range(&simulation.report());
    assert_eq!(least, seen.iter().copied().fold(f64::INFINITY, f64::min));
    assert_eq!(greatest, seen.iter().copied().fold(0.0, f64::max));
    assert!(
        least < 1_000.0 && greatest > 1_000.0,
        "it swings about what the line serves: {least} to {greatest}"
    );
}

#[test]
fn without_stamps_there_are_no_delays() {
    let mut dumbbell = Dumbbell::new(1, cell_time_us(10), Ps::from_us(5), &plain_switch());
    let flows = vec![every_40_us("f", Cbr, 0, dumbbell.paths.remove(0))];
    let report = run(dumbbell.graph.plan(flows), Ps::ZERO, Ps::from_ms(1));
    assert_eq!(report.classes[0].delays, Default::default());
}

#[test]
fn the_last_cell_of_a_pdu_is_measured_too() {
    let mut plan = stop_and_wait();
    plan.measure.cell_delay = true;
    let delays = &run(plan, Ps::ZERO, Ps::from_ms(10)).flows[0].delays;
    // The first cell: 10 + 5 + 20 + 5. The second is sent 10 us later and waits that long for the
    // first.
    let us = |seconds: Option<f64>| seconds.unwrap() * 1e6;
    assert!(
        (us(delays.cell_delay_min_seconds) - 40.0).abs() < 1e-9,
        "{delays:?}"
    );
    assert!(
        (us(delays.cell_delay_max_seconds) - 50.0).abs() < 1e-9,
        "{delays:?}"
    );
}

#[test]
fn a_pdu_hit_at_two_switches_is_one_lost_packet() {
    let rate = Rate::from_bps(10_000_000);
    let settings = SwitchPlan {
        buffer: Buffer(30),
        ..plain_switch()
    };
    let mut graph = Graph::default();
    let switches = ["s", "t", "u"].map(|name| graph.switch(name, settings.clone()));
    let row = [0, 1].map(|i| graph.duplex(switches[i], switches[i + 1], rate, Ps::from_us(20)));
    let flows = (0..4usize).map(|number| {
        // TCP over both links, and as many random cells beside it on each.
        let enters = [0, 0, 0, 1][number % 4];
        let (from, to) = (
            graph.host(&format!("a{number}")),
            graph.host(&format!("b{number}")),
        );
        let mut path = vec![graph.duplex(from, switches[enters], rate, Ps::from_us(20))];
        path.extend(&row[enters..]);
        path.push(graph.duplex(switches[2], to, rate, Ps::from_us(20)));
        if number > 1 {
            let cells = SourceConfig::Poisson(PoissonConfig {
                rate: Rate::from_bps(4_000_000),
            });
            return flow(&format!("cells{number}"), Ubr, cells, path);
        }
        let greedy = SourceConfig::Greedy(GreedyConfig {});
        let mut flow = FlowPlan {
            backward: back(&path),
            ..flow(&format!("f{number}"), Ubr, greedy, path)
        };
        (flow.tcp.mss, flow.tcp.window, flow.tcp.granularity) =
            (Bytes(2_048), Bytes(32_768), Ps::from_ms(1));
        (flow.tcp.min_rto, flow.tcp.initial_rto, flow.tcp.max_rto) =
            (Ps::from_ms(2), Ps::from_ms(20), Ps::from_ms(20));
        flow
    });
    let flows = flows.collect();
    let mut plan = graph.plan(flows);
    plan.measure.events = EventKinds {
        loss: true,
        ..EventKinds::default()
    };
    plan.measure.event_limit = 1_000_000;
    let end = Ps::from_s(1);
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    let report = simulation.measure(Ps::ZERO, end, end);
    let (events, omitted) = simulation.events(1_000_000);
    assert_eq!(omitted, 0);
    // Every PDU has 44 cells (2048 + 56 bytes), and no channel sends more cells than there are
    // numbers.
    let mut hit: BTreeMap<ChannelId, BTreeSet<u32>> = BTreeMap::new();
    let mut at_each_switch = BTreeSet::new();
    for event in events.into_iter().filter(|event| event.channel.flow() < 2) {
        let What::Loss {
            number, rm: false, ..
        } = event.what
        else {
            panic!("{event:?}")
        };
        hit.entry(event.channel).or_default().insert(number / 44);
        at_each_switch.insert((event.channel, number / 44, event.link));
    }
    assert!(
        hit.keys().all(|channel| channel.is_forward()),
        "acknowledgements are not lost"
    );
    let twice = at_each_switch.len() - hit.values().map(BTreeSet::len).sum::<usize>();
    assert!(twice > 20, "only {twice} PDUs were hit twice");
    for (index, flow) in report.flows.iter().enumerate().take(2) {
        assert_eq!(
            flow.packets_lost,
            hit[&ChannelId::forward(index)].len() as u64,
            "{}",
            flow.name
        );
    }
}

/// A greedy TCP connection beside CBR of 4 Mbit/s over a bottleneck of 10 Mbit/s.
fn beside_cbr(class: cellrate_engine::atm::cell::ServiceClass) -> Report {
    let rate = Rate::from_bps(10_000_000);
    let settings = SwitchPlan {
        priority: vec![vec![Cbr], vec![Abr, Ubr]],
        ..plain_switch()
    };
    let dumbbell = Dumbbell::new(2, rate, Ps::from_us(100), &settings);
    let cbr = SourceConfig::Cbr(CbrConfig {
        rate: Rate::from_bps(4_000_000),
    });
    let path = dumbbell.paths[0].clone();
    let mut tcp = FlowPlan {
        backward: back(&path),
        ..flow("tcp", class, SourceConfig::Greedy(GreedyConfig {}), path)
    };
    (tcp.tcp.mss, tcp.tcp.window) = (Bytes(512), Bytes(64_000));
    let flows = vec![tcp, flow("cbr", Cbr, cbr, dumbbell.paths[1].clone())];
    run(
        dumbbell.graph.plan(flows),
        Ps::from_ms(500),
        Ps::from_ms(1_500),
    )
}

#[test]
fn capacity_efficiency_is_that_of_the_capacity_that_the_others_leave() {
    let report = beside_cbr(Ubr);
    let port = |name: &str| report.ports.iter().find(|port| port.name == name).unwrap();
    // 512 bytes in 12 cells, of the 6 Mbit/s that are left: 4,830,189 bit/s.
    let most = 6e6 * 512.0 / (12.0 * 53.0);
    let expected = report.flows[0].tcp_throughput_bits_per_second / most;
    let found = port("A->B").capacity_efficiency.unwrap();
    // In one second the number of cells from the CBR source may differ by one from 9,434.
    assert!(
        (found / expected - 1.0).abs() < 2e-4 && (0.99..1.001).contains(&found),
        "{found} {expected}"
    );
    assert_eq!(
        port("B->A").capacity_efficiency,
        None,
        "acknowledgements only"
    );
    // RM cells are one cell of 32: the same throughput is a larger share of the capacity for data.
    let report = beside_cbr(Abr);
    let found = report
        .ports
        .iter()
        .find(|port| port.name == "A->B")
        .unwrap()
        .capacity_efficiency
        .unwrap();
    let expected = report.flows[0].tcp_throughput_bits_per_second / most * 32.0 / 31.0;
    assert!((found / expected - 1.0).abs() < 2e-4, "{found} {expected}");
}

#[test]
fn what_came_twice_has_arrived_but_counts_once() {
    let once = &beside_cbr(Ubr).flows[0];
    assert_eq!(once.balance.unwrap().duplicate_bytes, 0);
    assert_eq!(
        once.arrived_throughput_bits_per_second,
        once.tcp_throughput_bits_per_second
    );
    // A far too short timeout causes retransmissions of segments that were never lost.
    let rate = Rate::from_bps(10_000_000);
    let dumbbell = Dumbbell::new(1, rate, Ps::from_ms(20), &plain_switch());
    let path = dumbbell.paths[0].clone();
    let mut tcp = FlowPlan {
        backward: back(&path),
        ..flow("tcp", Ubr, SourceConfig::Greedy(GreedyConfig {}), path)
    };
    (tcp.tcp.mss, tcp.tcp.window, tcp.tcp.granularity) = (Bytes(512), Bytes(8_000), Ps::from_ms(1));
    (tcp.tcp.min_rto, tcp.tcp.initial_rto, tcp.tcp.max_rto) =
        (Ps::from_ms(2), Ps::from_ms(2), Ps::from_ms(4));
    let twice = &run(dumbbell.graph.plan(vec![tcp]), Ps::ZERO, Ps::from_s(1)).flows[0];
    let balance = twice.balance.unwrap();
    let arrived =
        balance.delivered_bytes + balance.duplicate_bytes + balance.held_out_of_order_bytes;
    assert!(balance.duplicate_bytes > 10_000, "{balance:?}");
    assert_eq!(
        twice.arrived_throughput_bits_per_second,
        arrived as f64 * 8.0
    );
    assert_eq!(
        twice.efficiency.unwrap(),
        balance.delivered_bytes as f64
            / (balance.delivered_bytes + balance.retransmitted_bytes) as f64
    );
}

#[test]
#[should_panic(expected = "a report needs a measuring window that has begun and ended")]
fn a_report_before_the_window_has_ended_says_so() {
    let mut simulation: Simulation = Simulation::new(stop_and_wait()).unwrap();
    simulation.begin_window();
    simulation.run_until(Ps::from_ms(1));
    simulation.report();
}
