//! Scenarios, runs and results of the cellrate simulator. Nothing here needs threads, nor any file
//! but those that a scenario plays, so all of it runs in a browser, too; stores, captures and the
//! bench are the crate `cellrate-machine`.
pub mod build;
pub mod ethernet;
pub mod run;
pub mod scenario;
pub mod study;
pub mod traffic_files;
