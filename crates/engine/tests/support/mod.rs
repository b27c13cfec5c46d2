//! What several tests of whole networks share: plans by hand, and random ones.
#![allow(dead_code, reason = "every test file compiles its own copy and uses a part")]

pub mod plans;
pub mod random_network;

use cellrate_engine::network::Report;
use proptest::test_runner::{Config, RngSeed};

/// `cases` cases from a fixed seed, so that a run of the tests is the same every time. For long
/// campaigns `PROPTEST_CASES` and `PROPTEST_RNG_SEED` override both.
pub fn repeatable(cases: u32) -> Config {
    let given = |name: &str| std::env::var_os(name).is_some();
    let from_environment = Config::default();
    Config {
        cases: if given("PROPTEST_CASES") { from_environment.cases } else { cases },
        rng_seed: if given("PROPTEST_RNG_SEED") { from_environment.rng_seed } else { RngSeed::Fixed(1997) },
        failure_persistence: None,
        ..from_environment
    }
}

/// The report as text. `Debug` writes floats so that they read back to the same bits.
pub fn outcome(report: &Report) -> String {
    format!("{report:#?}")
}

/// Where two outcomes first differ, with the lines before.
pub fn difference(left: &str, right: &str) -> Option<String> {
    let at = left.lines().zip(right.lines()).position(|(left, right)| left != right);
    let at = at.or_else(|| (left.lines().count() != right.lines().count()).then_some(0))?;
    let lines = |text: &str| text.lines().skip(at.saturating_sub(6)).take(8).collect::<Vec<_>>().join("\n");
    Some(format!("{}\n---- against ----\n{}", lines(left), lines(right)))
}
