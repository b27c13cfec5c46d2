//! Explicit-rate schemes on random networks with several bottlenecks, against a max-min solver.

use crate::support::bottlenecks::{Draft, access, drafts, greedy, max_min};
use crate::support::plans::{Graph, flow, plain_switch};
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::network::Simulation;
use cellrate_engine::network::plan::{Plan, SwitchPlan};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A scheme, the share of a link that it allocates, and how near to the fair rates it comes.
#[derive(Clone, Debug)]
struct Scheme {
    control: ControlConfig,
    target: f64,
    /// Share of a flow's rate that a link leaves idle.
    idle: f64,
    tolerance: f64,
    /// When rates are steady.
    settled: Ps,
}

fn scheme(target: f64, mut parameters: Value) -> Scheme {
    parameters["target_utilisation"] = json!(target);
    Scheme {
        control: serde_json::from_value(parameters).expect("valid parameters"),
        target,
        idle: 0.0,
        tolerance: 0.01,
        settled: Ps::from_ms(300),
    }
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

/// Distinct levels, to a per cent.
fn bottlenecks(rates: &[f64]) -> usize {
    let mut levels = rates.to_vec();
    levels.sort_by(f64::total_cmp);
    1 + levels.windows(2).filter(|pair| pair[1] > 1.01 * pair[0]).count()
}

/// ERICA+ with T0 as long as the interval, so that the queue is filled and drained no sooner than the load is known.
fn erica_plus() -> Scheme {
    let queue_control = json!({ "target_delay": "5 ms" });
    let interval = json!("5 ms");
    scheme(
        1.0,
        json!({
            "scheme": "erica", "delta": 0.0, "interval": interval, "interval_cells": "1000000 cells",
            "queue_control": queue_control,
        }),
    )
}

/// One explicit rate for all, which grows until the load of the link is the target: what a link allows is the same for
/// each flow that it stops, as the max-min rates are.
fn capc() -> Scheme {
    scheme(0.95, json!({ "scheme": "capc" }))
}

/// With its precise fair share. With the basic one only a load in the band and like rates on one link are promised:
/// `one_bottleneck.rs`.
fn osu() -> Scheme {
    scheme(0.9, json!({ "scheme": "osu", "fairness": "precise", "interval": "5 ms" }))
}

/// The imaginary channel of each link is one more that shares it, with 1 / u of the rate of the others. With n flows the
/// rate answers n u times to a step of MACR, an interval later: it settles if the gains are below 1 / (n u).
/// Those of the default are not, for more than a flow or two. At most eight flows here: 1/64 is.
fn phantom() -> Scheme {
    let parameters = json!({
        "scheme": "phantom", "interval": "5 ms", "utilisation_factor": 5.0,
        "alpha_inc": 1.0 / 64.0, "alpha_dec": 1.0 / 64.0,
    });
    let control = serde_json::from_value(parameters).expect("valid parameters");
    Scheme { control, target: 1.0, idle: 1.0 / 5.0, tolerance: 0.01, settled: Ps::from_ms(800) }
}

fn check(draft: &Draft, scheme: &Scheme) -> Result<(), TestCaseError> {
    let plan = draft.plan(&scheme.control);
    let fair = max_min(&plan, scheme.target, scheme.idle);
    prop_assume!(bottlenecks(&fair) > 1);
    let (warm, end) = (scheme.settled, scheme.settled + Ps::from_ms(200));
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

proptest! {
    #![proptest_config(repeatable(10))]

    #[test]
    fn steady_rates_of_erica_plus_are_max_min_fair(draft in drafts()) {
        check(&draft, &erica_plus())?;
    }
    #[test]
    fn steady_rates_of_capc_are_max_min_fair(draft in drafts()) {
        check(&draft, &capc())?;
    }
    #[test]
    fn steady_rates_of_the_osu_scheme_with_precise_shares_are_max_min_fair(draft in drafts()) {
        check(&draft, &osu())?;
    }
    #[test]
    fn steady_rates_of_phantom_are_max_min_fair_with_its_imaginary_channels(draft in drafts()) {
        check(&draft, &phantom())?;
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
    let found = max_min(&graph.plan(flows), 0.9, 0.0);
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
            let solved = max_min(&plan, scheme.target, scheme.idle);
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

/// What they promise instead is in `one_bottleneck.rs`.
#[test]
fn eprca_and_the_basic_shares_of_the_osu_scheme_are_not_max_min_fair() {
    let control = serde_json::from_value(json!({ "scheme": "eprca" })).unwrap();
    let eprca = Scheme { control, target: 1.0, idle: 0.0, tolerance: 0.0, settled: Ps::from_ms(300) };
    let osu = scheme(0.9, json!({ "scheme": "osu", "fairness": "basic", "interval": "5 ms" }));
    for scheme in [eprca, osu] {
        let (mut plan, fair) = GFC_1.plan(&scheme, Ps::from_us(200));
        plan.flows.iter_mut().for_each(|flow| flow.abr.rif = if scheme.target < 1.0 { 1.0 } else { 1.0 / 16.0 });
        let (warm, end) = (Ps::from_ms(300), Ps::from_ms(500));
        let report = Simulation::<LazyServer>::new(plan).unwrap().measure(warm, end, end);
        let forward = report.vcs.iter().filter(|vc| vc.name.ends_with("forward"));
        let off = forward.zip(fair).map(|(vc, fair)| (vc.cells_sent as f64 / report.window_seconds / fair - 1.0).abs());
        let worst = off.fold(0.0, f64::max);
        assert!(worst > 0.1, "{}: {worst}", scheme.control.name());
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
