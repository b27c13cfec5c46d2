//! One run, from a checked scenario to its measured results.

mod amounts;
pub(crate) mod cells;
mod container;
mod driver;
mod events;
mod job;
mod key;
mod live;
mod measures;
pub(crate) mod memory;
mod outcome;
mod overview;
mod partition;
mod passages;
mod profile;
mod records;
mod simulate;
mod summary;
mod threads;
pub mod timeline;
mod traces;
pub(crate) mod warnings;
mod work;

pub(crate) use driver::{Driver, RunFacts};
pub use driver::{PROGRESS_INTERVAL, Progress, RunError};
pub use events::Events;
pub use job::{Failure, Job};
pub use key::{VERSION, key};
pub use live::InProgress;
pub(crate) use live::{EVENTS, MOST_EVENTS};
pub use measures::{Measure, Table, measures, measures_over_ethernet};
pub use memory::{Estimate, Exhausted, Need, Share, available_bytes, estimate};
pub use outcome::{Damaged, Outcome};
pub(crate) use partition::{LinkLoad, Load};
pub use partition::{PartShare, Partition, Threads};
pub use passages::Passages;
pub(crate) use profile::{Laps, Watch};
pub use profile::{Profile, Spent, Task};
pub(crate) use records::{Divisible, Records};
pub use simulate::{check, estimate_of, partition_of, profile, simulate, simulate_in, work_of};
pub use traces::Series;
pub use warnings::Warning;
pub(crate) use work::event_bytes;
pub use work::{NANOSECONDS_PER_HOP, Work, work};

/// A run of an ATM network that pauses at times that its caller sets.
pub type Live = InProgress<cells::CellRecords>;

#[cfg(test)]
pub(crate) mod tests;
