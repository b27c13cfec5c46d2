//! A source that plays a rate trace from a file.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::piecewise::Pieces;
use super::{Playing, PlaysFile};
use crate::kernel::Rate;

/// Bare cells at the rates of a file, evenly spaced while a rate lasts. The file is a table with
/// two columns, `rate` and either `duration` or `time`, with the units of scenarios in every value
/// or, in parentheses, in the heading: `duration (ms),rate (Mbit/s)`. With `time` a rate lasts
/// until the next row, the first is at 0, and the last, with rate 0, is the end. Tables are CSV
/// (`.csv`), or, where the package reads them, Parquet (`.parquet`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateTraceConfig {
    /// The file, its path relative to that of the scenario.
    pub file: String,
    /// SHA-256 of the file in hexadecimal digits; if given, the file must match it. Resolved
    /// scenarios contain it, so that kept results belong to the content.
    pub sha256: Option<String>,
    /// Greatest rate of the cells: a bucket delays cells above it. No limit if absent.
    pub peak: Option<Rate>,
    /// Plays the trace again from its end.
    #[serde(default)]
    pub repeat: bool,
    /// Lets each flow enter the trace at a random time of its own, rather than at the beginning;
    /// needs `repeat`.
    #[serde(default)]
    pub random_phase: bool,
    /// Contents of the file, read before the run.
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
