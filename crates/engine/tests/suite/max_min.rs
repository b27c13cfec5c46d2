//! Explicit-rate schemes on random networks with several bottlenecks, compared with a max-min
//! solver.

use crate::support::bottlenecks::{
    Draft, access, drafts, greedy, least_of_consistent_marking, max_min, steady_rates,
};
use crate::support::plans::{Graph, flow, plain_switch};
use crate::support::repeatable::repeatable;
use crate::support::schemes::{
    Scheme, capc, capc_of_short_intervals, charny, erica_plus, erica_without_clip,
    fmmra_of_long_intervals, fmmra_of_short_intervals, osu, phantom, ucsc,
};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::persistent::PersistentConfig;
use proptest::prelude::*;

/// Number of distinct rates, up to a per cent.
fn bottlenecks(rates: &[f64]) -> usize {
    let mut levels = rates.to_vec();
    levels.sort_by(f64::total_cmp);
    1 + levels
        .windows(2)
        .filter(|pair| pair[1] > 1.01 * pair[0])
        .count()
}

/// Checks that rates are at least those that `least` computes, to which the scheme may fall, and at most the
/// fair ones.
fn check_from(
    draft: &Draft,
    scheme: &Scheme,
    least: fn(&Plan, f64, &[f64]) -> Vec<f64>,
) -> Result<(), TestCaseError> {
    let plan = draft.plan(&scheme.control);
    let fair = max_min(&plan, scheme.target, scheme.idle);
    prop_assume!(bottlenecks(&fair) > 1);
    let least = least(&plan, scheme.target, &fair);
    for (number, rate) in steady_rates(plan, scheme).iter().enumerate() {
        let (least, fair) = (least[number], fair[number]);
        let near =
            *rate > least * (1.0 - scheme.tolerance) && *rate < fair * (1.0 + scheme.tolerance);
        prop_assert!(
            near,
            "f{} has {} instead of {} to {} cells/s",
            number,
            rate,
            least,
            fair
        );
    }
    Ok(())
}

fn check(draft: &Draft, scheme: &Scheme) -> Result<(), TestCaseError> {
    check_from(draft, scheme, |_, _, fair| fair.to_vec())
}

proptest! {
    #![proptest_config(repeatable(24))]

    #[test]
    fn steady_rates_of_erica_are_max_min_fair(draft in drafts()) {
        check(&draft, &erica_without_clip())?;
    }
    #[test]
    fn steady_rates_of_fmmra_are_max_min_fair(draft in drafts()) {
        check(&draft, &fmmra_of_long_intervals())?;
    }
    #[test]
    fn steady_rates_of_fmmra_over_short_intervals_are_within_a_cell_of_each_source(draft in drafts()) {
        check(&draft, &fmmra_of_short_intervals())?;
    }
    #[test]
    fn steady_rates_of_consistent_marking_are_max_min_fair_but_for_lost_marks(draft in drafts()) {
        check_from(&draft, &charny(), least_of_consistent_marking)?;
    }
    #[test]
    fn steady_rates_of_the_ucsc_scheme_are_max_min_fair(draft in drafts()) {
        check(&draft, &ucsc())?;
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
    fn steady_rates_of_capc_over_short_intervals_are_within_a_cell_of_each_source(draft in drafts()) {
        check(&draft, &capc_of_short_intervals())?;
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

/// Links of 150, 30 and 100. The first flow crosses the first two and gets 30; the second crosses
/// the first and the third, which it shares with the last at 50 each; the third gets the rest of
/// the first link, 150 - 30 - 50.
#[test]
fn the_solver_fills_the_tightest_link_first() {
    let mut graph = Graph::default();
    let nodes: Vec<usize> = (0..4)
        .map(|number| graph.switch(&format!("s{number}"), plain_switch()))
        .collect();
    let unit = |units: u64| Rate::from_cells_per_second(units as f64 / 0.9);
    let links = [(0, 150), (1, 30), (2, 100)]
        .map(|(at, units)| graph.duplex(nodes[at], nodes[at + 1], unit(units), Ps(1)));
    let source = || SourceConfig::Persistent(PersistentConfig {});
    let flow = |path: &[usize]| flow("f", ServiceClass::Abr, source(), path.to_vec());
    let flows = vec![
        flow(&links[..2]),
        flow(&[links[0], links[2]]),
        flow(&links[..1]),
        flow(&links[2..]),
    ];
    let found = max_min(&graph.plan(flows), 0.9, 0.0);
    assert!(
        found
            .iter()
            .zip([30.0, 50.0, 70.0, 50.0])
            .all(|(found, fair)| (found - fair).abs() < 1e-2),
        "{found:?}"
    );
}

/// Links of 76, 102 and 36 Mbit/s, of which 95 % is allocated. The first gives its two flows 36.1
/// each, the last its two 17.1, and the second the rest to the one that crosses no other link: of
/// 96.9 Mbit/s 43.7. While a cell of the slowest passes, (96.9 - 36.1) / 2 = 30.4 is left to it:
/// the mark of 36.1 is removed. Then the fastest is offered (96.9 - 17.1) / 2 = 39.9.
#[test]
fn a_removed_mark_costs_the_fastest_flow_of_consistent_marking() {
    let scheme = charny();
    let mut graph = Graph::default();
    let switch = || SwitchPlan {
        control: scheme.control.clone(),
        ..plain_switch()
    };
    let nodes: Vec<usize> = (0..4)
        .map(|number| graph.switch(&format!("s{number}"), switch()))
        .collect();
    let links = [(0, 76, 110), (1, 102, 46), (2, 36, 157)].map(|(at, megabits, us)| {
        let rate = Rate::from_bps(megabits * 1_000_000);
        graph.duplex(nodes[at], nodes[at + 1], rate, Ps::from_us(us))
    });
    let flows = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]
        .iter()
        .enumerate()
        .map(|(number, (first, last))| {
            let mut path = vec![access(&mut graph, nodes[*first]) ^ 1];
            path.extend(&links[*first..*last]);
            path.push(access(&mut graph, nodes[*last]));
            greedy(number, path)
        });
    let flows = flows.collect();
    let plan = graph.plan(flows);
    let megabits =
        |rates: Vec<f64>| -> Vec<f64> { rates.iter().map(|rate| rate * 424e-6).collect() };
    let fair = max_min(&plan, scheme.target, scheme.idle);
    let least = megabits(least_of_consistent_marking(&plan, scheme.target, &fair));
    let (fair, rates) = (megabits(fair), megabits(steady_rates(plan, &scheme)));
    let near = |found: &[f64], expected: [f64; 5], by: f64| {
        found
            .iter()
            .zip(expected)
            .all(|(found, expected)| (found / expected - 1.0).abs() < by)
    };
    assert!(
        near(&fair, [36.1, 36.1, 43.7, 17.1, 17.1], 1e-6),
        "{fair:?}"
    );
    assert!(
        near(&least, [36.1, 36.1, 39.9, 17.1, 17.1], 1e-6),
        "{least:?}"
    );
    assert!(rates[2] > 39.9 && rates[2] < 0.95 * 43.7, "{rates:?}");
}
