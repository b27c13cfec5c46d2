//! Random networks: every kind of source, service, control, discard policy, recovery and queueing,
//! on lines whose cell times are often whole microseconds, so that many events are simultaneous.

mod changes;
mod ends;
mod flows;
mod links;
mod sources;
mod switches;
mod topology;

use crate::support::plans::back;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::plan::{MeasurePlan, NodeKind, Plan};
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::EventKinds;
use cellrate_engine::net::bit_errors::BitErrorConfig;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use flows::{FlowDraft, flow};
use links::lines;
use switches::vsvd;
use topology::Draft;

pub use changes::changing_networks;
pub use ends::{abr, tcp};
pub use links::{errors, fcvc};
pub use sources::source;
pub use switches::{suit_credit, switch};

/// A plan and the length of its run.
#[derive(Debug)]
pub struct Network {
    pub plan: Plan,
    pub end: Ps,
}

/// Draws a network: switches, links and flows.
pub fn networks() -> impl Strategy<Value = Network> {
    let switches = prop::collection::vec(switch(), 2..=5);
    let chords = prop::collection::vec(any::<(Index, Index)>(), 0..3);
    let flows = prop::collection::vec(flow(), 1..7);
    let links = (
        prop::option::weighted(0.25, fcvc()),
        prop::option::weighted(0.3, errors()),
    );
    let chance = (
        any::<u64>(),
        select(vec![SimultaneousCells::AsWritten, SimultaneousCells::Drawn]),
    );
    (switches, chords, lines(), flows, measure(), chance, links).prop_map(
        |(
            mut switches,
            chords,
            lines,
            mut flows,
            measure,
            (seed, simultaneous_cells),
            (fcvc, errors),
        )| {
            if fcvc.is_some() {
                switches.iter_mut().for_each(suit_credit);
                flows.iter_mut().for_each(FlowDraft::suit_credit);
            }
            let mut draft = Draft::new(&switches, &chords, &lines);
            let flows = flows
                .iter()
                .enumerate()
                .map(|(number, flow)| draft.place(number, flow))
                .collect();
            let plan = draft.graph.plan(flows);
            let errors = errors.unwrap_or_default();
            let mut plan = plan;
            suit_port_shapers(&mut plan);
            if errors.of_bits().occur() {
                // One link of an erring network has no bit errors.
                plan.links[0].errors = Some(BitErrorConfig::default());
            }
            Network {
                plan: Plan {
                    seed,
                    measure,
                    fcvc,
                    errors,
                    simultaneous_cells,
                    ..plan
                },
                end: lines.end,
            }
        },
    )
}

/// Removes shapers at ports from flows that pass no port with a queue for each channel.
fn suit_port_shapers(plan: &mut Plan) {
    let (nodes, links) = (&plan.nodes, &plan.links);
    for flow in &mut plan.flows {
        let mut nodes = flow
            .forward
            .iter()
            .map(|link| &nodes[links[*link].from].kind);
        let shapes = |kind: &NodeKind| match kind {
            NodeKind::Switch(switch) => switch.schedule.is_some(),
            NodeKind::Host => false,
        };
        flow.port_shaper = flow.port_shaper.take().filter(|_| nodes.any(shapes));
    }
}

/// Networks under credit control alone, on links that lose nothing.
pub fn credited_networks() -> impl Strategy<Value = Network> {
    (networks(), fcvc()).prop_map(|(mut network, fcvc)| {
        for node in &mut network.plan.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                suit_credit(switch);
            }
        }
        for flow in &mut network.plan.flows {
            (flow.service, flow.ack_service) = (
                credited_class(flow.service),
                credited_class(flow.ack_service),
            );
            (flow.policer, flow.gfr) = (None, None);
            (flow.shaper, flow.port_shaper) = (None, None);
        }
        (network.plan.fcvc, network.plan.errors) = (Some(fcvc), LinkErrors::default());
        network
    })
}

/// Networks of ABR flows all of whose control loops end at every switch, on links that lose nothing.
pub fn networks_of_loops() -> impl Strategy<Value = Network> {
    let couplings = prop::collection::vec(vsvd(), 5);
    (networks(), couplings).prop_map(|(mut network, couplings)| {
        let mut couplings = couplings.into_iter().cycle();
        for node in &mut network.plan.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                switch.vsvd = couplings.next();
            }
        }
        for flow in &mut network.plan.flows {
            (flow.service, flow.ack_service) = (ServiceClass::Abr, ServiceClass::Abr);
            (flow.gfr, flow.shaper, flow.port_shaper) = (None, None, None);
            if let Some(policer) = &mut flow.policer {
                policer.dynamic = None;
            }
            flow.backward = back(&flow.forward);
        }
        (network.plan.fcvc, network.plan.errors) = (None, LinkErrors::default());
        network
    })
}

fn credited_class(class: ServiceClass) -> ServiceClass {
    if class == ServiceClass::Abr {
        ServiceClass::Ubr
    } else {
        class
    }
}

fn measure() -> impl Strategy<Value = MeasurePlan> {
    (any::<bool>(), select(vec![0, 3, 100_000])).prop_map(|(cell_delay, event_limit)| MeasurePlan {
        cell_delay,
        events: EventKinds {
            loss: true,
            timeout: true,
            retransmission: true,
            mark: true,
        },
        event_limit,
    })
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}
