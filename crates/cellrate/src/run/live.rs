//! A run that pauses at times that its caller sets, so that its state can be looked at.

use cellrate_engine::atm::Plan;
use cellrate_engine::atm::plan::EventKinds;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::simulation::Simulation;

use super::cells::CellRecords;
use super::driver::{Driver, RunError};
use super::events::Events;
use super::records::Records;
use super::simulate::{affordable, warnings_before};
use super::warnings::Warning;
use crate::scenario::Checked;

/// Most events that are kept of each node over ATM, and of the whole run over Ethernet.
pub const MOST_EVENTS: usize = 20_000;

/// A run in progress, whose result does not depend on its pauses.
pub struct InProgress<R: Records> {
    driver: Driver<R>,
    warnings: Vec<Warning>,
    seed: u64,
}

impl InProgress<CellRecords> {
    /// A run at time zero. Losses, timeouts and retransmissions are always logged.
    ///
    /// # Errors
    /// If it needs more memory than is available, or if the network cannot be simulated.
    pub fn new(checked: &Checked) -> Result<InProgress<CellRecords>, RunError> {
        InProgress::<CellRecords>::with(checked, |plan| {
            plan.measure.events = EventKinds {
                loss: true,
                timeout: true,
                retransmission: true,
                mark: false,
            };
            plan.measure.event_limit = MOST_EVENTS;
        })
    }

    /// A run at time zero of a scenario's plan, after `edit` has changed the plan.
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
    /// A run of this seed with its `warnings` so far.
    pub(crate) fn of(driver: Driver<R>, warnings: Vec<Warning>, seed: u64) -> InProgress<R> {
        InProgress {
            driver,
            warnings,
            seed,
        }
    }

    /// Runs to `until`, through every stop of the run up to then.
    pub fn run_until(&mut self, until: Ps) {
        while self.driver.next_stop().is_some_and(|at| at <= until) {
            self.driver.step();
        }
        let now = self.driver.simulation.now();
        R::run_timed(&mut self.driver.simulation, until.max(now), &mut ());
    }

    /// The simulation as it is now. Reading its state changes nothing in the run.
    pub fn simulation(&mut self) -> &mut Simulation<R::Node> {
        &mut self.driver.simulation
    }

    /// Events so far, at most `limit`, and the number of further ones.
    pub fn events(&self, limit: usize) -> (Events, u64) {
        R::events(&self.driver, limit)
    }

    /// The summary of the finished run as JSON, as `summary.json` has it, for a run that took `wall_seconds`.
    pub fn summary(&mut self, wall_seconds: f64) -> String {
        while self.driver.step().is_some() {}
        let report = R::report(&mut self.driver.simulation);
        let mut warnings = self.warnings.clone();
        warnings.extend(R::warnings_after(&mut self.driver, &report, 0));
        R::json(report, self.seed, wall_seconds, warnings)
    }
}
