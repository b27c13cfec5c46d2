//! Values of a factor: a list, or a range with as many values as asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values that a factor takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Levels {
    /// One by one.
    List(Vec<Level>),
    /// From one to another.
    Range(Range),
}

/// One value, as a scenario has it.
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
    /// How many values, in a grid; space-filling designs take any value between the ends.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub count: Option<u32>,
    /// How they are spread.
    #[serde(default)]
    pub scale: Scale,
}

/// How the values of a range are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}
