//! Scenarios, runs and results of the cellrate simulator.
pub mod bench;
pub mod build;
pub mod capture;
pub mod run;
pub mod scenario;
pub mod store;
pub mod study;
pub mod traffic_files;
