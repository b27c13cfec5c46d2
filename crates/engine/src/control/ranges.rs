//! Checks of parameters that several control schemes share.

use alloc::format;
use alloc::vec::Vec;
use core::fmt::Display;

use super::SwitchFacts;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};

/// A finding about an interval that is above zero but shorter than a cell time. For an interval of zero there is
/// another finding.
pub(super) fn shorter_than_a_cell(
    field: &'static str,
    interval: Ps,
    facts: SwitchFacts,
) -> Option<Finding> {
    (interval > Ps::ZERO && interval < facts.service_time).then(|| {
        Finding::impossible(
            field,
            format!("{interval} is shorter than the time of a cell"),
        )
    })
}

/// A finding about a threshold of the queue that exceeds the buffer.
pub(super) fn never_exceeded(
    field: &'static str,
    threshold: Cells,
    facts: SwitchFacts,
) -> Option<Finding> {
    (threshold.0 >= facts.buffer).then(|| {
        let message = format!(
            "{threshold} are never exceeded in a buffer of {} cells",
            facts.buffer
        );
        Finding::warning(field, message)
    })
}

/// Collects findings about the parameters of a scheme.
pub(super) struct Ranges {
    facts: SwitchFacts,
    findings: Vec<Finding>,
}

impl Ranges {
    /// A collection without findings, for a switch with these `facts`.
    pub fn new(facts: SwitchFacts) -> Ranges {
        Ranges {
            facts,
            findings: Vec::new(),
        }
    }
    /// Adds a finding that says that `value` must be as `allowed` describes, if `holds` is false.
    pub fn require(
        mut self,
        field: &'static str,
        holds: bool,
        value: impl Display,
        allowed: &str,
    ) -> Ranges {
        if !holds {
            self.findings.push(Finding::impossible(
                field,
                format!("must be {allowed}, but is {value}"),
            ));
        }
        self
    }
    /// Adds a finding unless the number of cells is above zero.
    pub fn some_cells(self, field: &'static str, cells: Cells) -> Ranges {
        self.require(field, cells.0 > 0, cells, "above 0")
    }
    /// Adds a finding unless `value` is above 0 and at most 1.
    pub fn share(self, field: &'static str, value: f64) -> Ranges {
        self.require(
            field,
            value > 0.0 && value <= 1.0,
            value,
            "above 0 and at most 1",
        )
    }
    /// Adds a finding unless the target utilisation is above 0 and at most 2. With a value above 1
    /// the queue never empties.
    pub fn utilisation(self, field: &'static str, value: f64) -> Ranges {
        self.require(
            field,
            value > 0.0 && value <= 2.0,
            value,
            "above 0 and at most 2",
        )
    }
    /// Adds a finding unless `value` is at least 0.
    pub fn not_negative(self, field: &'static str, value: f64) -> Ranges {
        self.require(field, value >= 0.0, value, "at least 0")
    }
    /// Adds a finding unless the interval is at least a cell time.
    pub fn interval(mut self, field: &'static str, interval: Ps) -> Ranges {
        self.findings
            .extend(shorter_than_a_cell(field, interval, self.facts));
        self.require(field, interval > Ps::ZERO, interval, "above 0")
    }
    /// Adds a finding if `low` is above `high`.
    pub fn ordered(mut self, low: (&'static str, Cells), high: (&'static str, Cells)) -> Ranges {
        if low.1 > high.1 {
            let message = format!("{} is more than `{}` of {}", low.1, high.0, high.1);
            self.findings.push(Finding::impossible(low.0, message));
        }
        self
    }
    /// Adds a warning if the threshold of the queue exceeds the buffer.
    pub fn reachable(mut self, field: &'static str, threshold: Cells) -> Ranges {
        self.findings
            .extend(never_exceeded(field, threshold, self.facts));
        self
    }
    /// Adds a warning if the threshold of the queue is present and exceeds the buffer.
    pub fn reachable_if_any(self, field: &'static str, threshold: Option<Cells>) -> Ranges {
        match threshold {
            Some(threshold) => self.reachable(field, threshold),
            None => self,
        }
    }
    /// All findings collected.
    pub fn findings(self) -> Vec<Finding> {
        self.findings
    }
}
