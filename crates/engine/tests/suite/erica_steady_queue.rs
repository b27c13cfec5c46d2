//! The queue at which ERICA+ settles, compared with the root of its equation.
//!
//! Sources that always have cells fill the link, so that in the steady state the allocated
//! capacity, f(Tq) times the target, is the capacity that background leaves: f(Tq) = 1 / TU with
//! the target a share of that capacity. The roots are worked out here from the curves of
//! Kalyanaraman 1997, section 6.15, solved for the queue.

use crate::support::agreed;
use crate::support::bottlenecks::greedy;
use crate::support::plans::{Graph, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{NodeKind, Plan, SwitchPlan};
use cellrate_engine::kernel::{Ps, Rate};
use serde_json::{Value, json};

/// Cell time in us, at 100,000 cells/s.
const CELL: u64 = 10;
const A: f64 = 1.15;
const B: f64 = 1.05;
/// Number of cells in T0 of 2 ms; T1 is twice that.
const Q0: f64 = 200.0;
const Q1: f64 = 400.0;

/// Sources that always have cells and follow explicit rates at once, and background of a constant
/// rate, all through one link.
fn plan(sources: usize, background: f64, control: Value) -> Plan {
    let mut graph = Graph::default();
    let control = serde_json::from_value(control).unwrap();
    let priority = vec![vec![ServiceClass::Cbr], vec![ServiceClass::Abr]];
    let switch = graph.switch(
        "A",
        SwitchPlan {
            control,
            priority,
            ..plain_switch()
        },
    );
    let sink = graph.host("sink");
    let exit = graph.duplex(switch, sink, cell_time_us(CELL), Ps::from_us(50));
    let mut flows = Vec::new();
    for number in 0..sources {
        let host = graph.host(&format!("src.{number}"));
        let mut source = greedy(
            number,
            vec![
                graph.duplex(host, switch, cell_time_us(CELL), Ps::from_us(50)),
                exit,
            ],
        );
        source.abr.icr = Some(Rate::from_cells_per_second(5_000.0));
        flows.push(source);
    }
    if background > 0.0 {
        let host = graph.host("background");
        let path = vec![
            graph.duplex(host, switch, cell_time_us(CELL), Ps::from_us(50)),
            exit,
        ];
        let source = serde_json::from_value(
            json!({"kind": "cbr", "rate": format!("{} cells/s", background * 1e5)}),
        );
        flows.push(flow("background", ServiceClass::Cbr, source.unwrap(), path));
    }
    graph.plan(flows)
}

/// ERICA+ with intervals of T0, which end by time alone.
fn erica_plus(function: &str, target: f64) -> Value {
    json!({
        "scheme": "erica", "target_utilisation": target, "capacity_form": "of-remainder", "delta": 0.0,
        "interval": "2 ms", "interval_cells": "1000000 cells",
        "queue_control": {"function": function, "target_delay": "2 ms", "a": A, "b": B},
    })
}

/// Mean and greatest length of the queue of ABR cells after 300 ms, and the utilisation of the
/// link.
struct Steady {
    mean: f64,
    most: f64,
    utilisation: f64,
}

fn steady(plan: Plan) -> Steady {
    let mut run: Simulation = Simulation::new(plan).unwrap();
    let report = run.measure(Ps::from_ms(300), Ps::from_ms(500), Ps::from_ms(500));
    let port = report
        .ports
        .iter()
        .find(|port| port.name == "A->sink")
        .unwrap();
    let queue = port
        .queues
        .iter()
        .find(|queue| queue.classes == [ServiceClass::Abr])
        .unwrap();
    Steady {
        mean: queue.queue_mean_cells,
        most: queue.queue_max_cells as f64,
        utilisation: port.utilisation,
    }
}

/// Queue at which the hyperbolic function settles: b Q0 / ((b - 1) q + Q0) = 1 / TU up to Q0, a Q0
/// / ((a - 1) q + Q0) = 1 / TU above it, solved for q.
fn hyperbolic(target: f64) -> f64 {
    let curve = if target <= 1.0 { B } else { A };
    Q0 * (curve * target - 1.0) / (curve - 1.0)
}

/// Queue at which the linear function settles: b - (b - 1) q / Q0 = 1 / TU up to Q0, 1 - (a - 1) (q
/// - Q1) / Q0 = 1 / TU above Q1, solved for q.
fn linear(target: f64) -> f64 {
    let factor = 1.0 / target;
    if target <= 1.0 {
        Q0 * (B - factor) / (B - 1.0)
    } else {
        Q1 + Q0 * (1.0 - factor) / (A - 1.0)
    }
}

/// Mean lengths come within two cells, 1 % of Q0, of the root; an interval counts its cells to one
/// in 200.
#[test]
fn the_smooth_curves_settle_at_their_root() {
    for sources in [2, 5] {
        for background in [0.0, 0.3] {
            for target in [0.97, 1.03, 1.1] {
                for (function, root) in [
                    ("hyperbolic", hyperbolic(target)),
                    ("linear", linear(target)),
                ] {
                    // Q0 is T0 times the capacity that background leaves.
                    let expected = root * (1.0 - background);
                    let Steady {
                        mean, utilisation, ..
                    } = steady(plan(sources, background, erica_plus(function, target)));
                    let found = format!(
                        "{function}, {sources} sources, {background}, {target}: {mean}, not {expected}"
                    );
                    assert!(
                        (mean - expected).abs() < 2.0 && utilisation > 0.999,
                        "{found}"
                    );
                }
            }
        }
    }
}

/// The staircase has no root, but an edge at which TU f(Tq) falls below 1. The queue moves about
/// the edge by the cells that one interval adds or removes: Q0 from b = 1.05 to 1; Q1 to 0.85; Q1 +
/// Q0 from 0.85 to 0.7.
#[test]
fn steps_settle_at_the_edge_where_the_load_crosses_one() {
    for (target, edge) in [(0.97, Q0), (1.03, Q1), (1.1, Q1), (1.25, Q1 + Q0)] {
        let Steady {
            mean, utilisation, ..
        } = steady(plan(3, 0.0, erica_plus("step", target)));
        assert!(
            (mean - edge).abs() < 10.0 && utilisation > 0.999,
            "{target}: {mean}, not {edge}"
        );
    }
    // At a target of the whole remaining capacity every queue from Q0 to Q1 is a root.
    let Steady { mean, .. } = steady(plan(3, 0.0, erica_plus("step", 1.0)));
    assert!((Q0..Q1).contains(&mean), "{mean}");
}

/// Below 1 the lower threshold is an edge like that of the steps. Above 1 the queue rises through
/// both thresholds, is drained from the upper to the lower and rises again: a saw whose mean is
/// their middle. It overshoots by the cells that arrive before the end of the interval and until
/// the new rates take effect, at most two intervals of (TU - 1) times 200 cells.
#[test]
fn hysteresis_swings_between_its_thresholds() {
    let Steady { mean, .. } = steady(plan(3, 0.0, erica_plus("hysteresis", 0.97)));
    assert!((mean - Q0).abs() < 10.0, "{mean}");
    let Steady { mean, .. } = steady(plan(3, 0.0, erica_plus("hysteresis", 1.0)));
    assert!((Q0..Q1).contains(&mean), "{mean}");
    for target in [1.03, 1.1, 1.25] {
        let Steady {
            mean,
            most,
            utilisation,
        } = steady(plan(3, 0.0, erica_plus("hysteresis", target)));
        let overshoot = 2.0 * (target - 1.0) * Q0;
        assert!(
            (mean - (Q0 + Q1) / 2.0).abs() < 20.0 && utilisation > 0.999,
            "{target}: {mean}"
        );
        assert!(most > Q1 && most < Q1 + overshoot + 4.0, "{target}: {most}");
    }
}

/// With a delta every load up to 1 + delta is a fixed point, so that the queue stays where f(Tq) is
/// 1 / (1 + delta) to 1.
#[test]
fn a_delta_leaves_the_queue_between_two_roots() {
    let mut control = erica_plus("hyperbolic", 1.0);
    control["delta"] = json!(0.1);
    let Steady {
        mean, utilisation, ..
    } = steady(plan(3, 0.0, control));
    assert!(
        (Q0 - 2.0..hyperbolic(1.1) + 2.0).contains(&mean) && utilisation > 0.999,
        "{mean}"
    );
}

/// The scheme reads the queue as it is at the cell that ends an interval, also if others follow that cell
/// at once: the same rates as with the plain reference.
#[test]
fn an_interval_that_ends_amid_cells_in_a_row_reads_the_queue_of_its_last_cell() {
    let mut control = erica_plus("hyperbolic", 0.95);
    control["interval_cells"] = json!("70 cells");
    let mut plan = plan(5, 0.0, control);
    if let NodeKind::Switch(switch) = &mut plan.nodes[0].kind {
        switch.priority = plain_switch().priority;
    }
    for link in &mut plan.links {
        link.delay = Ps::from_ms(2);
    }
    for flow in &mut plan.flows {
        flow.abr.icr = Some(Rate::from_cells_per_second(60_000.0));
    }
    let report = agreed(plan, Ps::from_ms(100));
    // Three times what the link carries comes for a round trip.
    let mut longest = report
        .ports
        .iter()
        .map(|port| port.queues[0].queue_max_cells);
    assert!(longest.any(|cells| cells > 1_000));
}
