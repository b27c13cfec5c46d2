//! Weights of the channels of each queue of a switch that serves channels by weight.

use std::collections::BTreeMap;

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::schedule::channels::WeightsFrom;

use crate::scenario::flow::Flow;
use crate::scenario::graph::Graph;
use crate::scenario::types::{Scenario, Switch};

/// For each queue of each port of `node` that some channel uses, the weights of its channels; empty if cells leave in the
/// order of their arrivals.
pub fn weights(scenario: &Scenario, graph: &Graph, node: usize, switch: &Switch) -> Vec<Vec<u64>> {
    let Some(schedule) = &switch.schedule else {
        return Vec::new();
    };
    let queue_of = |class: ServiceClass| {
        let mut queues = switch.priority.iter();
        queues.position(|queue| queue.contains(&class))
    };
    let mut queues: BTreeMap<(usize, usize), Vec<u64>> = BTreeMap::new();
    for instance in &graph.flows {
        let flow = &scenario.flows[instance.group];
        let weight = weight(flow, schedule.weights_from());
        let rm = |class| {
            if flow.is_abr() {
                ServiceClass::Abr
            } else {
                class
            }
        };
        for (links, class) in [
            (&instance.forward, flow.service),
            (&instance.backward, flow.ack_service()),
        ] {
            for link in links.iter().filter(|link| graph.links[**link].from == node) {
                let (data, rm) = (queue_of(class), queue_of(rm(class)));
                let second = rm.filter(|_| rm != data);
                for queue in data.into_iter().chain(second) {
                    queues.entry((*link, queue)).or_default().push(weight);
                }
            }
        }
    }
    queues.into_values().collect()
}

fn weight(flow: &Flow, from: WeightsFrom) -> u64 {
    match from {
        WeightsFrom::Flow => flow.weight.into(),
        WeightsFrom::Mcr if let Some(gfr) = &flow.gfr => gfr.mcr.0,
        WeightsFrom::Mcr if flow.is_abr() => flow.abr.mcr.map_or(0, |mcr| mcr.0),
        WeightsFrom::Mcr => 0,
    }
}
