//! Ethernet: frames of any size between hosts and switches, with TCP or datagrams over IPv4 in them.

mod alone;
pub mod aqm;
pub mod arriving;
mod build;
mod changing;
pub mod credit;
pub mod ecmp;
pub mod endpoint;
pub mod ends;
pub mod frame;
pub mod held;
pub mod host;
mod hosted;
pub mod lanes;
pub mod line;
mod line_ends;
mod measure;
pub mod memory;
pub mod node;
pub mod pause;
pub mod pfc;
pub mod plan;
pub mod port;
pub mod rates;
pub mod report;
pub mod reserves;
pub mod roce;
mod router;
pub mod schedule;
pub mod seen;
pub mod simulation;
pub mod spray;
pub mod statistics;
pub mod switch;
pub mod tap;
#[cfg(test)]
mod tests;
pub(crate) mod transport;
mod turn;
mod window;

pub use alone::completion_alone;
pub use held::Held;
pub use plan::change::{Change, FlowChange, SwitchChange};
pub use plan::{FlowPlan, NodePlan, Plan, PlanError, SwitchPlan};
pub use report::Report;
pub use simulation::Simulation;
