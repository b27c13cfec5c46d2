//! Checks that the parameters of several schemes have in common.

use alloc::format;
use alloc::vec::Vec;
use core::fmt::Display;

use super::SwitchFacts;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};

/// A finding about an interval above zero that is shorter than a cell time; an interval of zero has
/// a finding of its own.
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

/// A finding about a threshold that the queue never exceeds.
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

/// Collects findings about parameters.
pub(super) struct Ranges {
    facts: SwitchFacts,
    findings: Vec<Finding>,
}

impl Ranges {
    /// A collection without findings, at a switch with these `facts`.
    pub fn new(facts: SwitchFacts) -> Ranges {
        Ranges {
            facts,
            findings: Vec::new(),
        }
    }
    /// Adds a finding that `value` is not `allowed`, unless `holds`.
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
    /// Requires a number of cells above zero.
    pub fn some_cells(self, field: &'static str, cells: Cells) -> Ranges {
        self.require(field, cells.0 > 0, cells, "above 0")
    }
    /// Requires a number above 0 and at most 1.
    pub fn share(self, field: &'static str, value: f64) -> Ranges {
        self.require(
            field,
            value > 0.0 && value <= 1.0,
            value,
            "above 0 and at most 1",
        )
    }
    /// Requires a target utilisation above 0 and at most 2: above 1 it keeps a queue.
    pub fn utilisation(self, field: &'static str, value: f64) -> Ranges {
        self.require(
            field,
            value > 0.0 && value <= 2.0,
            value,
            "above 0 and at most 2",
        )
    }
    /// Requires a number of at least 0.
    pub fn not_negative(self, field: &'static str, value: f64) -> Ranges {
        self.require(field, value >= 0.0, value, "at least 0")
    }
    /// Requires an interval of at least a cell time.
    pub fn interval(mut self, field: &'static str, interval: Ps) -> Ranges {
        self.findings
            .extend(shorter_than_a_cell(field, interval, self.facts));
        self.require(field, interval > Ps::ZERO, interval, "above 0")
    }
    /// Requires that `low` is not above `high`.
    pub fn ordered(mut self, low: (&'static str, Cells), high: (&'static str, Cells)) -> Ranges {
        if low.1 > high.1 {
            let message = format!("{} is more than `{}` of {}", low.1, high.0, high.1);
            self.findings.push(Finding::impossible(low.0, message));
        }
        self
    }
    /// Warns of a threshold that the queue never exceeds.
    pub fn reachable(mut self, field: &'static str, threshold: Cells) -> Ranges {
        self.findings
            .extend(never_exceeded(field, threshold, self.facts));
        self
    }
    /// Warns of an optional threshold that the queue never exceeds.
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
