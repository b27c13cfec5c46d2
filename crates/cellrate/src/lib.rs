//! Scenarios, runs and results of the cellrate simulator. This crate needs no threads, and no files
//! but those that a source plays back, so all of it also runs in a browser. Stores, captures and
//! the bench are in the crate `cellrate-machine`.
pub mod build;
pub mod ethernet;
pub mod run;
pub mod scenario;
pub mod study;
pub mod traffic_files;
