//! Runs that a learner controls at an output port or at an ABR source. A run pauses at the end of
//! each interval, returns the measurements of the interval, and continues with the learner's
//! action. Nothing here calls Python during an interval.

mod commanded_law;
mod commanded_scheme;
mod episode;
mod pace;
mod port_episode;
mod source_episode;

pub use episode::{step_ports, step_sources};
pub use port_episode::PortEpisode;
pub use source_episode::SourceEpisode;
