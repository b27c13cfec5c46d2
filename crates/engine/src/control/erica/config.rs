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

/// Target capacity of the ABR class; TU is the target utilisation, L the link rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CapacityForm {
    /// TU L - VBR: the target is a share of the link (Kalyanaraman 1997).
    #[default]
    OfLink,
    /// TU (L - VBR): the target is a share of the rate left by VBR (ATM Forum 98-0408).
    OfRemainder,
}

/// Averaging of the load factor (Kalyanaraman 1997, chapter 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadAveraging {
    /// None: the load factor is that of the last interval.
    #[default]
    None,
    /// Method 1: an exponential average of the load factor.
    LoadFactor,
    /// Method 2: input, capacity and interval length are averaged before they are divided.
    Components,
}

/// Feedback after an interval without input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroInputPolicy {
    /// The fair share (Kalyanaraman 1997, table 6.1).
    #[default]
    FairShare,
    /// The whole ABR capacity: the load is zero, so the VC share has no bound.
    ZeroLoad,
}

/// Number of active sources that is assumed until the first interval has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialSources {
    /// Every channel that is set up.
    #[default]
    Established,
    /// One, as after any interval without cells.
    One,
}

/// Parameters of ERICA; with `queue_control` it is ERICA+.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EricaConfig {
    /// Target utilisation; 0.9 if absent, 1.0 if `queue_control` is present.
    #[schemars(extend("x-search" = { "low": 0.7, "high": 1, "scale": "linear" }))]
    pub target_utilisation: Option<f64>,
    /// Capacity of which the target utilisation is a share.
    pub capacity_form: CapacityForm,
    /// Longest averaging interval. With a `delta` of 0 and all flows one way, rates settle within
    /// 1 % of max-min fair ones if intervals are 5 ms and no number of cells ends them, and within
    /// 10 %, on nine networks of ten within 3 %, with the default, whose loads vary by more.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub interval: Ps,
    /// ABR cells after which an interval ends early. The last of them still belongs to it.
    #[schemars(extend("x-search" = { "low": "10 cells", "high": "10000 cells", "scale": "log" }))]
    pub interval_cells: Cells,
    /// Loads above 1 + delta count as overload; at others every channel may have the largest
    /// allocation.
    #[schemars(extend("x-search" = { "low": 0, "high": 0.5, "scale": "linear", "when": {"max_alloc": true} }))]
    pub delta: f64,
    /// Gives every channel the largest allocation of the last interval while there is no overload.
    pub max_alloc: bool,
    /// Lets a channel below the fair share rise to the fair share first, and no further in one
    /// step.
    pub clip_to_fair_share: bool,
    /// Limits the feedback to the ABR capacity.
    pub clip_to_capacity: bool,
    /// Averaging of the load factor.
    pub load_averaging: LoadAveraging,
    /// Weight of the newest interval in averages of the load, 1e-9 to 1.
    #[schemars(extend("x-search" = { "low": 0.05, "high": 1, "scale": "log", "when": {"load_averaging": ["load-factor", "components"]} }))]
    pub load_weight: f64,
    /// Restarts the average of `load_averaging = "load-factor"` after an interval without input.
    pub reset_on_zero: bool,
    /// Averages the number of active channels.
    pub average_sources: bool,
    /// Factor on a channel's contribution in each interval in which it was not seen (DecayFactor).
    /// With 1 a channel that has sent once counts for ever: the fair share is the capacity over the
    /// channels that are established and have begun to send, instead of over the active channels.
    #[schemars(extend("x-search" = { "low": 0.1, "high": 1, "scale": "linear", "when": {"average_sources": true} }))]
    pub source_decay: f64,
    /// Counts a channel in the fair share from its first cell on.
    pub immediate_fair_share: bool,
    /// Measures the rate of a channel instead of reading it from its FRMs.
    pub per_vc_ccr: bool,
    /// Counts a channel as active also when a BRM of it passes.
    pub bidirectional_counting: bool,
    /// Also lowers ER in forward RM cells. A source then gets the lower of the rates allowed on the
    /// cell's way there and back, and its rate rises up to a round trip later. TM 4.0 section
    /// 5.10.6 lets a switch lower ER in either direction; Kalyanaraman 1997 does so in backward
    /// cells alone, another simulator's ERICA in both. The scheme never reads ER, so its own marks
    /// do not affect its measurements.
    pub mark_forward: bool,
    /// Feedback after an interval without input.
    pub zero_input_policy: ZeroInputPolicy,
    /// Number of active sources that is assumed until the first interval has ended.
    pub initial_sources: InitialSources,
    /// Queue length above which CI is also set in backward RM cells, which TM 4.0 section 5.10.6
    /// permits beside explicit rates; never if absent.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"ci_threshold": true} }))]
    pub ci_threshold: Option<Cells>,
    /// Queue control of ERICA+; off if absent.
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
    /// Target utilisation in force.
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

/// Least weight of an interval: averages with smaller weights vanish.
const LEAST_WEIGHT: f64 = 1e-9;

fn is_share(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}
