//! Checks of duration, measuring window and traces.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::kernel::Ps;

use crate::scenario::problem::{Place, Problem, place};
use crate::scenario::types::{EventKind, Scenario, TraceKind};

/// Largest number of samples that a trace may take.
const MOST_SAMPLES: u64 = 10_000_000_000;

/// Problems of times and lists of `[run]` and `[measure]` that contradict each other.
pub fn check(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = Vec::new();
    check_window(scenario, &mut problems);
    check_sample(scenario, &mut problems);
    let measure = &scenario.measure;
    problems.extend(check_lists(
        &measure.traces,
        &measure.events,
        measure.event_limit,
    ));
    check_traced(scenario, &mut problems);
    problems
}

fn check_window(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let duration = scenario.run.duration;
    let (from, to) = scenario.window();
    if duration == Ps::ZERO {
        return problems.push(Problem::error(
            place!["run", "duration"],
            "`duration` is 0 s",
            "allowed: above 0 s",
        ));
    }
    if to > duration {
        let message = format!("the measuring window ends at {to}, but the run ends at {duration}");
        problems.push(Problem::error(
            place!["measure", "to"],
            message,
            format!("allowed: at most {duration}"),
        ));
    }
    if from >= to.min(duration) {
        let end = to.min(duration);
        let message = format!("the measuring window begins at {from} but ends at {end}");
        problems.push(Problem::error(
            place!["measure", "from"],
            message,
            format!("allowed: below {end}"),
        ));
    }
}

fn check_sample(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let (sample, duration) = (scenario.sample(), scenario.run.duration);
    let mut refuse = |message: String, help: String| {
        problems.push(Problem::error(place!["measure", "sample"], message, help));
    };
    if sample == Ps::ZERO {
        refuse(
            "the sampling period is 0 s".into(),
            "allowed: above 0 s".into(),
        );
    } else if sample > duration && duration > Ps::ZERO {
        refuse(
            format!("the sampling period of {sample} exceeds the run of {duration}"),
            format!("allowed: at most {duration}"),
        );
    } else if duration.0 / sample.0 > MOST_SAMPLES {
        let least = Ps(duration.0.div_ceil(MOST_SAMPLES));
        refuse(
            format!("a sampling period of {sample} takes more than {MOST_SAMPLES} samples"),
            format!("allowed: at least {least}"),
        );
    }
}

/// Problems of the lists of `[measure]`, over ATM or Ethernet.
pub fn check_lists<T: PartialEq>(
    traces: &[T],
    events: &[EventKind],
    event_limit: u32,
) -> Vec<Problem> {
    let twice = [twice(traces, "traces"), twice(events, "events")];
    let mut problems: Vec<Problem> = twice.into_iter().flatten().collect();
    if !events.is_empty() && event_limit == 0 {
        let message = "`events` asks for events, but `event_limit` is 0";
        problems.push(Problem::error(
            place!["measure", "event_limit"],
            message,
            "allowed: at least 1",
        ));
    }
    problems
}

fn twice<T: PartialEq>(list: &[T], key: &str) -> Option<Problem> {
    let again = (1..list.len()).find(|&i| list[..i].contains(&list[i]))?;
    let place: Place = place!["measure", key, again];
    Some(Problem::error(
        place,
        format!("`{key}` lists an element twice"),
        "list each element once",
    ))
}

fn check_traced(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let has_tcp = scenario.flows.iter().any(|flow| flow.source.over_tcp());
    let has_abr = scenario
        .flows
        .iter()
        .any(|flow| flow.service == ServiceClass::Abr);
    for (index, trace) in scenario.measure.traces.iter().enumerate() {
        let (is_there, what, name) = match trace {
            TraceKind::Acr => (has_abr, "ABR", "acr"),
            TraceKind::Cwnd => (has_tcp, "TCP", "cwnd"),
            TraceKind::Sequence => (has_tcp, "TCP", "sequence"),
            TraceKind::Queue | TraceKind::SourceQueue | TraceKind::Utilisation => continue,
        };
        if !is_there {
            let message = format!("no flow uses {what}, so the trace `{name}` would be empty");
            problems.push(Problem::warning(
                place!["measure", "traces", index],
                message,
                "",
            ));
        }
    }
}
