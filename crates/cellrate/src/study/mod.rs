//! The study file: a base scenario, factors, replications, and the recorded data. This module reads
//! a study and checks it against its schema; the Python package expands it into runs.

mod checks;
mod levels;
mod read;
#[cfg(test)]
mod tests;
mod types;

pub use read::{read, refusal, schema};
pub use types::Study;
