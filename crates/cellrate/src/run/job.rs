//! From the text of a scenario to the outcome of its run.

use super::driver::{Progress, RunError, estimate_of, simulate};
use super::memory::Estimate;
use super::outcome::Outcome;
use super::warnings::Warning;
use crate::scenario::{Diagnostic, Refusal, Scenario, Severity, resolve};

/// A checked scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    path: String,
    scenario: Scenario,
    resolved: String,
    warnings: Vec<Diagnostic>,
}

/// Why a job has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// It was stopped.
    Cancelled,
    /// It cannot be run, or not here.
    Refused(Refusal),
}

impl Job {
    /// Reads the scenario of `text`, see [`Scenario::parse`].
    ///
    /// # Errors
    /// Everything that is wrong with the scenario.
    pub fn new(text: &str, path: &str, overrides: &[String], seed: Option<u64>) -> Result<Job, Refusal> {
        let checked = Scenario::parse(text, path, overrides, seed)?;
        let resolved = resolve(&checked.scenario);
        Ok(Job { path: path.into(), scenario: checked.scenario, resolved, warnings: checked.warnings })
    }

    /// The scenario with every default written out, as TOML.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }
    /// What its check had to say.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What the run will need.
    ///
    /// # Errors
    /// If the scenario describes no network.
    pub fn estimate(&self) -> Result<Estimate, Refusal> {
        estimate_of(&self.scenario).map_err(|error| refused(&self.path, error.to_string(), ""))
    }

    /// Runs it.
    ///
    /// # Errors
    /// If it needs more memory than there is, or if `progress` stops it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        let warnings = self.warnings.iter().map(|found| Warning::new("scenario", &found.message)).collect();
        simulate(&self.scenario, &self.resolved, warnings, progress).map_err(|error| match error {
            RunError::Cancelled => Failure::Cancelled,
            RunError::Memory(_) => Failure::Refused(refused(&self.path, error.to_string(), LESS_MEMORY)),
            RunError::Scenario(_) | RunError::Plan(_) => Failure::Refused(refused(&self.path, error.to_string(), "")),
        })
    }
}

const LESS_MEMORY: &str = "finite buffers, smaller windows, fewer sources or a shorter run need less";

/// A refusal of the scenario as a whole.
fn refused(path: &str, message: String, help: &str) -> Refusal {
    let mut rendered = format!("error: {message}\n --> {path}:1:1");
    if !help.is_empty() {
        rendered += &format!("\n  = help: {help}");
    }
    let (label, help) = (String::new(), help.into());
    let diagnostic =
        Diagnostic { severity: Severity::Error, message, path: path.into(), line: 1, column: 1, label, help };
    Refusal { diagnostics: vec![diagnostic], rendered }
}
