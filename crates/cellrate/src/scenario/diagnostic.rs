//! What is wrong with a scenario, and where.

use std::fmt;

use serde::Serialize;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The scenario is refused.
    Error,
    /// Look before you trust the result.
    Warning,
}

/// One thing that is wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, naming what was found.
    pub message: String,
    /// The file, or `--set` for an override.
    pub path: String,
    /// Line from 1.
    pub line: usize,
    /// Column from 1, in characters.
    pub column: usize,
    /// What the marked place is.
    pub label: String,
    /// What is allowed, or what to do; empty if there is nothing to add.
    pub help: String,
}

/// Why a scenario is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// At least one error; warnings too.
    pub diagnostics: Vec<Diagnostic>,
    /// The same as annotated plain text.
    pub rendered: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered)
    }
}

impl std::error::Error for Refusal {}
