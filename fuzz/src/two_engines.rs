//! Small networks with any parameters: nothing panics, and the fast engine agrees with the plain
//! one.

use cellrate_engine::atm::{Plan, Reference, Simulation};
use cellrate_engine::kernel::Ps;

use super::{overrides, scenario};

/// Longest simulated time of a scenario.
const LONGEST: Ps = Ps::from_ms(1);
/// Largest number of cells that all links together can carry in that time.
const MOST_CELLS: f64 = 20_000.0;
/// Largest number of channels.
const MOST_FLOWS: usize = 24;

/// The input is a template and overrides, as for [`overrides::check`].
pub fn check(data: &[u8]) {
    let Some((plan, end)) = network(data) else {
        return;
    };
    let (from, to) = (Ps(end.0 / 4), Ps(end.0 / 4 * 3));
    let fast =
        Simulation::new(plan.clone()).map(|mut fast: Simulation| fast.measure(from, to, end));
    let plain = Reference::new(plan).map(|mut plain| plain.measure(from, to, end));
    match (fast, plain) {
        (Ok(fast), Ok(plain)) => assert_eq!(format!("{fast:#?}"), format!("{plain:#?}")),
        (fast, plain) => panic!(
            "a checked scenario cannot be built: {:?}, {:?}",
            fast.err(),
            plain.err()
        ),
    }
}

/// The plan of an input and the time to simulate it; `None` if no engine would run it.
pub fn network(data: &[u8]) -> Option<(Plan, Ps)> {
    let checked = overrides::read(data)?.read.ok()?;
    let end = checked.scenario().run.duration.min(LONGEST);
    let plan = scenario::accepted(&checked).filter(|plan| is_small(plan, end))?;
    Some((plan, end))
}

fn is_small(plan: &Plan, end: Ps) -> bool {
    let cells: f64 = plan
        .links
        .iter()
        .map(|link| link.rate.cells_per_second() * end.as_secs_f64())
        .sum();
    plan.flows.len() <= MOST_FLOWS && cells <= MOST_CELLS
}
