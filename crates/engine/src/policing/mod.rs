//! Traffic contracts: the generic cell rate algorithm (GCRA), and policers that hold the cells or frames of a
//! channel to their contract (ITU-T I.371; TM 4.0 sections 4.4.2 and 4.5).
//!
//! Rates and bursts count units of service: a cell is one unit, a frame has one unit for each octet on its line.

mod contract;
mod dynamic;
mod gcra;
mod gfr;
mod policer;
mod shaper;

pub(crate) use contract::Buckets;
pub use contract::{Conformance, Contract};
pub use dynamic::{AllowedRate, DynamicConfig};
pub use gcra::{Fine, LeakyBucket, VirtualScheduling};
pub use gfr::{GfrConfig, GfrConformance, GfrPolicer};
pub use policer::{Action, FrameRule, Policer, PolicerConfig, PolicerCounts, Treatment};
pub use shaper::ShaperConfig;
