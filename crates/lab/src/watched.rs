//! A run that is watched: its curves so far, copies of its state to return to, and a second
//! simulation at the time that the page shows.

use cellrate::run::Events;
use cellrate_engine::kernel::Ps;

use crate::curves::Curves;
use crate::shown::{Live, Shown};
use crate::tracks::tracks;

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
/// Most readings over which a closer look averages growths.
const MOST_AVERAGED: u64 = 512;

/// A run and all that is known of its past.
pub struct Watched<L: Live> {
    live: L,
    curves: Curves,
    end: Ps,
    now: Ps,
    /// Copies in order of time, the first at zero.
    copies: Vec<(Ps, L::Simulation)>,
    /// Least time between two copies.
    apart: Ps,
    viewer: Option<L::Simulation>,
}

impl<L: Live> Watched<L> {
    /// A run to `end`, at time zero.
    pub fn new(mut live: L, end: Ps) -> Watched<L> {
        let mut shown = tracks(live.simulation());
        shown.retain(|track| track.flow.is_none_or(|flow| flow < MOST_FLOWS));
        let curves = Curves::new(shown, Ps::ZERO, step(end), L::Simulation::AVERAGED);
        let copies = vec![(Ps::ZERO, live.simulation().clone())];
        Watched {
            live,
            curves,
            end,
            now: Ps::ZERO,
            copies,
            apart: Ps(end.0 / MOST_COPIES as u64),
            viewer: None,
        }
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
    /// The simulation as it is now.
    pub fn simulation(&mut self) -> &L::Simulation {
        self.live.simulation()
    }

    /// True if the simulation stores more than it may.
    pub fn is_too_large(&mut self) -> bool {
        self.live.simulation().stored() > L::Simulation::MOST_STORED
    }

    /// Runs on for `readings` readings of the curves, or to the end, or until the simulation is too large.
    /// Returns true at the end.
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
            if self.is_too_large() {
                return false;
            }
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
        let each = self.live.simulation().stored().max(1) as usize;
        if self.copies.len() * each > MOST_COPIED {
            let mut number = 0;
            self.copies.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.apart = Ps(self.apart.0.saturating_mul(2));
        }
    }

    /// The state at `at`, which must not be later than [`Watched::now`]. The simulation of the last
    /// call goes on, or the last copy before `at` is taken.
    pub fn at(&mut self, at: Ps) -> &mut L::Simulation {
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
        let fine = Ps((to.0.saturating_sub(from.0) / readings).max(1));
        let averaged = match L::Simulation::AVERAGED {
            1 => 1,
            // As long as in the run's own curves, if that is not too long.
            of_run => (of_run * step(self.end).0 / fine.0).clamp(2, MOST_AVERAGED),
        };
        let mut curves = Curves::new(self.curves.tracks().to_vec(), from, fine, averaged);
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

/// Time between two readings of a run to `end`.
fn step(end: Ps) -> Ps {
    Ps((end.0 / READINGS).max(1))
}
