//! Problems found by checks, each with the key of the scenario that it concerns.

use super::diagnostic::Severity;

/// One step on the path to a key of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A key of a table.
    Key(String),
    /// An element of an array, from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Step {
        Step::Key(key.into())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Step {
        Step::Index(index)
    }
}

/// Path of a key in a document. The document need not contain the key.
pub type Place = Vec<Step>;

/// Builds a place from keys and indices.
macro_rules! place {
    ($($step:expr),* $(,)?) => { vec![$($crate::scenario::problem::Step::from($step)),*] };
}
pub(crate) use place;

/// A problem with the meaning of a document, for instance that values contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Severity of the problem.
    pub severity: Severity,
    /// The key that is at fault.
    pub place: Place,
    /// Description of the problem, with the value found.
    pub message: String,
    /// Allowed values, or advice; may be empty.
    pub help: String,
}

impl Problem {
    /// A problem for which the scenario is refused.
    pub fn error(place: Place, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Error,
            place,
            message: message.into(),
            help: help.into(),
        }
    }
    /// A problem that is only reported.
    pub fn warning(place: Place, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            place,
            message: message.into(),
            help: help.into(),
        }
    }
}
