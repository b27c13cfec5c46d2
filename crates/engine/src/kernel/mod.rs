//! Simulated time, event order, seeded random streams, statistics, traces and findings of checks:
//! code that ATM and Ethernet share.

mod clocks;
mod decimal;
pub mod digest;
pub mod finding;
mod physical;
pub mod random;
mod service;
pub mod statistics;
pub mod stays;
pub mod time;
mod time_text;
pub mod trace;
pub mod unchecked;
pub mod units;

pub use clocks::{Few, FewClocks};
pub use digest::Digest;
pub use finding::{Finding, Severity};
pub use random::Stream;
pub use service::ServiceRate;
pub use statistics::{Extremes, Summary, TimeIntegral};
pub use stays::Stays;
pub use time::{CELL_BITS, CELL_PS_BITS, CellClock, Pace, Ps, Rate};
pub use trace::Trace;
pub(crate) use unchecked::cache::prefetch;
pub use unchecked::ring::{Ring, Tail};
pub use unchecked::tournament::Tournament;
