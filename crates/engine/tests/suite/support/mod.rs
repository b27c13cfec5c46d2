//! Common parts of tests of whole networks: plans by hand, and random ones.

pub mod bottlenecks;
pub mod one_way;
pub mod plans;
pub mod random_network;
pub mod repeatable;
pub mod schemes;

use cellrate_engine::atm::cell::{Body, Cell};
use cellrate_engine::atm::plan::Plan;
use cellrate_engine::atm::transport::Link;
use cellrate_engine::atm::{Reference, Report, Simulation};
use cellrate_engine::kernel::Ps;

/// The next cell on a link, with its body.
pub fn receive(link: &mut Link) -> Option<(Cell, Option<Body>)> {
    let (cell, _) = link.pop()?;
    let body = cell.info.has_body().then(|| link.pop_record(cell.info));
    Some((cell, body))
}

/// The report as text. `Debug` writes floats so that they read back to the same bits.
pub fn outcome(report: &Report) -> String {
    format!("{report:#?}")
}

/// The report of a run to `end`, which the fast engine and the plain reference agree on.
pub fn agreed(plan: Plan, end: Ps) -> Report {
    let mut fast: Simulation = Simulation::new(plan.clone()).unwrap();
    let fast = fast.measure(Ps::ZERO, end, end);
    let plain = Reference::new(plan).unwrap().measure(Ps::ZERO, end, end);
    assert_eq!(difference(&outcome(&fast), &outcome(&plain)), None);
    fast
}

/// The first difference of two outcomes, with the lines before.
pub fn difference(left: &str, right: &str) -> Option<String> {
    let at = left
        .lines()
        .zip(right.lines())
        .position(|(left, right)| left != right);
    let at = at.or_else(|| (left.lines().count() != right.lines().count()).then_some(0))?;
    let lines = |text: &str| {
        text.lines()
            .skip(at.saturating_sub(6))
            .take(8)
            .collect::<Vec<_>>()
            .join("\n")
    };
    Some(format!(
        "{}\n---- against ----\n{}",
        lines(left),
        lines(right)
    ))
}
