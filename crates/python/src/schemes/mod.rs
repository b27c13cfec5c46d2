//! Control schemes in Python: classes that a scenario names, and their hooks.

mod class;
mod control;
mod failure;
mod finder;
mod meter;
mod port;
mod rm_cell;

pub use failure::Failure;
pub use finder::{Finder, set_scheme_finder};
pub use port::Port;
pub use rm_cell::{DataCell, RmCell};
