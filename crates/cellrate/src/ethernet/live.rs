//! A run over Ethernet that is watched: it pauses where its watcher wants it to.

use cellrate_engine::ether::Simulation;
use cellrate_engine::kernel::Ps;

use super::driver::Driver;
use super::{Job, summary};
use crate::run::Warning;

/// A run in progress. Its result is that of [`Job::run`], wherever it pauses.
pub struct Live {
    driver: Driver,
    seed: u64,
    warnings: Vec<Warning>,
}

impl Live {
    /// A run at time zero.
    pub fn new(job: &Job) -> Live {
        Live {
            driver: Driver::new(job.scenario(), job.graph()),
            seed: job.scenario().run.seed,
            warnings: job.check(),
        }
    }

    /// Runs to `until`, through every stop of the run up to then.
    pub fn run_until(&mut self, until: Ps) {
        while self.driver.next_stop().is_some_and(|at| at <= until) {
            self.driver.step();
        }
        let now = self.driver.simulation.now();
        self.driver.simulation.run_until(until.max(now));
    }

    /// The simulation as it is now, for looking at it, which changes nothing.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.driver.simulation
    }

    /// The summary of the finished run as JSON, as `summary.json` has it. It took `wall_seconds`.
    pub fn summary(&mut self, wall_seconds: f64) -> String {
        while self.driver.step().is_some() {}
        let report = self.driver.simulation.report();
        summary::json(report, self.seed, wall_seconds, self.warnings.clone())
    }
}
