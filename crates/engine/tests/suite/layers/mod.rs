//! The order of the engine's modules: each uses only those below it, and none leads back to itself.

mod source;

use std::collections::{BTreeMap, BTreeSet};

/// The modules from below. An entry stands for a module and all within it that have no entry of
/// their own; each may use what stands above it in this list.
const ORDER: &[&str] = &[
    "kernel",
    "component",
    "custom",
    "net::unit",
    "net::channel",
    "net::stopwatch",
    "net::schedule",
    "net::simultaneous",
    "net::link",
    "net::links",
    "net::batch",
    "net::inbox",
    "net::storage",
    "net::node",
    "net::simulation",
    "net::partition",
    "net::plain",
    "net",
    "tcp",
    "passing",
    "schedule",
    "policing",
    "discard",
    "control",
    "atm::class",
    "credit",
    "atm::cell",
    "atm::aal5",
    "atm::hec",
    "atm::errors",
    "atm::losses",
    "atm::rm",
    "atm::consolidation",
    "atm::transport",
    "traffic",
    "endsystem",
    "ether::aqm",
    "ether::memory",
    "ether::ecmp",
    "ether",
    "atm::server",
    "atm::port",
    "atm::simultaneous",
    "atm::source_queue",
    "atm::plan",
    "atm::report",
    "atm::event",
    "atm::observer",
    "atm::policed",
    "atm::log",
    "atm::credited",
    "atm::relay",
    "atm::branch",
    "atm::terminal",
    "atm::host",
    "atm::switch",
    "atm::credited::host",
    "atm::credited::switch",
    "atm::window",
    "atm::network",
    "atm::node",
    "atm::draft",
    "atm::credited::build",
    "atm::build",
    "atm::simulation",
    "atm::changing",
    "atm::held",
    "atm::measure",
    "atm::observe",
    "atm::outside",
    "atm::reference",
    "atm::watch",
    "atm::passages",
    "atm::router",
    "atm",
    "joined::plan",
    "joined",
];

/// Modules that may use their own submodules although these use them, and the reason.
const WHOLE: [(&str, &str); 9] = [
    (
        "atm::port",
        "a port has its counts and the cells in front of it as parts",
    ),
    (
        "atm::server",
        "the trait of all servers, and the servers themselves",
    ),
    ("atm::plan", "a plan, and the ways through it"),
    ("ether::plan", "a plan, and its changes"),
    (
        "tcp::recovery",
        "the trait of all recoveries, and the recoveries themselves",
    ),
    ("tcp::sender", "a sender has its opening as a part"),
    (
        "traffic",
        "the registry, and the sources that make the `Cells` and `Writes` it lists",
    ),
    (
        "traffic::mpeg2",
        "the parameters of a stream, and the encoder that reads them",
    ),
    ("traffic::piecewise", "a piece, and what hands pieces on"),
];

/// For each module of the engine, the modules that it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// True if `module` is `whole` or lies within it.
fn is_within(module: &str, whole: &str) -> bool {
    module
        .strip_prefix(whole)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Position in [`ORDER`] of the entry that stands for `module`, the longest that fits.
fn rank(module: &str) -> Option<usize> {
    (0..ORDER.len())
        .filter(|entry| is_within(module, ORDER[*entry]))
        .max_by_key(|entry| ORDER[*entry].len())
}

/// The graph without the uses of modules within `whole` by `whole` itself.
fn without(graph: &Graph, whole: &[&str]) -> Graph {
    let is_own = |user: &str, used: &str| whole.contains(&user) && is_within(used, user);
    let left = graph.iter().map(|(user, used)| {
        let used = used.iter().filter(|used| !is_own(user, used));
        (user.clone(), used.cloned().collect())
    });
    left.collect()
}

/// Modules that lead back to themselves: what remains after modules that use no other one left have
/// been removed, again and again, and then those that no other one left uses.
fn circles(graph: &Graph) -> Graph {
    let mut left = graph.clone();
    loop {
        let modules: BTreeSet<String> = left.keys().cloned().collect();
        left.values_mut()
            .for_each(|used| used.retain(|one| modules.contains(one)));
        let used: BTreeSet<String> = left.values().flatten().cloned().collect();
        left.retain(|user, uses| !uses.is_empty() && used.contains(user));
        if left.len() == modules.len() {
            return left;
        }
    }
}

#[test]
fn a_module_uses_only_modules_below_it() {
    let graph = source::uses();
    let unordered: Vec<_> = graph
        .keys()
        .filter(|module| rank(module).is_none())
        .collect();
    assert!(unordered.is_empty(), "not in ORDER: {unordered:?}");
    let above: Vec<_> = graph
        .iter()
        .flat_map(|(user, used)| used.iter().map(move |used| (user, used)))
        .filter(|(user, used)| rank(used) > rank(user))
        .collect();
    assert!(above.is_empty(), "they use modules above them: {above:?}");
}

#[test]
fn no_module_leads_back_to_itself() {
    let found = circles(&without(&source::uses(), &WHOLE.map(|(whole, _)| whole)));
    assert_eq!(found, Graph::new());
}

#[test]
fn every_entry_and_every_exception_is_needed() {
    let graph = source::uses();
    for (number, entry) in ORDER.iter().enumerate() {
        let stands_for_one = graph.keys().any(|module| rank(module) == Some(number));
        assert!(stands_for_one, "{entry} stands for no module");
    }
    let whole = WHOLE.map(|(whole, _)| whole);
    for left_out in whole {
        let others: Vec<&str> = whole.into_iter().filter(|one| *one != left_out).collect();
        let found = circles(&without(&graph, &others));
        assert!(!found.is_empty(), "{left_out} is in no circle any more");
    }
}

#[test]
fn a_use_is_found_however_it_is_written() {
    let used = |module: &str| source::uses().remove(module).unwrap_or_default();
    let has = |module: &str, other: &str| used(module).contains(other);
    // By `super`, by `crate` in a list, through the name that a parent hands out, within a macro,
    // and in a body.
    assert!(has("atm::host", "atm::terminal"));
    assert!(has("atm::host", "kernel::time") && has("atm::host", "atm::cell"));
    assert!(has("control::efci", "control::scheme") && !has("control::efci", "control"));
    assert!(has("control", "control::efci"));
    assert!(has("traffic::mpeg2", "traffic::piecewise::line"));
    // Neither tests nor comments count.
    assert!(!has("atm::measure::ports", "traffic::greedy"));
    assert!(!has("atm::plan", "atm::build"));
}

#[test]
fn a_circle_is_found_and_what_only_leads_to_it_is_not() {
    let graph = |uses: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (user, used) in uses {
            graph
                .entry((*user).into())
                .or_default()
                .insert((*used).into());
            graph.entry((*used).into()).or_default();
        }
        graph
    };
    let round = [("a", "b"), ("b", "c"), ("c", "a")];
    let beside = [("x", "a"), ("c", "y"), ("y", "z")];
    assert_eq!(
        circles(&graph(&[&round[..], &beside].concat())),
        graph(&round)
    );
    assert_eq!(circles(&graph(&beside)), Graph::new());
}
