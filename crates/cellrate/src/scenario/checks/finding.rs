//! Conversion of a configuration's findings about its own fields into problems at places.

use cellrate_engine::kernel::{Finding, Severity};

use crate::scenario::problem::{Place, Problem, Step};

/// The problem of a configuration's `finding`, with the table at `place` before its key.
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
