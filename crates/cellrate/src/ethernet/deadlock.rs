//! Warning of a deadlock: ports that PFC or CBFC holds back and that wait for one another.

use std::collections::HashSet;

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::LinkPlan;

use crate::run::warnings::Warning;

/// Greatest number of ports that the warning names.
const MOST_NAMED: usize = 8;
/// Bits of the longest pause (IEEE 802.1Q: 65,535 quanta of 512 bits).
const LONGEST_PAUSE: u64 = 65_535 * 512;

/// Warns of a deadlock at the end of a run: ports that each wait for another of them, and have sent nothing for a tenth of
/// the run and longer than any pause lasts that is not sent again.
pub fn deadlock(simulation: &Simulation) -> Option<Warning> {
    let (plan, now) = (simulation.plan(), simulation.now());
    let standing = simulation.standing().filter(|(link, since)| {
        let waits = (now - *since).as_secs_f64();
        let pause = LONGEST_PAUSE as f64 / plan.links[*link].rate.bits_per_second();
        waits > pause && waits > now.as_secs_f64() / 10.0
    });
    let stuck = in_a_circle(plan, standing.collect());
    let since = stuck.iter().map(|(_, since)| *since).max()?;
    let names = stuck.iter().take(MOST_NAMED);
    let names: Vec<&str> = names.map(|(link, _)| link.name.as_str()).collect();
    let more = match stuck.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "a deadlock: {} ports wait for one another and have sent nothing since {:.3} ms: {}{more}",
        stuck.len(),
        since.as_secs_f64() * 1e3,
        names.join(", ")
    );
    Some(Warning::new("deadlock", message))
}

/// The links into nodes from which another of these links leads, so that each of them waits for another.
fn in_a_circle(plan: &Plan, links: Vec<(usize, Ps)>) -> Vec<(&LinkPlan, Ps)> {
    let mut left: Vec<_> = links
        .into_iter()
        .map(|(link, since)| (&plan.links[link], since))
        .collect();
    loop {
        let senders: HashSet<usize> = left.iter().map(|(link, _)| link.from).collect();
        let before = left.len();
        left.retain(|(link, _)| senders.contains(&link.to));
        if left.len() == before {
            return left;
        }
    }
}
