//! Configuration of property tests, so that they are the same every time.

use proptest::test_runner::{Config, RngSeed};

/// `cases` cases from a fixed seed, so that a run of the tests is the same every time. For long
/// campaigns `PROPTEST_CASES` and `PROPTEST_RNG_SEED` override both.
pub fn repeatable(cases: u32) -> Config {
    let given = |name: &str| std::env::var_os(name).is_some();
    let from_environment = Config::default();
    Config {
        cases: if given("PROPTEST_CASES") {
            from_environment.cases
        } else {
            cases
        },
        rng_seed: if given("PROPTEST_RNG_SEED") {
            from_environment.rng_seed
        } else {
            RngSeed::Fixed(1997)
        },
        failure_persistence: None,
        ..from_environment
    }
}
