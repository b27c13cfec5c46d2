//! Findings of a check of a configuration, each about one field.

use alloc::string::String;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The field's value cannot be simulated: always an error.
    Impossible,
    /// The value is outside what the standard allows: an error unless the scenario sets `strict =
    /// false`.
    Standard,
    /// The value works, but probably not as intended.
    Warning,
}

/// A problem of one field of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Key of the field in the scenario.
    pub field: &'static str,
    /// Value found, and allowed values.
    pub message: String,
    /// Severity of the finding.
    pub severity: Severity,
}

impl Finding {
    /// A finding that is always an error.
    pub fn impossible(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Impossible,
        }
    }
    /// A finding about a departure from the standard.
    pub fn standard(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Standard,
        }
    }
    /// A finding that is a warning.
    pub fn warning(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Warning,
        }
    }
    /// True if the scenario must be refused because of the finding; `strict` is the key of `[run]`.
    pub fn is_fatal(&self, strict: bool) -> bool {
        match self.severity {
            Severity::Impossible => true,
            Severity::Standard => strict,
            Severity::Warning => false,
        }
    }
}
