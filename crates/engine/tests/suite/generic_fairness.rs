//! Explicit-rate schemes on the generic fairness configurations: their steady rates, and the time
//! to reach them.

use crate::support::bottlenecks::{access, greedy, max_min, steady_rates};
use crate::support::plans::{Graph, plain_switch};
use crate::support::schemes::{Scheme, charny, erica, fmmra, scheme, ucsc};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::kernel::{Ps, Rate};
use serde_json::json;

/// A generic fairness configuration: links in Mbit/s between switches, and groups of flows with
/// their number, the switch at which they enter, the links that they cross and the fair rate of
/// each flow in Mbit/s.
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

/// The second configuration, with its printed allocations and one link for each of its bottlenecks.
const GFC_2: Generic = Generic {
    links: &[
        (0, 2, 40.0),
        (1, 2, 50.0),
        (2, 3, 150.0),
        (3, 4, 150.0),
        (4, 5, 150.0),
    ],
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
    /// A plan whose links are faster than printed, so that their target is the printed rate.
    fn plan(&self, scheme: &Scheme, delay: Ps) -> (Plan, Vec<f64>) {
        let mut graph = Graph::default();
        let switches = 1 + self.links.iter().map(|(_, to, _)| *to).max().unwrap_or(0);
        for number in 0..switches {
            graph.switch(
                &format!("s{number}"),
                SwitchPlan {
                    control: scheme.control.clone(),
                    ..plain_switch()
                },
            );
        }
        let rate = |megabits: f64| Rate((megabits * 1e9 / scheme.target) as u64);
        let links: Vec<usize> = self
            .links
            .iter()
            .map(|(from, to, megabits)| graph.duplex(*from, *to, rate(*megabits), delay))
            .collect();
        let mut flows = Vec::new();
        let mut fair = Vec::new();
        for (count, crossed, megabits) in self.groups {
            for _ in 0..*count {
                let (first, last) = (
                    self.links[crossed[0]].0,
                    self.links[crossed[crossed.len() - 1]].1,
                );
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
        for scheme in [erica(), fmmra(), charny(), ucsc()] {
            let (plan, fair) = generic.plan(&scheme, Ps::from_us(200));
            let solved = max_min(&plan, scheme.target, scheme.idle);
            assert!(
                solved
                    .iter()
                    .zip(&fair)
                    .all(|(solved, fair)| (solved / fair - 1.0).abs() < 1e-6),
                "{name}"
            );
            for (number, (rate, fair)) in steady_rates(plan, &scheme).iter().zip(fair).enumerate() {
                let near = (rate / fair - 1.0).abs() < scheme.tolerance;
                assert!(
                    near,
                    "{name}, {}: f{number} has {}",
                    scheme.control.name(),
                    rate / fair
                );
            }
        }
    }
}

/// Other properties of these schemes, which they do have, are tested in `one_bottleneck.rs`.
#[test]
fn eprca_and_the_basic_shares_of_the_osu_scheme_are_not_max_min_fair() {
    let control = serde_json::from_value(json!({ "scheme": "eprca" })).unwrap();
    let eprca = Scheme {
        control,
        target: 1.0,
        idle: 0.0,
        tolerance: 0.0,
        settled: Ps::from_ms(300),
        drains: false,
    };
    let osu = scheme(
        0.9,
        json!({ "scheme": "osu", "fairness": "basic", "interval": "5 ms" }),
    );
    for scheme in [eprca, osu] {
        let (mut plan, fair) = GFC_1.plan(&scheme, Ps::from_us(200));
        plan.flows
            .iter_mut()
            .for_each(|flow| flow.abr.rif = if scheme.target < 1.0 { 1.0 } else { 1.0 / 16.0 });
        let rates = steady_rates(plan, &scheme);
        let worst = rates
            .iter()
            .zip(fair)
            .map(|(rate, fair)| (rate / fair - 1.0).abs())
            .fold(0.0, f64::max);
        assert!(worst > 0.1, "{}: {worst}", scheme.control.name());
    }
}

/// Settling times of FMMRA and ERICA; `docs/explanation/schemes.md` states them.
#[test]
fn fmmra_settles_before_erica_with_long_intervals_and_after_it_with_short_ones() {
    // As short as those of FMMRA.
    let short = scheme(
        0.9,
        json!({ "scheme": "erica", "delta": 0.0, "interval": "1 ms", "interval_cells": "100 cells" }),
    );
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

/// At the default target of 1 a queue remains, and the rule for congestion applies again and again.
#[test]
fn fmmra_at_a_target_of_one_does_not_settle() {
    let fmmra = scheme(1.0, json!({ "scheme": "fmmra" }));
    for (generic, name) in [(&GFC_1, "GFC-1"), (&GFC_2, "GFC-2")] {
        let (plan, fair) = generic.plan(&fmmra, Ps::from_us(1_000));
        let settled = settling(plan, &fair);
        assert!(settled > Ps::from_ms(290), "{name}: after {settled}");
    }
}
