//! The instants at which a run pauses, for samples, windows and progress.

use cellrate_engine::kernel::Ps;
use cellrate_engine::network::Plan;

/// Approximate number of cell-hops between two stops: ten to twenty milliseconds of work, so that a
/// run reports progress and can be stopped.
const HOPS_PER_SLICE: f64 = 5e5;

/// A stop of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Time of the stop.
    pub at: Ps,
    /// The measuring window begins.
    pub begins: bool,
    /// Queues and traces are sampled: an exact multiple of the sampling period.
    pub samples: bool,
    /// The measuring window ends.
    pub ends: bool,
}

/// All stops of a run, from 0 to its end. They depend on the scenario alone, never on a clock.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Measuring window.
    pub window: (Ps, Ps),
    /// End of the run.
    pub end: Ps,
    /// Sampling period.
    pub sample: Ps,
    /// Longest time without a stop.
    pub slice: Ps,
    next: Option<Ps>,
}

impl Timeline {
    /// The stops of a run to `end`.
    pub fn new(window: (Ps, Ps), end: Ps, sample: Ps, slice: Ps) -> Timeline {
        Timeline {
            window,
            end,
            sample: sample.max(Ps(1)),
            slice: slice.max(Ps(1)),
            next: Some(Ps::ZERO),
        }
    }

    /// Time of the next stop; `None` behind the last.
    pub fn peek(&self) -> Option<Ps> {
        self.next
    }

    /// Time of the next stop at which the measuring window begins or ends, or which is the last;
    /// `None` behind the last.
    pub fn next_edge(&self) -> Option<Ps> {
        let next = self.next?;
        let edges = [self.window.0, self.window.1, self.end];
        edges.into_iter().filter(|edge| *edge >= next).min()
    }

    fn after(&self, at: Ps) -> Ps {
        let sample = Ps((at.0 / self.sample.0)
            .saturating_add(1)
            .saturating_mul(self.sample.0));
        let edges = [self.window.0, self.window.1, self.end]
            .into_iter()
            .filter(|edge| *edge > at);
        edges.fold(sample.min(at.saturating_add(self.slice)), Ps::min)
    }
}

impl Iterator for Timeline {
    type Item = Stop;

    fn next(&mut self) -> Option<Stop> {
        let at = self.next?;
        self.next = (at < self.end).then(|| self.after(at));
        let samples = at.0.is_multiple_of(self.sample.0);
        Some(Stop {
            at,
            begins: at == self.window.0,
            samples,
            ends: at == self.window.1,
        })
    }
}

/// The time in which the flows of `plan` cross about half a million links.
pub fn slice(plan: &Plan) -> Ps {
    let mut users = vec![0u32; plan.links.len()];
    let paths = || {
        plan.flows
            .iter()
            .flat_map(|flow| [&flow.forward, &flow.backward])
    };
    for link in paths().flatten() {
        users[*link] += 1;
    }
    let share = |link: &usize| plan.links[*link].rate.cells_per_second() / f64::from(users[*link]);
    let hops = |path: &Vec<usize>| {
        path.len() as f64 * path.iter().map(share).fold(f64::INFINITY, f64::min)
    };
    let per_second: f64 = paths().filter(|path| !path.is_empty()).map(hops).sum();
    Ps::from_secs_f64(HOPS_PER_SLICE / per_second.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(window: (u64, u64), end: u64, sample: u64, slice: u64) -> Vec<Stop> {
        Timeline::new((Ps(window.0), Ps(window.1)), Ps(end), Ps(sample), Ps(slice)).collect()
    }

    fn times(stops: &[Stop]) -> Vec<u64> {
        stops.iter().map(|stop| stop.at.0).collect()
    }

    #[test]
    fn samples_are_exact_multiples_and_the_edges_are_met() {
        let stops = stops((25, 60), 95, 20, 1_000);
        assert_eq!(times(&stops), [0, 20, 25, 40, 60, 80, 95]);
        let sampled: Vec<u64> = stops
            .iter()
            .filter(|stop| stop.samples)
            .map(|stop| stop.at.0)
            .collect();
        assert_eq!(sampled, [0, 20, 40, 60, 80]);
        let edges =
            |f: fn(&Stop) -> bool| times(&stops.iter().copied().filter(f).collect::<Vec<_>>());
        assert_eq!(
            (edges(|s| s.begins), edges(|s| s.ends)),
            (vec![25], vec![60])
        );
    }

    #[test]
    fn no_slice_is_longer_than_allowed() {
        assert_eq!(
            times(&stops((0, 50), 50, 20, 7)),
            [0, 7, 14, 20, 27, 34, 40, 47, 50]
        );
    }

    #[test]
    fn a_window_may_be_the_whole_run_or_a_single_sample() {
        let all = stops((0, 50), 50, 50, 50);
        assert_eq!(
            all[0],
            Stop {
                at: Ps(0),
                begins: true,
                samples: true,
                ends: false
            }
        );
        assert_eq!(
            all[1],
            Stop {
                at: Ps(50),
                begins: false,
                samples: true,
                ends: true
            }
        );
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn a_period_beyond_the_end_does_not_overflow() {
        assert_eq!(times(&stops((0, 50), 50, u64::MAX, u64::MAX)), [0, 50]);
    }
}
