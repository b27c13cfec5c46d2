//! The number of operations of the set-up, the samples and the report is proportional to the size of the network.

use alloc::format;
use alloc::vec::Vec;

use crate::atm::Simulation;
use crate::atm::cell::ServiceClass;
use crate::atm::plan::{FlowPlan, LinkPlan, NodeKind, NodePlan, Plan, SwitchPlan};
use crate::control::ControlConfig;
use crate::control::erica::EricaConfig;
use crate::credit::FcvcConfig;
use crate::endsystem::VsVdConfig;
use crate::kernel::units::Buffer;
use crate::kernel::{Ps, Rate};
use crate::net::channel::looks;
use crate::traffic::SourceConfig;
use crate::traffic::greedy::GreedyConfig;

/// A network of `n` TCP flows. Each pair of switches carries `flows_per_pair` flows. So more flows need either
/// more switches, or, with a great `flows_per_pair`, more channels at each port.
fn network(n: usize, flows_per_pair: usize, switch: &SwitchPlan, service: ServiceClass) -> Plan {
    let (mut nodes, mut links, mut flows) = (Vec::new(), Vec::new(), Vec::new());
    let mut node = |name, kind| {
        nodes.push(NodePlan { name, kind });
        nodes.len() - 1
    };
    let mut duplex = |from: usize, to: usize| {
        for (from, to) in [(from, to), (to, from)] {
            links.push(LinkPlan {
                name: format!("{from}->{to}"),
                from,
                to,
                rate: Rate::from_bps(155_520_000),
                delay: Ps::from_us(10),
                errors: None,
            });
        }
        links.len() - 2
    };
    let mut pair = (0, 0, 0);
    for i in 0..n {
        if i % flows_per_pair == 0 {
            let [a, b] =
                ["A", "B"].map(|name| node(format!("{name}{i}"), NodeKind::Switch(switch.clone())));
            pair = (a, b, duplex(a, b));
        }
        let [source, destination] =
            ["src", "dst"].map(|name| node(format!("{name}{i}"), NodeKind::Host));
        let forward = [duplex(source, pair.0), pair.2, duplex(pair.1, destination)];
        let greedy = SourceConfig::Greedy(GreedyConfig {});
        flows.push(FlowPlan {
            backward: forward.iter().rev().map(|link| link + 1).collect(),
            ..FlowPlan::new(&format!("flow{i}"), service, greedy, forward.to_vec())
        });
    }
    Plan::new(nodes, links, flows)
}

/// Number of times that state is looked up by channel number, during the set-up, the measurement window, two
/// samples and the report.
fn operations(plan: Plan) -> u64 {
    let before = looks::so_far();
    let mut simulation: Simulation = Simulation::new(plan).unwrap();
    simulation.begin_window();
    simulation.sample();
    simulation.sample();
    simulation.end_window();
    let report = simulation.report();
    assert!(!report.flows.is_empty() && report.ports.len() > report.flows.len());
    looks::so_far() - before
}

#[test]
fn twice_the_network_takes_twice_the_operations() {
    let erica = SwitchPlan {
        control: ControlConfig::Erica(EricaConfig::default()),
        ..SwitchPlan::new(Buffer::INFINITE)
    };
    let relaying = SwitchPlan {
        vsvd: Some(VsVdConfig::default()),
        ..erica.clone()
    };
    let plain = SwitchPlan::new(Buffer::INFINITE);
    let kinds = [
        ("ABR", &erica, ServiceClass::Abr, false),
        ("virtual sources", &relaying, ServiceClass::Abr, false),
        ("credit", &plain, ServiceClass::Ubr, true),
        ("UBR", &plain, ServiceClass::Ubr, false),
    ];
    for (name, switch, service, credit) in kinds {
        for flows_per_pair in [usize::MAX, 10] {
            let of = |n: usize| {
                let mut plan = network(n, flows_per_pair, switch, service);
                plan.fcvc = credit.then(FcvcConfig::default);
                operations(plan) as f64
            };
            let (one, two) = (of(300), of(600));
            let growth = two / one;
            assert!(
                (1.98..2.02).contains(&growth),
                "{name}, {flows_per_pair} flows for each pair of switches: {one} and {two} operations"
            );
        }
    }
}
