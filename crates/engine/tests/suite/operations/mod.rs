//! One model of operations for everything that reacts to cells and segments: a generator of random
//! sequences drives every control scheme, end system, discard policy, credit protocol and TCP of
//! the registries, and output ports with any of them, with parameters drawn from their schemas, and
//! checks the invariants after every operation. A new scheme or policy is included as soon as its
//! registry lists it.
//!
//! A sequence that fails is minimised and printed as a file of `data/operations`, from which it is
//! then replayed in every run; with `OPERATIONS_CORPUS=<directory>` it is written there. A long
//! campaign:
//!
//! `PROPTEST_CASES=100000 PROPTEST_RNG_SEED=7 cargo test --release -p cellrate-engine --test suite
//! operations`

mod broken;
mod controls;
mod corpus;
mod credit;
mod discard;
mod drawing;
mod end_systems;
mod marks;
mod operation;
mod port;
mod ranges;
mod settings;
mod tcp_connection;
mod tcp_receiver;
mod tcp_sender;

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::repeatable::repeatable;
use drawing::{Kind, operations};
use operation::Operation;

/// An object to which operations are applied.
pub trait Subject: Sized {
    /// Type of the drawn settings from which the subject is made.
    type Setting: Clone + Debug + Serialize + DeserializeOwned + 'static;
    /// Name of the subject in the corpus.
    const NAME: &'static str;
    /// Operations that apply to the subject, by weight.
    const VOCABULARY: &'static [(u32, Kind)];

    /// Settings of the subject within their legal ranges.
    fn settings() -> BoxedStrategy<Self::Setting>;
    /// The subject in its initial state.
    fn new(setting: &Self::Setting) -> Self;
    /// Applies an operation. Panics if the subject does anything forbidden.
    fn apply(&mut self, operation: &Operation);
    /// Panics if the subject violates an invariant.
    fn check(&self);
    /// Panics if the subject violates a condition of the end, after the last operation.
    fn finish(&mut self) {}
    /// Hash of all actions of the subject.
    fn digest(&self) -> u64;
}

/// A sequence of operations, with the settings of the subject that executes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case<T> {
    pub setting: T,
    pub operations: Vec<Operation>,
}

fn cases<S: Subject>() -> impl Strategy<Value = Case<S::Setting>> {
    (S::settings(), operations(S::VOCABULARY)).prop_map(|(setting, operations)| Case {
        setting,
        operations,
    })
}

/// Applies a sequence, with every check. Returns the hash of the subject's actions.
fn drive<S: Subject>(mut subject: S, operations: &[Operation]) -> u64 {
    subject.check();
    for operation in operations {
        subject.apply(operation);
        subject.check();
    }
    subject.finish();
    subject.digest()
}

/// Replays a case twice, with equal results: a subject depends on nothing else.
fn replay<S: Subject>(case: &Case<S::Setting>) {
    let [first, second] = [(); 2].map(|()| drive(S::new(&case.setting), &case.operations));
    assert_eq!(first, second, "the same operations had different effects");
}

fn campaign<S: Subject>(count: u32) {
    let outcome = TestRunner::new(repeatable(count)).run(&cases::<S>(), |case| {
        replay::<S>(&case);
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => {
            panic!("{}", corpus::report(S::NAME, reason.message(), &case))
        }
        Err(TestError::Abort(reason)) => panic!("{}: {reason}", S::NAME),
    }
}

/// One entry per subject: test, subject, cases of an ordinary run.
macro_rules! subjects {
    ($($test:ident: $subject:ty, $count:literal;)*) => {
        $(
            #[test]
            fn $test() {
                campaign::<$subject>($count);
            }
        )*

        /// Replays a sequence of the corpus.
        fn replay_entry(entry: corpus::Entry) {
            $(
                if entry.subject == <$subject as Subject>::NAME {
                    return replay::<$subject>(&entry.case());
                }
            )*
            panic!("there is no subject {}", entry.subject);
        }
    };
}

subjects! {
    every_control_scheme_is_a_switch_of_tm_4: controls::Controlled, 400;
    every_port_lets_in_what_it_has_room_for_and_out_what_came_in: port::Ports, 150;
    every_end_system_keeps_its_rules: end_systems::EndSystem, 400;
    static_credit_is_conserved: credit::StaticHop, 200;
    adaptive_credit_is_conserved: credit::AdaptiveHop, 200;
    every_discard_policy_drops_whole_pdus: discard::Queue, 400;
    every_tcp_sender_survives_any_acknowledgement: tcp_sender::Sender, 400;
    a_tcp_receiver_acknowledges_what_it_got: tcp_receiver::Receiver, 200;
    every_tcp_connection_delivers_in_the_end: tcp_connection::Connection, 150;
}
