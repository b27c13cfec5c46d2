//! A whole run, from a checked scenario to its outcome, on one or several threads.

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

/// Runs a scenario on one thread. `resolved` is the scenario with every default written out.
///
/// # Errors
/// If the run needs more memory than is available, as estimated before or found while it runs. Also
/// if the network cannot be simulated, or if `progress` stops the run.
pub fn simulate(
    checked: &Checked,
    resolved: &str,
    progress: Progress<'_>,
) -> Result<Outcome, RunError> {
    simulate_in(checked, resolved, ONE_THREAD, progress)
}

/// Runs a scenario on at most as many threads as `threads` allows. The outcome does not depend on
/// the number of threads.
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

/// Runs a scenario on one thread and measures the computing time of each task.
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

/// The parts of the network, one for each thread, into which the run of a scenario would be divided
/// on this machine.
pub fn partition_of(checked: &Checked, threads: Threads) -> Partition {
    partition(checked.scenario(), &build::plan(checked), threads)
}

fn partition(scenario: &Scenario, plan: &Plan, threads: Threads) -> Partition {
    let seconds = scenario.run.duration.as_secs_f64();
    Partition::here(plan.nodes.len(), seconds, threads, || {
        Load::new(plan, seconds)
    })
}

/// The plan of a scenario, if its run fits into the free memory.
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

/// Warnings that are known before the run; the warnings of the scenario's check come first.
pub(super) fn warnings_before(checked: &Checked, plan: &Plan) -> Vec<Warning> {
    checked
        .warnings()
        .iter()
        .map(|found| Warning::new("scenario", &found.message))
        .chain(warnings::before(checked.scenario(), plan))
        .collect()
}

/// Does everything that [`simulate`] does before the first cell is simulated. Returns the warnings
/// that are then known.
///
/// # Errors
/// The errors of [`simulate`].
pub fn check(checked: &Checked) -> Result<Vec<Warning>, RunError> {
    let plan = affordable(checked)?;
    let warnings = warnings_before(checked, &plan);
    Driver::new(checked.scenario(), plan)?;
    Ok(warnings)
}

/// Estimate of the memory for the run of a scenario. If the scenario changes during the run, the
/// estimate is that of the stage which needs most.
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

/// Estimate of the run of a scenario: numbers of cells, computing time, and bytes of files.
pub fn work_of(checked: &Checked) -> Work {
    work::work(checked.scenario(), &build::plan(checked))
}
