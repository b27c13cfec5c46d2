//! The bench: what a cell costs, against the bare floor loops, in one process on one core.

pub mod workloads;
