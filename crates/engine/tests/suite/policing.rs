//! Policers at the input of a switch: counts by hand, and what passes beside what a contract admits.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::event::What;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind, Plan};
use cellrate_engine::atm::report::VcReport;
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::discard::Cause;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, ServiceRate};
use cellrate_engine::net::EventKinds;
use cellrate_engine::policing::PolicerConfig;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use serde_json::{Value, json};

use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch};

fn policer(value: Value) -> PolicerConfig {
    serde_json::from_value(value).unwrap()
}

/// One flow from a host through two switches to another, on lines of 10 us per cell and 5 us of delay.
fn plan(service: ServiceClass, source: SourceConfig, policer: Option<PolicerConfig>) -> Plan {
    let mut graph = Graph::default();
    let nodes = [
        graph.host("a"),
        graph.switch("s", plain_switch()),
        graph.switch("t", plain_switch()),
        graph.host("b"),
    ];
    let links = nodes
        .windows(2)
        .map(|pair| graph.duplex(pair[0], pair[1], cell_time_us(10), Ps::from_us(5)));
    let links: Vec<usize> = links.collect();
    let backward = back(&links);
    let flow = FlowPlan {
        policer,
        backward,
        ..flow("f", service, source, links)
    };
    let mut plan = graph.plan(vec![flow]);
    plan.measure.events = EventKinds {
        loss: true,
        ..EventKinds::default()
    };
    plan.measure.event_limit = 100_000;
    plan
}

fn run(plan: Plan, end: Ps) -> (Report, Simulation) {
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    let report = simulation.measure(Ps::ZERO, end, end);
    (report, simulation)
}

fn cbr(rate: &str) -> SourceConfig {
    serde_json::from_value(json!({"kind": "cbr", "rate": rate})).unwrap()
}

/// Conforming, not conforming, tagged, dropped.
fn counts(vc: &VcReport) -> [Option<u64>; 4] {
    [
        vc.cells_conforming,
        vc.cells_nonconforming,
        vc.cells_tagged,
        vc.cells_policed,
    ]
}

/// A source of a cell every 10 us, the first at 0. Cell k arrives at the switch at 15 + 10 k us, so 100 cells arrive
/// by 1005 us. PCR is a cell every 25 us: of the arrivals 15, 25, 35, 45 us the cells at 15 and 45 conform (40 us is
/// TAT), then TAT is 70 us, and 75 us conforms: every third cell.
#[test]
fn a_cbr_source_above_its_pcr_loses_what_its_contract_does_not_admit() {
    let end = Ps::from_us(1_010);
    let passes = |action: &str| {
        let contract = policer(json!({"pcr": "16.96 Mbit/s", "action": action}));
        let (report, run) = run(
            plan(ServiceClass::Cbr, cbr("42.4 Mbit/s"), Some(contract)),
            end,
        );
        let (events, _) = run.events(usize::MAX);
        let policed = |what: What| {
            matches!(
                what,
                What::Loss {
                    cause: Cause::Policed,
                    ..
                }
            )
        };
        let losses = events.iter().filter(|event| policed(event.what)).count();
        (counts(&report.vcs[0]), report.vcs[0].cells_dropped, losses)
    };
    let some = |counts: [u64; 4]| counts.map(Some);
    assert_eq!(passes("drop"), (some([34, 66, 0, 66]), 66, 66));
    assert_eq!(passes("tag"), (some([34, 66, 66, 0]), 0, 0));
    assert_eq!(passes("pass"), (some([34, 66, 0, 0]), 0, 0));
    let (report, _) = run(plan(ServiceClass::Cbr, cbr("42.4 Mbit/s"), None), end);
    assert_eq!(counts(&report.vcs[0]), [None; 4]);
}

/// No interval of a policed channel has more cells than its contract admits, whatever the source: at most
/// 1 + floor((t + tau) / T) cells conform in a time t, for PCR and for SCR.
#[test]
fn no_more_cells_pass_than_the_contract_admits() {
    let source =
        json!({"kind": "on-off", "peak": "42.4 Mbit/s", "period": "3.3 ms", "duty_cycle": 0.6});
    let source: SourceConfig = serde_json::from_value(source).unwrap();
    let contract = policer(json!({
        "pcr": "30 Mbit/s", "cdvt": "40 us", "scr": "9 Mbit/s", "mbs": "50 cells", "action": "drop"
    }));
    let end = Ps::from_ms(50);
    let (report, _) = run(plan(ServiceClass::Vbr, source, Some(contract.clone())), end);
    let admitted =
        |increment: f64, limit: f64| (1.0 + (end.as_secs_f64() + limit) / increment) as u64;
    let contract = contract.contract();
    let (increment, limit) = contract.sustained(ServiceRate::of_cells).unwrap();
    let by_scr = admitted(increment.as_secs_f64(), limit.as_secs_f64() + 40e-6);
    let conforming = report.vcs[0].cells_conforming.unwrap();
    // The source sends 25.4 Mbit/s on average and waits longer than a burst takes to be forgiven: SCR is used up.
    assert!(
        conforming <= by_scr && conforming >= by_scr - 60,
        "{conforming} of {by_scr}"
    );
    assert!(report.vcs[0].cells_delivered <= conforming);
}

/// TCP in PDUs of 20 cells at twice its PCR. Whatever the rule, cells and bytes are accounted for, which the report
/// asserts. With PDUs treated as a whole no cell of a damaged PDU reaches the receiver.
#[test]
fn pdus_are_policed_as_cells_in_part_or_as_a_whole() {
    let damaged = |frames: &str| {
        let contract = json!({
            "pcr": "42.4 Mbit/s", "cdvt": "2 us", "scr": "10 Mbit/s", "mbs": "60 cells", "frames": frames
        });
        let source = SourceConfig::Greedy(GreedyConfig {});
        let mut plan = plan(ServiceClass::Ubr, source, Some(policer(contract)));
        // 896 + 40 + 8 + 8 bytes are 19.8 cells.
        (plan.flows[0].tcp.mss, plan.flows[0].tcp.window) = (Bytes(896), Bytes(65_535));
        let (report, _) = run(plan, Ps::from_s(2));
        let flow = &report.flows[0];
        let vc = &report.vcs[0];
        assert!(vc.cells_policed > Some(50), "{frames}: {:?}", counts(vc));
        assert_eq!(vc.cells_policed, Some(vc.cells_dropped));
        let bytes = flow.balance.unwrap();
        (
            bytes.dropped_by_aal5_bytes,
            flow.packets_lost,
            flow.packets_merged,
        )
    };
    let [cells, partial, whole] = ["cells", "partial", "whole"].map(damaged);
    assert!(cells.0 > 0 && cells.1 > 0, "{cells:?}");
    // The end of each PDU arrives, so no PDU takes the next one with it.
    assert!(cells.2 > 0 && partial.2 == 0, "{cells:?} {partial:?}");
    assert!(partial.0 > 0, "{partial:?}");
    assert!(whole.0 == 0 && whole.1 > 0, "{whole:?}");
}

#[test]
fn a_policer_needs_a_switch_that_may_drop() {
    let contract = || Some(policer(json!({"pcr": "1 Mbit/s"})));
    let refused = |plan: Plan| {
        Simulation::<cellrate_engine::atm::server::LazyServer>::new(plan)
            .err()
            .unwrap()
            .0
    };
    let mut credited = plan(ServiceClass::Ubr, cbr("1 Mbit/s"), contract());
    credited.fcvc = Some(FcvcConfig::default());
    assert_eq!(
        refused(credited),
        "flow f has a policer, but there is credit control"
    );
    let mut graph = Graph::default();
    let (a, b) = (graph.host("a"), graph.host("b"));
    let link = graph.duplex(a, b, cell_time_us(10), Ps::ZERO);
    let mut direct = flow("f", ServiceClass::Cbr, cbr("1 Mbit/s"), vec![link]);
    direct.policer = contract();
    assert_eq!(
        refused(graph.plan(vec![direct])),
        "flow f has a policer, but passes no switch"
    );
}

/// An ABR source of a TCP connection over a switch with EFCI, whose ACR rises and falls. The loop from switch `s` to the
/// source and back takes 2 x (5 + 10) us, the least delay; a BRM may wait behind one cell there, and for a cell at ACR.
#[test]
fn the_dynamic_gcra_passes_what_the_network_allows_and_no_more() {
    let counts = |excess: f64, tau_2: &str, tau_3: &str| {
        let contract = json!({
            "pcr": "42.4 Mbit/s", "cdvt": "1 us", "dynamic": {"tau_2": tau_2, "tau_3": tau_3}
        });
        let source = SourceConfig::Persistent(Default::default());
        let mut plan = plan(ServiceClass::Abr, source, Some(policer(contract)));
        plan.links[2].rate = cell_time_us(40);
        let efci = json!({"scheme": "efci", "threshold": "20 cells"});
        for node in &mut plan.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                switch.control = serde_json::from_value(efci.clone()).unwrap();
            }
        }
        plan.flows[0].abr = serde_json::from_value(json!({
            "icr": "5 Mbit/s", "rif": 0.0625, "rdf": 0.0625, "excess_factor": excess
        }))
        .unwrap();
        let (report, _) = run(plan, Ps::from_ms(200));
        let vc = &report.vcs[0];
        let range = [vc.acr_min_cells_per_second, vc.acr_max_cells_per_second].map(Option::unwrap);
        assert!(range[1] > 1.5 * range[0], "{range:?}");
        (
            vc.cells_conforming.unwrap(),
            vc.cells_nonconforming.unwrap(),
        )
    };
    let (conforming, nonconforming) = counts(1.0, "200 us", "30 us");
    assert!(
        conforming > 3_000 && nonconforming == 0,
        "{conforming} {nonconforming}"
    );
    // Rises that count later than the source may use them make it early.
    assert!(counts(1.0, "20 ms", "10 ms").1 > 0);
    // A source at twice ACR loses at least as many cells as a GCRA at PCR would pass: PCR alone stops none of them.
    let (conforming, nonconforming) = counts(2.0, "200 us", "30 us");
    assert!(
        nonconforming > conforming / 2,
        "{conforming} {nonconforming}"
    );
}
