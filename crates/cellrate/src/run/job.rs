//! A run, from the text of a scenario to the outcome.

use std::sync::OnceLock;

use super::driver::{Progress, RunError};
use super::key::key;
use super::memory::{Estimate, Need};
use super::outcome::Outcome;
use super::partition::{Partition, Threads};
use super::passages::{Passages, passages};
use super::profile::Profile;
use super::simulate::{check, estimate_of, partition_of, profile, simulate, simulate_in, work_of};
use super::warnings::Warning;
use super::work::Work;
use crate::scenario::custom::{RegistryAlone, Schemes};
use crate::scenario::parse::Given;
use crate::scenario::{Checked, Diagnostic, Network, Refusal, Scenario, describe, resolve};

/// A checked scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    given: Given,
    checked: Checked,
    /// The scenario with every default, as text; it is written when it is first needed.
    resolved: OnceLock<String>,
}

/// Reason why a job has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The run was stopped.
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
        Job::with_schemes(text, path, overrides, seed, &RegistryAlone)
    }

    /// Reads the scenario `text`, which may name `schemes` that are not in the registry.
    ///
    /// # Errors
    /// Everything that is wrong with the scenario.
    pub fn with_schemes(
        text: &str,
        path: &str,
        overrides: &[String],
        seed: Option<u64>,
        schemes: &dyn Schemes,
    ) -> Result<Job, Refusal> {
        let checked = Scenario::parse_with(text, path, overrides, seed, schemes)?;
        Ok(Job {
            given: Given::new(text, path, overrides),
            checked,
            resolved: OnceLock::new(),
        })
    }

    /// The scenario with its graph.
    pub fn checked(&self) -> &Checked {
        &self.checked
    }
    /// The scenario with every default written out, as TOML.
    pub fn resolved(&self) -> &str {
        self.resolved
            .get_or_init(|| resolve(self.checked.scenario()))
    }
    /// Warnings of the scenario's check.
    pub fn warnings(&self) -> &[Diagnostic] {
        self.checked.warnings()
    }
    /// The key under which the outcome is kept, see [`super::key()`].
    pub fn key(&self) -> String {
        key(self.resolved())
    }
    /// The network in plain numbers, see [`describe()`].
    pub fn network(&self) -> Network {
        describe(&self.checked)
    }
    /// Does all that [`Job::run`] does before the first cell, and returns the warnings that are known
    /// by then.
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn check(&self) -> Result<Vec<Warning>, Refusal> {
        check(&self.checked).map_err(|error| self.refusal(&error))
    }
    /// Cells, time and bytes of files that the run will take, as estimated.
    pub fn work(&self) -> Work {
        work_of(&self.checked)
    }
    /// Bytes of memory that the run will need at most.
    pub fn estimate(&self) -> Estimate {
        estimate_of(&self.checked)
    }

    /// The parts in which [`Job::run_in`] would run it.
    pub fn partition(&self, threads: Threads) -> Partition {
        partition_of(&self.checked, threads)
    }

    /// The partition of the network into one part, because something outside the scenario forbids more.
    pub fn in_one_part(&self, reason: &str) -> Partition {
        Partition::whole(self.checked.graph().nodes.len(), reason.into())
    }

    /// Runs the scenario in one thread.
    ///
    /// # Errors
    /// If it needs more memory than is available, or if `progress` stops it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        simulate(&self.checked, self.resolved(), progress).map_err(|error| self.failure(&error))
    }

    /// Runs the scenario in at most `threads` threads; the outcome is that of [`Job::run`].
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn run_in(&self, threads: Threads, progress: Progress<'_>) -> Result<Outcome, Failure> {
        simulate_in(&self.checked, self.resolved(), threads, progress)
            .map_err(|error| self.failure(&error))
    }

    /// Runs the scenario in one thread; also returns the time that each task takes.
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn profile(&self, progress: Progress<'_>) -> Result<(Outcome, Profile), Failure> {
        profile(&self.checked, self.resolved(), progress).map_err(|error| self.failure(&error))
    }

    /// The cells on every link between two times in seconds, at most the first `most`. They come from
    /// a run in the plain engine, which takes several times as long as [`Job::run`].
    ///
    /// # Errors
    /// If the network cannot be simulated, or if `progress` stops the run.
    pub fn passages(
        &self,
        from_seconds: f64,
        to_seconds: f64,
        most: usize,
        progress: Progress<'_>,
    ) -> Result<Passages, Failure> {
        passages(&self.checked, from_seconds, to_seconds, most, progress)
            .map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &RunError) -> Failure {
        match error {
            RunError::Cancelled => Failure::Cancelled,
            _ => Failure::Refused(self.refusal(error)),
        }
    }

    fn refusal(&self, error: &RunError) -> Refusal {
        let causes: Vec<Need> = match error {
            RunError::Memory(estimate) => estimate.causes().iter().map(|one| one.need).collect(),
            RunError::Exhausted(exhausted) => exhausted.needs().to_vec(),
            _ => Vec::new(),
        };
        let key = causes.first().map_or(&[][..], |need| need.key());
        let help: Vec<&str> = causes.iter().map(|need| need.less()).collect();
        self.given
            .refusal(key, &error.to_string(), &help.join("; "))
    }
}
