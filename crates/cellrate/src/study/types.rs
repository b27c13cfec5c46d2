//! A study file as Rust types.

use std::collections::BTreeMap;

use cellrate_engine::kernel::Ps;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::Levels;
use crate::scenario::TraceKind;

/// Many runs of one scenario: factors, replications, measures and recorded data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name of the study, which also names its directory; the file's name without ending if absent.
    pub name: Option<String>,
    /// Scenario file, relative to the study file; this or `template`.
    pub scenario: Option<String>,
    /// Name of a template, as for `cellrate new`; this or `scenario`.
    pub template: Option<String>,
    /// Settings of every run, `path=value`, as for `--set`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Seed of the first replication; each further replication adds 1 to it.
    #[serde(default = "first_seed")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: u64,
    /// Gives replication r the same seed at every point, so that alternatives are compared under
    /// the same random numbers. If false every run has a seed of its own.
    #[serde(default = "yes")]
    pub common_random_numbers: bool,
    /// Factors with their values: the dotted path of a parameter, or another name for use in
    /// expressions.
    #[serde(default)]
    pub factors: BTreeMap<String, Levels>,
    /// Factors that vary together: lists of equal length, used row by row.
    #[serde(default)]
    pub paired: Vec<BTreeMap<String, Levels>>,
    /// Factors whose values are names, each with the settings that it stands for, `path=value` as for
    /// `--set`: a control that needs several keys, or a case with a topology and flows of its own.
    #[serde(default)]
    pub alternatives: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Parameters that follow from others: dotted path, and an expression such as `3 * rtt * rate`.
    #[serde(default)]
    pub derived: BTreeMap<String, String>,
    /// Selection of the combinations that are run.
    #[serde(default)]
    pub design: Design,
    /// Number of runs of each point.
    #[serde(default)]
    pub replications: Replications,
    /// Warm-up that is excluded from the measurements of every run.
    pub warm_up: Option<WarmUp>,
    /// Measures with names: expressions over a run, such as `throughput_mbit`.
    #[serde(default)]
    pub measures: BTreeMap<String, String>,
    /// Data kept of every run besides its measures.
    #[serde(default)]
    pub keep: Keep,
}

/// Selection of the combinations of the factors' values that are run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Design {
    /// All combinations; the first factor varies slowest.
    #[default]
    Grid,
    /// Points that fill the space, each factor's range cut into as many equal parts as there are
    /// points and every part used once (McKay, Beckman and Conover 1979).
    LatinHypercube(Sampling),
    /// Points that fill the space, a scrambled Sobol sequence; best if their number is a power of
    /// two (Sobol 1967, Owen 1998).
    Sobol(Sampling),
}

/// Number of points, and the seed that they are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Number of points.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub points: u32,
    /// Seed of the design.
    #[serde(default = "first_seed")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: u64,
}

/// Number of runs of each point: `count`, or from `least` to `most` until a measure is precise
/// enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replications {
    /// Runs of each point; 1 if absent.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: Option<u32>,
    /// Fewest runs before a point may stop, with `until`; 10 if absent, because the interval of
    /// fewer runs is too often too narrow.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub least: Option<u32>,
    /// Most runs of a point, with `until`; 100 if absent.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub most: Option<u32>,
    /// Precision at which a point is finished.
    pub until: Option<Until>,
    /// Confidence level of every interval of the study.
    #[serde(default = "level")]
    pub level: f64,
}

impl Default for Replications {
    fn default() -> Replications {
        Replications {
            count: None,
            least: None,
            most: None,
            until: None,
            level: level(),
        }
    }
}

/// Required precision of a measure: the half-width of its confidence interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// Name of a measure of `[measures]`.
    pub measure: String,
    /// Half of the interval's width: a number in the measure's unit, or a share of its mean such as
    /// `1 %`.
    pub half_width: String,
}

/// Warm-up that is excluded from the measurements of every run: up to `from`, or up to the time
/// that a rule finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// Start of the measuring window, the same for all runs.
    pub from: Option<Ps>,
    /// Rule that finds the start instead, from the first replication of each point.
    pub rule: Option<WarmUpRule>,
    /// Trace that the rule examines, with `rule`; the queues if absent.
    pub trace: Option<TraceKind>,
}

/// Rule that finds the end of the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarmUpRule {
    /// MSER-5: samples are averaged in groups of five, and the warm-up ends where the mean of the
    /// remaining averages has the least standard error (White 1997; White, Cobb and Spratt 2000).
    /// No more than the first half is cut; a run that would need more is reported.
    #[serde(rename = "mser-5")]
    Mser5,
}

/// Data kept of every run besides its measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Keep {
    /// Traces that the data set contains. They are recorded even if the scenario does not ask for
    /// them.
    pub traces: Vec<TraceKind>,
}

fn first_seed() -> u64 {
    1
}

fn yes() -> bool {
    true
}

fn level() -> f64 {
    0.95
}
