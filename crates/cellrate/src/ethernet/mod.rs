//! Scenarios over Ethernet (`link_layer = "ethernet"`): the file, its checks, its graph, and its runs.

mod cbfc;
mod checks;
mod control;
mod credit_rates;
mod deadlock;
mod describe;
mod driver;
mod events;
mod fcvc;
pub mod flow;
pub mod graph;
mod job;
mod joined;
mod joined_records;
mod link_errors;
mod llr;
mod load;
mod passages;
mod pfc;
mod plan;
mod rate_units;
mod rates;
mod recorder;
mod roce;
pub mod sizes;
pub mod steps;
mod summary;
mod tcp_defaults;
pub mod templates;
pub mod topology;
mod trimming;
pub mod types;
mod warnings;

pub use describe::{Cost, NANOSECONDS_PER_HOP};
pub use job::{Job, is_ethernet};
pub use passages::Passages;
pub use summary::Summary;
pub use types::{Scenario, schema};

/// A run over Ethernet in progress, which a caller can watch.
pub type Live = crate::run::InProgress<recorder::Recorder>;

#[cfg(test)]
mod tests;
