//! Components under test (subjects) that are broken on purpose. Each violates one condition that the model checks,
//! and the model must reject each by the message of the violated condition.

mod credit;
mod ends;
mod port;
mod server;
mod tcp;

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

use super::drawing::{Kind, operations};
use super::operation::Operation;

/// Asserts that random operations find the fault of a subject, with a message that contains `why`, or one of several
/// texts that `|` separates.
fn caught<T: Debug>(
    settings: impl Strategy<Value = T>,
    vocabulary: &[(u32, Kind)],
    why: &str,
    drive: impl Fn(&T, &[Operation]),
) {
    let rng_seed = RngSeed::Fixed(2001);
    let config = Config {
        cases: 300,
        max_shrink_iters: 0,
        failure_persistence: None,
        rng_seed,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(
        &(settings, operations(vocabulary)),
        |(setting, operations)| {
            drive(&setting, &operations);
            Ok(())
        },
    );
    match outcome {
        Err(TestError::Fail(reason, _)) => {
            let found = |one: &str| reason.message().contains(one);
            assert!(why.split('|').any(found), "{why}: {reason}")
        }
        other => panic!("not caught: {why}: {other:?}"),
    }
}
