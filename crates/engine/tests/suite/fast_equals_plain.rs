//! The fast engine compared with the plain reference, cell by cell, on random networks; and with
//! itself under other slices and more readings.

use crate::support::plans::{Dumbbell, back, cell_time_us, flow, plain_switch};
use crate::support::random_network::{
    Network, changing_networks, credited_networks, networks, networks_of_loops,
};
use crate::support::repeatable::repeatable;
use crate::support::{difference, outcome};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::atm::event::{Event, What};
use cellrate_engine::atm::plan::{NodeKind, SwitchPlan};
use cellrate_engine::atm::report::{FlowReport, PortReport, VcReport};
use cellrate_engine::atm::server::{EagerServer, LazyServer, Server};
use cellrate_engine::atm::{
    Change, FlowChange, Plan, PortState, Reference, Refuses, Simulation, SwitchChange,
};
use cellrate_engine::discard::Cause;
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Instants that divide a run of length `end`: `cuts` are shares of it in 1/65536.
fn instants(end: Ps, cuts: &[u16]) -> Vec<Ps> {
    let mut instants: Vec<Ps> = cuts
        .iter()
        .map(|cut| Ps((end.0 >> 16) * *cut as u64))
        .collect();
    instants.sort_unstable();
    instants
}

/// The measuring window: from the first cut to the last, the whole run if there are fewer than two.
fn window(end: Ps, instants: &[Ps]) -> (Ps, Ps) {
    match instants {
        [from, .., to] if from < to => (*from, *to),
        _ => (Ps::ZERO, end),
    }
}

/// Interface by which a test drives the fast engine and the plain reference alike.
trait Engine {
    type Server: Server;
    fn run_until(&mut self, until: Ps);
    fn state(&mut self) -> &mut Simulation<Self::Server>;
}

impl Engine for Simulation {
    type Server = LazyServer;
    fn run_until(&mut self, until: Ps) {
        Simulation::run_until(self, until);
    }
    fn state(&mut self) -> &mut Simulation {
        self
    }
}

impl Engine for Reference {
    type Server = EagerServer;
    fn run_until(&mut self, until: Ps) {
        Reference::run_until(self, until);
    }
    fn state(&mut self) -> &mut Simulation<EagerServer> {
        Reference::state(self)
    }
}

/// Everything in the results of a run that must be equal in both engines.
#[derive(Debug, PartialEq)]
struct Observation {
    /// Report of the run as text.
    outcome: String,
    looks: Vec<Look>,
    /// Events of the log, and the number of omitted events.
    log: (Vec<Event>, u64),
}

/// Result of one reading of the state.
#[derive(Debug, PartialEq)]
struct Look {
    ports: Vec<PortState>,
    /// ACR of each flow in cells/s.
    rates: Vec<Option<f64>>,
    /// TCP window and acknowledged bytes of each flow.
    windows: Vec<Option<(u64, u64)>>,
}

fn look<S: Server>(state: &mut Simulation<S>) -> Look {
    let flows = 0..state.plan().flows.len();
    let rates = flows.clone().map(|flow| state.acr(flow)).collect();
    let windows = flows.map(|flow| state.tcp_window(flow)).collect();
    state.sample();
    Look {
        ports: state.port_states(),
        rates,
        windows,
    }
}

/// The outcome without sampled quantiles and maxima, which depend on the readings.
fn without_samples(outcome: &str) -> String {
    let sampled = [
        "queued_max_cells",
        "queue_p50_cells",
        "queue_p95_cells",
        "queue_p99_cells",
    ];
    let mut lines = outcome.lines().peekable();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        if sampled
            .iter()
            .any(|name| line.trim_start().starts_with(name))
        {
            // The value of an `Option` is on the lines after it.
            while line.ends_with('(') && lines.next().is_some_and(|line| line.trim() != "),") {}
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Runs to `end` and reads the state at each of the instants `looks`.
fn observe(engine: &mut impl Engine, window: (Ps, Ps), looks: &[Ps], end: Ps) -> Observation {
    let mut instants = [looks, &[window.0, window.1, end]].concat();
    instants.sort_unstable();
    instants.dedup();
    let mut seen = Vec::new();
    for at in instants {
        engine.run_until(at);
        if at == window.0 {
            engine.state().begin_window();
        }
        if at == window.1 {
            engine.state().end_window();
        }
        if looks.contains(&at) {
            seen.push(look(engine.state()));
        }
    }
    let state = engine.state();
    Observation {
        outcome: outcome(&state.report()),
        looks: seen,
        log: state.events(usize::MAX),
    }
}

/// Runs a network on both engines and compares all that they show, at the end and at the instants `looks`.
fn engines_agree(Network { plan, end }: Network, looks: &[Ps]) -> Result<(), TestCaseError> {
    let window = window(end, looks);
    let mut fast = Simulation::<LazyServer>::new(plan.clone()).unwrap();
    let fast = observe(&mut fast, window, looks, end);
    let plain = observe(&mut Reference::new(plan).unwrap(), window, looks, end);
    prop_assert_eq!(difference(&fast.outcome, &plain.outcome), None);
    prop_assert_eq!(fast, plain);
    Ok(())
}

proptest! {
    // Every third of these networks has credit without marks, from a fixed allocation.
    #![proptest_config(repeatable(256))]

    /// Under credit control the end of a service has an effect at another port, at that instant.
    #[test]
    fn under_credit_the_fast_engine_equals_the_plain_reference(
        network in credited_networks(),
        cuts in prop::collection::vec(any::<u16>(), 0..8),
    ) {
        let looks = instants(network.end, &cuts);
        engines_agree(network, &looks)?;
    }
}

proptest! {
    #![proptest_config(repeatable(384))]

    /// A cell may pass a virtual source without being stored.
    #[test]
    fn with_virtual_sources_the_fast_engine_equals_the_plain_reference(
        network in networks_of_loops(),
        cuts in prop::collection::vec(any::<u16>(), 0..8),
    ) {
        let looks = instants(network.end, &cuts);
        engines_agree(network, &looks)?;
    }
}

proptest! {
    #![proptest_config(repeatable(64))]

    #[test]
    fn the_fast_engine_equals_the_plain_reference(
        network in networks(),
        cuts in prop::collection::vec(any::<u16>(), 0..8),
    ) {
        let looks = instants(network.end, &cuts);
        engines_agree(network, &looks)?;
    }
    /// Networks whose links might lose cells, but do not, behave as without that possibility.
    #[test]
    fn links_that_might_lose_cells_and_do_not_change_nothing(network in networks()) {
        let Network { plan, end } = network;
        let never = LinkErrors { lose_every: Some(u64::MAX), ..LinkErrors::default() };
        let run = |errors: LinkErrors| {
            let mut run: Simulation = Simulation::new(Plan { fcvc: None, errors, ..plan.clone() }).unwrap();
            let report = run.measure(Ps::ZERO, end, end);
            (outcome(&report), run.events(usize::MAX))
        };
        let ((lazy, lazy_log), (prompt, prompt_log)) = (run(LinkErrors::default()), run(never));
        prop_assert_eq!(difference(&lazy, &prompt), None);
        prop_assert_eq!(lazy_log, prompt_log);
    }
    #[test]
    fn with_changes_the_fast_engine_equals_the_plain_reference(
        network in changing_networks(),
        cuts in prop::collection::vec(any::<u16>(), 0..8),
    ) {
        // The state is read also at instants of changes.
        let mut looks = instants(network.end, &cuts);
        let changes = network.plan.changes.iter().map(|change| change.at);
        looks.extend(changes.filter(|at| *at <= network.end));
        looks.sort_unstable();
        engines_agree(network, &looks)?;
    }
    /// Changes to the settings that hold already change nothing.
    #[test]
    fn a_change_to_the_same_changes_nothing(network in networks(), cuts in prop::collection::vec(1u16.., 1..9)) {
        let Network { plan, end } = network;
        let mut times = instants(end, &cuts);
        times.dedup();
        let nodes = plan.nodes.iter().enumerate();
        let switches: Vec<_> = nodes.filter_map(|(node, found)| match &found.kind {
            NodeKind::Host => None,
            NodeKind::Switch(switch) => Some((node, SwitchChange::of(switch))),
        }).collect();
        let flows: Vec<_> = plan.flows.iter().map(FlowChange::of).enumerate().collect();
        let same = |at: &Ps| Change { at: *at, switches: switches.clone(), flows: flows.clone() };
        let changes = times.iter().map(same).collect();
        let run = |plan: Plan| {
            let mut run: Simulation = Simulation::new(plan).unwrap();
            let report = run.measure(Ps::ZERO, end, end);
            (outcome(&report), run.events(usize::MAX))
        };
        let (plain, changed) = (run(plan.clone()), run(Plan { changes, ..plan }));
        prop_assert_eq!(difference(&plain.0, &changed.0), None);
        prop_assert_eq!(plain.1, changed.1);
    }
    /// A copy of a simulation continues as the original does, and neither affects the other.
    #[test]
    fn a_copy_goes_on_exactly(network in changing_networks(), cut in any::<u16>()) {
        let Network { plan, end } = network;
        let at = instants(end, &[cut])[0];
        let whole = |plan: Plan| {
            let mut run: Simulation = Simulation::new(plan).unwrap();
            run.begin_window();
            run
        };
        let finish = |run: &mut Simulation| {
            run.run_until(end);
            run.end_window();
            (outcome(&run.report()), run.events(usize::MAX))
        };
        let (mut straight, mut paused) = (whole(plan.clone()), whole(plan));
        paused.run_until(at);
        let mut copy = paused.clone();
        let expected = finish(&mut straight);
        prop_assert_eq!(&finish(&mut paused), &expected);
        prop_assert_eq!(&finish(&mut copy), &expected);
    }
    #[test]
    fn slices_and_looks_change_nothing(
        network in changing_networks(),
        window_cuts in prop::collection::vec(any::<u16>(), 2),
        cuts in prop::collection::vec(any::<u16>(), 1..40),
    ) {
        let Network { plan, end } = network;
        let window = window(end, &instants(end, &window_cuts));
        let whole = observe(&mut Simulation::<LazyServer>::new(plan.clone()).unwrap(), window, &[], end);
        let sliced = observe(&mut Simulation::<LazyServer>::new(plan).unwrap(), window, &instants(end, &cuts), end);
        let (whole_outcome, sliced_outcome) = (without_samples(&whole.outcome), without_samples(&sliced.outcome));
        prop_assert_eq!(difference(&whole_outcome, &sliced_outcome), None);
        prop_assert_eq!(whole.log, sliced.log);
    }
}

/// A network with more nodes than a schedule keeps as a list, and with more ports than the nearest cache
/// holds: random networks are smaller. Cells come to every port in turn, alone and in rows.
#[test]
fn a_network_of_many_hosts_equals_the_plain_reference() {
    let settings = SwitchPlan {
        buffer: Buffer(300),
        ..plain_switch()
    };
    for (delay, cell_delay) in [(5, false), (5, true), (700, false), (700, true)] {
        let rate = cell_time_us(10);
        let Dumbbell { graph, paths } = Dumbbell::new(70, rate, Ps::from_us(delay), &settings);
        let flows = paths.into_iter().enumerate().map(|(number, forward)| {
            let (service, source) = if number % 2 == 0 {
                let rate = Rate::from_bps(500_000 + 1_000 * number as u64);
                (ServiceClass::Cbr, SourceConfig::Cbr(CbrConfig { rate }))
            } else {
                (ServiceClass::Ubr, SourceConfig::Greedy(GreedyConfig {}))
            };
            let mut flow = flow(&format!("f{number}"), service, source, forward);
            flow.backward = back(&flow.forward);
            flow.start = Ps::from_us(13 * number as u64);
            flow
        });
        let flows = flows.collect();
        let mut plan = graph.plan(flows);
        plan.measure.cell_delay = cell_delay;
        let end = Ps::from_ms(40);
        let looks = instants(end, &[1 << 12, 1 << 14]);
        engines_agree(Network { plan, end }, &looks).unwrap();
    }
}

/// Number of links by which cells arrive at the host that has more than one.
fn links_into_hub(plan: &Plan) -> usize {
    let mut links: Vec<usize> = plan
        .flows
        .iter()
        .flat_map(|flow| [&flow.forward, &flow.backward])
        .flatten()
        .copied()
        .collect();
    links.sort_unstable();
    links.dedup();
    links
        .into_iter()
        .filter(|link| plan.nodes[plan.links[*link].to].name == "hub")
        .count()
}

/// Checks that each feature occurs in enough of the random networks: otherwise the tests above
/// would prove little.
#[test]
fn random_networks_show_everything_there_is() {
    let mut runner = TestRunner::new(repeatable(1));
    let mut seen = std::collections::BTreeMap::new();
    let mut note =
        |what: &'static str, holds: bool| *seen.entry(what).or_insert(0u32) += holds as u32;
    for _ in 0..400 {
        let Network { plan, end } = networks().new_tree(&mut runner).unwrap().current();
        note("host with several links in", links_into_hub(&plan) > 1);
        let mut run: Simulation = Simulation::new(plan).unwrap();
        let report = run.measure(Ps::ZERO, end, end);
        let (events, _) = run.events(usize::MAX);
        let lost = |wanted| {
            events
                .iter()
                .any(|e| matches!(e.what, What::Loss { cause, .. } if cause == wanted))
        };
        note("overflow", lost(Cause::Overflow));
        note("partial packet discard", lost(Cause::PartialPacket));
        note("early packet discard", lost(Cause::EarlyPacket));
        note("intelligent tail drop", lost(Cause::IntelligentTail));
        note("loss on a link", lost(Cause::LinkError));
        note("policed", lost(Cause::Policed));
        note(
            "tagged",
            report.vcs.iter().any(|vc| vc.cells_tagged > Some(0)),
        );
        // The events and the digest of a port have both in order of time.
        let lossy = |wanted: bool| {
            let losses = events.iter().filter(move |e| {
                matches!(e.what, What::Loss { cause, .. } if (cause == Cause::LinkError) == wanted)
            });
            losses.filter_map(|e| e.link)
        };
        note(
            "losses of a port and of its link",
            lossy(true).any(|link| lossy(false).any(|other| other == link)),
        );
        let fcvc = report
            .ports
            .iter()
            .filter(|port| port.control.scheme == "fcvc");
        let counted = |name: &str| fcvc.clone().any(|port| port.control.statistics[name] > 0.0);
        note("credits", counted("credit_cells_sent"));
        note("marks", counted("mark_cells_sent"));
        note("lost credits", counted("credit_cells_lost"));
        let overflows =
            |port: &&PortReport| port.queues.iter().any(|queue| queue.cells_dropped > 0);
        note(
            "overflow beside credit",
            fcvc.clone()
                .filter(overflows)
                .any(|port| port.queues.len() > 1),
        );
        note(
            "mark",
            events.iter().any(|e| matches!(e.what, What::Mark { .. })),
        );
        note("timeout", report.flows.iter().any(|flow| flow.timeouts > 0));
        note(
            "fast retransmission",
            report.flows.iter().any(|flow| flow.fast_retransmits > 0),
        );
        note(
            "merged PDUs",
            report.flows.iter().any(|flow| flow.packets_merged > 0),
        );
        note(
            "loss at a source queue",
            report
                .flows
                .iter()
                .any(|flow| flow.source_queue_dropped_packets > 0),
        );
        let by_cells = run
            .plan()
            .flows
            .iter()
            .map(|flow| flow.source_queue_refuses == Refuses::Cell);
        let mut refused = report.flows.iter().zip(by_cells);
        let cells_refused = |(flow, by_cells): (&FlowReport, bool)| {
            by_cells && flow.source_queue_dropped_packets > 0
        };
        note(
            "cells of PDUs refused at a source queue",
            refused.any(cells_refused),
        );
        note(
            "completed transfer",
            report
                .flows
                .iter()
                .any(|flow| flow.completion_seconds.is_some()),
        );
        note(
            "out-of-rate RM cells",
            report.vcs.iter().any(|vc| vc.out_of_rate_cells_sent > 0),
        );
        let beside = |vc: &VcReport| {
            vc.service != ServiceClass::Abr && vc.brm_cells_sent > 0 && vc.data_cells_sent > 0
        };
        note(
            "RM cells beside data of another class",
            report.vcs.iter().any(beside),
        );
        note(
            "return to ICR",
            report.vcs.iter().any(|vc| vc.idle_resets > 0),
        );
        note(
            "loop that ends at a switch",
            report
                .vcs
                .iter()
                .any(|vc| vc.rm_cells_absorbed > 0 && vc.rm_cells_inserted > 0),
        );
        let generated = |port: &PortReport| {
            let counted = port.control.statistics.get("brm_cells_generated");
            counted.is_some_and(|cells| *cells > 0.0)
        };
        note(
            "RM cells that a switch generated",
            report.ports.iter().any(generated),
        );
        note(
            "cut for want of BRMs",
            report.vcs.iter().any(|vc| vc.missing_brm_cuts > 0),
        );
        note(
            "several queues in use",
            report.ports.iter().any(|port| port.queues.len() > 1),
        );
        note(
            "simultaneous events",
            events.windows(2).any(|pair| pair[0].at == pair[1].at),
        );
        note("more than 10,000 hops", report.cell_hops > 10_000);
    }
    let rare: Vec<_> = seen.iter().filter(|(_, times)| **times < 4).collect();
    assert!(
        rare.is_empty(),
        "seldom seen in 400 networks: {rare:?} of {seen:?}"
    );
}
