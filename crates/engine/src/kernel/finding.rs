//! Findings of a check of a configuration, each about one field.

use alloc::string::String;

/// Severity of a finding, a problem in one field of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The value of the field cannot be simulated: always an error.
    Impossible,
    /// The value is outside the range that the standard allows: an error unless the scenario sets
    /// `strict = false`.
    Standard,
    /// The value can be simulated, but probably has another effect than intended.
    Warning,
}

/// A problem in one field of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Key of the field in the scenario.
    pub field: &'static str,
    /// Text with the value found and the allowed values.
    pub message: String,
    /// Severity of the finding.
    pub severity: Severity,
}

impl Finding {
    /// A finding that the value of `field` cannot be simulated; such a finding is always an error.
    pub fn impossible(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Impossible,
        }
    }
    /// A finding that the value of `field` departs from the standard. Such a finding is an error if `strict` is
    /// set, otherwise a warning.
    pub fn standard(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Standard,
        }
    }
    /// A finding that the value of `field` is doubtful: a warning.
    pub fn warning(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Warning,
        }
    }
    /// True if the scenario must be refused because of the finding. `strict` is the value of `[run]
    /// strict`.
    pub fn is_fatal(&self, strict: bool) -> bool {
        match self.severity {
            Severity::Impossible => true,
            Severity::Standard => strict,
            Severity::Warning => false,
        }
    }
}
