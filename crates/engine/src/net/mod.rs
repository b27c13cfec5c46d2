//! The transport below every link layer. Units (cells or frames) travel on links. A node is processed without the
//! other nodes, up to its lookahead. The network can be divided into parts for parallel threads.
//!
//! The transport knows of a unit the arrival time, a label, a header word of 32 bits, and whether a record
//! follows ([`unit`](mod@unit)). The transport knows of a link the ends, the propagation delay and the
//! transmission time of the smallest unit ([`simulation::LinkFacts`]). Of a node the transport knows what
//! [`node::Node`] declares. The link layer defines the contents of units, the service of ports and the
//! measurements.

pub(crate) mod batch;
pub mod bit_errors;
pub mod channel;
mod event_kinds;
pub(crate) mod inbox;
pub mod link;
pub(crate) mod links;
pub mod node;
pub mod partition;
mod plain;
mod plan;
mod schedule;
pub mod simulation;
pub(crate) mod simultaneous;
mod stopwatch;
pub mod storage;
pub mod unit;

pub use channel::ChannelId;
pub use event_kinds::EventKinds;
pub use plan::{LinkPlan, opposites};
pub use stopwatch::Stopwatch;
pub use storage::{Holder, Place, Storage};
