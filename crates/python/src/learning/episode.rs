//! Episodes of learning that run at the same time on several threads. An episode is a run that a
//! learner controls step by step.

use std::thread;

use pyo3::prelude::*;
use pyo3::{PyClass, pyclass::boolean_struct::False};

use super::pace::Stopped;
use super::port_episode::PortEpisode;
use super::source_episode::SourceEpisode;
use crate::errors::unlocked;

/// A run that a learner controls.
pub trait Episode: Send {
    /// Type of the numbers that a step returns.
    type Numbers: Send;
    /// Applies an action, and runs to the end of the next interval or of the run.
    ///
    /// # Errors
    /// If the action is not between 0 and 1, or if the run cannot continue.
    fn advance(&mut self, share: f64) -> Result<Self::Numbers, Stopped>;
}

/// Runs each of some episodes at ports by one step; see `PortEpisode.step`.
///
/// Args:
///     episodes: The episodes, each once.
///     shares: An action for each episode.
///     threads: Number of threads, at least 1.
///
/// Returns:
///     The numbers that each step returns.
///
/// Raises:
///     ValueError: A share is not between 0 and 1.
///     RuntimeError: A run has ended, or an episode occurs twice.
#[pyfunction]
pub fn step_ports(
    py: Python<'_>,
    episodes: Vec<Bound<'_, PortEpisode>>,
    shares: Vec<f64>,
    threads: usize,
) -> PyResult<Vec<[f64; 7]>> {
    together(py, &episodes, &shares, threads)
}

/// Runs each of some episodes at sources by one step; see `SourceEpisode.step`.
///
/// Args:
///     episodes: The episodes, each once.
///     shares: An action for each episode.
///     threads: Number of threads, at least 1.
///
/// Returns:
///     The numbers that each step returns.
///
/// Raises:
///     ValueError: A share is not between 0 and 1.
///     RuntimeError: A run has ended, or an episode occurs twice.
#[pyfunction]
pub fn step_sources(
    py: Python<'_>,
    episodes: Vec<Bound<'_, SourceEpisode>>,
    shares: Vec<f64>,
    threads: usize,
) -> PyResult<Vec<[f64; 8]>> {
    together(py, &episodes, &shares, threads)
}

fn together<E: Episode + PyClass<Frozen = False>>(
    py: Python<'_>,
    episodes: &[Bound<'_, E>],
    shares: &[f64],
    threads: usize,
) -> PyResult<Vec<E::Numbers>> {
    let held = episodes.iter().map(|episode| episode.try_borrow_mut());
    let mut held = held.collect::<Result<Vec<_>, _>>()?;
    let mut pairs: Vec<(&mut E, f64)> = held
        .iter_mut()
        .map(|episode| &mut **episode)
        .zip(shares.iter().copied())
        .collect();
    let share = pairs.len().div_ceil(threads.max(1)).max(1);
    let steps = |part: &mut [(&mut E, f64)]| -> Vec<Result<E::Numbers, Stopped>> {
        let steps = part.iter_mut();
        steps
            .map(|(episode, share)| episode.advance(*share))
            .collect()
    };
    let found = unlocked(py, || {
        thread::scope(|scope| {
            let mut parts = pairs.chunks_mut(share);
            let own = parts.next();
            let others: Vec<_> = parts.map(|part| scope.spawn(|| steps(part))).collect();
            let mut found = own.map(steps).unwrap_or_default();
            for other in others {
                found.extend(other.join().expect("a step of an episode"));
            }
            found
        })
    })?;
    let raised = |step: Result<E::Numbers, Stopped>| step.map_err(|stopped| stopped.raise(py));
    found.into_iter().map(raised).collect()
}
