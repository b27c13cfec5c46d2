//! A run that a user watches: its curves so far, copies of its state from which earlier times are
//! simulated again, and a second simulation at the time that the page shows.

use cellrate::run::Events;
use cellrate_engine::kernel::Ps;

use crate::curves::Curves;
use crate::shown::{Live, Shown};
use crate::tracks::tracks;

/// Number of readings of the curves in a whole run.
const READINGS: u64 = 4_096;
/// Number of flows whose curves are drawn; more curves could not be told apart.
pub const MOST_FLOWS: usize = 24;
/// Largest number of copies of the state that are kept.
const MOST_COPIES: usize = 32;
/// Largest memory of all copies together, in bytes.
const MOST_COPIED: usize = 256 << 20;
/// Largest number of events that an answer contains.
const MOST_EVENTS: usize = 20_000;
/// Largest number of readings over which rates of growth are averaged when the user zooms in.
const MOST_AVERAGED: u64 = 512;

/// A run, with its curves and the copies of its state.
pub struct Watched<L: Live> {
    live: L,
    curves: Curves,
    end: Ps,
    now: Ps,
    /// Copies of the state with their times, in order; the first is of time zero.
    copies: Vec<(Ps, L::Simulation)>,
    /// Least simulated time between two copies.
    apart: Ps,
    viewer: Option<L::Simulation>,
}

impl<L: Live> Watched<L> {
    /// Prepares to watch a run that is at time zero and ends at `end`.
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

    /// Time up to which everything has been simulated.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// Simulated time at which the run ends.
    pub fn end(&self) -> Ps {
        self.end
    }
    /// The curves so far.
    pub fn curves(&self) -> &Curves {
        &self.curves
    }
    /// The simulation in its present state.
    pub fn simulation(&mut self) -> &L::Simulation {
        self.live.simulation()
    }

    /// True if the simulation stores more bytes than it may.
    pub fn is_too_large(&mut self) -> bool {
        self.live.simulation().stored() > L::Simulation::MOST_STORED
    }

    /// Continues the run for `readings` readings of the curves. Stops earlier at the end of the
    /// run, or when the simulation has become too large. Returns true at the end of the run.
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

    /// Keeps a copy of the state, if enough time has passed since the last copy. If the copies take
    /// too much memory, every second copy is removed.
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

    /// The state at `at`, which must not be later than [`Watched::now`]. The function continues the
    /// simulation of the last call, or else the last copy before `at`.
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

    /// Simulates a part of the past again, and returns its curves with `readings` readings.
    pub fn detail(&mut self, from: Ps, to: Ps, readings: u64) -> Curves {
        let fine = Ps((to.0.saturating_sub(from.0) / readings).max(1));
        let averaged = match L::Simulation::AVERAGED {
            1 => 1,
            // The averages cover as much time as in the curves of the whole run, but at most
            // [`MOST_AVERAGED`] readings.
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

    /// Losses, timeouts and retransmissions so far, and the number of events beyond the limit.
    pub fn events(&self) -> (Events, u64) {
        self.live.events(MOST_EVENTS)
    }

    /// The summary of the finished run, as JSON.
    pub fn summary(&mut self, wall_seconds: f64) -> String {
        self.live.summary(wall_seconds)
    }
}

/// Simulated time between two readings of a run that ends at `end`.
fn step(end: Ps) -> Ps {
    Ps((end.0 / READINGS).max(1))
}
