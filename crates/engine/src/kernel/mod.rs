//! Simulated time, event order, seeded random streams, statistics, traces. Knows no cell.

pub mod time;
pub mod units;

pub use time::{CellClock, Pace, Ps, Rate};
