//! A simulation in parts against the same in one piece: reports, digests, states and events are equal,
//! whatever the parts and in whatever order they take their turns.

use crate::support::plans::{Graph, cell_time_us, flow, marked_bottleneck, plain_switch};
use crate::support::random_network::{Network, changing_networks};
use crate::support::repeatable::repeatable;
use crate::support::{difference, outcome};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::event::Event;
use cellrate_engine::atm::plan::{FlowPlan, Plan, SwitchPlan};
use cellrate_engine::atm::simultaneous::SimultaneousCells;
use cellrate_engine::atm::{Mail, Part};
use cellrate_engine::atm::{PortState, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Buffer;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use proptest::prelude::*;

/// Everything that can be read of a run: its report, its events, and its states at each instant of `looks`.
#[derive(Debug, PartialEq)]
struct Seen {
    report: String,
    events: (Vec<Event>, u64),
    looks: Vec<Look>,
}

/// Ports by link, and ACR, virtual ACRs, window and source queue by flow.
#[derive(Debug, Default, PartialEq)]
struct Look {
    ports: Vec<(usize, PortState)>,
    flows: Vec<(usize, String)>,
}

/// Adds the states of ports and of flows that begin in a simulation, or in a part, to `into`.
fn look(state: &mut Simulation, begins: impl Fn(usize) -> bool, into: &mut Look) {
    let links: Vec<usize> = state.switch_ports().iter().map(|port| port.link).collect();
    into.ports
        .extend(links.into_iter().zip(state.port_states()));
    for number in (0..state.plan().flows.len()).filter(|number| begins(*number)) {
        let seen = (
            state.acr(number),
            state.tcp_window(number),
            state.source_queue(number),
        );
        into.flows.push((number, format!("{seen:?}")));
    }
    into.ports.sort_by_key(|(link, _)| *link);
    into.flows.sort_by_key(|(flow, _)| *flow);
}

/// Instants of a run: its measuring window, the instants at which states are read (`looks`), and its end.
#[derive(Clone)]
struct Instants {
    window: (Ps, Ps),
    looks: Vec<Ps>,
    end: Ps,
}

impl Instants {
    fn drawn(end: Ps, cuts: &[u16]) -> Instants {
        let mut looks: Vec<Ps> = cuts
            .iter()
            .map(|cut| Ps((end.0 >> 16) * u64::from(*cut)))
            .collect();
        looks.sort_unstable();
        looks.dedup();
        let window = match looks[..] {
            [from, .., to] => (from, to),
            _ => (Ps::ZERO, end),
        };
        Instants { window, looks, end }
    }

    /// Begins or ends the measuring window of the whole at `at`, which everything has been processed before.
    fn edge(&self, run: &mut Simulation, at: Ps) {
        if at == self.window.0 {
            run.begin_window();
        }
        if at == self.window.1 {
            run.end_window();
        }
    }
}

fn in_one_piece(plan: &Plan, instants: &Instants) -> Seen {
    let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
    let mut all = [
        &instants.looks[..],
        &[instants.window.0, instants.window.1, instants.end],
    ]
    .concat();
    all.sort_unstable();
    all.dedup();
    let mut looks = Vec::new();
    for at in all {
        run.run_until(at);
        if instants.looks.contains(&at) {
            let mut seen = Look::default();
            look(&mut run, |_| true, &mut seen);
            looks.push(seen);
            run.sample();
        }
        instants.edge(&mut run, at);
    }
    seen(run, looks)
}

fn seen(mut run: Simulation, looks: Vec<Look>) -> Seen {
    Seen {
        report: outcome(&run.report()),
        events: run.events(usize::MAX),
        looks,
    }
}

/// Numbers that decide whose turn it is.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Everything that can be read of a run in parts, each of which runs as far as the others allow
/// whenever its turn is drawn.
fn in_parts(plan: &Plan, parts: &[usize], instants: &Instants, draws: &mut Draws) -> Seen {
    let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
    let mut looks: Vec<Look> = instants.looks.iter().map(|_| Look::default()).collect();
    let begin = |number: usize| plan.links[plan.flows[number].forward[0]].from;
    let mut next_look = 0;
    loop {
        let change = run.make_due_change();
        let edges = [instants.window.0, instants.window.1, instants.end];
        let edge = edges.into_iter().filter(|at| *at > run.now()).min();
        if run.now() == Ps::ZERO {
            instants.edge(&mut run, Ps::ZERO);
        }
        let Some(edge) = edge else {
            return seen(run, looks);
        };
        let until = edge.min(change);
        let within = instants.looks[next_look..].iter().filter(|at| **at < until);
        let within: Vec<Ps> = within.copied().collect();
        let divided = run.divide(parts);
        let joined = run_parts(divided, &within, until, draws, &mut |number, part, at| {
            let begins = |flow: usize| parts[begin(flow)] == number;
            look(part.state(), begins, &mut looks[next_look + at]);
            part.sample();
        });
        next_look += within.len();
        run.join(joined);
        if instants.looks.get(next_look) == Some(&until) {
            look(&mut run, |_| true, &mut looks[next_look]);
            run.sample();
            next_look += 1;
        }
        instants.edge(&mut run, until);
    }
}

/// Runs parts until `until`; `at_look` is called for each at each instant of `looks`.
fn run_parts(
    mut parts: Vec<Part>,
    looks: &[Ps],
    until: Ps,
    draws: &mut Draws,
    at_look: &mut dyn FnMut(usize, &mut Part, usize),
) -> Vec<Part> {
    let count = parts.len();
    let mut mail: Vec<Mail> = (0..count * count).map(|_| Mail::default()).collect();
    let mut looked = vec![0; count];
    while parts.iter().any(|part| part.now() < until) || looked.iter().any(|n| *n < looks.len()) {
        let number = draws.below(count);
        let goal = looks.get(looked[number]).copied().unwrap_or(until);
        let clocks: Vec<Ps> = parts.iter().map(Part::now).collect();
        let part = &mut parts[number];
        let reach = part
            .senders()
            .iter()
            .map(|cut| clocks[cut.part].saturating_add(cut.lookahead));
        let mut to = reach.fold(goal, Ps::min);
        // Sometimes not as far as it might.
        if draws.below(3) == 0 {
            let ahead = to.0.saturating_sub(part.now().0);
            to = Ps(to.0 - ahead / 2);
        }
        if to > part.now() {
            for sender in 0..count {
                part.collect(&mut mail[sender * count + number]);
            }
            part.run_until(to, goal);
            if to == goal {
                part.catch_up();
            }
            for cut in 0..part.receivers().len() {
                let receiver = part.receivers()[cut].part;
                part.post(cut, &mut mail[number * count + receiver]);
            }
        }
        if part.now() == goal && looked[number] < looks.len() {
            at_look(number, part, looked[number]);
            looked[number] += 1;
        }
    }
    for (number, part) in parts.iter_mut().enumerate() {
        for sender in 0..count {
            part.collect(&mut mail[sender * count + number]);
        }
    }
    parts
}

/// A part drawn for each node; the last node is in the last of `count` parts. Others may be empty.
fn assignment(nodes: usize, count: usize, draws: &mut Draws) -> Vec<usize> {
    let mut parts: Vec<usize> = (0..nodes).map(|_| draws.below(count)).collect();
    parts[nodes - 1] = count - 1;
    parts
}

proptest! {
    #![proptest_config(repeatable(64))]

    #[test]
    fn parts_change_nothing(
        network in changing_networks(),
        cuts in prop::collection::vec(any::<u16>(), 0..12),
        seed in any::<u64>(),
    ) {
        let Network { plan, end } = network;
        let instants = Instants::drawn(end, &cuts);
        let whole = in_one_piece(&plan, &instants);
        let mut draws = Draws(seed);
        for count in [1, 2, 3, 5] {
            let parts = assignment(plan.nodes.len(), count, &mut draws);
            let divided = in_parts(&plan, &parts, &instants, &mut draws);
            prop_assert_eq!(difference(&whole.report, &divided.report), None);
            prop_assert_eq!(&whole, &divided);
        }
    }
}

/// A port marks cells that are on its link already. Where the link is cut these cells stay with the
/// port's part until their service starts, also if the parts are joined and divided meanwhile.
#[test]
fn cells_that_may_still_be_marked_stay_with_their_port() {
    let end = Ps::from_ms(60);
    let cuts: Vec<u16> = (1..30).map(|cut| cut * 2_111).collect();
    let instants = Instants::drawn(end, &cuts);
    for (threshold, cell_delay) in [(0, true), (12, true), (12, false)] {
        let mut plan = marked_bottleneck(threshold);
        plan.measure.cell_delay = cell_delay;
        let whole = in_one_piece(&plan, &instants);
        let mut draws = Draws(5);
        // Nodes: the switches A and B, and for each flow its source and destination.
        let by_hand = [[0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 2, 0, 2, 1, 2]];
        let drawn = [(); 6].map(|_| {
            let drawn = assignment(plan.nodes.len(), 3, &mut draws);
            core::array::from_fn(|node| drawn[node])
        });
        for parts in by_hand.into_iter().chain(drawn) {
            let divided = in_parts(&plan, &parts, &instants, &mut draws);
            assert_eq!(difference(&whole.report, &divided.report), None);
            assert_eq!(whole, divided);
        }
    }
    let marks = |threshold| in_one_piece(&marked_bottleneck(threshold), &instants).report;
    assert_ne!(marks(12), marks(13));
}

/// Two sources over lines of equal length into a switch with room for one cell; the second starts
/// `behind` the first.
fn in_step(order: SimultaneousCells, behind: Ps) -> Plan {
    let mut graph = Graph::default();
    let switch = graph.switch(
        "s",
        SwitchPlan {
            buffer: Buffer(1),
            ..plain_switch()
        },
    );
    let sink = graph.host("sink");
    let out = graph.duplex(switch, sink, cell_time_us(10), Ps::from_us(5));
    let flows = [Ps::ZERO, behind].into_iter().enumerate();
    let flows = flows.map(|(number, start)| {
        let host = graph.host(&format!("h{number}"));
        let access = graph.duplex(host, switch, cell_time_us(10), Ps::from_us(5));
        let source = SourceConfig::Cbr(CbrConfig {
            rate: cell_time_us(40),
        });
        FlowPlan {
            start,
            ..flow(
                &format!("f{number}"),
                ServiceClass::Cbr,
                source,
                vec![access, out],
            )
        }
    });
    let flows = flows.collect();
    let mut plan = graph.plan(flows);
    plan.simultaneous_cells = order;
    plan
}

/// Cells that meet at one instant are taken in the written order, or the drawn one, whichever of
/// their links are cut.
#[test]
fn cells_that_arrive_together_over_a_cut_keep_their_order() {
    let end = Ps::from_ms(4);
    let instants = Instants {
        window: (Ps::ZERO, end),
        looks: Vec::new(),
        end,
    };
    let lost = |plan: &Plan, parts: &[usize]| {
        let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
        run.begin_window();
        let divided = run.divide(parts);
        let joined = run_parts(divided, &[], end, &mut Draws(1), &mut |_, _, _| ());
        run.join(joined);
        run.end_window();
        let report = run.report();
        assert_eq!(outcome(&report), in_one_piece(plan, &instants).report);
        report
            .vcs
            .iter()
            .map(|vc| vc.cells_dropped)
            .collect::<Vec<u64>>()
    };
    // Nodes: switch, sink, two sources. Each of the lines from the sources is cut, or both, or none.
    for parts in [[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 2]] {
        let plan = in_step(SimultaneousCells::AsWritten, Ps::ZERO);
        let dropped = lost(&plan, &parts);
        assert!(
            dropped[0] == 0 && dropped[1] > 90,
            "as written the first link wins each time: {dropped:?}"
        );
        // A picosecond later the second comes second anyway; earlier it is the first.
        let late = lost(&in_step(SimultaneousCells::AsWritten, Ps(1)), &parts);
        assert_eq!(late[0], 0, "{late:?}");
        let drawn = lost(&in_step(SimultaneousCells::Drawn, Ps::ZERO), &parts);
        assert!(drawn.iter().all(|lost| *lost > 20), "{drawn:?}");
    }
}
