//! Every scheme, policy and source is among those of the random networks, on which the fast engine
//! must equal the plain one.

use std::collections::BTreeSet;

use crate::support::random_network::{source, switch};
use cellrate_engine::component::Component;
use cellrate_engine::control::schemes;
use cellrate_engine::discard::policies;
use cellrate_engine::traffic::sources;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Draws enough for each name to come, always the same.
fn drawn<T>(strategy: impl Strategy<Value = T>, name: fn(&T) -> &'static str) -> BTreeSet<String> {
    let mut runner = TestRunner::deterministic();
    let mut draw = || strategy.new_tree(&mut runner).unwrap().current();
    (0..1_000).map(|_| name(&draw()).to_string()).collect()
}

fn names(components: &[Component]) -> BTreeSet<String> {
    let names = components.iter().map(|one| one.name.to_string());
    names.collect()
}

#[test]
fn every_control_scheme_is_drawn() {
    assert_eq!(
        drawn(switch(), |switch| switch.control.name()),
        names(schemes()),
        "support/random_network/switches.rs draws the schemes"
    );
}

#[test]
fn every_discard_policy_is_drawn() {
    assert_eq!(
        drawn(switch(), |switch| switch.discard.name()),
        names(policies())
    );
}

#[test]
fn every_source_is_drawn() {
    let mut found = drawn(source(), |source| source.name());
    // It is played as the rates of a file are, which only a trace has here.
    found.insert("transport-stream".into());
    assert_eq!(found, names(sources()));
}
