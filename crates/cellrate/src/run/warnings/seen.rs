//! Warnings that follow from the run itself.

use cellrate_engine::atm::plan::{NodeKind, Plan};
use cellrate_engine::atm::{Report, SwitchPort};

use super::groups::{groups, told_of};
use super::{Warning, phases};

/// Results of the run that warnings are derived from.
pub struct Seen<'a> {
    /// The measured report.
    pub report: &'a Report,
    /// Switch ports, and the cells that they dropped in the whole run.
    pub ports: Vec<(SwitchPort, u64)>,
    /// Number of events beyond the limit.
    pub omitted: u64,
}

/// Warnings that are known after the run.
pub fn after(plan: &Plan, seen: &Seen<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    never_filled(plan, seen, &mut warnings);
    phases::check(plan, seen, &mut warnings);
    if !seen.report.vcs.iter().any(|vc| vc.cells_delivered > 0) {
        warnings.push(Warning::new(
            "window-empty",
            "no cell was delivered in the measuring window",
        ));
    } else {
        delivered_nothing(seen.report, &mut warnings);
    }
    if seen.omitted > 0 {
        let message = format!("{} events beyond event_limit were not kept", seen.omitted);
        warnings.push(Warning::new("events-omitted", message));
    }
    warnings
}

/// Warns of each group with flows that delivered nothing.
fn delivered_nothing(report: &Report, warnings: &mut Vec<Warning>) {
    for group in groups(&report.flows, |flow| &flow.group) {
        let empty: Vec<_> = group
            .iter()
            .filter(|flow| {
                let started = flow.start_seconds < report.simulated_seconds;
                started && flow.delivered_bytes == 0 && flow.completion_seconds.is_none()
            })
            .collect();
        if let Some(first) = empty.first() {
            let of = told_of(&first.group, &first.name, empty.len(), group.len());
            let message = format!("{of} delivered nothing in the measuring window");
            warnings.push(Warning::new("window-empty", message));
        }
    }
}

/// Warns if a finite buffer never refused a cell: the run then shows nothing about buffers or
/// discard policies.
fn never_filled(plan: &Plan, seen: &Seen<'_>, warnings: &mut Vec<Warning>) {
    if plan.fcvc.is_some() {
        return;
    }
    let finite =
        |(port, _): &&(SwitchPort, u64)| port.queues.iter().any(|(_, buffer)| *buffer != u64::MAX);
    let mut limited = seen.ports.iter().filter(finite).peekable();
    if limited.peek().is_none() || limited.any(|(_, dropped)| *dropped > 0) {
        return;
    }
    let longest = seen
        .report
        .ports
        .iter()
        .flat_map(|port| port.queues.iter().map(move |queue| (port, queue)));
    let Some((port, queue)) = longest.max_by_key(|(_, queue)| queue.queue_max_cells) else {
        return;
    };
    let policies = plan.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Switch(switch) => Some(switch.discard.name()),
        NodeKind::Host => None,
    });
    let mut policies: Vec<&str> = policies.collect();
    policies.sort_unstable();
    policies.dedup();
    let message = format!(
        "no buffer ever filled, so buffer sizes and {} did nothing; the longest queue in the measuring window \
         was {} of {} cells at {}",
        policies.join(", "),
        queue.queue_max_cells,
        queue
            .buffer_cells
            .map_or("unlimited".into(), |cells| cells.to_string()),
        port.name
    );
    warnings.push(Warning::new("buffer-never-filled", message));
}
