//! Measures against numbers worked by hand.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::plans::{Dumbbell, Graph, back, cell_time_us, flow, plain_switch, stop_and_wait};
use cellrate_engine::atm::cell::ServiceClass::{Abr, Cbr, Ubr};
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::log::What;
use cellrate_engine::network::plan::{EventKinds, FlowPlan, Plan, SwitchPlan};
use cellrate_engine::network::{Report, Simulation};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use cellrate_engine::traffic::poisson::PoissonConfig;

fn run(plan: Plan, from: Ps, to: Ps) -> Report {
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    simulation.measure(from, to, to)
}

fn every_40_us(name: &str, class: cellrate_engine::atm::cell::ServiceClass, start: u64, path: Vec<usize>) -> FlowPlan {
    let source = SourceConfig::Cbr(CbrConfig { rate: cell_time_us(40) });
    FlowPlan { start: Ps::from_us(start), ..flow(name, class, source, path) }
}

#[test]
fn the_jitter_of_a_class_is_that_of_all_its_cells() {
    let mut graph = Graph::default();
    let (switch, sink) = (graph.switch("s", plain_switch()), graph.host("sink"));
    let out = graph.duplex(switch, sink, cell_time_us(10), Ps::from_us(5));
    // Cells of 10 us never meet; alone, each takes two cell times, 5 us and the delay of its access.
    let accesses = [(Cbr, 5, 0), (Cbr, 12, 3), (Ubr, 25, 0)];
    let flows = accesses.iter().enumerate().map(|(number, (class, delay, start))| {
        let host = graph.host(&format!("h{number}"));
        let access = graph.duplex(host, switch, cell_time_us(10), Ps::from_us(*delay));
        every_40_us(&format!("f{number}"), *class, *start, vec![access, out])
    });
    let flows = flows.collect();
    let mut plan = graph.plan(flows);
    plan.measure.cell_delay = true;
    // A whole number of periods: as many cells of one flow arrive as of another.
    let report = run(plan, Ps::from_us(400), Ps::from_us(8_400));
    let us = |seconds: Option<f64>| seconds.unwrap() * 1e6;
    for (flow, expected) in report.flows.iter().zip([30.0, 37.0, 50.0]) {
        let delays = &flow.delays;
        assert!((us(delays.cell_delay_mean_seconds) - expected).abs() < 1e-9, "{}: {delays:?}", flow.name);
        assert!(us(delays.cell_delay_std_seconds) < 1e-9);
        assert_eq!(flow.efficiency, None, "cells without TCP are no bytes that could arrive");
    }
    let [cbr, ubr] = &report.classes[..] else { panic!("two classes") };
    assert_eq!((cbr.service, cbr.flows, cbr.cells_delivered, ubr.cells_delivered), (Cbr, 2, 400, 200));
    let found = [cbr.delays.cell_delay_mean_seconds, cbr.delays.cell_delay_std_seconds].map(us);
    assert!((found[0] - 33.5).abs() < 1e-9 && (found[1] - 3.5).abs() < 1e-9, "{found:?}");
    let found = [cbr.delays.cell_delay_min_seconds, cbr.delays.cell_delay_max_seconds].map(us);
    assert!((found[0] - 30.0).abs() < 1e-9 && (found[1] - 37.0).abs() < 1e-9, "{found:?}");
    let found = [cbr.delays.cell_delay_p50_seconds, cbr.delays.cell_delay_p999_seconds].map(us);
    assert!((found[0] / 30.0 - 1.0).abs() < 1.0 / 32.0 && (found[1] / 37.0 - 1.0).abs() < 1.0 / 32.0, "{found:?}");
    assert!(us(ubr.delays.cell_delay_std_seconds) < 1e-9);
}

#[test]
fn only_where_cells_may_wait_there_is_a_source_queue() {
    let mut dumbbell = Dumbbell::new(2, cell_time_us(10), Ps::from_us(5), &plain_switch());
    let tcp = dumbbell.paths.remove(0);
    let tcp = FlowPlan { backward: back(&tcp), ..flow("tcp", Ubr, SourceConfig::Greedy(GreedyConfig {}), tcp) };
    let flows = vec![tcp, every_40_us("cbr", Cbr, 0, dumbbell.paths.remove(0))];
    let mut run: Simulation = Simulation::new(dumbbell.graph.plan(flows)).unwrap();
    run.run_until(Ps::from_ms(1));
    assert_eq!((run.source_queue(0).is_some(), run.source_queue(1)), (true, None));
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
    // The first cell: 10 + 5 + 20 + 5. The second is sent 10 us later and waits as long for the first.
    let us = |seconds: Option<f64>| seconds.unwrap() * 1e6;
    assert!((us(delays.cell_delay_min_seconds) - 40.0).abs() < 1e-9, "{delays:?}");
    assert!((us(delays.cell_delay_max_seconds) - 50.0).abs() < 1e-9, "{delays:?}");
}

#[test]
fn a_pdu_hit_at_two_switches_is_one_lost_packet() {
    let rate = Rate::from_bps(10_000_000);
    let settings = SwitchPlan { buffer: Buffer(30), ..plain_switch() };
    let mut graph = Graph::default();
    let switches = ["s", "t", "u"].map(|name| graph.switch(name, settings.clone()));
    let row = [0, 1].map(|i| graph.duplex(switches[i], switches[i + 1], rate, Ps::from_us(20)));
    let flows = (0..4usize).map(|number| {
        // TCP over both links, and as many random cells beside it on each.
        let enters = [0, 0, 0, 1][number % 4];
        let (from, to) = (graph.host(&format!("a{number}")), graph.host(&format!("b{number}")));
        let mut path = vec![graph.duplex(from, switches[enters], rate, Ps::from_us(20))];
        path.extend(&row[enters..]);
        path.push(graph.duplex(switches[2], to, rate, Ps::from_us(20)));
        if number > 1 {
            let cells = SourceConfig::Poisson(PoissonConfig { rate: Rate::from_bps(4_000_000) });
            return flow(&format!("cells{number}"), Ubr, cells, path);
        }
        let greedy = SourceConfig::Greedy(GreedyConfig {});
        let mut flow = FlowPlan { backward: back(&path), ..flow(&format!("f{number}"), Ubr, greedy, path) };
        (flow.tcp.mss, flow.tcp.window, flow.tcp.granularity) = (Bytes(2_048), Bytes(32_768), Ps::from_ms(1));
        (flow.tcp.min_rto, flow.tcp.initial_rto, flow.tcp.max_rto) = (Ps::from_ms(2), Ps::from_ms(20), Ps::from_ms(20));
        flow
    });
    let flows = flows.collect();
    let mut plan = graph.plan(flows);
    plan.measure.events = EventKinds { loss: true, ..EventKinds::default() };
    plan.measure.event_limit = 1_000_000;
    let end = Ps::from_s(1);
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    let report = simulation.measure(Ps::ZERO, end, end);
    let (events, omitted) = simulation.events(1_000_000);
    assert_eq!(omitted, 0);
    // Every PDU has 44 cells (2048 + 56 bytes), and no channel sends as many as numbers go.
    let mut hit: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut at_each_switch = BTreeSet::new();
    for event in events.into_iter().filter(|event| event.channel < 4) {
        let What::Loss { number, rm: false, .. } = event.what else { panic!("{event:?}") };
        hit.entry(event.channel).or_default().insert(number / 44);
        at_each_switch.insert((event.channel, number / 44, event.link));
    }
    assert!(hit.keys().all(|channel| channel.is_multiple_of(2)), "acknowledgements are not lost");
    let twice = at_each_switch.len() - hit.values().map(BTreeSet::len).sum::<usize>();
    assert!(twice > 20, "only {twice} PDUs were hit twice");
    for (index, flow) in report.flows.iter().enumerate().take(2) {
        assert_eq!(flow.packets_lost, hit[&(2 * index as u32)].len() as u64, "{}", flow.name);
    }
}

/// A greedy TCP connection beside 4 of the 10 Mbit/s of a bottleneck.
fn beside_cbr(class: cellrate_engine::atm::cell::ServiceClass) -> Report {
    let rate = Rate::from_bps(10_000_000);
    let settings = SwitchPlan { priority: vec![vec![Cbr], vec![Abr, Ubr]], ..plain_switch() };
    let dumbbell = Dumbbell::new(2, rate, Ps::from_us(100), &settings);
    let cbr = SourceConfig::Cbr(CbrConfig { rate: Rate::from_bps(4_000_000) });
    let path = dumbbell.paths[0].clone();
    let mut tcp = FlowPlan { backward: back(&path), ..flow("tcp", class, SourceConfig::Greedy(GreedyConfig {}), path) };
    (tcp.tcp.mss, tcp.tcp.window) = (Bytes(512), Bytes(64_000));
    let flows = vec![tcp, flow("cbr", Cbr, cbr, dumbbell.paths[1].clone())];
    run(dumbbell.graph.plan(flows), Ps::from_ms(500), Ps::from_ms(1_500))
}

#[test]
fn capacity_efficiency_is_that_of_the_capacity_that_the_others_leave() {
    let report = beside_cbr(Ubr);
    let port = |name: &str| report.ports.iter().find(|port| port.name == name).unwrap();
    // 512 bytes in 12 cells, of the 6 Mbit/s that are left: 4,830,189 bit/s.
    let most = 6e6 * 512.0 / (12.0 * 53.0);
    let expected = report.flows[0].tcp_throughput_bits_per_second / most;
    let found = port("A->B").capacity_efficiency.unwrap();
    // In one second a cell more or less of the 9,434 of the CBR source may arrive.
    assert!((found / expected - 1.0).abs() < 2e-4 && (0.99..1.001).contains(&found), "{found} {expected}");
    assert_eq!(port("B->A").capacity_efficiency, None, "acknowledgements only");
    // RM cells take one cell of 32: the same throughput is more of what there is for it.
    let report = beside_cbr(Abr);
    let found = report.ports.iter().find(|port| port.name == "A->B").unwrap().capacity_efficiency.unwrap();
    let expected = report.flows[0].tcp_throughput_bits_per_second / most * 32.0 / 31.0;
    assert!((found / expected - 1.0).abs() < 2e-4, "{found} {expected}");
}

#[test]
fn what_came_twice_has_arrived_but_counts_once() {
    let once = &beside_cbr(Ubr).flows[0];
    assert_eq!(once.balance.unwrap().duplicate_bytes, 0);
    assert_eq!(once.arrived_throughput_bits_per_second, once.tcp_throughput_bits_per_second);
    // A clock far too fast sends again what was never lost.
    let rate = Rate::from_bps(10_000_000);
    let dumbbell = Dumbbell::new(1, rate, Ps::from_ms(20), &plain_switch());
    let path = dumbbell.paths[0].clone();
    let mut tcp = FlowPlan { backward: back(&path), ..flow("tcp", Ubr, SourceConfig::Greedy(GreedyConfig {}), path) };
    (tcp.tcp.mss, tcp.tcp.window, tcp.tcp.granularity) = (Bytes(512), Bytes(8_000), Ps::from_ms(1));
    (tcp.tcp.min_rto, tcp.tcp.initial_rto, tcp.tcp.max_rto) = (Ps::from_ms(2), Ps::from_ms(2), Ps::from_ms(4));
    let twice = &run(dumbbell.graph.plan(vec![tcp]), Ps::ZERO, Ps::from_s(1)).flows[0];
    let balance = twice.balance.unwrap();
    let arrived = balance.delivered_bytes + balance.duplicate_bytes + balance.held_out_of_order_bytes;
    assert!(balance.duplicate_bytes > 10_000, "{balance:?}");
    assert_eq!(twice.arrived_throughput_bits_per_second, arrived as f64 * 8.0);
    assert_eq!(twice.efficiency.unwrap(), balance.delivered_bytes as f64 / balance.sent() as f64);
}
