//! The parts that need an operating system: stores of results, captures in files, and the bench,
//! which measures computing time. Scenarios and runs are in the crate `cellrate`, which also runs in a
//! browser.
pub mod bench;
pub mod capture;
pub mod store;
