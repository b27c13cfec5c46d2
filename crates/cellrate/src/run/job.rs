//! From the text of a scenario to the outcome of its run.

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
    /// What its check had to say.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What the run will need.
    ///
    /// # Errors
    /// If the scenario describes no network.
    pub fn estimate(&self) -> Result<Estimate, Refusal> {
        estimate_of(&self.scenario).map_err(|error| self.refusal(&error))
    }

    /// Runs it.
    ///
    /// # Errors
    /// If it needs more memory than there is, or if `progress` stops it.
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

    /// The cells on every link between two times in seconds, up to `most` of them; the run in the
    /// plain engine that finds them takes several times as long as a run.
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

    /// Writes what passes `taps` between two times in seconds into files in `directory`, see [`capture::capture`].
    ///
    /// # Errors
    /// As there.
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
