//! TCP: one sender and one receiver as pure state machines; how they recover from loss is a policy.

pub mod segment;

pub use segment::Segment;
