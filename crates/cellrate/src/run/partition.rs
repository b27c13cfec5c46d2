//! The partition of a network: each thread of a run gets a part of the nodes. The partition follows
//! from the expected work and from the lookahead of the links between parts, the least time until a
//! part can affect another.
//!
//! A cut through long links lets each part run far without waiting; a cut through short links needs
//! many steps. For each length of a link in the network, nodes that are joined by shorter links
//! form a group. The groups are divided so that the largest work of a part is least. Units (cells
//! or packets) that cross the cut count as work at both ends. Of these partitions the one with the
//! shortest estimated time is taken.

mod graph;
mod load;

use std::num::NonZeroUsize;
use std::thread;

use cellrate_engine::kernel::Ps;

use self::graph::{Groups, crossing, steps};
pub use self::graph::{LinkLoad, Load};

/// Number of threads of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// As many threads as shorten the run, at most one for each core.
    Auto,
    /// The given number of threads, or fewer if more would not shorten the run.
    Number(NonZeroUsize),
}

/// Number of steps in which a part advances by its lookahead, if two parts send to each other. With
/// more steps, a part sorts fewer arrivals at once but posts more batches.
pub const STEPS: u64 = 2;

/// Computing time in ns that a part spends in a step, beside the work of the nodes, for its clock and batches.
/// `SHORTNESS` times the square root of the step's work in ns is added, for waits and shorter steps of the nodes. Both
/// constants are fitted to the workload W2 of `cellrate bench` and to a parking lot with links from 10 us to 5 ms.
const STEP: f64 = 500.0;
const SHORTNESS: f64 = 25.0;
/// Least estimated gain for which a run is divided if the user sets the number of threads.
/// Estimates are wrong by 10 to 20 %, and two threads must not take longer than one.
const LEAST_GAIN: f64 = 1.2;
/// Least estimated gain for which a run is divided by default, when other processes may use the
/// other cores.
const LEAST_GAIN_BY_DEFAULT: f64 = 1.4;
/// Least estimated computing time in ns of a run that is divided. Dividing the network, starting the
/// threads and joining the parts takes about 5 ms of computing time. Runs of 20 ms of computing time
/// took up to a sixth longer on two threads; all runs of 40 to 60 ms were faster.
const LEAST_WORK: f64 = 2e7;
/// Numbers of parts that are tried, as far as they are below the largest possible number. That number is tried, too.
const TRIED: [usize; 11] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
/// Largest number of link lengths that are tried.
const MOST_LENGTHS: usize = 12;
/// Exponent of the loads; the sum of these powers over all parts is made least. The greatest load
/// counts most, but each load counts, so that every move of a group changes the sum.
const POWER: i32 = 8;
/// Largest number of rounds in which groups are moved. Another round follows only if the last round has reduced the
/// greatest load below `LEAST_PROGRESS` times its earlier value.
const MOST_ROUNDS: usize = 12;
const LEAST_PROGRESS: f64 = 0.998;

/// The parts of a network, or the reason why there is only one.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Number of the part that each node is in, from 0.
    pub of_nodes: Vec<usize>,
    /// Number of nodes and share of the work, for each part.
    pub parts: Vec<PartShare>,
    /// Number of links between parts.
    pub cut_links: usize,
    /// Least time from an event in one part to its effect in another part. `None` if there is only
    /// one part, or no link between parts.
    pub lookahead: Option<Ps>,
    /// Share of all link crossings by cells or packets that lead from one part to another.
    pub crossing_share: f64,
    /// Estimated time of the run on one thread, divided by the estimated time with these parts.
    pub speedup: f64,
    /// Reason why there are fewer parts than the user's number of threads; empty if there are as
    /// many.
    pub reason: String,
}

/// Nodes and estimated work of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct PartShare {
    /// Number of nodes in the part.
    pub nodes: usize,
    /// Share of the run's work that the part has, as estimated.
    pub work: f64,
}

impl Partition {
    /// The partition with all nodes in one part; `reason` says why.
    pub fn whole(nodes: usize, reason: String) -> Partition {
        Partition {
            of_nodes: vec![0; nodes],
            parts: vec![PartShare { nodes, work: 1.0 }],
            cut_links: 0,
            lookahead: None,
            crossing_share: 0.0,
            speedup: 1.0,
            reason,
        }
    }

    /// Finds the partition for a run of `seconds` of simulated time on at most `threads` threads of
    /// a machine with `cores`. `load` computes the work of the nodes and links; with one thread it
    /// is not called.
    pub fn new(
        nodes: usize,
        seconds: f64,
        threads: Threads,
        cores: usize,
        load: impl FnOnce() -> Load,
    ) -> Partition {
        if threads == Threads::Number(NonZeroUsize::MIN) {
            return Partition::whole(nodes, String::new());
        }
        let load = load();
        let most = match threads {
            Threads::Auto => cores,
            Threads::Number(number) => number.get(),
        };
        let all: f64 = load.of_nodes.iter().sum();
        if all < LEAST_WORK {
            let reason = "the run is over before threads would pay";
            return Partition::whole(nodes, reason.into());
        }
        if most == 1 {
            return Partition::whole(nodes, "there is one core".into());
        }
        let numbers = TRIED.iter().copied().filter(|count| *count < most);
        let found = numbers.chain([most]).filter(|count| *count > 1);
        let found = found.filter_map(|count| best(&load, seconds, count));
        let Some(found) = found.max_by(|a, b| a.speedup.total_cmp(&b.speedup)) else {
            // For every cut the estimate puts all nodes into one part.
            let units = load.units;
            let reason =
                format!("the {units} between any two parts would cost more than a division gains");
            return Partition::whole(nodes, reason);
        };
        let least = match threads {
            Threads::Auto => LEAST_GAIN_BY_DEFAULT,
            Threads::Number(_) => LEAST_GAIN,
        };
        if found.speedup < least {
            return Partition::whole(nodes, found.objection());
        }
        let fewer = threads != Threads::Auto && found.parts.len() < most;
        let reason = if fewer {
            format!("more would gain no more than {:.2}", found.speedup)
        } else {
            String::new()
        };
        Partition { reason, ..found }
    }

    /// Finds the partition as [`Partition::new`] does, for the cores of this machine.
    pub fn here(
        nodes: usize,
        seconds: f64,
        threads: Threads,
        load: impl FnOnce() -> Load,
    ) -> Partition {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Partition::new(nodes, seconds, threads, cores, load)
    }

    /// The reason why running in these parts would not be faster.
    fn objection(&self) -> String {
        let most = self.parts.iter().map(|part| part.work).fold(0.0, f64::max);
        let gain = format!("an estimated gain of {:.2}", self.speedup);
        match self.lookahead {
            // If steps cost nothing, the computing time would be that of the part with the most work.
            Some(lookahead) if self.speedup < 0.8 / most => format!(
                "the links between parts are too short: each may run ahead by {lookahead} only ({gain})"
            ),
            _ => format!(
                "no partition is even: one part would have {:.0} % of the work ({gain})",
                100.0 * most
            ),
        }
    }
}

/// The best partition into `count` parts; `None` if there are fewer groups than parts, or if it is
/// best to leave a part empty.
fn best(load: &Load, seconds: f64, count: usize) -> Option<Partition> {
    let tried = lengths(load).into_iter().filter_map(|least| {
        let groups = Groups::new(load, least, seconds);
        let parts = divide(&groups, count)?;
        let of_nodes = groups.of_nodes.iter().map(|group| parts[*group]).collect();
        Some(described(load, seconds, of_nodes, count))
    });
    tried.max_by(|a, b| a.speedup.total_cmp(&b.speedup))
}

/// The lookaheads of links that are tried; only some of them if there are more than
/// [`MOST_LENGTHS`].
fn lengths(load: &Load) -> Vec<Ps> {
    let used = load.links.iter().filter(|link| link.is_used);
    let mut lengths: Vec<Ps> = used.map(|link| link.lookahead).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let step = lengths.len().div_ceil(MOST_LENGTHS).max(1);
    lengths.into_iter().rev().step_by(step).collect()
}

/// Assigns each group to a part; `None` if a part would be empty.
fn divide(groups: &Groups, count: usize) -> Option<Vec<usize>> {
    if groups.work.len() < count {
        return None;
    }
    let mut division = Division {
        groups,
        count,
        part: vec![count; groups.work.len()],
        loads: vec![0.0; count],
        ideal: (groups.work.iter().sum::<f64>() / count as f64).max(1.0),
    };
    let mut order: Vec<usize> = (0..groups.work.len()).collect();
    order.sort_by(|a, b| groups.work[*b].total_cmp(&groups.work[*a]).then(a.cmp(b)));
    let mut before = f64::INFINITY;
    for _ in 0..MOST_ROUNDS {
        let moved = order
            .iter()
            .filter(|group| division.improve(**group))
            .count();
        let greatest = division.loads.iter().copied().fold(0.0, f64::max);
        if moved == 0 || greatest > before * LEAST_PROGRESS {
            break;
        }
        before = greatest;
    }
    let filled = (0..count).all(|part| division.part.contains(&part));
    filled.then_some(division.part)
}

/// An assignment of groups to `count` parts, with the load of each part, which includes the
/// crossings of the cut. The part number `count` has the groups that are not assigned yet.
struct Division<'a> {
    groups: &'a Groups,
    count: usize,
    part: Vec<usize>,
    loads: Vec<f64>,
    ideal: f64,
}

impl Division<'_> {
    /// Moves a group to its best part. Returns true if this is not the part where it was.
    fn improve(&mut self, group: usize) -> bool {
        let old = self.part[group];
        if old < self.loads.len() {
            self.add(group, old, -1.0);
        }
        let costs: Vec<f64> = (0..self.loads.len())
            .map(|part| self.cost(group, part))
            .collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        // A difference within rounding does not move the group.
        let stays = costs
            .get(old)
            .is_some_and(|cost| *cost <= least + 1e-9 * least.abs());
        let best = costs.iter().position(|cost| *cost <= least).unwrap_or(0);
        let new = if stays { old } else { best };
        self.part[group] = new;
        self.add(group, new, 1.0);
        new != old
    }

    /// The amount that a group in `part` would add to the sum of the powers of the loads.
    fn cost(&self, group: usize, part: usize) -> f64 {
        let power = |load: f64| (load / self.ideal).powi(POWER);
        let mut added = vec![(part, self.groups.work[group])];
        self.each_load(group, part, |other, load| {
            match added.iter_mut().find(|(found, _)| *found == other) {
                Some((_, sum)) => *sum += load,
                None => added.push((other, load)),
            }
        });
        let more = added.iter();
        more.map(|(part, load)| power(self.loads[*part] + load) - power(self.loads[*part]))
            .sum()
    }

    /// Adds the load of a group in `part` to the loads of all parts, or subtracts it if `sign` is
    /// -1.
    fn add(&mut self, group: usize, part: usize, sign: f64) {
        self.loads[part] += sign * self.groups.work[group];
        let mut loads = std::mem::take(&mut self.loads);
        self.each_load(group, part, |other, load| loads[other] += sign * load);
        self.loads = loads;
    }

    /// Calls `visit` with each part and the load that the group's crossings cause there if the
    /// group is in `part`.
    fn each_load(&self, group: usize, part: usize, mut visit: impl FnMut(usize, f64)) {
        for (other, here, there) in &self.groups.between[group] {
            let neighbour = self.part[*other];
            if neighbour != part && neighbour < self.count {
                visit(part, *here);
                visit(neighbour, *there);
            }
        }
    }
}

/// The partition that `of_nodes` describes, with its parts, cut links and estimated gain.
fn described(load: &Load, seconds: f64, of_nodes: Vec<usize>, count: usize) -> Partition {
    let all: f64 = load.of_nodes.iter().sum();
    let mut parts = vec![
        PartShare {
            nodes: 0,
            work: 0.0
        };
        count
    ];
    for (part, work) in of_nodes.iter().zip(&load.of_nodes) {
        parts[*part].nodes += 1;
        parts[*part].work += work / all.max(1.0);
    }
    let links = || {
        let used = load.links.iter().filter(|link| link.is_used);
        used.map(|link| (link, of_nodes[link.from], of_nodes[link.to]))
    };
    let cut = || links().filter(|(_, from, to)| from != to);
    let shortest = cut().map(|(link, ..)| link.lookahead).min();
    let steps = shortest.map_or(1.0, |ahead| steps(seconds, ahead));
    let mut loads: Vec<f64> = parts.iter().map(|part| part.work * all).collect();
    for (link, from, to) in cut() {
        let (leave, enter) = crossing(link.units, steps);
        loads[from] += leave;
        loads[to] += enter;
    }
    let crossings: f64 = links().map(|(link, ..)| link.units).sum();
    let crossing: f64 = cut().map(|(link, ..)| link.units).sum();
    let cut_links = cut().count();
    let greatest = loads.into_iter().fold(0.0, f64::max);
    let in_step = greatest / steps.max(1.0);
    let longest = greatest + steps * (STEP + SHORTNESS * in_step.sqrt());
    Partition {
        of_nodes,
        parts,
        cut_links,
        lookahead: shortest,
        crossing_share: crossing / f64::max(crossings, 1.0),
        speedup: all / longest.max(1.0),
        reason: String::new(),
    }
}

#[cfg(test)]
mod tests;
