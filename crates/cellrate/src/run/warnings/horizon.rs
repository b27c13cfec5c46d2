//! Warnings of warm-ups, measuring windows and runs that are short in comparison with a round trip.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::Plan;
use cellrate_engine::kernel::Ps;

use super::groups::{groups, told_of};
use super::{Warning, first_of_each_group};
use crate::scenario::Scenario;

/// Number of round trips below which a warm-up or a measuring window is called short.
const ROUND_TRIPS: u64 = 20;

/// Warnings, known before the run, of times that are short in comparison with a round trip.
pub fn check(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    short(scenario, plan, warnings);
    no_round_trip(scenario, plan, warnings);
    never_start(scenario, plan, warnings);
}

/// Warns of groups with flows that start after the end of the run.
fn never_start(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    for group in groups(&plan.flows, |flow| &flow.group) {
        let starts = group.iter().map(|flow| (flow.start, flow.name.as_str()));
        warnings.extend(never_starts(&group[0].group, starts, scenario.run.duration));
    }
}

/// Warns of those flows of a group that start after the end of the run; `flows` has their start
/// times and names.
pub fn never_starts<'a>(
    group: &str,
    starts: impl ExactSizeIterator<Item = (Ps, &'a str)>,
    duration: Ps,
) -> Option<Warning> {
    let all = starts.len();
    let late: Vec<_> = starts.filter(|(start, _)| *start >= duration).collect();
    let (start, name) = late.iter().min_by_key(|(start, _)| *start)?;
    let of = told_of(group, name, late.len(), all);
    let (verb, at) = if late.len() == 1 {
        ("starts", "at")
    } else {
        ("start", "at the earliest at")
    };
    let message = format!(
        "{of} {verb} {at} {}, after the end of the run",
        start.told()
    );
    Some(Warning::new("never-starts", message))
}

fn short(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    // A flow that starts after the end of the run makes no round trip in it.
    let Some((slowest, longest)) = plan
        .flows
        .iter()
        .filter(|flow| flow.start < scenario.run.duration)
        .map(|flow| (flow, plan.round_trip(flow)))
        .max_by_key(|(_, rtt)| *rtt)
    else {
        return;
    };
    let enough = Ps(longest.0.saturating_mul(ROUND_TRIPS));
    let (from, to) = scenario.window();
    let window = to.saturating_sub(from);
    let told = |what: &str, found: Ps| {
        let trips = found.0 as f64 / longest.0.max(1) as f64;
        format!(
            "{what} lasts {}, which is {trips:.1} round trips of {} ({} each); allow at least {ROUND_TRIPS} round trips",
            found.told(),
            slowest.name,
            longest.told()
        )
    };
    if window < enough {
        warnings.push(Warning::new(
            "short-window",
            told("the measuring window", window),
        ));
    }
    let in_window = plan
        .flows
        .iter()
        .filter(|flow| !flow.source.is_measured_whole());
    let Some(last_start) = in_window
        .map(|flow| flow.start)
        .filter(|start| *start < to)
        .max()
    else {
        return;
    };
    let warm_up = from.saturating_sub(last_start);
    if warm_up < enough {
        warnings.push(Warning::new(
            "short-warm-up",
            told(
                "the warm-up, from the start of the last flow to `measure.from`,",
                warm_up,
            ),
        ));
    }
}

/// Warns of flows that start so late that the run ends before their first feedback or
/// acknowledgement arrives.
fn no_round_trip(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    for flow in first_of_each_group(plan) {
        let left = scenario.run.duration.saturating_sub(flow.start);
        let feedback = plan
            .loops(flow)
            .map(|(_, frtt)| frtt)
            .next()
            .filter(|_| flow.service == ServiceClass::Abr);
        let acknowledgement = flow.source.over_tcp().then(|| plan.round_trip(flow));
        for (what, trip) in [("feedback", feedback), ("acknowledgement", acknowledgement)] {
            let Some(trip) = trip.filter(|trip| left > Ps::ZERO && *trip >= left) else {
                continue;
            };
            let message = format!(
                "no {what} ever reaches {}: its round trip takes {}, but the run ends {} after the flow starts",
                flow.name,
                trip.told(),
                left.told()
            );
            warnings.push(Warning::new("no-round-trip", message));
        }
    }
}
