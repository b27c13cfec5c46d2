//! Topology, end systems and switches together: a simulation that runs, steps and is measured.

mod batch;
mod build;
mod channel;
mod credited;
mod host;
mod inbox;
mod links;
pub mod log;
mod measure;
mod node;
mod observe;
mod observer;
mod passages;
pub mod plan;
mod reference;
mod relay;
pub mod report;
mod simulation;
pub mod simultaneous;
mod source_queue;
mod storage;
mod switch;
mod terminal;

pub use channel::ChannelId;
pub use observe::{PortState, SwitchPort};
pub use observer::{Crossing, Observer, PduStart};
pub use passages::{Passage, Passages};
pub use plan::{Plan, PlanError};
pub use reference::Reference;
pub use report::Report;
pub use simulation::Simulation;
pub use source_queue::Refuses;
pub use storage::Storage;
