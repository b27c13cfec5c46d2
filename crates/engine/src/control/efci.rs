//! EFCI marking by queue length: one threshold, or a high and a low threshold with hysteresis (TM 4.0 section
//! 5.10.6; hysteresis as in Ohsaki et al., section II.A).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::never_exceeded;
use super::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::{Passing, RateRecord};

/// End of the queue at which data cells are marked: as they leave or as they arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkAt {
    /// At the head: a cell is marked as it leaves, so the mark does not wait in the queue.
    #[default]
    Dequeue,
    /// At the tail: a cell is marked as it arrives, so the mark waits in the queue.
    Enqueue,
}

/// Parameters of EFCI marking: either `threshold`, or `high` and `low`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EfciConfig {
    /// Queue length above which cells are marked. 100 cells if `high` is absent, too.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"high": false} }))]
    pub threshold: Option<Cells>,
    /// Queue length above which marking begins.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"high": true} }))]
    pub high: Option<Cells>,
    /// Queue length below which marking ends.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer", "when": {"low": true} }))]
    pub low: Option<Cells>,
    /// End of the queue at which data cells are marked: as they leave (`dequeue`) or as they arrive
    /// (`enqueue`).
    pub mark_at: MarkAt,
}

const DEFAULT_THRESHOLD: Cells = Cells(100);

impl EfciConfig {
    /// Queue length above which marking begins.
    pub fn threshold_in_force(&self) -> Cells {
        self.high.or(self.threshold).unwrap_or(DEFAULT_THRESHOLD)
    }
}

impl SchemeParameters for EfciConfig {
    /// Findings about contradictory thresholds, and about a threshold that the queue never exceeds.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let limit = self
            .high
            .map(|high| ("high", high))
            .or(self.threshold.map(|threshold| ("threshold", threshold)));
        let mut findings: Vec<Finding> = limit
            .and_then(|(field, limit)| never_exceeded(field, limit, facts))
            .into_iter()
            .collect();
        if self.threshold.is_some() && (self.high.is_some() || self.low.is_some()) {
            findings.push(Finding::impossible(
                "threshold",
                "`threshold` excludes `high` and `low`".into(),
            ));
        }
        match (self.high, self.low) {
            (None, Some(_)) => findings.push(Finding::impossible("low", "needs `high`".into())),
            (Some(high), Some(low)) if low > high => {
                findings.push(Finding::impossible(
                    "low",
                    format!("{low} is more than `high` of {high}"),
                ));
            }
            _ => {}
        }
        findings
    }
    fn in_force(&self) -> EfciConfig {
        EfciConfig {
            threshold: match self.high {
                Some(_) => self.threshold,
                None => Some(self.threshold_in_force()),
            },
            ..self.clone()
        }
    }
}

/// State of EFCI marking at one output port.
#[derive(Clone, Debug)]
pub struct Efci {
    high: u64,
    /// Queue length in cells below which congestion ends. With a single threshold this is `high` + 1.
    ends_below: u64,
    congested: bool,
    mark_at: MarkAt,
}

impl Efci {
    /// Initial state of the scheme with the parameters `config`.
    pub fn new(config: &EfciConfig, _: PortFacts) -> Efci {
        let mut scheme = Efci {
            high: 0,
            ends_below: 0,
            congested: false,
            mark_at: config.mark_at,
        };
        scheme.change(config);
        scheme
    }
    /// Replaces the thresholds. The state of congestion is kept.
    pub fn change(&mut self, config: &EfciConfig) {
        self.high = config.threshold_in_force().0;
        self.ends_below = config.low.map_or(self.high.saturating_add(1), |low| low.0);
    }
    /// True while the scheme marks data cells.
    pub fn congested(&self) -> bool {
        self.congested
    }

    #[inline]
    fn observe(&mut self, passing: &mut Passing, queue: u64) {
        // Ohsaki et al. II.A: congestion begins above Q_H and ends below Q_L.
        self.congested = queue > self.high || (self.congested && queue >= self.ends_below);
        if self.congested && passing.is_data() {
            passing.mark(); // TM 4.0 5.10.6 1(a)
        }
    }
}

impl SwitchControl for Efci {
    #[inline]
    fn on_forward(
        &mut self,
        _: Ps,
        _: u32,
        passing: &mut Passing,
        _: Option<&mut RateRecord>,
        queue: u64,
    ) {
        if self.mark_at == MarkAt::Enqueue {
            self.observe(passing, queue);
        }
    }
    #[inline]
    fn on_dequeue(&mut self, _: Ps, passing: &mut Passing, queue: u64) {
        self.observe(passing, queue);
    }
    fn reads_queue(&self) -> QueueReading {
        if self.mark_at == MarkAt::Enqueue {
            QueueReading::AtEveryCell
        } else {
            QueueReading::Never
        }
    }
    fn marks_at_dequeue(&self) -> bool {
        self.mark_at == MarkAt::Dequeue
    }
    fn marks_above(&self) -> Option<u64> {
        let has_one_threshold = self.ends_below == self.high.saturating_add(1);
        (self.marks_at_dequeue() && has_one_threshold).then_some(self.high)
    }
    #[inline]
    fn ignores_data(&self) -> bool {
        self.mark_at == MarkAt::Dequeue
    }
}
