//! A run, from the text of a scenario to the outcome.

use std::path::Path;

use cellrate_engine::kernel::Ps;

use super::driver::{Progress, RunError, estimate_of, simulate};
use super::memory::Estimate;
use super::outcome::Outcome;
use super::passages::{Passages, passages};
use super::warnings::Warning;
use crate::capture::{self, CaptureError, Taken, Tap};
use crate::scenario::{Diagnostic, Refusal, Scenario, resolve};

/// A checked scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    text: String,
    path: String,
    overrides: Vec<String>,
    scenario: Scenario,
    resolved: String,
    warnings: Vec<Diagnostic>,
}

/// Reason why a job has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// It was stopped.
    Cancelled,
    /// The scenario cannot be run, or not on this machine.
    Refused(Refusal),
}

impl Job {
    /// Reads the scenario `text`, see [`Scenario::parse`].
    ///
    /// # Errors
    /// Everything that is wrong with the scenario.
    pub fn new(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
    ) -> Result<Job, Refusal> {
        let checked = Scenario::parse(text, path, overrides, seed)?;
        let resolved = resolve(&checked.scenario);
        Ok(Job {
            text: text.into(),
            path: path.into(),
            overrides: overrides.into(),
            scenario: checked.scenario,
            resolved,
            warnings: checked.warnings,
        })
    }

    /// The scenario with every default written out, as TOML.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }
    /// Warnings of its check.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Resources that the run will need.
    ///
    /// # Errors
    /// If the scenario describes no network.
    pub fn estimate(&self) -> Result<Estimate, Refusal> {
        estimate_of(&self.scenario).map_err(|error| self.refusal(&error))
    }

    /// Runs it.
    ///
    /// # Errors
    /// If it needs more memory than is available, or if `progress` stops it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        let warnings = self
            .warnings
            .iter()
            .map(|found| Warning::new("scenario", &found.message))
            .collect();
        simulate(&self.scenario, &self.resolved, warnings, progress).map_err(|error| match error {
            RunError::Cancelled => Failure::Cancelled,
            _ => Failure::Refused(self.refusal(&error)),
        })
    }

    /// The cells on every link between two times in seconds, at most `most` of them. They come from
    /// a run in the plain engine, which takes several times as long as a run.
    ///
    /// # Errors
    /// If the scenario describes no network.
    pub fn passages(
        &self,
        from_seconds: f64,
        to_seconds: f64,
        most: usize,
    ) -> Result<Passages, Refusal> {
        passages(&self.scenario, from_seconds, to_seconds, most)
            .map_err(|error| self.refusal(&error))
    }

    /// Writes everything that passes `taps` between two times in seconds into files in `directory`,
    /// see [`capture::capture`].
    ///
    /// # Errors
    /// See there.
    pub fn capture(
        &self,
        taps: &[Tap],
        from_seconds: f64,
        to_seconds: f64,
        directory: &Path,
        progress: Progress<'_>,
    ) -> Result<Taken, CaptureError> {
        let [from, to] = [from_seconds, to_seconds].map(Ps::from_secs_f64);
        capture::capture(&self.scenario, taps, from..to, directory, progress)
    }

    fn refusal(&self, error: &RunError) -> Refusal {
        let (key, help): (&[&str], &str) = match error {
            RunError::Memory(Estimate { mostly, .. }) => (mostly.key(), mostly.less()),
            _ => (&[], ""),
        };
        Scenario::refusal(
            &self.text,
            &self.path,
            &self.overrides,
            key,
            &error.to_string(),
            help,
        )
    }
}
