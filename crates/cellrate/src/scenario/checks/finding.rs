//! Conversion of findings, which a configuration reports about its own fields, into problems at
//! places of the document.

use cellrate_engine::kernel::{Finding, Severity};

use crate::scenario::problem::{Place, Problem, Step};

/// The problem that `finding` describes: its place is the key of the finding in the table at
/// `place`.
pub fn problem(finding: &Finding, mut place: Place, strict: bool) -> Problem {
    place.extend(finding.field.split('.').map(Step::from));
    let message = format!("`{}`: {}", finding.field, finding.message);
    match (finding.is_fatal(strict), finding.severity) {
        (true, Severity::Standard) => Problem::error(
            place,
            message,
            "TM 4.0 requires this; with `strict = false` in `[run]` it is only a warning",
        ),
        (true, _) => Problem::error(place, message, ""),
        (false, _) => Problem::warning(place, message, ""),
    }
}
