//! Cells that a host sends ahead of what may still reach it, where all times are multiples of 10 us: so
//! feedback arrives at the very instants at which cells are sent.

use crate::support::agreed;
use crate::support::plans::{Dumbbell, back, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use serde_json::json;

/// A cell takes 10 us on every line.
const LINK: f64 = 100_000.0;

/// TCP over ABR from `sources` sources of which each begins at a rate of `LINK / share`. Marks halve a
/// rate, so that its interval stays a multiple of 10 us.
fn plan(sources: usize, share: u32, delay: Ps) -> Plan {
    let control = json!({"scheme": "efci", "threshold": "1 cell"});
    let switch = SwitchPlan {
        control: serde_json::from_value(control).unwrap(),
        ..plain_switch()
    };
    let Dumbbell { graph, paths } = Dumbbell::new(sources, cell_time_us(10), delay, &switch);
    let flows = paths.into_iter().enumerate().map(|(number, forward)| {
        let source = SourceConfig::Greedy(GreedyConfig {});
        let mut flow = flow(&format!("tcp{number}"), ServiceClass::Abr, source, forward);
        flow.backward = back(&flow.forward);
        (flow.tcp.mss, flow.tcp.window) = (Bytes(1_000), Bytes(64_000));
        flow.abr.icr = Some(Rate::from_cells_per_second(LINK / share as f64));
        (flow.abr.nrm, flow.abr.rdf, flow.abr.rif) = (8, 0.5, 1.0 / 32_768.0);
        flow
    });
    let flows = flows.collect();
    graph.plan(flows)
}

#[test]
fn a_cell_sent_at_the_instant_of_feedback_stays_sent() {
    for delay in [10, 20, 30, 50].map(Ps::from_us) {
        for (sources, share) in [(1, 1), (2, 1), (2, 2), (3, 2), (5, 4)] {
            agreed(plan(sources, share, delay), Ps::from_ms(20));
        }
    }
}
