//! All combinations: each control scheme with each discard policy and each recovery on two
//! topologies, for a short time, with assertions of the conservation of cells and bytes, and a
//! check that the results all differ.

use std::collections::BTreeMap;

use crate::support::plans::{Graph, back, flow};
use cellrate_engine::atm::cell::ServiceClass::{self, Abr, Cbr, Random, Ubr, Vbr};
use cellrate_engine::atm::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::atm::{Reference, Simulation};
use cellrate_engine::component::Component;
use cellrate_engine::control::{ControlConfig, schemes};
use cellrate_engine::discard::{DiscardConfig, policies};
use cellrate_engine::kernel::units::{Buffer, Bytes};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::Recovery;
use cellrate_engine::traffic::SourceConfig;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ACCESS: Rate = Rate::from_bps(25_600_000);
const RATE: Rate = Rate::from_bps(10_000_000);
const DELAY: Ps = Ps::from_us(50);

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// Parameters of a scheme, with thresholds within a buffer of 80 cells if it has any; a new scheme
/// is run with its defaults.
fn control(name: &str) -> ControlConfig {
    let mut parameters = match name {
        "efci" | "becn" => json!({ "threshold": "20 cells" }),
        "fmmra" => json!({ "qt": "5 cells", "dqt": "20 cells" }),
        "eprca" | "dmrca" => json!({ "qt": "10 cells", "dqt": "30 cells" }),
        "smith-predictor" => json!({ "set_point": "20 cells" }),
        "rrm-pd-plus" => {
            json!({ "sampling": "10 cells", "low": "10 cells", "high": "30 cells", "beta": "0 cells" })
        }
        "rrm-pid" => {
            json!({ "sampling": "10 cells", "low": "10 cells", "high": "30 cells", "alpha": 0.02 })
        }
        law if law.starts_with("rrm-") => {
            json!({ "sampling": "10 cells", "low": "10 cells", "high": "30 cells" })
        }
        _ => json!({}),
    };
    parameters["scheme"] = json!(name);
    read(parameters)
}

fn discard(name: &str) -> DiscardConfig {
    let mut parameters = match name {
        "selective-drop" | "fair-buffer-allocation" => json!({ "threshold": "40 cells", "z": 0.5 }),
        "double-epd" => json!({ "threshold": "30 cells" }),
        "dfba" => json!({ "low": "20 cells", "high": "70 cells" }),
        _ => json!({}),
    };
    parameters["policy"] = json!(name);
    read(parameters)
}

#[derive(Clone, Copy, Debug)]
enum Topology {
    /// All flows share one link.
    Bottleneck,
    /// Three links in a row; each flow enters at a later switch.
    ParkingLot,
}

/// Four flows over ABR and two over UBR, all TCP.
fn plan(topology: Topology, scheme: &str, policy: &str, recovery: &Recovery) -> Plan {
    let settings = SwitchPlan {
        clp_threshold: None,
        buffer: Buffer(80),
        priority: vec![vec![Cbr, Vbr], vec![Abr, Ubr, Random]],
        control: control(scheme),
        discard: discard(policy),
        vsvd: None,
        rm_first: false,
        schedule: None,
    };
    let mut graph = Graph::default();
    let switches: Vec<usize> = (0..4)
        .map(|number| graph.switch(&format!("s{number}"), settings.clone()))
        .collect();
    let row: Vec<usize> = switches
        .windows(2)
        .map(|pair| graph.duplex(pair[0], pair[1], RATE, DELAY))
        .collect();
    let greedy: SourceConfig = read(json!({ "kind": "greedy" }));
    let flows = (0..6u64).map(|number| {
        let enters = match topology {
            Topology::Bottleneck => 2,
            Topology::ParkingLot => (number / 2) as usize,
        };
        let (from, to) = (
            graph.host(&format!("a{number}")),
            graph.host(&format!("b{number}")),
        );
        let mut path = vec![graph.duplex(from, switches[enters], ACCESS, DELAY)];
        path.extend(&row[enters..]);
        path.push(graph.duplex(switches[3], to, ACCESS, DELAY));
        let class: ServiceClass = if number % 3 < 2 { Abr } else { Ubr };
        let mut flow = FlowPlan {
            backward: back(&path),
            start: Ps::from_us(700 * number),
            ..flow(&format!("f{number}"), class, greedy.clone(), path)
        };
        flow.tcp.recovery = recovery.clone();
        flow.tcp.window = Bytes(64_000);
        flow.tcp.mss = Bytes(256);
        flow.tcp.granularity = Ps::from_ms(1);
        (flow.tcp.min_rto, flow.tcp.initial_rto) = (Ps::from_ms(5), Ps::from_ms(20));
        flow.abr.icr = Some(Rate::from_bps(2_000_000));
        flow
    });
    let flows = flows.collect();
    graph.plan(flows)
}

/// Time at which a run ends. The windows of some recoveries are seldom so large that the queue
/// passes a threshold, so their runs last longer.
fn end(recovery: &Recovery) -> Ps {
    let seldom = matches!(recovery, Recovery::Cubic(_) | Recovery::Bbr(_));
    Ps::from_ms(if seldom { 400 } else { 200 })
}

/// Hash of the whole run. The report asserts that cells and bytes are conserved.
fn digest(topology: Topology, scheme: &str, policy: &str, recovery: &Recovery) -> String {
    let end = end(recovery);
    let mut run: Simulation<LazyServer> =
        Simulation::new(plan(topology, scheme, policy, recovery)).unwrap();
    let report = run.measure(Ps::ZERO, end, end);
    let delivered: u64 = report.flows.iter().map(|flow| flow.delivered_bytes).sum();
    assert!(
        delivered > 20_000,
        "{topology:?} {scheme} {policy} {recovery:?}: {delivered} bytes"
    );
    report.digest
}

const TOPOLOGIES: [Topology; 2] = [Topology::Bottleneck, Topology::ParkingLot];

#[test]
fn every_scheme_works_with_every_policy_and_recovery_and_is_no_other() {
    for topology in TOPOLOGIES {
        let mut seen = BTreeMap::new();
        let mut alike = Vec::new();
        for Component { name: scheme, .. } in schemes() {
            for Component { name: policy, .. } in policies() {
                for recovery in Recovery::ALL {
                    let names = (*scheme, *policy, recovery.name());
                    let earlier = seen.insert(digest(topology, scheme, policy, recovery), names);
                    alike.extend(earlier.map(|earlier| (earlier, names)));
                }
            }
        }
        assert!(
            alike.is_empty(),
            "{topology:?}, the same run: {alike:?}; a new scheme may need parameters in `control` of this file"
        );
    }
}

#[test]
fn each_runs_alike_on_the_plain_engine() {
    for topology in TOPOLOGIES {
        for (number, Component { name: scheme, .. }) in schemes().iter().enumerate() {
            // Each policy and each recovery is used.
            let policy = policies()[number % policies().len()].name;
            let recovery = &Recovery::ALL[number % Recovery::ALL.len()];
            let end = end(recovery);
            let mut plain = Reference::new(plan(topology, scheme, policy, recovery)).unwrap();
            let found = plain.measure(Ps::ZERO, end, end).digest;
            assert_eq!(
                found,
                digest(topology, scheme, policy, recovery),
                "{topology:?} {scheme} {policy} {recovery:?}"
            );
        }
    }
}
