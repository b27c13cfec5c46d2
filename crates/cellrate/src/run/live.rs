//! A run that pauses at times that its caller sets, so that the caller can read the state.

use cellrate_engine::atm::Plan;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::EventKinds;

use super::cells::CellRecords;
use super::driver::{Driver, RunError};
use super::events::Events;
use super::records::Records;
use super::simulate::{affordable, warnings_before};
use super::warnings::Warning;
use crate::scenario::Checked;

/// Largest number of events that are kept: for each node over ATM, for the whole run over Ethernet.
pub const MOST_EVENTS: usize = 20_000;
/// Events that are always logged in a run whose caller sets the pauses.
pub const EVENTS: EventKinds = EventKinds {
    loss: true,
    timeout: true,
    retransmission: true,
    mark: false,
};

/// A run in progress, whose result does not depend on its pauses.
pub struct InProgress<R: Records> {
    driver: Driver<R>,
    warnings: Vec<Warning>,
    seed: u64,
}

impl InProgress<CellRecords> {
    /// Prepares a run at time zero. Losses, timeouts and retransmissions are always logged.
    ///
    /// # Errors
    /// If the run needs more memory than is available, or if the network cannot be simulated.
    pub fn new(checked: &Checked) -> Result<InProgress<CellRecords>, RunError> {
        InProgress::<CellRecords>::with(checked, |plan| {
            plan.measure.events = EVENTS;
            plan.measure.event_limit = MOST_EVENTS;
        })
    }

    /// Prepares a run at time zero as [`InProgress::new`] does, but lets `edit` change the plan of
    /// the network first.
    ///
    /// # Errors
    /// The errors of [`InProgress::new`].
    pub fn with(
        checked: &Checked,
        edit: impl FnOnce(&mut Plan),
    ) -> Result<InProgress<CellRecords>, RunError> {
        let (scenario, mut plan) = (checked.scenario(), affordable(checked)?);
        edit(&mut plan);
        let warnings = warnings_before(checked, &plan);
        let driver = Driver::new(scenario, plan)?;
        Ok(InProgress::of(driver, warnings, scenario.run.seed))
    }
}

impl<R: Records> InProgress<R> {
    /// A run with the random seed `seed`; `warnings` are those that are known before the run.
    pub(crate) fn of(driver: Driver<R>, warnings: Vec<Warning>, seed: u64) -> InProgress<R> {
        InProgress {
            driver,
            warnings,
            seed,
        }
    }

    /// Runs to `until`, and takes the samples that are due on the way.
    pub fn run_until(&mut self, until: Ps) {
        while self.driver.next_stop().is_some_and(|at| at <= until) {
            self.driver.step();
        }
        let now = R::now(&self.driver.simulation);
        R::run_timed(&mut self.driver.simulation, until.max(now), &mut ());
    }

    /// The simulation in its present state. Reading the state changes nothing in the run.
    pub fn simulation(&mut self) -> &mut R::Simulation {
        &mut self.driver.simulation
    }

    /// Events so far, at most `limit`, and the number of events beyond this limit.
    pub fn events(&self, limit: usize) -> (Events, u64) {
        self.driver.records.events(&self.driver.simulation, limit)
    }

    /// The summary of the finished run as JSON, with the fields of `summary.json`; the run took
    /// `wall_seconds` of computing time (wall clock).
    pub fn summary(&mut self, wall_seconds: f64) -> String {
        while self.driver.step().is_some() {}
        let report = R::report(&mut self.driver.simulation);
        let mut warnings = self.warnings.clone();
        warnings.extend(R::warnings_after(&mut self.driver.simulation, &report, 0));
        R::json(report, self.seed, wall_seconds, warnings)
    }
}
