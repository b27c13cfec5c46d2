//! Warnings of deadlocks: ports that PFC or CBFC holds back and that wait for one another.

use std::collections::{BTreeSet, HashSet};

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

/// Warns of deadlocks at the end of a run, queue by queue. In a deadlock ports each wait for another of them, and no
/// packet of the priorities has left for a tenth of the run and for longer than any pause lasts that is not sent again.
pub fn deadlocks(simulation: &Simulation) -> Vec<Warning> {
    let (plan, now) = (simulation.plan(), simulation.now());
    let standing: Vec<_> = simulation.standing().collect();
    let lasts = |link: usize, since: Ps| {
        let waits = now.saturating_sub(since).as_secs_f64();
        let pause = 8.0 * f64::from(LONGEST_PAUSE) / plan.links[link].rate.bits_per_second();
        waits > pause && waits > now.as_secs_f64() / 10.0
    };
    let of = |together: Vec<u8>| {
        let held = (standing.iter())
            .filter(|(link, own, since)| together.contains(own) && lasts(*link, *since));
        warning(&in_a_circle(plan, held))
    };
    in_one_queue(plan).into_iter().filter_map(of).collect()
}

/// The priorities 0 to 7, each with those that share a queue with it at some switch: the first packet of a queue holds back
/// packets of them all.
fn in_one_queue(plan: &Plan) -> Vec<Vec<u8>> {
    let mut sets: Vec<Vec<u8>> = (0..8).map(|priority| vec![priority]).collect();
    for switch in plan.nodes.iter().filter_map(|node| node.switch.as_ref()) {
        let queue_of = switch.queue_of();
        for (one, queue) in (0..8).zip(queue_of) {
            let first = (0..8).find(|other| queue_of[usize::from(*other)] == queue);
            let place = |priority| sets.iter().position(|set| set.contains(&priority));
            if let (Some(into), Some(from)) = (first.and_then(place), place(one))
                && into != from
            {
                let more = std::mem::take(&mut sets[from]);
                sets[into].extend(more);
            }
        }
    }
    sets.retain(|set| !set.is_empty());
    sets
}

fn warning(stuck: &[Held<'_>]) -> Option<Warning> {
    let since = stuck.iter().map(|one| one.since).max()?;
    let names = stuck.iter().take(MOST_NAMED);
    let names: Vec<&str> = names.map(|one| one.link.name.as_str()).collect();
    let more = match stuck.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let priorities: BTreeSet<u8> = stuck.iter().map(|one| one.priority).collect();
    let priorities: Vec<String> = priorities.iter().map(u8::to_string).collect();
    let message = format!(
        "a deadlock: {} ports wait for one another and have sent no packet of priority {} since {:.3} ms: {}{more}",
        stuck.len(),
        priorities.join(" or "),
        since.as_secs_f64() * 1e3,
        names.join(", ")
    );
    Some(Warning::new("deadlock", message))
}

/// A link whose port PFC or CBFC holds back, and the priority of the first packet that waits there.
struct Held<'p> {
    link: &'p LinkPlan,
    priority: u8,
    since: Ps,
}

/// The links that lead to a circle of these links: from the end of each another one of them leads on.
fn in_a_circle<'p, 's>(
    plan: &'p Plan,
    held: impl Iterator<Item = &'s (usize, u8, Ps)>,
) -> Vec<Held<'p>> {
    let mut left: Vec<_> = held
        .map(|(link, priority, since)| Held {
            link: &plan.links[*link],
            priority: *priority,
            since: *since,
        })
        .collect();
    loop {
        let senders: HashSet<usize> = left.iter().map(|one| one.link.from).collect();
        let before = left.len();
        left.retain(|one| senders.contains(&one.link.to));
        if left.len() == before {
            return left;
        }
    }
}
