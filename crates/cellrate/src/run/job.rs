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
use crate::scenario::graph::Instance;
use crate::scenario::parse::Given;
use crate::scenario::{Checked, Diagnostic, Network, Refusal, Scenario, describe, resolve};

/// A checked scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Job {
    given: Given,
    checked: Checked,
    /// The scenario as TOML with every default; made when first needed.
    resolved: OnceLock<String>,
}

/// Reason why a job has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The run was stopped.
    Cancelled,
    /// The scenario cannot be run at all, or not on this machine.
    Refused(Refusal),
}

impl Job {
    /// Reads and checks the scenario `text`, see [`Scenario::parse`].
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

    /// Reads and checks the scenario `text`. It may name components that are not in the registry;
    /// `schemes` finds them.
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
    /// The key under which stores keep the outcome, see [`super::key()`].
    pub fn key(&self) -> String {
        key(self.resolved())
    }
    /// The network in plain numbers, see [`describe()`].
    pub fn network(&self) -> Network {
        describe(&self.checked)
    }
    /// Does everything that [`Job::run`] does before the first cell is simulated. Returns the
    /// warnings that are then known.
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn check(&self) -> Result<Vec<Warning>, Refusal> {
        check(&self.checked).map_err(|error| self.refusal(&error))
    }
    /// Estimate of the run before it starts: numbers of cells, computing time, and bytes of files.
    pub fn work(&self) -> Work {
        work_of(&self.checked)
    }
    /// Estimate of the memory that the run will need at most.
    pub fn estimate(&self) -> Estimate {
        estimate_of(&self.checked)
    }

    /// The parts of the network, one for each thread, into which [`Job::run_in`] would divide the
    /// run.
    pub fn partition(&self, threads: Threads) -> Partition {
        partition_of(&self.checked, threads)
    }

    /// The partition of the network into one part; `reason` is something outside the scenario that
    /// forbids more parts.
    pub fn in_one_part(&self, reason: &str) -> Partition {
        Partition::whole(self.checked.graph().nodes.len(), reason.into())
    }

    /// Runs the scenario on one thread.
    ///
    /// # Errors
    /// If the run needs more memory than is available, or if `progress` stops it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Failure> {
        simulate(&self.checked, self.resolved(), progress).map_err(|error| self.failure(&error))
    }

    /// Runs the scenario on at most `threads` threads. The outcome equals that of [`Job::run`].
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn run_in(&self, threads: Threads, progress: Progress<'_>) -> Result<Outcome, Failure> {
        simulate_in(&self.checked, self.resolved(), threads, progress)
            .map_err(|error| self.failure(&error))
    }

    /// Runs the scenario on one thread, and also returns the computing time that each task takes.
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    pub fn profile(&self, progress: Progress<'_>) -> Result<(Outcome, Profile), Failure> {
        profile(&self.checked, self.resolved(), progress).map_err(|error| self.failure(&error))
    }

    /// The cells that are on any link between two times in seconds, at most the first `most` cells.
    /// The plain engine, which handles one event at a time, finds these cells. This takes several
    /// times as long as [`Job::run`].
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

    /// Refuses point-to-multipoint flows, for functions that support only flows with one destination.
    ///
    /// # Errors
    /// If a flow has further leaves.
    pub fn refuse_multipoint(&self) -> Result<(), Refusal> {
        let has_leaves = |flow: &Instance| flow.branch.is_some();
        if !self.checked.graph().flows.iter().any(has_leaves) {
            return Ok(());
        }
        let message =
            "the command needs flows with one destination, but a flow is point-to-multipoint";
        let help = "allowed with `multipoint`: `run` with `--plot` and `--capture`, `compare`, `study`, `validate`";
        Err(self.given.refusal(&["flow"], message, help))
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
