//! Checks of a scenario that fits the schema: errors for settings that make a run impossible,
//! warnings for settings that are probably not meant.

mod contracts;
mod credit;
mod ends;
mod finding;
mod flows;
mod multipoint;
mod names;
mod run;
mod schedules;
mod smith;
mod switches;
mod vsvd;

use super::graph::{Graph, expand};
use super::problem::Problem;
use super::types::Scenario;

pub use ends::without_tcp;
pub use run::check_lists;

/// The graph of `scenario`, if it can be built, and all problems.
pub fn check(scenario: &Scenario) -> (Option<Graph>, Vec<Problem>) {
    let mut problems = run::check(scenario);
    problems.extend(flows::check(scenario));
    problems.extend(switches::check_priorities(scenario));
    let misnamed = names::check(scenario);
    let contradictory = multipoint::check_keys(scenario);
    let is_sound = misnamed.is_empty() && contradictory.is_empty();
    if !is_sound || !flows::are_countable(scenario) {
        problems.extend(misnamed);
        problems.extend(contradictory);
        return (None, problems);
    }
    match expand(scenario) {
        Ok(graph) => {
            problems.extend(ends::check(scenario, &graph));
            problems.extend(switches::check(scenario, &graph));
            problems.extend(vsvd::check(scenario, &graph));
            problems.extend(multipoint::check(scenario, &graph));
            problems.extend(contracts::check(scenario, &graph));
            problems.extend(smith::check(scenario, &graph));
            problems.extend(credit::check(scenario, &graph));
            (Some(graph), problems)
        }
        Err(more) => {
            problems.extend(more);
            (None, problems)
        }
    }
}
