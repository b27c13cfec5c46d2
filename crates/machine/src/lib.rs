//! The parts that need a machine below them: stores of results in files, captures in files, and the
//! bench, which reads the clock. Scenarios and runs themselves are the crate `cellrate`, which runs anywhere.
pub mod bench;
pub mod capture;
pub mod store;
