//! What a check has to say, and at which key of the scenario.

use super::diagnostic::Severity;

/// One step into a document.
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

/// Where in a document a key is, whether or not it is written there.
pub type Place = Vec<Step>;

/// A place from keys and indices.
macro_rules! place {
    ($($step:expr),* $(,)?) => { vec![$($crate::scenario::problem::Step::from($step)),*] };
}
pub(crate) use place;

/// Something wrong with what the document means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The key in question.
    pub place: Place,
    /// What is wrong, naming what was found.
    pub message: String,
    /// What is allowed, or what to do; may be empty.
    pub help: String,
}

impl Problem {
    /// Refuses the scenario.
    pub fn error(place: Place, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Error,
            place,
            message: message.into(),
            help: help.into(),
        }
    }
    /// Makes the reader look.
    pub fn warning(place: Place, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            place,
            message: message.into(),
            help: help.into(),
        }
    }
}
