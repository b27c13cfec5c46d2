//! Credit control: no cell is lost, the rate that a buffer allows, repair after losses on links,
//! adaptive allocation.

use crate::support::plans::{Graph, cell_time_us, flow, plain_switch};
use crate::support::random_network::{Network, credited_networks};
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan::Plan;
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::ether;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::net::{ChannelId, LinkPlan};
use cellrate_engine::traffic::SourceConfig;
use proptest::prelude::*;
use serde_json::{Value, json};

fn source(value: Value) -> SourceConfig {
    serde_json::from_value(value).unwrap()
}

fn fcvc(value: Value) -> FcvcConfig {
    serde_json::from_value(value).unwrap()
}

const CELL: u64 = 10;
/// Propagation of every link: three cell times.
const DELAY: Ps = Ps::from_us(3 * CELL);

/// `sources` persistent sources, each with a link of its own to a switch, and one link to the
/// destination.
fn fan(sources: usize, config: FcvcConfig) -> Plan {
    let mut graph = Graph::default();
    let switch = graph.switch("A", plain_switch());
    let sink = graph.host("sink");
    let exit = graph.duplex(switch, sink, cell_time_us(CELL), DELAY);
    let mut flows = Vec::new();
    for number in 0..sources {
        let host = graph.host(&format!("src.{number}"));
        let access = graph.duplex(host, switch, cell_time_us(CELL), DELAY);
        let source = source(json!({"kind": "persistent"}));
        flows.push(flow(
            &format!("f{number}"),
            ServiceClass::Ubr,
            source,
            vec![access, exit],
        ));
    }
    let mut plan = graph.plan(flows);
    plan.nodes[switch].kind = cellrate_engine::atm::plan::NodeKind::Switch(by_class());
    plan.fcvc = Some(config);
    plan
}

/// A switch with a queue for the classes without credit, and another for those with credit.
fn by_class() -> cellrate_engine::atm::plan::SwitchPlan {
    use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
    cellrate_engine::atm::plan::SwitchPlan {
        priority: vec![vec![Cbr, Vbr, Abr], vec![Ubr, Random]],
        ..plain_switch()
    }
}

/// A run of `cells` cell times, measured over its second half.
fn measure(plan: Plan, cells: u64) -> Report {
    let mut run: Simulation = Simulation::new(plan).unwrap();
    let end = Ps::from_us(cells * CELL);
    run.measure(Ps(end.0 / 2), end, end)
}

fn delivered(report: &Report) -> Vec<u64> {
    report.vcs.iter().map(|vc| vc.cells_delivered).collect()
}

/// The rate that a buffer of N3 allows. Credit number k allows cells up to k N2 + N2 + N3. With N3
/// = m N2 + r, cell (k + 1) N2 is the (N2 - r)-th that credit k - m allows, and credit k + 1
/// follows a round trip after it: m + 1 credits of N2 cells in N2 - r + RTT. The round trip has
/// twice the propagation, the forwarding of the cell and the credit cell: 2 d + 2 cell times.
#[test]
fn the_rate_is_what_the_buffer_allows() {
    let buffers = [
        (10, 1),
        (10, 5),
        (4, 2),
        (2, 5),
        (1, 1),
        (1, 3),
        (3, 3),
        (10, 8),
        (1, 8),
        (7, 20),
        (16, 64),
    ];
    for delay in [0, 1, 3, 17, 100] {
        for (n2, n3) in buffers {
            let mut plan = fan(
                1,
                fcvc(json!({"n2": format!("{n2} cells"), "n3": format!("{n3} cells")})),
            );
            // The source is limited by the memory of the first switch, to which it has a link of
            // its own.
            plan.links
                .iter_mut()
                .for_each(|link| link.delay = Ps::from_us(delay * CELL));
            let (m, r, rtt) = (n3 / n2, n3 % n2, 2 * delay + 2);
            let (cells, time) = ((m + 1) * n2, n2 - r + rtt);
            let expected = 4_000 * cells.min(time) / time;
            let found = delivered(&measure(plan, 8_000))[0];
            assert!(
                found.abs_diff(expected) <= cells,
                "N2 {n2}, N3 {n3}, {delay}: {found} cells, not {expected}"
            );
            // The bound of Kung, Blackwell and Chapman 1994: (N2 + N3) / (RTT + N2).
            assert!(found * (rtt + n2) <= 4_000 * (n2 + n3) + cells * (rtt + n2));
        }
    }
}

/// Frames of 1,000 octets on the line, each in a cell time, from a host over a switch to another host.
fn frames((n2, n3): (u64, u64), delay: u64) -> ether::Plan {
    let node = |(name, switch): (&str, bool)| ether::NodePlan {
        name: name.into(),
        switch: switch.then(|| ether::SwitchPlan::new(u64::MAX)),
    };
    let link = |(from, to): (usize, usize)| LinkPlan {
        name: format!("{from}->{to}"),
        from,
        to,
        rate: Rate::from_bps(1_000 * 8 * 1_000_000 / CELL),
        delay: Ps::from_us(delay * CELL),
        errors: None,
    };
    // 28 of UDP and IP, 18 of Ethernet, 20 of preamble and gap.
    let flow = ether::FlowPlan {
        datagram: 1_000 - 28 - 18 - 20,
        ..ether::FlowPlan::new(
            "f",
            source(json!({"kind": "persistent"})),
            vec![0, 1],
            vec![],
        )
    };
    ether::Plan {
        pfc: None,
        cbfc: None,
        llr: None,
        changes: Vec::new(),
        port_controls: Vec::new(),
        seed: 1,
        framing: Default::default(),
        nodes: [("source", false), ("A", true), ("sink", false)]
            .map(node)
            .into(),
        links: [(0, 1), (1, 2), (2, 1), (1, 0)].map(link).into(),
        flows: vec![flow],
        fcvc: Some(fcvc(
            json!({"n2": format!("{} cells", 1_000 * n2), "n3": format!("{} cells", 1_000 * n3)}),
        )),
    }
}

/// [`the_rate_is_what_the_buffer_allows`] for cells and for frames: (m + 1) N2 in N2 - r + RTT with N3 = m N2 + r,
/// or the whole link, and never above (N2 + N3) / (RTT + N2). For frames RTT has one frame and, for the credit,
/// 72 octets less the gap of 12, where cells have two cell times.
#[test]
fn cells_and_frames_have_one_closed_form() {
    for delay in [0, 3, 17, 100] {
        for (n2, n3) in [
            (10, 1),
            (10, 5),
            (4, 2),
            (1, 1),
            (1, 3),
            (10, 8),
            (7, 20),
            (16, 64),
        ] {
            let mut plan = fan(
                1,
                fcvc(json!({"n2": format!("{n2} cells"), "n3": format!("{n3} cells")})),
            );
            for link in &mut plan.links {
                link.delay = Ps::from_us(delay * CELL);
            }
            let cells = delivered(&measure(plan, 8_000))[0];
            let mut run = ether::Simulation::new(frames((n2, n3), delay)).unwrap();
            let end = Ps::from_us(8_000 * CELL);
            let report = run.measure(Ps(end.0 / 2), end, end);
            let frames = report.flows[0].packets_delivered;
            assert_eq!(report.totals.packets_dropped, 0);
            for (found, rtt) in [
                (cells, 2.0 * delay as f64 + 2.0),
                (frames, 2.0 * delay as f64 + 1.06),
            ] {
                let (n2, n3) = (n2 as f64, n3 as f64);
                let (m, r) = ((n3 / n2).floor(), n3 % n2);
                let share = ((m + 1.0) * n2 / (n2 - r + rtt)).min(1.0);
                let bound = ((n2 + n3) / (rtt + n2)).min(1.0);
                let case = format!("N2 {n2}, N3 {n3}, {delay}, RTT {rtt}: {found}");
                assert!(
                    (found as f64 - 4_000.0 * share).abs() <= (m + 1.0) * n2 + 1.0,
                    "{case}"
                );
                assert!(found as f64 <= 4_000.0 * bound + n2 + n3, "{case}");
            }
        }
    }
}

/// The source sends 10 + 1 cells at the start, then 10 for each credit, which come 17 cell times apart.
#[test]
fn the_first_cells_leave_as_worked_out_by_hand() {
    let mut run: Simulation =
        Simulation::new(fan(1, fcvc(json!({"n2": "10 cells", "n3": "1 cell"})))).unwrap();
    let mut sent = |cells: u64| {
        // Cells handed over are served at once: a reading just after the start of a service counts
        // the cell.
        run.run_until(Ps::from_us(cells * CELL) + Ps(1));
        run.data_cells_sent(ChannelId::forward(0))
    };
    assert_eq!((sent(0), sent(9), sent(10), sent(17)), (1, 10, 11, 11));
    // Cell 10 has been sent at 10, arrives at 13, is forwarded by 14; its credit has been sent at
    // 15, arrives at 18.
    assert_eq!((sent(18), sent(26), sent(27), sent(34)), (12, 20, 21, 21));
    // The next follows cell 20, which has been sent at 27.
    assert_eq!((sent(35), sent(44), sent(51), sent(52)), (22, 31, 31, 32));
}

#[test]
fn by_default_one_channel_fills_its_link() {
    let report = measure(fan(1, FcvcConfig::default()), 4_000);
    assert_eq!(delivered(&report), [2_000]);
}

#[test]
fn channels_take_turns() {
    let report = measure(fan(3, FcvcConfig::default()), 12_000);
    let shares = delivered(&report);
    assert!(
        shares.iter().all(|cells| cells.abs_diff(2_000) <= 1),
        "{shares:?}"
    );
}

fn statistic(report: &Report, port: &str, name: &str) -> f64 {
    let found = report
        .ports
        .iter()
        .find(|found| found.name == port)
        .unwrap();
    found.control.statistics[name]
}

#[test]
fn credit_cells_travel_on_the_way_back_one_for_n2_cells() {
    let report = measure(fan(1, FcvcConfig::default()), 4_000);
    let credits = statistic(&report, "A->src.0", "credit_cells_sent");
    assert!((398.0..=400.0).contains(&credits), "{credits}");
    let back = report
        .ports
        .iter()
        .find(|port| port.name == "A->src.0")
        .unwrap();
    assert!(
        (back.utilisation - 0.1).abs() < 0.001,
        "{}",
        back.utilisation
    );
}

/// The credits of four channels share the cells of a slow return link, so that it does not delay
/// the channels.
#[test]
fn records_share_cells() {
    let cells = |records: u32| {
        let mut plan = fan(
            4,
            fcvc(json!({"n2": "1 cell", "records_per_cell": records})),
        );
        plan.links[1].rate = cell_time_us(2 * CELL);
        delivered(&measure(plan, 4_000)).iter().sum::<u64>()
    };
    // N3 follows from the rate of the return link as well, but one credit in two cell times is half
    // the rate.
    assert!((990..=1_010).contains(&cells(1)), "{}", cells(1));
    assert!((1_990..=2_000).contains(&cells(6)), "{}", cells(6));
}

#[test]
fn what_channels_are_promised_is_never_exceeded() {
    let report = measure(
        fan(5, fcvc(json!({"n2": "3 cells", "n3": "2 cells"}))),
        10_000,
    );
    assert_eq!(
        statistic(&report, "A->sink", "channel_queue_max_cells"),
        5.0
    );
    let exit = report
        .ports
        .iter()
        .find(|port| port.name == "A->sink")
        .unwrap();
    assert_eq!(exit.queues[0].buffer_cells, Some(25));
    assert!(
        (15..=25).contains(&exit.queues[0].queue_max_cells),
        "{}",
        exit.queues[0].queue_max_cells
    );
}

fn lossy(config: Value, errors: Value) -> Plan {
    let mut plan = fan(1, fcvc(config));
    plan.errors = serde_json::from_value::<LinkErrors>(errors).unwrap();
    plan
}

/// With N3 of N2 or more the next credit repeats the information of a lost one. With less, no event
/// would cause a further credit.
#[test]
fn absolute_counters_repair_lost_credits() {
    let errors = || json!({"lose_every": 3, "cells": "credit"});
    let roomy = measure(
        lossy(json!({"n2": "5 cells", "n3": "20 cells"}), errors()),
        20_000,
    );
    assert!(delivered(&roomy)[0] > 8_000, "{:?}", delivered(&roomy));
    let tight = |marks: Value| {
        measure(
            lossy(
                json!({"n2": "10 cells", "n3": "1 cell", "mark_interval": marks}),
                errors(),
            ),
            20_000,
        )
    };
    assert_eq!(delivered(&tight(Value::Null)), [0]);
    let repaired = delivered(&tight(json!("200 us")));
    assert!(repaired[0] > 2_000, "{repaired:?}");
}

/// Each lost data cell costs one credit for ever, unless marks restore it.
#[test]
fn marks_repair_lost_cells() {
    let run = |marks: Value| {
        let errors = json!({"lose_every": 100, "cells": "data"});
        measure(
            lossy(
                json!({"n2": "10 cells", "n3": "8 cells", "mark_interval": marks}),
                errors,
            ),
            40_000,
        )
    };
    let (without, with) = (run(Value::Null), run(json!("1 ms")));
    assert_eq!(delivered(&without), [0]);
    assert!(delivered(&with)[0] > 18_000, "{:?}", delivered(&with));
    // Of some 20,000 cells each link has lost every hundredth.
    assert!(
        (380..=420).contains(&with.vcs[0].cells_lost_on_links),
        "{}",
        with.vcs[0].cells_lost_on_links
    );
    assert_eq!(
        (with.vcs[0].cells_dropped, with.totals.cells_lost_on_links),
        (0, with.vcs[0].cells_lost_on_links)
    );
}

/// One of ten channels sends: it gets nearly half the memory of its port, the others a cell each; a
/// static allocation of the same memory gives a tenth to each, which is too little for the line.
#[test]
fn adaptive_allocation_gives_memory_to_whom_uses_it() {
    let one_of_ten = |config: Value| {
        let mut plan = fan(10, fcvc(config));
        for flow in &mut plan.flows[1..] {
            flow.source = source(json!({"kind": "cbr", "rate": "1 cells/s"}));
        }
        measure(plan, 20_000)
    };
    let adaptive = one_of_ten(json!({"allocation": "adaptive", "memory": "60 cells"}));
    assert!(
        delivered(&adaptive)[0] >= 9_900,
        "{:?}",
        delivered(&adaptive)
    );
    let fixed = one_of_ten(json!({"n2": "3 cells", "n3": "3 cells"}));
    assert!(delivered(&fixed)[0] < 6_000, "{:?}", delivered(&fixed));
}

/// Channels that were silent while others used the memory are served when they begin, and the
/// others continue.
#[test]
fn adaptive_allocation_leaves_no_channel_without_credit() {
    for silent in 1..10 {
        let mut plan = fan(
            10,
            fcvc(json!({"allocation": "adaptive", "memory": "60 cells"})),
        );
        for flow in &mut plan.flows[silent..] {
            flow.start = Ps::from_us(5_000 * CELL);
        }
        let delivered = delivered(&measure(plan, 20_000));
        assert!(delivered.iter().sum::<u64>() >= 9_000, "{delivered:?}");
        assert!(
            delivered.iter().all(|cells| *cells > 500),
            "{silent}: {delivered:?}"
        );
    }
}

proptest! {
    #![proptest_config(repeatable(64))]

    /// Besides, the report asserts that no channel ever had more cells at a node than were
    /// allocated to it.
    #[test]
    fn no_cell_is_ever_lost(network in credited_networks()) {
        let Network { plan, end } = network;
        let covered = |class: ServiceClass| FcvcConfig::covers(class);
        let mut run: Simulation = Simulation::new(plan).unwrap();
        let report = run.measure(Ps::ZERO, end, end);
        for vc in report.vcs.iter().filter(|vc| covered(vc.service)) {
            prop_assert_eq!((vc.cells_dropped, vc.cells_lost_on_links), (0, 0), "{}", vc.name);
        }
        for port in &report.ports {
            for queue in port.queues.iter().filter(|queue| queue.classes.iter().any(|class| covered(*class))) {
                prop_assert!(queue.queue_max_cells <= queue.buffer_cells.unwrap(), "{}", port.name);
            }
        }
    }
}
