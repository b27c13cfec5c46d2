//! Control schemes, discard policies, recoveries and laws of sources in Python: classes that a scenario names, and
//! their hooks.

mod attributes;
mod class;
mod connection;
mod control;
mod discard;
mod failure;
mod finder;
mod law;
mod meter;
mod port;
mod random;
mod recovery;
mod rm_cell;

pub use class::Definition;
pub use connection::Connection;
pub use discard::Queue;
pub use failure::Failure;
pub use finder::{Finder, set_scheme_finder};
pub use law::Source;
pub use meter::{Interval, Meter};
pub use port::Port;
pub use rm_cell::{DataCell, RmCell};
