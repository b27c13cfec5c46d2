//! The plain reference engine, which processes one instant after the other and calls every node at
//! each instant. Its ports compute each service at the time of the service.
//!
//! The plain engine shares end systems, switches and control schemes with [`Simulation`]. The plain engine has
//! another schedule (no lookahead, no nodes processed without the others, no arrivals processed late) and other
//! servers. Tests compare the two engines cell by cell.

use super::plan::{Plan, PlanError};
use super::report::Report;
use super::server::EagerServer;
use super::simulation::Simulation;
use crate::kernel::Ps;

/// The moments of a run at which the plain engine calls a watching function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    /// All events before this instant have been processed.
    Before(Ps),
    /// All services (transmissions) that end at this instant have ended.
    Completed(Ps),
    /// The node with the given index has processed all its events of this instant.
    Turn(Ps, usize),
}

/// A simulation without optimisations, with which tests compare the fast engine.
pub struct Reference(Simulation<EagerServer>);

impl Reference {
    /// A simulation at time zero.
    ///
    /// # Errors
    /// If the plan cannot be simulated, as for [`Simulation::new`](crate::net::simulation::Simulation::new).
    pub fn new(plan: Plan) -> Result<Reference, PlanError> {
        Simulation::new(plan).map(Reference)
    }

    /// Processes all events before `until`, instant by instant: first service ends, then timers and
    /// arrivals, then service starts.
    pub fn run_until(&mut self, until: Ps) {
        self.run_watched(until, &mut |_, _| ());
    }

    /// Runs as [`Reference::run_until`] does, and calls the function `look` after each step in which nodes may
    /// have sent or received cells.
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

    /// Present state of the simulation, for samples and reports. The caller must not run this
    /// simulation further: only the methods of [`Reference`] may.
    pub fn state(&mut self) -> &mut Simulation<EagerServer> {
        &mut self.0
    }

    /// Runs to the `end` and measures from `from` to `to`, see
    /// [`Simulation::measure`](crate::net::simulation::Simulation::measure).
    ///
    /// # Panics
    /// As for [`Simulation::report`](crate::net::simulation::Simulation::report).
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> Report {
        self.run_until(from);
        self.0.begin_window();
        self.run_until(to);
        self.0.end_window();
        self.run_until(end);
        self.0.report()
    }
}
