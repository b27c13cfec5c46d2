//! Warnings that follow from the results of a run.

use cellrate_engine::atm::plan::{NodeKind, Plan};
use cellrate_engine::atm::{Report, SwitchPort};

use cellrate_engine::kernel::time::CELL_BITS;
use cellrate_engine::kernel::{Ps, Rate};

use super::groups::told_of;
use super::windows::cells_of_segment;
use super::{Warning, phases};

/// Results of a run from which warnings follow.
pub struct Seen<'a> {
    /// The measured report.
    pub report: &'a Report,
    /// Switch ports, each with the number of cells that it dropped in the whole run.
    pub ports: Vec<(SwitchPort, u64)>,
    /// Number of events beyond the limit, which the log lacks.
    pub omitted: u64,
}

/// Warnings that are known after the run.
pub fn after(plan: &Plan, seen: &Seen<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    never_filled(plan, seen, &mut warnings);
    let dropped: u64 = seen.ports.iter().map(|(_, dropped)| dropped).sum();
    let queues = seen.report.ports.iter().flat_map(|port| &port.queues);
    let in_window = queues.map(|queue| queue.cells_dropped).sum();
    warnings.extend(lost_outside(dropped, in_window, "cells"));
    warnings.extend(queue_changes(plan, seen.report));
    let delivered = plan.flows.iter().zip(&seen.report.flows);
    let over_tcp = delivered.filter(|(flow, _)| flow.source.over_tcp());
    let delivered = over_tcp.map(|(flow, measured)| {
        let bits = CELL_BITS as f64 * cells_of_segment(&flow.tcp) as f64;
        let segments = measured.delivered_bytes as f64 / flow.tcp.mss.0 as f64;
        (flow.forward.as_slice(), segments, bits)
    });
    let lines = plan
        .links
        .iter()
        .map(|link| (link.name.as_str(), link.rate));
    warnings.extend(earlier_data(lines, delivered, seen.report.window_seconds));
    let timers = plan.flows.iter().zip(&seen.report.flows);
    let timers =
        timers.filter(|(flow, _)| flow.source.over_tcp() && !flow.source.is_measured_whole());
    let timers = timers
        .map(|(flow, measured)| (measured.name.as_str(), measured.timeouts, flow.tcp.min_rto));
    warnings.extend(short_for_timeouts(timers, seen.report.window_seconds));
    phases::check(plan, seen, &mut warnings);
    if !seen.report.vcs.iter().any(|vc| vc.cells_delivered > 0) {
        warnings.push(Warning::new(
            "window-empty",
            "no cell was delivered in the measuring window",
        ));
    } else {
        let flows = seen.report.flows.iter().map(|flow| Delivered {
            group: &flow.group,
            name: &flow.name,
            start_seconds: flow.start_seconds,
            bytes: flow.delivered_bytes,
            is_complete: flow.completion_seconds.is_some(),
        });
        let flows: Vec<_> = flows.collect();
        warnings.extend(delivered_nothing(&flows, seen.report.simulated_seconds));
    }
    warnings.extend(events_omitted(seen.omitted));
    warnings
}

/// Warns of the `omitted` events that the log lacks.
pub fn events_omitted(omitted: u64) -> Option<Warning> {
    (omitted > 0).then(|| {
        let message = format!("{omitted} events beyond `event_limit` were not kept");
        Warning::new("events-omitted", message)
    })
}

/// Warns of a run that lost `dropped` `units` (cells or packets), all of them outside the measuring
/// window, so that its measures do not show the losses.
pub fn lost_outside(dropped: u64, in_window: u64, units: &str) -> Option<Warning> {
    (dropped > 0 && in_window == 0).then(|| {
        let message = format!(
            "buffers dropped {dropped} {units} outside the measuring window and none in it; counts of losses are those \
             of the window"
        );
        Warning::new("lost-outside-window", message)
    })
}

/// Share of the cells that a link carries in the measuring window above which a change of its queue is told.
const CHANGED: f64 = 0.05;
/// Number of cells up to which a change of a queue is not told.
const FEW: f64 = 100.0;

/// Warns of the port whose queue grows or shrinks most in the measuring window, if that is a noticeable share of what
/// the link carries. The cells that wait more at the end than at the beginning have arrived without being dropped or
/// sent. Links send credit cells beside those of their queues, so under credit control only growth is certain.
fn queue_changes(plan: &Plan, report: &Report) -> Option<Warning> {
    let changes = report.ports.iter().map(|port| {
        let cells = port.rate_bits_per_second * report.window_seconds / CELL_BITS as f64;
        let sent = port.utilisation * cells;
        let queues = || port.queues.iter();
        let arrived: u64 = queues().map(|queue| queue.cells_arrived).sum();
        let dropped: u64 = queues().map(|queue| queue.cells_dropped).sum();
        let grown = arrived as f64 - dropped as f64 - sent;
        (port, grown, grown.abs() / sent.max(1.0))
    });
    let changes = changes.filter(|(_, grown, _)| *grown > 0.0 || plan.fcvc.is_none());
    let (port, grown, share) = changes.max_by(|a, b| a.2.total_cmp(&b.2))?;
    let (verb, rest) = if grown > 0.0 {
        ("grows", "the window shows no steady state")
    } else {
        ("shrinks", "a longer warm-up leaves its start out")
    };
    (share > CHANGED && grown.abs() > FEW).then(|| {
        let message = format!(
            "the queue of {} {verb} by {:.0} cells in the measuring window, {:.0} % of what the link carries in it; {rest}",
            port.name,
            grown.abs(),
            100.0 * share
        );
        Warning::new("queue-changes", message)
    })
}

/// Warns if TCP delivered more over a link in the measuring window than the link can carry in it: a
/// retransmission in the window releases data that had arrived before. The warning names the link
/// with the largest such share of its capacity.
///
/// `delivered` has, for each flow over TCP, the links that all its segments cross, the number of segments that it
/// delivered in order, and the bits that a segment takes on a link.
pub fn earlier_data<'a>(
    lines: impl Iterator<Item = (&'a str, Rate)>,
    delivered: impl Iterator<Item = (impl AsRef<[usize]>, f64, f64)>,
    window_seconds: f64,
) -> Option<Warning> {
    let mut lines: Vec<_> = lines.map(|(name, rate)| (name, rate, 0.0)).collect();
    for (links, segments, bits) in delivered {
        for link in links.as_ref() {
            // One segment is not counted, because a part of its bits may have crossed the link
            // before the window.
            lines[*link].2 += (segments - 1.0).max(0.0) * bits;
        }
    }
    let share =
        |(_, rate, bits): &(&str, Rate, f64)| bits / (rate.bits_per_second() * window_seconds);
    let most = lines.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    (share(most) > 1.0).then(|| {
        let message = format!(
            "the bytes that TCP delivered over {} in the measuring window are {:.1} % of the link's capacity: some \
             crossed the link before the window, and waited at receivers for a retransmission",
            most.0,
            100.0 * share(most)
        );
        Warning::new("earlier-data", message)
    })
}

/// Number of minimum retransmission timeouts below which a measuring window is called short.
const TIMEOUTS: f64 = 10.0;

/// Warns of a measuring window in which single timeouts decide how much flows deliver. `flows` has, for each flow
/// over TCP that sends in the whole window, its name, its number of timeouts in the window, and its minimum
/// retransmission timeout.
pub fn short_for_timeouts<'a>(
    flows: impl Iterator<Item = (&'a str, u64, Ps)>,
    window_seconds: f64,
) -> Option<Warning> {
    let timed_out = flows.filter(|(_, timeouts, _)| *timeouts > 0);
    let (name, _, least) = timed_out.max_by_key(|(.., least)| *least)?;
    let fits = window_seconds / least.as_secs_f64();
    (fits < TIMEOUTS).then(|| {
        let message = format!(
            "the measuring window lasts {fits:.1} times the minimum retransmission timeout of {name} ({}), and \
             {name} timed out in it; for averages over timeouts allow at least {TIMEOUTS} times",
            least.told()
        );
        Warning::new("short-window", message)
    })
}

/// A flow and the octets that it delivered in the measuring window.
pub struct Delivered<'a> {
    pub group: &'a str,
    pub name: &'a str,
    pub start_seconds: f64,
    pub bytes: u64,
    /// True if the flow has delivered all its data.
    pub is_complete: bool,
}

/// Warns of each group with flows that started during a run of `seconds` of simulated time, have not ended, and
/// delivered nothing.
pub fn delivered_nothing(flows: &[Delivered<'_>], seconds: f64) -> Vec<Warning> {
    let groups = flows.chunk_by(|a, b| a.group == b.group);
    let warnings = groups.filter_map(|group| {
        let is_empty = |flow: &&Delivered<'_>| {
            flow.start_seconds < seconds && flow.bytes == 0 && !flow.is_complete
        };
        let empty: Vec<_> = group.iter().filter(is_empty).collect();
        let first = empty.first()?;
        let of = told_of(first.group, first.name, empty.len(), group.len());
        let message = format!("{of} delivered nothing in the measuring window");
        Some(Warning::new("window-empty", message))
    });
    warnings.collect()
}

/// Warns if there are finite buffers and none of them refused a cell: the run then shows nothing
/// about buffer sizes or discard policies.
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
    let ports = seen.report.ports.iter();
    let queues = ports.flat_map(|port| port.queues.iter().map(move |queue| (port, queue)));
    let longest = queues.map(|(port, queue)| {
        let before = queue.queue_max_before_window_cells.unwrap_or(0);
        (before.max(queue.queue_max_cells), port, queue)
    });
    let Some((length, port, queue)) = longest.max_by_key(|(length, ..)| *length) else {
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
        "no buffer refused a cell, so buffer sizes and {} did nothing; the longest queue of the run was {length} of {} \
         cells at {}",
        policies.join(", "),
        queue
            .buffer_cells
            .map_or("unlimited".into(), |cells| cells.to_string()),
        port.name
    );
    warnings.push(Warning::new("buffer-never-filled", message));
}
