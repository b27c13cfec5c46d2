//! Parameters of ERICA and ERICA+, with one key for every option of the literature.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::queue_control::{QueueControl, QueueFunction};
use crate::control::ranges::{never_exceeded, shorter_than_a_cell};
use crate::control::{SchemeParameters, SwitchFacts};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};

/// Formula of the target capacity of the ABR class. TU is the target utilisation, L the link rate,
/// VBR the rate of the other classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CapacityForm {
    /// TU L - VBR: the target is a share of the link rate (Kalyanaraman 1997).
    #[default]
    OfLink,
    /// TU (L - VBR): the target is a share of the rate left by the other classes (ATM Forum
    /// 98-0408).
    OfRemainder,
}

/// Method of averaging the load factor over intervals (Kalyanaraman 1997, chapter 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadAveraging {
    /// No averaging: the load factor is that of the last interval.
    #[default]
    None,
    /// Method 1: exponential average of the load factor.
    LoadFactor,
    /// Method 2: exponential averages of input, capacity and interval length, from which the load
    /// factor is computed.
    Components,
}

/// Feedback to a channel after an interval without input cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroInputPolicy {
    /// The channel gets the fair share (Kalyanaraman 1997, table 6.1).
    #[default]
    FairShare,
    /// The channel gets the whole ABR capacity: as the load is zero, the VC share is unbounded.
    ZeroLoad,
}

/// Number of active sources that the scheme assumes until the first interval has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialSources {
    /// As many sources as channels are set up.
    #[default]
    Established,
    /// One source, as after any interval without cells.
    One,
}

/// Parameters of ERICA. With `queue_control` the scheme is ERICA+.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EricaConfig {
    /// Target utilisation. If absent, 0.9, or 1.0 with `queue_control`.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: Option<f64>,
    /// Capacity to which the target utilisation applies.
    pub capacity_form: CapacityForm,
    /// Longest averaging interval. The following holds if `delta` is 0 and all flows have one
    /// direction. If each interval lasts 5 ms, whatever the number of cells, rates settle within
    /// 1 % of max-min fair rates. With the default interval, whose loads vary more, they settle
    /// within 10 %, and on nine networks of ten within 3 %.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// Number of ABR cells after which an interval ends early. The last of these cells belongs to
    /// the interval.
    #[schemars(extend("x-search" = { "low": "10 cells", "high": "10000 cells", "scale": "log" }))]
    pub interval_cells: Cells,
    /// Loads above 1 + delta count as overload. At lower loads every channel may have the largest
    /// allocation.
    #[schemars(extend("x-search" = { "low": 0, "high": 0.5, "scale": "linear", "when": {"max_alloc": true} }))]
    pub delta: f64,
    /// Gives every channel the largest allocation of the last interval, unless there is overload.
    pub max_alloc: bool,
    /// Lets a channel below the fair share rise only to the fair share in one step.
    pub clip_to_fair_share: bool,
    /// Limits the explicit rate to the ABR capacity.
    pub clip_to_capacity: bool,
    /// Method of averaging the load factor over intervals.
    pub load_averaging: LoadAveraging,
    /// Weight of the newest interval in averages of the load, from 1e-9 to 1.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 1, "scale": "log", "when": {"load_averaging": ["load-factor", "components"]} }))]
    pub load_weight: f64,
    /// Restarts the average of `load_averaging = "load-factor"` after an interval without input.
    pub reset_on_zero: bool,
    /// Averages the number of active channels.
    pub average_sources: bool,
    /// Factor on a channel's contribution for each interval without cells of the channel
    /// (DecayFactor). With 1, a channel that has sent once counts for ever. The fair share is then
    /// the capacity divided by the number of channels that have begun to send, instead of active
    /// channels.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1, "scale": "linear", "when": {"average_sources": true} }))]
    pub source_decay: f64,
    /// Counts a channel in the fair share from its first cell on.
    pub immediate_fair_share: bool,
    /// Measures the rate of a channel, instead of reading CCR from its FRMs.
    pub per_vc_ccr: bool,
    /// Counts a channel as active also when one of its BRMs passes.
    pub bidirectional_counting: bool,
    /// Also lowers ER in forward RM cells. A source then gets the lower of the rates allowed on the
    /// forward and the backward path, and its rate rises up to a round trip later. TM 4.0 section
    /// 5.10.6 lets a switch lower ER in either direction. Kalyanaraman 1997 lowers ER in backward
    /// cells only, ERICA in another simulator in both. The scheme never reads ER, so the rates that a
    /// port has written into ER do not affect the measurements of the port.
    pub mark_forward: bool,
    /// Feedback to a channel after an interval without input cells.
    pub zero_input_policy: ZeroInputPolicy,
    /// Number of active sources that the scheme assumes until the first interval has ended.
    pub initial_sources: InitialSources,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates. Without this threshold CI is never set.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
    /// Queue control of ERICA+. No queue control if absent.
    pub queue_control: Option<QueueControl>,
}

impl Default for EricaConfig {
    fn default() -> EricaConfig {
        EricaConfig {
            target_utilisation: None,
            capacity_form: CapacityForm::OfLink,
            interval: Ps::from_ms(1),
            interval_cells: Cells(100),
            delta: 0.1,
            max_alloc: true,
            clip_to_fair_share: true,
            clip_to_capacity: true,
            load_averaging: LoadAveraging::None,
            load_weight: 0.2,
            reset_on_zero: false,
            average_sources: false,
            source_decay: 0.9,
            immediate_fair_share: false,
            per_vc_ccr: false,
            bidirectional_counting: false,
            mark_forward: false,
            zero_input_policy: ZeroInputPolicy::FairShare,
            initial_sources: InitialSources::Established,
            ci_threshold: None,
            queue_control: None,
        }
    }
}

impl EricaConfig {
    /// Target utilisation with its default applied: `target_utilisation`, or else 1.0 with
    /// `queue_control` and 0.9 without.
    pub fn utilisation(&self) -> f64 {
        self.target_utilisation
            .unwrap_or(if self.queue_control.is_some() {
                1.0
            } else {
                0.9
            })
    }
}

impl SchemeParameters for EricaConfig {
    /// Findings about values outside their range.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let mut findings: Vec<Finding> = shorter_than_a_cell("interval", self.interval, facts)
            .into_iter()
            .collect();
        let mut require = |field, holds: bool, found: f64, allowed: &str| {
            if !holds {
                findings.push(Finding::impossible(
                    field,
                    format!("must be {allowed}, but is {found}"),
                ));
            }
        };
        let utilisation = self.utilisation();
        require(
            "target_utilisation",
            utilisation > 0.0 && utilisation <= 2.0,
            utilisation,
            "above 0 and at most 2",
        );
        require("interval", self.interval > Ps::ZERO, 0.0, "above 0");
        require("interval_cells", self.interval_cells.0 > 0, 0.0, "above 0");
        require("delta", self.delta >= 0.0, self.delta, "at least 0");
        require(
            "load_weight",
            (LEAST_WEIGHT..=1.0).contains(&self.load_weight),
            self.load_weight,
            "1e-9 to 1",
        );
        require(
            "source_decay",
            is_share(self.source_decay),
            self.source_decay,
            "above 0 and at most 1",
        );
        findings.extend(
            self.ci_threshold
                .and_then(|threshold| never_exceeded("ci_threshold", threshold, facts)),
        );
        findings.extend(self.queue_control.iter().flat_map(QueueControl::check));
        findings
    }
    fn in_force(&self) -> EricaConfig {
        EricaConfig {
            target_utilisation: Some(self.utilisation()),
            ..self.clone()
        }
    }
}

/// Least weight of an interval in an average. With smaller weights averages become zero by
/// rounding.
const LEAST_WEIGHT: f64 = 1e-9;

fn is_share(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}
