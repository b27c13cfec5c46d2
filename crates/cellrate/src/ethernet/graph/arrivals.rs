//! Flows that arrive at random times between random hosts, with sizes from a distribution.

use cellrate_engine::kernel::{Ps, Stream};

use super::collectives::refuse_contradictions;
use super::{Graph, MOST_FLOWS, Wanted};
use crate::ethernet::flow::Random;
use crate::ethernet::sizes::Sizes;
use crate::ethernet::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// Draws the flows of a group with the pattern `random`.
pub fn draw(
    graph: &Graph,
    scenario: &Scenario,
    group: usize,
    random: &Random,
) -> Result<Vec<Wanted>, Problem> {
    let flow = &scenario.flows[group];
    let key = |key: &'static str| place!["flow", group, "pattern", key];
    refuse_contradictions(flow, group)?;
    let Some(sizes) = &random.content else {
        unreachable!("the file is read before the graph is built")
    };
    if !(random.load > 0.0 && random.load <= 1.0) {
        let message = format!("`load` is {}", random.load);
        return Err(Problem::error(
            key("load"),
            message,
            "allowed: above 0, at most 1",
        ));
    }
    let until = random.until.unwrap_or(scenario.run.duration);
    if until <= flow.start || until > scenario.run.duration {
        let message = format!("`until` is {until}, but arrivals begin at {}", flow.start);
        let help = format!(
            "allowed: above `start` of the flow, and at most the duration of the run, {}",
            scenario.run.duration
        );
        return Err(Problem::error(key("until"), message, help));
    }
    let hosts: Vec<usize> = (0..graph.nodes.len())
        .filter(|node| graph.nodes[*node].is_host)
        .collect();
    if hosts.len() < 2 {
        let message = "the pattern `random` needs at least two hosts";
        return Err(Problem::error(place!["flow", group], message, ""));
    }
    let gap = mean_gap(graph, random.load, sizes);
    let expected = (until - flow.start).as_secs_f64() / gap;
    if expected > MOST_FLOWS as f64 {
        let message = format!(
            "a load of {} would make some {expected:.0} flows",
            random.load
        );
        let help = format!(
            "allowed: at most {MOST_FLOWS} flows; set a lower `load`, or a shorter `run.duration`"
        );
        return Err(Problem::error(key("load"), message, help));
    }
    let mut stream = Stream::new(scenario.run.seed, &flow.name, "arrivals");
    let mut found = Vec::new();
    let mut start = flow.start;
    loop {
        start = start.saturating_add(Ps::from_secs_f64(stream.exponential(gap)));
        if start >= until {
            break;
        }
        let mut below = |most: usize| stream.below(Ps(most as u64)).0 as usize;
        let from = below(hosts.len());
        // All other hosts have the same probability.
        let to = (from + 1 + below(hosts.len() - 1)) % hosts.len();
        found.push(Wanted {
            ends: (hosts[from], hosts[to]),
            start,
            size: Some(sizes.at(stream.uniform())),
            after: Vec::new(),
        });
    }
    if found.is_empty() {
        let (end, longer) = match random.until {
            Some(_) => ("`until` at", "a later `until`"),
            None => ("the run ends at", "a longer `run.duration`"),
        };
        let message = format!(
            "no flow arrives before {end} {until}: at this load a flow arrives every {gap:.3e} s on average"
        );
        let help = format!("set a higher `load`, or {longer}");
        return Err(Problem::error(key("load"), message, help));
    }
    Ok(found)
}

/// Mean time between two arrivals in seconds, so that the payload of all flows is the share `load` of
/// the sum of the rates of the lines that leave the hosts.
fn mean_gap(graph: &Graph, load: f64, sizes: &Sizes) -> f64 {
    let of_hosts = graph
        .links
        .iter()
        .filter(|link| graph.nodes[link.from].is_host);
    let rates = of_hosts.map(|link| link.rate.bits_per_second());
    8.0 * sizes.mean() / (load * rates.sum::<f64>())
}
