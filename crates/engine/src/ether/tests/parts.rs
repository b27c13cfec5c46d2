//! A network in partitions against the network in one piece: reports are equal for any partitions, run in any
//! order.

use super::super::simulation::Part;
use super::super::spray::Multipath;
use super::changes::with_changes;
use super::errors::with_any_errors;
use super::random::{any_source, random_plan, with_any_switch};
use super::spraying::{leaf_spine, over_tcp};
use super::*;
use crate::net::partition::Mail;

/// Runs `parts` to `until`. A random partition advances next, as far as its lookahead to the other partitions
/// permits.
pub fn run_to(until: Ps, mut parts: Vec<Part>, stream: &mut Stream) -> Vec<Part> {
    let count = parts.len();
    let mut mail: Vec<_> = (0..count * count).map(|_| Mail::default()).collect();
    while parts.iter().any(|part| part.now() < until) {
        let number = stream.below(Ps(count as u64)).0 as usize;
        let clocks: Vec<Ps> = parts.iter().map(Part::now).collect();
        let part = &mut parts[number];
        let reach = part.senders().iter();
        let reach = reach.map(|cut| clocks[cut.part].saturating_add(cut.lookahead));
        let reach = reach.fold(until, Ps::min);
        // Some advances end earlier than the lookahead permits.
        let ahead = reach.saturating_sub(part.now()).0;
        let to = Ps(reach.0 - ahead * stream.below(Ps(3)).0 / 4);
        if to <= part.now() {
            continue;
        }
        for sender in 0..count {
            part.collect(&mut mail[sender * count + number]);
        }
        part.run_until(to, until);
        for cut in 0..part.receivers().len() {
            let receiver = part.receivers()[cut].part;
            part.post(cut, &mut mail[number * count + receiver]);
        }
    }
    for (number, part) in parts.iter_mut().enumerate() {
        part.catch_up();
        (0..count).for_each(|sender| part.collect(&mut mail[sender * count + number]));
    }
    parts
}

/// Runs the plan, takes samples, and begins and ends the window. With `parts`, which has a partition for each
/// node, the run is divided between the partitions.
fn measured(plan: &Plan, parts: Option<&[usize]>, stream: &mut Stream) -> String {
    let mut run = Simulation::new(plan.clone()).unwrap();
    for step in 1..=10 {
        let until = Ps::from_us(100 * step);
        match parts {
            None => run.run_until(until),
            Some(parts) => {
                // The partitions are joined at each change.
                while let at = run.make_due_change()
                    && at < until
                {
                    let ran = run_to(at, run.divide(parts), stream);
                    run.join(ran);
                }
                let mut ran = run_to(until, run.divide(parts), stream);
                // Each partition adds samples to its own state, and `join` collects them.
                if step % 3 == 0 {
                    ran.iter_mut().for_each(|part| part.state().sample());
                }
                run.join(ran);
            }
        }
        if step % 3 == 0 && parts.is_none() {
            run.sample();
        }
        match step {
            2 => run.begin_window(),
            8 => run.end_window(),
            _ => (),
        }
    }
    text(&run.report())
}

/// Checks that no distribution of the nodes among partitions changes the report.
pub fn parts_change_nothing_of(plan: &Plan, stream: &mut Stream, case: usize) {
    let whole = measured(plan, None, stream);
    for count in [1, 2, 3, 5] {
        let part = |_| stream.below(Ps(count)).0 as usize;
        let mut parts: Vec<usize> = (0..plan.nodes.len()).map(part).collect();
        // The last partition has a node; other partitions may be empty.
        parts[0] = count as usize - 1;
        let divided = measured(plan, Some(&parts), stream);
        assert_eq!(whole, divided, "case {case}: {parts:?}, {plan:#?}");
    }
}

#[test]
fn parts_change_nothing() {
    let mut stream = Stream::new(1, "ether", "parts");
    for case in 0..cases(100) {
        let plan = random_plan(&mut stream, any_source);
        let mut plan = with_any_switch(plan, &mut stream);
        if case % 2 == 1 {
            plan = with_changes(plan, &mut stream, Ps::from_ms(1));
        }
        if case % 3 == 0 {
            plan = with_any_errors(plan, &mut stream);
        }
        parts_change_nothing_of(&plan, &mut stream, case);
    }
    for rule in [Multipath::Random, Multipath::RoundRobin] {
        let plan = leaf_spine(3, rule, 4, over_tcp(1 << 20));
        parts_change_nothing_of(&plan, &mut stream, 0);
    }
}
