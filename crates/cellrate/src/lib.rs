//! Scenarios, runs and results of the cellrate simulator.
pub mod bench;
pub mod scenario;
pub mod store;
