//! Values of a factor: a list, or a range with a number of values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The values that a factor of a study takes: a list, or a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Levels {
    /// Listed values.
    List(Vec<Level>),
    /// Values between two ends.
    Range(Range),
}

/// A value, in the form that a scenario has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Level {
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A choice, or a quantity with its unit.
    Text(String),
}

/// Values between two ends, both of them included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// First value.
    pub from: Level,
    /// Last value.
    pub to: Level,
    /// Number of values, in a grid; space-filling designs take any value between the ends.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub count: Option<u32>,
    /// Spacing of the values.
    #[serde(default)]
    pub scale: Scale,
}

/// Spacing of the values of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}
