//! A whole run: from a checked scenario to its outcome, on one thread or several.

use std::num::NonZeroUsize;
use std::time::Instant;

use cellrate_engine::atm::Plan;

use super::driver::{Driver, Progress, RunError, RunFacts};
use super::memory::{Estimate, available_bytes, estimate};
use super::outcome::Outcome;
use super::partition::{Load, Partition, Threads};
use super::profile::{Laps, Profile, Task, Watch};
use super::warnings::{self, Warning};
use super::work::{self, Work};
use crate::build;
use crate::scenario::{Checked, Scenario};

const ONE_THREAD: Threads = Threads::Number(NonZeroUsize::MIN);

/// Runs a scenario in one thread. `resolved` is the scenario with every default written out.
///
/// # Errors
/// If it needs more memory than is available, before or while it runs, if the network cannot be
/// simulated, or if `progress` stops it.
pub fn simulate(
    checked: &Checked,
    resolved: &str,
    progress: Progress<'_>,
) -> Result<Outcome, RunError> {
    simulate_in(checked, resolved, ONE_THREAD, progress)
}

/// Runs a scenario in at most as many threads as `threads` says. The outcome does not depend on their
/// number.
///
/// # Errors
/// The errors of [`simulate`].
pub fn simulate_in(
    checked: &Checked,
    resolved: &str,
    threads: Threads,
    progress: Progress<'_>,
) -> Result<Outcome, RunError> {
    simulate_watched(checked, resolved, threads, progress, &mut ())
}

/// Runs a scenario in one thread and measures the time that each task takes.
///
/// # Errors
/// The errors of [`simulate`].
pub fn profile(
    checked: &Checked,
    resolved: &str,
    progress: Progress<'_>,
) -> Result<(Outcome, Profile), RunError> {
    let mut laps = Laps::new(Task::of_nodes(&build::plan(checked)));
    let outcome = simulate_watched(checked, resolved, ONE_THREAD, progress, &mut laps)?;
    Ok((outcome, laps.finish()))
}

fn simulate_watched(
    checked: &Checked,
    resolved: &str,
    threads: Threads,
    progress: Progress<'_>,
    watch: &mut impl Watch,
) -> Result<Outcome, RunError> {
    let (scenario, plan) = (checked.scenario(), affordable(checked)?);
    let began = Instant::now();
    let warnings = warnings_before(checked, &plan);
    let partition = partition(scenario, &plan, threads);
    watch.done(Task::Plan);
    let mut driver = Driver::new(scenario, plan)?;
    watch.done(Task::Network);
    let report = driver.run_in_parts(&partition.of_nodes, progress, watch)?;
    let outcome = driver.outcome(
        report,
        RunFacts {
            seed: scenario.run.seed,
            resolved: resolved.into(),
            event_limit: scenario.measure.event_limit as usize,
            warnings,
            began,
        },
    );
    watch.done(Task::Results);
    Ok(outcome)
}

/// The parts in which the run of a scenario would be made on this machine.
pub fn partition_of(checked: &Checked, threads: Threads) -> Partition {
    partition(checked.scenario(), &build::plan(checked), threads)
}

fn partition(scenario: &Scenario, plan: &Plan, threads: Threads) -> Partition {
    let seconds = scenario.run.duration.as_secs_f64();
    Partition::here(plan.nodes.len(), seconds, threads, || {
        Load::new(plan, seconds)
    })
}

/// The plan of a scenario whose run fits into memory.
pub(super) fn affordable(checked: &Checked) -> Result<Plan, RunError> {
    let available = available_bytes();
    let plan = build::plan(checked);
    let estimate = if checked.stages().is_empty() {
        estimate(checked.scenario(), &plan, available)
    } else {
        largest_estimate(checked, available)
    };
    if estimate.fits() {
        Ok(plan)
    } else {
        Err(RunError::Memory(estimate))
    }
}

/// Warnings of a run that are known before it: those of the scenario's check come first.
pub(super) fn warnings_before(checked: &Checked, plan: &Plan) -> Vec<Warning> {
    checked
        .warnings()
        .iter()
        .map(|found| Warning::new("scenario", &found.message))
        .chain(warnings::before(checked.scenario(), plan))
        .collect()
}

/// Does all that [`simulate`] does before the first cell, and returns the warnings.
///
/// # Errors
/// The errors of [`simulate`].
pub fn check(checked: &Checked) -> Result<Vec<Warning>, RunError> {
    let plan = affordable(checked)?;
    let warnings = warnings_before(checked, &plan);
    Driver::new(checked.scenario(), plan)?;
    Ok(warnings)
}

/// Memory that the run of a scenario will need: in its stage that needs most.
pub fn estimate_of(checked: &Checked) -> Estimate {
    largest_estimate(checked, available_bytes())
}

fn largest_estimate(checked: &Checked, available: Option<u64>) -> Estimate {
    let stages = build::stages(checked);
    stages
        .map(|plan| estimate(checked.scenario(), &plan, available))
        .max_by_key(|estimate| estimate.memory_bytes)
        .expect("a run has a first stage")
}

/// Cells, time and files of the run of a scenario.
pub fn work_of(checked: &Checked) -> Work {
    work::work(checked.scenario(), &build::plan(checked))
}
