//! The transport under every link layer: links with units on them, nodes that advance alone up to a
//! lookahead, and parts that threads run side by side.
//!
//! Of a unit the transport has the arrival time, a label, a word of 32 bits, and whether a record follows
//! ([`unit`](mod@unit)). Of a link it has the ends, the propagation and the time of a least unit
//! ([`simulation::LinkFacts`]); of a node what [`node::Node`] gives. What a unit is, how a port serves it and
//! what is measured belongs to the link layer.

pub(crate) mod batch;
pub mod channel;
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
pub use plan::{LinkPlan, opposites};
pub use stopwatch::Stopwatch;
pub use storage::{Holder, Place, Storage};
