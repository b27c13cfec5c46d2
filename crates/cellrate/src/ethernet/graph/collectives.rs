//! The flows of collective operations, each with the flows that it awaits.

use cellrate_engine::ether::plan::Awaited;
use cellrate_engine::kernel::Ps;

use super::pairs::host;
use super::{Graph, MOST_FLOWS, Wanted};
use crate::ethernet::flow::{Collective, Flow, Pattern, Pieces};
use crate::ethernet::steps::Steps;
use crate::ethernet::types::Scenario;
use crate::scenario::problem::{Problem, place};

/// Greatest number of entries in all lists of awaited flows of a group together.
const MOST_AWAITED: usize = 10_000_000;

/// A flow of a collective operation: hosts as indices among all hosts, bytes, and awaited flows as indices within the
/// operation. It does not begin before `delay` after the start of the group.
#[derive(Debug, PartialEq)]
struct Step {
    ends: (usize, usize),
    size: u64,
    after: Vec<Awaited>,
    delay: Ps,
}

impl Step {
    /// A step that begins `wait` after the last of the steps `after` has ended.
    fn new(
        ends: (usize, usize),
        size: u64,
        after: impl IntoIterator<Item = usize>,
        wait: Ps,
    ) -> Step {
        let awaited = |flow| Awaited { flow, wait };
        Step {
            ends,
            size,
            after: after.into_iter().map(awaited).collect(),
            delay: Ps::ZERO,
        }
    }
}

/// The flows of a group with the pattern of a collective operation; `None` for another pattern. `before` is the number
/// of flows in earlier groups.
pub fn flows(
    graph: &Graph,
    scenario: &Scenario,
    group: usize,
    before: usize,
) -> Option<Result<Vec<Wanted>, Problem>> {
    let flow = &scenario.flows[group];
    let found = match flow.pattern.as_ref()? {
        Pattern::RingAllReduce(Collective { size, compute }) => {
            over_hosts(graph, group, (size.0, 0), |n| ring(n, size.0, *compute))
        }
        Pattern::TreeAllReduce(Pieces {
            size,
            compute,
            pieces,
        }) => over_hosts(graph, group, (size.0, (*pieces).into()), |n| {
            tree(n, size.0, u64::from(*pieces), *compute)
        }),
        Pattern::ExpertAllToAll(Collective { size, compute }) => {
            over_hosts(graph, group, (size.0, 0), |n| experts(n, size.0, *compute))
        }
        Pattern::Steps(file) => {
            let Some(steps) = &file.content else {
                unreachable!("the file is read before the graph is built")
            };
            of_file(graph, group, &file.file, steps)
        }
        _ => return None,
    };
    let wanted = |mut step: Step| {
        for awaited in &mut step.after {
            awaited.flow += before;
        }
        Wanted {
            ends: step.ends,
            start: flow.start.saturating_add(step.delay),
            size: Some(step.size),
            after: step.after,
        }
    };
    let found = refuse_contradictions(flow, group).and(found);
    Some(found.map(|steps| steps.into_iter().map(wanted).collect()))
}

/// The steps of an operation over all hosts, in the order of the topology. `size` bytes are divided into `pieces` pieces,
/// or, if `pieces` is 0, among the hosts.
fn over_hosts(
    graph: &Graph,
    group: usize,
    (size, pieces): (u64, u64),
    steps: impl Fn(usize) -> Vec<Step>,
) -> Result<Vec<Step>, Problem> {
    let nodes = 0..graph.nodes.len();
    let hosts: Vec<usize> = nodes.filter(|node| graph.nodes[*node].is_host).collect();
    let n = hosts.len();
    let refuse = |key: &'static str, message: String, help: String| {
        Err(Problem::error(
            place!["flow", group, "pattern", key],
            message,
            help,
        ))
    };
    if n < 2 {
        let message = "a collective operation needs at least two hosts".into();
        return refuse("kind", message, String::new());
    }
    // A ring, or all pairs, have 2 n (n - 1) flows, a tree has 2 (n - 1) flows for each piece; in all pairs each flow
    // awaits n - 1 flows.
    let flows = 2 * n * (n - 1).max(pieces as usize);
    if flows > MOST_FLOWS || (pieces == 0 && n * n * n > MOST_AWAITED) {
        let message = format!("the operation over {n} hosts makes too many flows");
        let help = format!(
            "allowed: at most 215 hosts without `pieces`, or at most {MOST_FLOWS} flows with `pieces`; list fewer flows in a file (`kind = \"steps\"`)"
        );
        return refuse("kind", message, help);
    }
    let parts = if pieces == 0 { n as u64 } else { pieces };
    if size < parts {
        let message = format!("{size} bytes cannot be divided into {parts} parts");
        return refuse("size", message, format!("allowed: at least {parts} bytes"));
    }
    let mut found = steps(n);
    for step in &mut found {
        step.ends = (hosts[step.ends.0], hosts[step.ends.1]);
    }
    Ok(found)
}

/// Bytes of part `number` of `parts` nearly equal parts.
fn part(size: u64, parts: u64, number: u64) -> u64 {
    size / parts + u64::from(number < size % parts)
}

/// All-reduce over a ring of n hosts. In each of 2 (n - 1) steps every host sends one of n parts to the next host. After
/// the first n - 1 steps each host has the sum of one part; in the last n - 1 steps the hosts pass the sums on.
fn ring(n: usize, size: u64, compute: Ps) -> Vec<Step> {
    let step = |step: usize, host: usize| {
        let size = part(size, n as u64, ((host + 2 * n - step) % n) as u64);
        let after = match step.checked_sub(1) {
            None => Vec::new(),
            Some(before) => vec![before * n + (host + n - 1) % n, before * n + host],
        };
        // In the steps from n on a host passes on sums that need no further computation.
        let computes = (1..n).contains(&step);
        let wait = if computes { compute } else { Ps::ZERO };
        Step::new((host, (host + 1) % n), size, after, wait)
    };
    (0..2 * (n - 1))
        .flat_map(|number| (0..n).map(move |host| step(number, host)))
        .collect()
}

/// All-reduce over a binary tree of n hosts, in which host i > 0 has the parent (i - 1) / 2. Sums go up to the root, and
/// the whole sum comes back down. The pieces do so one behind the other.
fn tree(n: usize, size: u64, pieces: u64, compute: Ps) -> Vec<Step> {
    let edges = n - 1;
    let begin = |piece: u64| 2 * edges * piece as usize;
    let up = |piece: u64, host: usize| begin(piece) + edges - host;
    let down = |piece: u64, host: usize| begin(piece) + edges + host - 1;
    let children = |host: usize| {
        [2 * host + 1, 2 * host + 2]
            .into_iter()
            .filter(|child| *child < n)
    };
    let mut found = Vec::with_capacity(begin(pieces));
    for piece in 0..pieces {
        let size = part(size, pieces, piece);
        let sums = |host: usize| children(host).map(|child| up(piece, child));
        let before = |number: &dyn Fn(u64) -> usize| piece.checked_sub(1).map(number);
        for host in (1..n).rev() {
            let added = children(host).next().is_some();
            let after = sums(host).chain(before(&|piece| up(piece, host)));
            let wait = if added { compute } else { Ps::ZERO };
            found.push(Step::new((host, (host - 1) / 2), size, after, wait));
        }
        for host in 1..n {
            let parent = (host - 1) / 2;
            let mut after: Vec<usize> = if parent == 0 {
                sums(0).collect()
            } else {
                vec![down(piece, parent)]
            };
            after.extend(before(&|piece| down(piece, host)));
            let wait = if parent == 0 { compute } else { Ps::ZERO };
            found.push(Step::new((parent, host), size, after, wait));
        }
    }
    found
}

/// Exchange in which each of n hosts sends to each other host, computes once it has received everything, and sends as
/// much back.
fn experts(n: usize, size: u64, compute: Ps) -> Vec<Step> {
    let pairs = move || {
        let others = move |from| {
            (0..n)
                .filter(move |to| *to != from)
                .map(move |to| (from, to))
        };
        (0..n).flat_map(others)
    };
    let number = |from: usize, to: usize| from * (n - 1) + to - usize::from(to > from);
    let there = pairs().map(|ends| Step::new(ends, size, [], Ps::ZERO));
    let back = pairs().map(|(host, to)| {
        let others = (0..n).filter(|from| *from != host);
        let after = others.map(|from| number(from, host));
        Step::new((host, to), size, after, compute)
    });
    there.chain(back).collect()
}

/// The steps that a file lists.
fn of_file(graph: &Graph, group: usize, file: &str, steps: &Steps) -> Result<Vec<Step>, Problem> {
    let place = || place!["flow", group, "pattern", "file"];
    let fault = |line: usize, message: &str, help: &str| {
        Problem::error(place(), format!("{file}, line {line}: {message}"), help)
    };
    let mut found: Vec<Step> = Vec::with_capacity(steps.0.len());
    for step in &steps.0 {
        let end = |name: &String| {
            host(graph, name, place())
                .map_err(|problem| fault(step.line, &problem.message, &problem.help))
        };
        let (from, to) = (end(&step.from)?, end(&step.to)?);
        if from == to {
            return Err(fault(step.line, "the step leads from a host to itself", ""));
        }
        let meets = |other: &&Awaited| {
            let ends = found[other.flow].ends;
            ends.0 == from || ends.1 == from
        };
        if let Some(other) = step.after.iter().find(|other| !meets(other)) {
            let (name, host) = (&steps.0[other.flow].name, &step.from);
            let message = format!(
                "step `{name}` neither begins nor ends at `{host}`, which therefore does not know of its end"
            );
            return Err(fault(
                step.line,
                &message,
                "await a step that begins or ends at the host that sends",
            ));
        }
        found.push(Step {
            ends: (from, to),
            size: step.size,
            after: step.after.clone(),
            delay: step.delay,
        });
    }
    Ok(found)
}

/// Refuses keys of a flow that contradict its pattern: hosts, number, starts and sources of flows.
pub(super) fn refuse_contradictions(flow: &Flow, group: usize) -> Result<(), Problem> {
    let given = [
        ("from", flow.from.is_some()),
        ("to", flow.to.is_some()),
        ("count", flow.count != 1),
        ("stagger", flow.stagger != Ps::ZERO),
        ("source", flow.source != Flow::default_source()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => {
            let pattern = flow.pattern.as_ref().map_or("", Pattern::name);
            let message = format!(
                "the pattern `{pattern}` makes its flows itself, so `{key}` has no meaning"
            );
            Err(Problem::error(
                place!["flow", group, key],
                message,
                "remove the key",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(ends: (usize, usize), size: u64, after: &[usize], wait: u64) -> Step {
        Step::new(ends, size, after.iter().copied(), Ps(wait))
    }

    /// Three hosts and 10 bytes, in parts of 4, 3 and 3, worked out by hand. Host i first sends part i.
    #[test]
    fn a_ring_of_three_has_four_steps() {
        let expected = [
            step((0, 1), 4, &[], 0),
            step((1, 2), 3, &[], 0),
            step((2, 0), 3, &[], 0),
            step((0, 1), 3, &[2, 0], 7),
            step((1, 2), 4, &[0, 1], 7),
            step((2, 0), 3, &[1, 2], 7),
            step((0, 1), 3, &[5, 3], 7),
            step((1, 2), 3, &[3, 4], 7),
            step((2, 0), 4, &[4, 5], 7),
            step((0, 1), 4, &[8, 6], 0),
            step((1, 2), 3, &[6, 7], 0),
            step((2, 0), 3, &[7, 8], 0),
        ];
        assert_eq!(ring(3, 10, Ps(7)), expected);
    }

    /// Four hosts and 5 bytes in two pieces, worked out by hand. Host 3 is a child of host 1.
    #[test]
    fn a_tree_of_four_sends_two_pieces() {
        let expected = [
            step((3, 1), 3, &[], 0),
            step((2, 0), 3, &[], 0),
            step((1, 0), 3, &[0], 7),
            step((0, 1), 3, &[2, 1], 7),
            step((0, 2), 3, &[2, 1], 7),
            step((1, 3), 3, &[3], 0),
            step((3, 1), 2, &[0], 0),
            step((2, 0), 2, &[1], 0),
            step((1, 0), 2, &[6, 2], 7),
            step((0, 1), 2, &[8, 7, 3], 7),
            step((0, 2), 2, &[8, 7, 4], 7),
            step((1, 3), 2, &[9, 5], 0),
        ];
        assert_eq!(tree(4, 5, 2, Ps(7)), expected);
    }

    #[test]
    fn experts_answer_once_they_have_everything() {
        let found = experts(3, 9, Ps(7));
        let expected = [
            step((0, 1), 9, &[], 0),
            step((0, 2), 9, &[], 0),
            step((1, 0), 9, &[], 0),
            step((1, 2), 9, &[], 0),
            step((2, 0), 9, &[], 0),
            step((2, 1), 9, &[], 0),
            step((0, 1), 9, &[2, 4], 7),
            step((0, 2), 9, &[2, 4], 7),
            step((1, 0), 9, &[0, 5], 7),
            step((1, 2), 9, &[0, 5], 7),
            step((2, 0), 9, &[1, 3], 7),
            step((2, 1), 9, &[1, 3], 7),
        ];
        assert_eq!(found, expected);
    }
}
