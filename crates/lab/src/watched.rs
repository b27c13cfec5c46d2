//! A run that is watched: its curves so far, copies of its state to return to, and a second
//! simulation that stands where the watcher looks.

use cellrate::run::{Events, Live, RunError};
use cellrate::scenario::Checked;
use cellrate_engine::atm::Simulation;
use cellrate_engine::kernel::Ps;

use crate::curves::{Curves, tracks};

/// Readings of the curves over a whole run.
const READINGS: u64 = 4_096;
/// Flows whose curves are drawn; more lines than that cannot be told apart.
pub const MOST_FLOWS: usize = 24;
/// Most copies of the state that are kept.
const MOST_COPIES: usize = 32;
/// Memory for copies, in bytes.
const MOST_COPIED: usize = 256 << 20;
/// Most events that are handed over.
const MOST_EVENTS: usize = 20_000;

/// A run and all that is known of its past.
pub struct Watched {
    live: Live,
    curves: Curves,
    end: Ps,
    now: Ps,
    /// Copies in order of time, the first at zero.
    copies: Vec<(Ps, Simulation)>,
    /// Least time between two copies.
    apart: Ps,
    viewer: Option<Simulation>,
}

impl Watched {
    /// A run at time zero.
    ///
    /// # Errors
    /// Those of [`Live::new`].
    pub fn new(checked: &Checked) -> Result<Watched, RunError> {
        let mut live = Live::new(checked)?;
        let end = checked.scenario().run.duration;
        let mut shown = tracks(live.simulation());
        shown.retain(|track| track.flow.is_none_or(|flow| flow < MOST_FLOWS));
        let curves = Curves::new(shown, Ps::ZERO, Ps((end.0 / READINGS).max(1)));
        let copies = vec![(Ps::ZERO, live.simulation().clone())];
        Ok(Watched {
            live,
            curves,
            end,
            now: Ps::ZERO,
            copies,
            apart: Ps(end.0 / MOST_COPIES as u64),
            viewer: None,
        })
    }

    /// Instant before which everything has been computed.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// End of the run.
    pub fn end(&self) -> Ps {
        self.end
    }
    /// The curves so far.
    pub fn curves(&self) -> &Curves {
        &self.curves
    }
    /// The plan of the simulation.
    pub fn simulation(&mut self) -> &Simulation {
        self.live.simulation()
    }

    /// Runs on for `readings` readings of the curves, or to the end. Returns true at the end.
    pub fn advance(&mut self, readings: u64) -> bool {
        for _ in 0..readings {
            let due = self.curves.due();
            if due > self.end {
                break;
            }
            self.live.run_until(due);
            self.curves.read(self.live.simulation());
            self.now = due;
            self.copy();
        }
        if self.curves.due() > self.end {
            self.live.run_until(self.end);
            self.now = self.end;
        }
        self.now == self.end
    }

    /// Keeps a copy of the state if the last one is old enough; if the copies take too much memory,
    /// every second one goes.
    fn copy(&mut self) {
        let due = self.copies.last().map_or(Ps::ZERO, |(at, _)| *at) + self.apart;
        if self.now < due {
            return;
        }
        self.copies.push((self.now, self.live.simulation().clone()));
        let each = self.live.simulation().peak_storage().bytes.max(1) as usize;
        if self.copies.len() * each > MOST_COPIED {
            let mut number = 0;
            self.copies.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.apart = Ps(self.apart.0.saturating_mul(2));
        }
    }

    /// The state at `at`, which must not be later than [`Watched::now`]: the simulation that stands
    /// there already goes on, or the last copy before is taken.
    pub fn at(&mut self, at: Ps) -> &mut Simulation {
        let (copied, nearest) = self
            .copies
            .iter()
            .rev()
            .find(|(time, _)| *time <= at)
            .unwrap_or(&self.copies[0]);
        let stands = self.viewer.take().filter(|viewer| {
            let now = viewer.now();
            now <= at && now >= *copied
        });
        let mut viewer = stands.unwrap_or_else(|| nearest.clone());
        viewer.run_until(at);
        self.viewer.insert(viewer)
    }

    /// Curves of a part of the past, computed again and read `readings` times.
    pub fn detail(&mut self, from: Ps, to: Ps, readings: u64) -> Curves {
        let step = Ps((to.0.saturating_sub(from.0) / readings).max(1));
        let mut curves = Curves::new(self.curves.tracks().to_vec(), from, step);
        let to = to.min(self.now);
        while curves.due() <= to {
            let simulation = self.at(curves.due());
            curves.read(simulation);
        }
        curves
    }

    /// Losses, timeouts and retransmissions so far, and the number of those left out.
    pub fn events(&self) -> (Events, u64) {
        self.live.events(MOST_EVENTS)
    }

    /// The summary of the finished run, as JSON.
    pub fn summary(&mut self, wall_seconds: f64) -> String {
        self.live.summary(wall_seconds)
    }
}
