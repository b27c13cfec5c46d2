//! Cells of other classes as missing capacity of ABR. The capacity of ABR is what the classes leave that are served first
//! (Kalyanaraman 1997, p. 400: the target less VBR). Classes behind ABR in strict priority take nothing from it.

use crate::support::agreed;
use crate::support::bottlenecks::greedy;
use crate::support::plans::{Graph, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::kernel::{Ps, Rate};
use serde_json::{Value, json};

const ABR: ServiceClass = ServiceClass::Abr;
const UBR: ServiceClass = ServiceClass::Ubr;

/// Two greedy ABR sources and 30,000 cells/s of UBR through a link of 100,000 cells/s. The target utilisation is 0.9.
fn plan(scheme: &str, priority: &[&[ServiceClass]], schedule: Option<Value>) -> Plan {
    let mut graph = Graph::default();
    let control = json!({"scheme": scheme, "target_utilisation": 0.9, "interval": "2 ms"});
    let switch = SwitchPlan {
        control: serde_json::from_value(control).unwrap(),
        priority: priority.iter().map(|classes| classes.to_vec()).collect(),
        schedule: schedule.map(|schedule| serde_json::from_value(schedule).unwrap()),
        ..plain_switch()
    };
    let switch = graph.switch("A", switch);
    let sink = graph.host("sink");
    let line = cell_time_us(10);
    let exit = graph.duplex(switch, sink, line, Ps::from_us(50));
    let path = |graph: &mut Graph, name: &str| {
        let host = graph.host(name);
        vec![graph.duplex(host, switch, line, Ps::from_us(50)), exit]
    };
    let mut flows: Vec<_> = (0..2)
        .map(|number| greedy(number, path(&mut graph, &format!("src.{number}"))))
        .collect();
    for flow in &mut flows {
        flow.abr.icr = Some(Rate::from_cells_per_second(5_000.0));
    }
    let source = json!({"kind": "cbr", "rate": "30000 cells/s"});
    let source = serde_json::from_value(source).unwrap();
    let path = path(&mut graph, "other");
    flows.push(flow("other", UBR, source, path));
    graph.plan(flows)
}

/// Checks the ACR of both sources after 100 ms against `expected` cells/s. An interval has some 100 cells, and counts its
/// background to one or two cells.
fn settles(scheme: &str, priority: &[&[ServiceClass]], schedule: Option<Value>, expected: f64) {
    let case = format!("{scheme}, {priority:?}, {schedule:?}");
    let report = agreed(plan(scheme, priority, schedule), Ps::from_ms(100));
    let rates = report
        .vcs
        .iter()
        .filter_map(|vc| vc.acr_final_cells_per_second);
    // Each flow has a forward channel and then a backward channel.
    let forward: Vec<f64> = rates.step_by(2).collect();
    let is_near = |rate: &f64| (rate / expected - 1.0).abs() < 0.04;
    assert!(
        forward.len() == 2 && forward.iter().all(is_near),
        "{case}: {forward:?}, not {expected}"
    );
}

/// Behind ABR, UBR takes nothing: 0.9 x 100,000 / 2. Before ABR or in its queue it takes 30,000: 0.9 x 70,000 / 2.
#[test]
fn a_class_of_lower_strict_priority_takes_nothing_from_abr() {
    for scheme in ["erica", "charny"] {
        settles(scheme, &[&[ABR], &[UBR]], None, 45_000.0);
        settles(scheme, &[&[UBR], &[ABR]], None, 31_500.0);
        settles(scheme, &[&[ABR, UBR]], None, 31_500.0);
    }
}

/// A scheme does not know weights, so a queue that has a weight beside that of ABR takes all that comes. A queue with a
/// weight behind a strict queue of ABR takes nothing.
#[test]
fn a_class_with_a_weight_takes_all_that_comes_unless_abr_goes_first() {
    let queues: &[&[ServiceClass]] = &[&[ABR], &[UBR]];
    for discipline in ["weighted-round-robin", "wf2q-plus"] {
        let schedule = |classes| Some(json!({"discipline": discipline, "classes": classes}));
        settles(
            "erica",
            queues,
            schedule(json!({"weights": [1, 1]})),
            31_500.0,
        );
        let strict = json!({"weights": [1], "strict": 1});
        settles("erica", queues, schedule(strict), 45_000.0);
        settles(
            "erica",
            queues,
            Some(json!({"discipline": discipline})),
            45_000.0,
        );
    }
}
