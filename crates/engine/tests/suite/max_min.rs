//! Explicit-rate schemes on random networks with several bottlenecks, compared with a max-min
//! solver.

use crate::support::bottlenecks::{Draft, drafts, max_min, steady_rates};
use crate::support::plans::{Graph, flow, plain_switch};
use crate::support::repeatable::repeatable;
use crate::support::schemes::{Scheme, capc, charny, erica, erica_plus, fmmra, osu, phantom};
use cellrate_engine::atm::cell::ServiceClass;
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

fn check(draft: &Draft, scheme: &Scheme) -> Result<(), TestCaseError> {
    let plan = draft.plan(&scheme.control);
    let fair = max_min(&plan, scheme.target, scheme.idle);
    prop_assume!(bottlenecks(&fair) > 1);
    for (number, (rate, fair)) in steady_rates(plan, scheme.settled)
        .iter()
        .zip(fair)
        .enumerate()
    {
        let near = (rate / fair - 1.0).abs() < scheme.tolerance;
        prop_assert!(near, "f{} has {} instead of {} cells/s", number, rate, fair);
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
