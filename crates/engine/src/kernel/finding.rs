//! What a check of a configuration has to say about one field.

use alloc::string::String;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Cannot be simulated: always an error.
    Impossible,
    /// Outside what the standard allows: an error unless the scenario says `strict = false`.
    Standard,
    /// Works, but hardly as intended.
    Warning,
}

/// One finding: the field in question and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Key of the field in the scenario.
    pub field: &'static str,
    /// What was found and what is allowed.
    pub message: String,
    /// How bad it is.
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
    /// A departure from the standard.
    pub fn standard(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Standard,
        }
    }
    /// A warning.
    pub fn warning(field: &'static str, message: String) -> Finding {
        Finding {
            field,
            message,
            severity: Severity::Warning,
        }
    }
    /// Whether the scenario must be refused.
    pub fn is_fatal(&self, strict: bool) -> bool {
        match self.severity {
            Severity::Impossible => true,
            Severity::Standard => strict,
            Severity::Warning => false,
        }
    }
}
