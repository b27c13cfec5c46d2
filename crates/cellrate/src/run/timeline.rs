//! The stops of a run: the instants at which it pauses, to sample, to begin and end the measuring
//! window, and to report progress.

use cellrate_engine::atm::Plan;
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::FlowPlan;
use cellrate_engine::endsystem::OutOfRate;
use cellrate_engine::kernel::Ps;
use cellrate_engine::traffic::Load;

/// Approximate number of cell-hops between two stops (pauses of the run). They take 10 to 20 ms of
/// work, so that a run reports progress and can be stopped.
const HOPS_PER_SLICE: f64 = 5e5;
/// Least number of cell-hops between two stops, for each node of the network, since a stop visits
/// every node.
const HOPS_PER_NODE: f64 = 20.0;

/// A stop of the run: an instant at which the run pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Time of the stop.
    pub at: Ps,
    /// True if the measuring window begins at this instant.
    pub begins: bool,
    /// True if queues and traces are sampled at this instant, an exact multiple of the sampling
    /// period.
    pub samples: bool,
    /// True if the measuring window ends at this instant.
    pub ends: bool,
}

/// All stops of a run, from 0 to its end. They depend on the scenario alone, never on the machine's
/// clock.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Start and end of the measuring window.
    pub window: (Ps, Ps),
    /// End of the run.
    pub end: Ps,
    /// Simulated time between two samples of queues and traces.
    pub sample: Ps,
    /// Longest simulated time between two stops.
    pub slice: Ps,
    next: Option<Ps>,
}

impl Timeline {
    /// Plans the stops up to `end`: both ends of `window`, every `sample`, and at least one stop in
    /// every `slice` of simulated time.
    pub fn new(window: (Ps, Ps), end: Ps, sample: Ps, slice: Ps) -> Timeline {
        Timeline {
            window,
            end,
            sample: sample.max(Ps(1)),
            slice: slice.max(Ps(1)),
            next: Some(Ps::ZERO),
        }
    }

    /// Time of the next stop; `None` after the last stop.
    pub fn peek(&self) -> Option<Ps> {
        self.next
    }

    /// Time of the next stop at which the measuring window begins or ends or the run ends; `None`
    /// after the last stop.
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

/// Simulated time between two stops of a run. Within it, cells cross links about 500,000 times at
/// most; in a network of more than 25,000 nodes, 20 times for each node. The rate of each flow is
/// estimated as the mean rate of its source, but at most as its share of each line.
pub fn slice(plan: &Plan) -> Ps {
    let paths = || {
        plan.flows.iter().flat_map(|flow| {
            let most = match flow.source.load() {
                Load::Own { mean, .. } => mean,
                Load::Elastic => f64::INFINITY,
            };
            [
                (&flow.forward[..], most),
                (&flow.backward[..], f64::INFINITY),
            ]
        })
    };
    let excess = plan.flows.iter().map(|flow| excess(flow, plan));
    let lines = plan.links.iter().map(|link| link.rate.cells_per_second());
    let lines: Vec<f64> = lines.collect();
    let per_second = carried(&lines, paths) + excess.sum::<f64>();
    slice_of(plan.nodes.len(), per_second, HOPS_PER_SLICE)
}

/// Estimated sum, over all links, of the units/s (cells or packets) that cross them. Each path has
/// at most an equal share of each of its lines, and at most the rate that follows it in `paths`.
/// `lines` has the rate of each link in units/s.
pub(crate) fn carried<'a, P>(lines: &[f64], paths: impl Fn() -> P) -> f64
where
    P: Iterator<Item = (&'a [usize], f64)>,
{
    let mut users = vec![0u32; lines.len()];
    for link in paths().flat_map(|(path, _)| path) {
        users[*link] += 1;
    }
    let share = |link: &usize| lines[*link] / f64::from(users[*link]);
    let hops = |(path, most): (&[usize], f64)| {
        path.len() as f64 * path.iter().map(share).fold(most, f64::min)
    };
    paths().filter(|(path, _)| !path.is_empty()).map(hops).sum()
}

/// The simulated time in which units cross links `hops` times, or [`HOPS_PER_NODE`] times for each
/// node if that is more; `per_second` units cross a link in a second.
pub(crate) fn slice_of(nodes: usize, per_second: f64, hops: f64) -> Ps {
    Ps::from_secs_f64(hops.max(HOPS_PER_NODE * nodes as f64) / per_second.max(1.0))
}

/// Rate, in cells/s, by which a flow's cells exceed the line rates of its hosts' ports. Such cells
/// come from a source with a rate of its own, or are out-of-rate RM cells.
fn excess(flow: &FlowPlan, plan: &Plan) -> f64 {
    let own = match flow.source.load() {
        Load::Own { mean, .. } => mean,
        Load::Elastic => 0.0,
    };
    let probes = match flow.abr.out_of_rate {
        OutOfRate::BelowTcr if flow.service == ServiceClass::Abr => flow.abr.tcr.cells_per_second(),
        _ => 0.0,
    };
    let above = |path: &[usize], rate: f64| {
        let line = path.first().map_or(f64::INFINITY, |link| {
            plan.links[*link].rate.cells_per_second()
        });
        (rate - line).max(0.0)
    };
    above(&flow.forward, own + probes) + above(&flow.backward, probes)
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

    /// A stop visits every node, so the simulated time between two stops grows with the number of nodes. A
    /// large network therefore has no more stops than a small network with as many cell-hops for
    /// each node.
    #[test]
    fn stops_in_a_large_network_are_as_many_as_their_looks_are_worth() {
        let slice = |count: u32, rate: &str| {
            let text = format!(
                r#"
                run.duration = "1 s"
                topology = {{ template = "n-source", link_rate = "155.52 Mbit/s", bottleneck_rate = "10000 Gbit/s", access = "1 km", bottleneck = "1 km", egress = "1 km" }}
                flow = [{{ name = "cbr", count = {count}, service = "cbr", source = {{ kind = "cbr", rate = "{rate}" }} }}]"#
            );
            let job = crate::run::Job::new(&text, "large.toml", &[], None).unwrap();
            super::slice(&crate::build::plan(job.checked()))
        };
        // 100,000 cells/s over three links: half a million hops in 5/3 s.
        let one = slice(1, "42.4 Mbit/s").as_secs_f64();
        assert!((one - 5.0 / 3.0).abs() < 1e-9, "{one}");
        assert_eq!(slice(100, "42.4 Mbit/s"), slice(1_000, "4.24 Mbit/s"));
        // 40,002 nodes, 20,000 sources of 10,000 cells/s: 20 hops for each node.
        let large = slice(20_000, "4.24 Mbit/s").as_secs_f64();
        assert!((large - 20.0 * 40_002.0 / 6e8).abs() < 1e-9, "{large}");
        assert_eq!(
            slice(40_000, "4.24 Mbit/s")
                .0
                .abs_diff(Ps::from_secs_f64(large).0)
                / 100_000,
            0
        );
    }
}
