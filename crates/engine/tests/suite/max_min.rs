//! Explicit-rate schemes on random networks with several bottlenecks, against a max-min solver.

use crate::support::plans::{Graph, back, flow, plain_switch};
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::Simulation;
use cellrate_engine::network::plan::{FlowPlan, NodeKind, Plan, SwitchPlan};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// Switches in a row with links that may skip some, and flows that go from left to right: so forward
/// links carry data and FRMs, backward links BRMs alone.
#[derive(Debug)]
struct Draft {
    switches: usize,
    /// Rates of the links in Mbit/s and their delays in us, first those of the row.
    links: Vec<(u64, u64)>,
    skips: Vec<(Index, Index)>,
    /// First switch of each flow, and the choices among the ways on.
    flows: Vec<(Index, Vec<Index>)>,
}

fn drafts() -> impl Strategy<Value = Draft> {
    let links = prop::collection::vec((30..150u64, 1..500u64), 6);
    let skips = prop::collection::vec(any::<(Index, Index)>(), 0..2);
    let flows = prop::collection::vec((any::<Index>(), prop::collection::vec(any::<Index>(), 1..5)), 2..9);
    (3..=5usize, links, skips, flows).prop_map(|(switches, links, skips, flows)| Draft {
        switches,
        links,
        skips,
        flows,
    })
}

/// A scheme, the share of a link that it allocates, and how near to the fair rates it comes.
#[derive(Clone, Debug)]
struct Scheme {
    control: ControlConfig,
    target: f64,
    tolerance: f64,
}

fn scheme(target: f64, mut parameters: Value) -> Scheme {
    parameters["target_utilisation"] = json!(target);
    Scheme { control: serde_json::from_value(parameters).expect("valid parameters"), target, tolerance: 0.01 }
}

/// So many cells never arrive in an interval: it ends by time alone.
fn erica() -> Scheme {
    scheme(0.9, json!({ "scheme": "erica", "delta": 0.0, "interval": "5 ms", "interval_cells": "1000000 cells" }))
}

fn fmmra() -> Scheme {
    scheme(0.95, json!({ "scheme": "fmmra" }))
}

/// Nothing damps its rates, so that they tremble where bottlenecks are coupled.
fn charny() -> Scheme {
    Scheme { tolerance: 0.05, ..scheme(0.95, json!({ "scheme": "charny" })) }
}

/// Links that lead on from each switch, with where they lead.
type Ways = Vec<Vec<(usize, usize)>>;

impl Draft {
    fn ways(&self, graph: &mut Graph) -> Ways {
        let mut ways = vec![Vec::new(); self.switches];
        let row = (1..self.switches).map(|to| (to - 1, to));
        let skips = self.skips.iter().map(|(from, to)| (from.index(self.switches - 2), to.index(self.switches)));
        let skips = skips.filter(|(from, to)| from + 1 < *to);
        for ((from, to), (rate, delay)) in row.chain(skips).zip(&self.links) {
            ways[from].push((to, graph.duplex(from, to, Rate::from_bps(rate * 1_000_000), Ps::from_us(*delay))));
        }
        ways
    }

    fn plan(&self, scheme: &Scheme) -> Plan {
        let mut graph = Graph::default();
        for number in 0..self.switches {
            graph.switch(&format!("s{number}"), SwitchPlan { control: scheme.control.clone(), ..plain_switch() });
        }
        let ways = self.ways(&mut graph);
        let flows = (0..self.flows.len()).map(|number| self.flow(&mut graph, &ways, number)).collect();
        graph.plan(flows)
    }

    fn flow(&self, graph: &mut Graph, ways: &Ways, number: usize) -> FlowPlan {
        let (first, steps) = &self.flows[number];
        let mut at = first.index(self.switches - 1);
        let mut path = vec![access(graph, at) ^ 1];
        for step in steps {
            if !ways[at].is_empty() {
                let (to, link) = ways[at][step.index(ways[at].len())];
                path.push(link);
                at = to;
            }
        }
        path.push(access(graph, at));
        greedy(number, path)
    }
}

/// A flow that always has cells and follows an explicit rate at once.
fn greedy(number: usize, path: Vec<usize>) -> FlowPlan {
    let source = SourceConfig::Persistent(PersistentConfig {});
    let mut flow = FlowPlan {
        backward: back(&path),
        start: Ps::from_us(137 * number as u64),
        ..flow(&format!("f{number}"), ServiceClass::Abr, source, path)
    };
    flow.abr.icr = Some(Rate::from_bps(5_000_000));
    flow.abr.rif = 1.0;
    flow
}

/// A host of its own at `switch`, and the link that leads to it.
fn access(graph: &mut Graph, switch: usize) -> usize {
    let host = graph.host(&format!("h{}", graph.nodes.len()));
    graph.duplex(switch, host, Rate::from_bps(155_520_000), Ps::from_us(5))
}

/// Max-min fair rates in cells/s: all rates rise together; a link whose target is reached stops those
/// that cross it (Bertsekas and Gallager, Data Networks, section 6.5.2).
fn max_min(plan: &Plan, target: f64) -> Vec<f64> {
    // No switch watches over what a host sends.
    let is_access = |link: usize| matches!(plan.nodes[plan.links[link].from].kind, NodeKind::Host);
    let capacity = |link: usize| plan.links[link].rate.cells_per_second() * if is_access(link) { 1.0 } else { target };
    let mut rates: Vec<Option<f64>> = vec![None; plan.flows.len()];
    while rates.contains(&None) {
        let level = |link: usize| {
            let users = || plan.flows.iter().zip(&rates).filter(move |(flow, _)| flow.forward.contains(&link));
            let open = users().filter(|(_, rate)| rate.is_none()).count();
            let taken: f64 = users().filter_map(|(_, rate)| *rate).sum();
            (open > 0).then(|| (capacity(link) - taken) / open as f64)
        };
        let levels = (0..plan.links.len()).filter_map(|link| level(link).map(|level| (level, link)));
        let (level, link) = levels.min_by(|a, b| a.0.total_cmp(&b.0)).expect("an open flow crosses a link");
        for (flow, rate) in plan.flows.iter().zip(&mut rates) {
            if rate.is_none() && flow.forward.contains(&link) {
                *rate = Some(level);
            }
        }
    }
    rates.into_iter().flatten().collect()
}

/// Distinct levels, to a per cent.
fn bottlenecks(rates: &[f64]) -> usize {
    let mut levels = rates.to_vec();
    levels.sort_by(f64::total_cmp);
    1 + levels.windows(2).filter(|pair| pair[1] > 1.01 * pair[0]).count()
}

fn check(draft: &Draft, scheme: &Scheme) -> Result<(), TestCaseError> {
    let plan = draft.plan(scheme);
    let fair = max_min(&plan, scheme.target);
    prop_assume!(bottlenecks(&fair) > 1);
    let (warm, end) = (Ps::from_ms(300), Ps::from_ms(500));
    let report = Simulation::<LazyServer>::new(plan).unwrap().measure(warm, end, end);
    let forward = report.vcs.iter().filter(|vc| vc.name.ends_with("forward"));
    for (vc, fair) in forward.zip(fair) {
        let rate = vc.cells_sent as f64 / report.window_seconds;
        prop_assert!(
            (rate / fair - 1.0).abs() < scheme.tolerance,
            "{} has {} instead of {} cells/s",
            vc.name,
            rate,
            fair
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(repeatable(24))]

    #[test]
    fn steady_rates_of_erica_are_max_min_fair(draft in drafts()) {
        check(&draft, &erica())?;
    }
    #[test]
    fn steady_rates_of_fmmra_are_max_min_fair(draft in drafts()) {
        check(&draft, &fmmra())?;
    }
    #[test]
    fn steady_rates_of_consistent_marking_are_max_min_fair(draft in drafts()) {
        check(&draft, &charny())?;
    }
}

/// Links of 150, 30 and 100. The first flow crosses the first two and gets 30; the second crosses the
/// first and the third, which it shares with the last at 50 each; the third has what is left of the
/// first link, 150 - 30 - 50.
#[test]
fn the_solver_fills_the_tightest_link_first() {
    let mut graph = Graph::default();
    let nodes: Vec<usize> = (0..4).map(|number| graph.switch(&format!("s{number}"), plain_switch())).collect();
    let unit = |units: u64| Rate::from_cells_per_second(units as f64 / 0.9);
    let links =
        [(0, 150), (1, 30), (2, 100)].map(|(at, units)| graph.duplex(nodes[at], nodes[at + 1], unit(units), Ps(1)));
    let source = || SourceConfig::Persistent(PersistentConfig {});
    let flow = |path: &[usize]| flow("f", ServiceClass::Abr, source(), path.to_vec());
    let flows = vec![flow(&links[..2]), flow(&[links[0], links[2]]), flow(&links[..1]), flow(&links[2..])];
    let found = max_min(&graph.plan(flows), 0.9);
    assert!(found.iter().zip([30.0, 50.0, 70.0, 50.0]).all(|(found, fair)| (found - fair).abs() < 1e-2), "{found:?}");
}

/// A generic fairness configuration: links in Mbit/s between switches, and groups of flows with their number,
/// the switch where they enter, the links that they cross and what each flow should get in Mbit/s.
struct Generic {
    links: &'static [(usize, usize, f64)],
    groups: &'static [(usize, &'static [usize], f64)],
}

const GFC_1: Generic = Generic {
    links: &[(0, 1, 50.0), (1, 2, 150.0), (2, 3, 150.0), (3, 4, 100.0)],
    groups: &[
        (3, &[0, 1, 2], 50.0 / 9.0),
        (3, &[1, 2, 3], 100.0 / 9.0),
        (3, &[2], 100.0 / 3.0),
        (6, &[0], 50.0 / 9.0),
        (6, &[3], 100.0 / 9.0),
        (2, &[1], 50.0),
    ],
};

/// With the allocations of the second configuration and one link for each of its bottlenecks.
const GFC_2: Generic = Generic {
    links: &[(0, 2, 40.0), (1, 2, 50.0), (2, 3, 150.0), (3, 4, 150.0), (4, 5, 150.0)],
    groups: &[
        (3, &[0, 2, 3, 4], 10.0),
        (3, &[1, 2, 3, 4], 5.0),
        (3, &[2], 35.0),
        (1, &[3], 35.0),
        (2, &[3], 35.0),
        (1, &[0], 10.0),
        (7, &[1], 5.0),
        (2, &[4], 52.5),
    ],
};

impl Generic {
    /// Links so much faster than their target that the target is the printed rate.
    fn plan(&self, scheme: &Scheme, delay: Ps) -> (Plan, Vec<f64>) {
        let mut graph = Graph::default();
        let switches = 1 + self.links.iter().map(|(_, to, _)| *to).max().unwrap_or(0);
        for number in 0..switches {
            graph.switch(&format!("s{number}"), SwitchPlan { control: scheme.control.clone(), ..plain_switch() });
        }
        let rate = |megabits: f64| Rate((megabits * 1e9 / scheme.target) as u64);
        let links: Vec<usize> =
            self.links.iter().map(|(from, to, megabits)| graph.duplex(*from, *to, rate(*megabits), delay)).collect();
        let mut flows = Vec::new();
        let mut fair = Vec::new();
        for (count, crossed, megabits) in self.groups {
            for _ in 0..*count {
                let (first, last) = (self.links[crossed[0]].0, self.links[crossed[crossed.len() - 1]].1);
                let mut path = vec![access(&mut graph, first) ^ 1];
                path.extend(crossed.iter().map(|link| links[*link]));
                path.push(access(&mut graph, last));
                flows.push(greedy(flows.len(), path));
                fair.push(megabits * 1e6 / 424.0);
            }
        }
        (graph.plan(flows), fair)
    }
}

/// Time after which every ACR stays within a tenth of its fair rate, in a run of 300 ms.
fn settling(plan: Plan, fair: &[f64]) -> Ps {
    let step = Ps::from_us(100);
    let mut run: Simulation<LazyServer> = Simulation::new(plan).unwrap();
    let mut settled = Ps::ZERO;
    for number in 1..=3_000 {
        let now = Ps(number * step.0);
        run.run_until(now);
        let off = |(flow, fair): (usize, &f64)| (run.acr(flow).unwrap() / fair - 1.0).abs() > 0.1;
        if fair.iter().enumerate().any(off) {
            settled = now;
        }
    }
    settled
}

#[test]
fn the_generic_fairness_configurations_come_out_as_they_should() {
    for (generic, name) in [(&GFC_1, "GFC-1"), (&GFC_2, "GFC-2")] {
        for scheme in [erica(), fmmra(), charny()] {
            let (plan, fair) = generic.plan(&scheme, Ps::from_us(200));
            let solved = max_min(&plan, scheme.target);
            assert!(solved.iter().zip(&fair).all(|(solved, fair)| (solved / fair - 1.0).abs() < 1e-6), "{name}");
            let (warm, end) = (Ps::from_ms(300), Ps::from_ms(500));
            let report = Simulation::<LazyServer>::new(plan).unwrap().measure(warm, end, end);
            let forward = report.vcs.iter().filter(|vc| vc.name.ends_with("forward"));
            for (vc, fair) in forward.zip(fair) {
                let share = vc.cells_sent as f64 / report.window_seconds / fair;
                assert!(
                    (share - 1.0).abs() < scheme.tolerance,
                    "{name}, {}: {} has {share}",
                    scheme.control.name(),
                    vc.name
                );
            }
        }
    }
}

/// `docs/explanation/schemes.md` has the times.
#[test]
fn fmmra_settles_before_erica_with_long_intervals_and_after_it_with_short_ones() {
    // As short as those of FMMRA.
    let short =
        scheme(0.9, json!({ "scheme": "erica", "delta": 0.0, "interval": "1 ms", "interval_cells": "100 cells" }));
    for (generic, name) in [(&GFC_1, "GFC-1"), (&GFC_2, "GFC-2")] {
        let settle = |scheme: &Scheme| {
            let (plan, fair) = generic.plan(scheme, Ps::from_us(1_000));
            settling(plan, &fair)
        };
        let (long, short) = (settle(&erica()), settle(&short));
        let (fmmra, charny) = (settle(&fmmra()), settle(&charny()));
        let found = format!("{name}: ERICA {long} and {short}, FMMRA {fmmra}, Charny {charny}");
        assert!(short < fmmra && fmmra < long && charny < short, "{found}");
    }
}
