//! The plain reference engine: it always processes the globally earliest instant, calls every node,
//! and has eager ports.
//!
//! It shares the end systems, switches and control schemes with [`Simulation`], but neither its
//! schedule (lookahead, turns, lags) nor its servers. Tests compare the two cell by cell.

use super::plan::{Plan, PlanError};
use super::report::Report;
use super::server::EagerServer;
use super::simulation::Simulation;
use crate::kernel::Ps;

/// Moments of a run at which a watcher is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moment {
    /// All events before this instant have been processed.
    Before(Ps),
    /// All completions of an instant have been processed.
    Completed(Ps),
    /// A node has processed all its events of an instant.
    Turn(Ps, usize),
}

/// A simulation without short cuts, with which tests compare the fast one.
pub struct Reference(Simulation<EagerServer>);

impl Reference {
    /// A simulation at time zero.
    ///
    /// # Errors
    /// As [`Simulation::new`](crate::net::simulation::Simulation::new).
    pub fn new(plan: Plan) -> Result<Reference, PlanError> {
        Simulation::new(plan).map(Reference)
    }

    /// Processes everything before `until`, one instant after the other: completions, then timers
    /// and arrivals, then service starts.
    pub fn run_until(&mut self, until: Ps) {
        self.run_watched(until, &mut |_, _| ());
    }

    /// Does what [`Reference::run_until`] does, and calls `look` whenever nodes may have sent or
    /// received cells.
    pub(super) fn run_watched(&mut self, until: Ps, look: &mut dyn FnMut(&mut Reference, Moment)) {
        loop {
            let now = self.0.earliest().min(self.0.next_change());
            look(self, Moment::Before(now.min(until)));
            if now >= until {
                break;
            }
            if self.0.next_change() == now {
                self.0.make_next_change();
                (0..self.0.stations.len()).for_each(|node| self.0.tell_of_output(node));
                continue;
            }
            self.0.complete(now);
            look(self, Moment::Completed(now));
            for node in 0..self.0.stations.len() {
                self.0.instant(node, now);
                look(self, Moment::Turn(now, node));
            }
        }
        self.0.now = until;
    }

    /// State of the simulation so far, for samples and reports. Only this reference engine may run it.
    pub fn state(&mut self) -> &mut Simulation<EagerServer> {
        &mut self.0
    }

    /// Runs over the whole measuring window and reports, see [`Simulation::measure`](crate::net::simulation::Simulation::measure).
    ///
    /// # Panics
    /// As [`Simulation::report`](crate::net::simulation::Simulation::report).
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> Report {
        self.run_until(from);
        self.0.begin_window();
        self.run_until(to);
        self.0.end_window();
        self.run_until(end);
        self.0.report()
    }
}
