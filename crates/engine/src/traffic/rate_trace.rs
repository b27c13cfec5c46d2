//! A source that plays a rate trace from a file.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::piecewise::Pieces;
use super::{Playing, PlaysFile};
use crate::kernel::Rate;

/// Raw cells (without TCP) at the rates of a file, evenly spaced while a rate lasts. The file is a
/// table with two columns, `rate` and either `duration` or `time`. Units are those of scenarios, in
/// every value or, in parentheses, in the heading: `duration (ms),rate (Mbit/s)`. With `time` a
/// rate lasts until the next row; the first row is at 0, and the last row, with rate 0, is the end.
/// Tables are CSV (`.csv`) or, if the package can read them, Parquet (`.parquet`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateTraceConfig {
    /// Path of the file, relative to the directory of the scenario file.
    pub file: String,
    /// SHA-256 of the file in hexadecimal digits. If present, the file must match it. Complete
    /// scenarios contain it, so that stored results belong to the contents of the file.
    pub sha256: Option<String>,
    /// Greatest rate of the cells; a bucket delays cells above it. No limit if absent.
    pub peak: Option<Rate>,
    /// Plays the trace repeatedly.
    #[serde(default)]
    pub repeat: bool,
    /// Each flow begins the trace at a random time of its own instead of the beginning; needs
    /// `repeat`.
    #[serde(default)]
    pub random_phase: bool,
    /// Contents of the file; `None` until the file is read, before the run.
    #[serde(skip)]
    #[schemars(skip)]
    pub content: Option<Pieces>,
}

impl PlaysFile for RateTraceConfig {
    fn playing(&self) -> Playing {
        Playing {
            peak: self.peak,
            repeat: self.repeat,
            random_phase: self.random_phase,
        }
    }
    fn read(&self) -> Option<&Pieces> {
        self.content.as_ref()
    }
}
