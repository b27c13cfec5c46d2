//! A run that pauses at times that its caller sets, so that its state can be looked at.

use cellrate_engine::atm::plan::EventKinds;
use cellrate_engine::atm::{Plan, Simulation};
use cellrate_engine::kernel::Ps;

use super::driver::{Driver, RunError};
use super::events::Events;
use super::simulate::{affordable, warnings_before};
use super::summary;
use super::warnings::Warning;
use crate::scenario::Checked;

/// Most events that are kept of each node.
const MOST_EVENTS: usize = 20_000;

/// A run in progress. Its result is that of [`simulate`](super::simulate), wherever it pauses.
pub struct Live {
    driver: Driver,
    warnings: Vec<Warning>,
    seed: u64,
}

impl Live {
    /// A run at time zero. It logs losses, timeouts and retransmissions whether the scenario does or
    /// not.
    ///
    /// # Errors
    /// If it needs more memory than is available, or if the network cannot be simulated.
    pub fn new(checked: &Checked) -> Result<Live, RunError> {
        Live::with(checked, |plan| {
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
    /// Those of [`Live::new`].
    pub fn with(checked: &Checked, edit: impl FnOnce(&mut Plan)) -> Result<Live, RunError> {
        let (scenario, mut plan) = (checked.scenario(), affordable(checked)?);
        edit(&mut plan);
        let warnings = warnings_before(checked, &plan);
        Ok(Live {
            driver: Driver::new(scenario, plan)?,
            warnings,
            seed: scenario.run.seed,
        })
    }

    /// Runs to `until`, through every stop of the run up to then.
    pub fn run_until(&mut self, until: Ps) {
        while self.driver.next_stop().is_some_and(|at| at <= until) {
            self.driver.step();
        }
        let now = self.driver.simulation.now();
        self.driver.simulation.run_until(until.max(now));
    }

    /// The simulation as it is now. Reading its state changes nothing in the run.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.driver.simulation
    }

    /// Events so far, at most `limit`, and the number of further ones.
    pub fn events(&self, limit: usize) -> (Events, u64) {
        self.driver.events(limit)
    }

    /// The summary of the finished run as JSON, as `summary.json` has it. It took `wall_seconds`.
    pub fn summary(&mut self, wall_seconds: f64) -> String {
        while self.driver.step().is_some() {}
        let report = self.driver.simulation.report();
        let mut warnings = self.warnings.clone();
        warnings.extend(self.driver.warnings_after(&report, 0));
        summary::json(report, self.seed, wall_seconds, warnings)
    }
}
