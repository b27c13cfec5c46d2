//! Measures against numbers worked by hand.

mod support;

use cellrate_engine::atm::cell::ServiceClass::{Abr, Cbr, Ubr};
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::network::{Report, Simulation};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use support::plans::{Dumbbell, Graph, back, cell_time_us, flow, plain_switch};

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
fn without_stamps_there_are_no_delays() {
    let mut dumbbell = Dumbbell::new(1, cell_time_us(10), Ps::from_us(5), &plain_switch());
    let flows = vec![every_40_us("f", Cbr, 0, dumbbell.paths.remove(0))];
    let report = run(dumbbell.graph.plan(flows), Ps::ZERO, Ps::from_ms(1));
    assert_eq!(report.classes[0].delays, Default::default());
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
