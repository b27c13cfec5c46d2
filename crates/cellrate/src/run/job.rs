//! A run, from the text of a scenario to the outcome.

use std::path::Path;
use std::sync::OnceLock;

use cellrate_engine::kernel::Ps;

use super::driver::{Progress, RunError, estimate_of, simulate};
use super::memory::Estimate;
use super::outcome::Outcome;
use super::passages::{Passages, passages};
use crate::capture::{self, CaptureError, Taken, Tap};
use crate::scenario::{Checked, Diagnostic, Network, Refusal, Scenario, describe, resolve};
use crate::store;

/// A checked scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    text: String,
    path: String,
    overrides: Vec<String>,
    checked: Checked,
    /// Written out when it is first asked for: checks and descriptions do not need it.
    resolved: OnceLock<String>,
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
        Ok(Job {
            text: text.into(),
            path: path.into(),
            overrides: overrides.into(),
            checked,
            resolved: OnceLock::new(),
        })
    }

    /// The scenario with every default written out, as TOML.
    pub fn resolved(&self) -> &str {
        self.resolved
            .get_or_init(|| resolve(self.checked.scenario()))
    }
    /// Warnings of its check.
    pub fn warnings(&self) -> &[Diagnostic] {
        self.checked.warnings()
    }
    /// The key under which the outcome is kept, see [`store::key`].
    pub fn key(&self) -> String {
        store::key(self.resolved())
    }
    /// The network in plain numbers, see [`describe()`].
    pub fn network(&self) -> Network {
        describe(&self.checked)
    }
    /// Resources that the run will need.
    pub fn estimate(&self) -> Estimate {
        estimate_of(&self.checked)
    }

    /// Runs it.
    ///
    /// # Errors
    /// If it needs more memory than is available, or if `progress` stops it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        simulate(&self.checked, self.resolved(), progress).map_err(|error| match error {
            RunError::Cancelled => Failure::Cancelled,
            _ => Failure::Refused(self.refusal(&error)),
        })
    }

    /// The cells on every link between two times in seconds, at most `most` of them. They come from
    /// a run in the plain engine, which takes several times as long as a run.
    ///
    /// # Errors
    /// If the network cannot be simulated.
    pub fn passages(
        &self,
        from_seconds: f64,
        to_seconds: f64,
        most: usize,
    ) -> Result<Passages, Refusal> {
        passages(&self.checked, from_seconds, to_seconds, most)
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
        capture::capture(&self.checked, taps, from..to, directory, progress)
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
