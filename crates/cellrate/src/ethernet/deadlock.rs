//! Warnings of deadlocks: ports that PFC or CBFC holds back and that wait for one another.

use std::collections::HashSet;

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::pause::QUANTUM;
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::LinkPlan;

use crate::run::warnings::Warning;

/// Greatest number of ports that a warning names.
const MOST_NAMED: usize = 8;
/// Octets on the line in the longest pause (IEEE 802.3 annex 31B.2).
const LONGEST_PAUSE: u32 = u16::MAX as u32 * QUANTUM;

/// Warns of deadlocks at the end of a run, priority by priority. In a deadlock ports each wait for another of them, and no
/// packet of the priority has left for a tenth of the run and for longer than any pause lasts that is not sent again.
pub fn deadlocks(simulation: &Simulation) -> Vec<Warning> {
    let (plan, now) = (simulation.plan(), simulation.now());
    let standing: Vec<_> = simulation.standing().collect();
    let lasts = |link: usize, since: Ps| {
        let waits = now.saturating_sub(since).as_secs_f64();
        let pause = 8.0 * f64::from(LONGEST_PAUSE) / plan.links[link].rate.bits_per_second();
        waits > pause && waits > now.as_secs_f64() / 10.0
    };
    let of = |priority: u8| {
        let held = standing
            .iter()
            .filter(|(link, own, since)| *own == priority && lasts(*link, *since));
        warning(
            priority,
            &in_a_circle(plan, held.map(|(link, _, since)| (*link, *since))),
        )
    };
    (0..8).filter_map(of).collect()
}

fn warning(priority: u8, stuck: &[(&LinkPlan, Ps)]) -> Option<Warning> {
    let since = stuck.iter().map(|(_, since)| *since).max()?;
    let names = stuck.iter().take(MOST_NAMED);
    let names: Vec<&str> = names.map(|(link, _)| link.name.as_str()).collect();
    let more = match stuck.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "a deadlock: {} ports wait for one another and have sent no packet of priority {priority} since {:.3} ms: {}{more}",
        stuck.len(),
        since.as_secs_f64() * 1e3,
        names.join(", ")
    );
    Some(Warning::new("deadlock", message))
}

/// The links that lead to a circle of these links: from the end of each another one of them leads on.
fn in_a_circle(plan: &Plan, links: impl Iterator<Item = (usize, Ps)>) -> Vec<(&LinkPlan, Ps)> {
    let mut left: Vec<_> = links
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
