//! The study file: a base scenario, what varies, how often each point is repeated, what is kept.
//! Here it is read and its shape checked; what it expands to is Python's business.

mod checks;
mod levels;
mod read;
#[cfg(test)]
mod tests;
mod types;

pub use read::{read, refusal, schema};
pub use types::Study;
