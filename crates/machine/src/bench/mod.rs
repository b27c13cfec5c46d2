//! The bench: the computing time that a cell and a packet cost, compared with bare loops (the floor), in
//! one process on one core.

pub mod floor;
pub mod packets;
pub mod workloads;

use std::collections::BTreeMap;
use std::time::Instant;

use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::plan::Plan;
use cellrate_engine::kernel::{Ps, Tournament};
use serde::Serialize;

use floor::{Delivered, Load};

/// Numbers of sources for which W1 is measured.
pub const SOURCES: [usize; 4] = [15, 100, 1_000, 10_000];
const LONG: Ps = Ps::from_ms(5);
const LAN: Ps = Ps::from_us(5);
/// Number of sources above which a bare loop with one winner tree over all links is also tried.
const FOLDED_ABOVE: usize = 1_000;
/// Number of rounds. Each figure is the best of all rounds. The loops take turns, so that a
/// disturbance of the machine affects all of them.
const ROUNDS: usize = 5;
/// Approximate number of cell-hops in one measurement.
const HOPS: f64 = 4e6;
/// Simulated time of W2 before its measurement begins; the queue of the start-up has then drained.
const SETTLING: Ps = Ps::from_ms(500);

/// Figures of the bench: nanoseconds per cell-hop (one cell over one link), and bytes per cell.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bench {
    /// Bare loops over 5 ms links, in ns per cell-hop, by number of sources.
    pub floor: BTreeMap<usize, f64>,
    /// W1 (CBR sources over 5 ms links), in ns per cell-hop, by number of sources.
    pub w1: BTreeMap<usize, f64>,
    /// Bare loop over 5 us links, in ns per cell-hop.
    pub floor_lan: f64,
    /// Bare loop with the arithmetic of W2 (segments, acknowledgements, RM cells) over 5 ms links,
    /// in ns per cell-hop.
    pub floor_w2: f64,
    /// Bare loop with the arithmetic of W2 over 5 us links, in ns per cell-hop.
    pub floor_w2_lan: f64,
    /// W1 over 5 us links, in ns per cell-hop.
    pub w1_lan: f64,
    /// W2 (15 TCP sources over ABR with ERICA) over 5 ms links, in ns per cell-hop.
    pub w2: f64,
    /// W2 over 5 us links, in ns per cell-hop.
    pub w2_lan: f64,
    /// Bare loop of E1, in ns per packet-hop.
    pub floor_packets: f64,
    /// Workloads over Ethernet, in ns per packet-hop, by name.
    pub packets: BTreeMap<String, f64>,
    /// Bytes of storage for each cell in flight or queued, by workload.
    pub bytes_per_cell: BTreeMap<String, f64>,
}

struct Entry {
    name: String,
    nanoseconds: f64,
    run: Box<dyn FnMut() -> Sample>,
}

struct Sample {
    hops: u64,
    seconds: f64,
    bytes_per_cell: Option<f64>,
}

fn timed(work: impl FnOnce() -> u64) -> Sample {
    let begin = Instant::now();
    let hops = work();
    Sample {
        hops,
        seconds: begin.elapsed().as_secs_f64(),
        bytes_per_cell: None,
    }
}

/// The fastest bare loop for W1 with `n` sources, over links of any delay.
fn bare(load: &Load, n: usize) -> Sample {
    let mut loops: Vec<fn(&Load) -> Delivered> = vec![floor::sorted];
    if n > FOLDED_ABOVE || load.is_short() {
        loops.push(floor::folded);
    } else {
        loops.extend([
            floor::trains::<Tournament>,
            floor::trains::<floor::Branching>,
        ]);
    }
    let samples = loops.into_iter().map(|bare| timed(|| bare(load).hops));
    let cost = |sample: &Sample| sample.seconds / sample.hops as f64;
    let cheapest = samples.min_by(|one, other| cost(one).total_cmp(&cost(other)));
    cheapest.unwrap_or_else(|| unreachable!("there is always a loop"))
}

/// Simulated time in which `n` sources make [`HOPS`] cell-hops and enough cells arrive.
fn span(n: usize) -> Ps {
    let cells_per_second =
        0.95 * workloads::LINE as f64 / 424.0 * n as f64 / workloads::PLAIN_SOURCES as f64;
    Ps::from_secs_f64(HOPS / (3.0 * cells_per_second)).max(Ps::from_ms(60))
}

fn simulate(plan: Plan, settling: Ps, end: Ps) -> Sample {
    let mut simulation: Simulation = match Simulation::new(plan) {
        Ok(simulation) => simulation,
        Err(error) => unreachable!("the bench's own plans are valid: {error}"),
    };
    simulation.run_until(settling);
    let before = simulation.cell_hops();
    let begin = Instant::now();
    simulation.run_until(settling + end);
    let seconds = begin.elapsed().as_secs_f64();
    let hops = simulation.cell_hops() - before;
    Sample {
        hops,
        seconds,
        bytes_per_cell: Some(simulation.peak_storage().bytes_per_unit()),
    }
}

fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |name: String, run: Box<dyn FnMut() -> Sample>| {
        entries.push(Entry {
            name,
            nanoseconds: f64::INFINITY,
            run,
        });
    };
    for n in SOURCES {
        let load = Load::new(n, LONG, span(n));
        add(format!("floor/{n}"), Box::new(move || bare(&load, n)));
        add(
            format!("w1/{n}"),
            Box::new(move || simulate(workloads::cbr(n, LONG), Ps::ZERO, span(n))),
        );
    }
    let n = workloads::PLAIN_SOURCES;
    let load = Load::new(n, LAN, span(n));
    add("floor_lan".into(), Box::new(move || bare(&load, n)));
    add(
        "w1_lan".into(),
        Box::new(move || simulate(workloads::cbr(n, LAN), Ps::ZERO, span(n))),
    );
    for (name, delay) in [("floor_w2", LONG), ("floor_w2_lan", LAN)] {
        let load = Load::new(n, delay, span(n));
        let run = move || timed(|| floor::feedback(&load).hops);
        add(name.into(), Box::new(run));
    }
    for (name, delay) in [("w2", LONG), ("w2_lan", LAN)] {
        let run = move || simulate(workloads::tcp_over_erica(delay), SETTLING, span(n));
        add(name.into(), Box::new(run));
    }
    let end = Ps::from_ms(10);
    let run = move || timed(|| packets::bare(end));
    add("floor_packets".into(), Box::new(run));
    for (name, scenario, end) in packets::workloads() {
        let run = move || {
            let mut simulation = packets::simulation(&scenario);
            timed(|| {
                simulation.run_until(end);
                simulation.packet_hops()
            })
        };
        add(name.into(), Box::new(run));
    }
    entries
}

/// Names of the measurements, for the argument `only` of [`run`].
pub fn names() -> Vec<String> {
    entries().into_iter().map(|entry| entry.name).collect()
}

/// Makes all measurements, or only those that `only` names. `progress` receives the finished share
/// of the work; if it returns false, the bench ends early and returns `None`.
pub fn run(only: Option<&[String]>, progress: &mut dyn FnMut(f64) -> bool) -> Option<Bench> {
    let mut entries = entries();
    if let Some(only) = only {
        entries.retain(|entry| only.contains(&entry.name));
    }
    let total = (ROUNDS * entries.len()) as f64;
    let mut bench = Bench::default();
    for round in 0..ROUNDS {
        for i in 0..entries.len() {
            let entry = &mut entries[i];
            let sample = (entry.run)();
            entry.nanoseconds = entry
                .nanoseconds
                .min(sample.seconds * 1e9 / sample.hops as f64);
            if let Some(bytes) = sample.bytes_per_cell {
                bench
                    .bytes_per_cell
                    .insert(entry.name.replace('/', "_"), bytes);
            }
            if !progress((round * entries.len() + i + 1) as f64 / total) {
                return None;
            }
        }
    }
    entries
        .iter()
        .for_each(|entry| bench.note(&entry.name, entry.nanoseconds));
    Some(bench)
}

impl Bench {
    fn note(&mut self, name: &str, nanoseconds: f64) {
        let sources = name
            .split_once('/')
            .and_then(|(kind, n)| Some((kind, n.parse().ok()?)));
        match sources {
            Some(("floor", n)) => drop(self.floor.insert(n, nanoseconds)),
            Some((_, n)) => drop(self.w1.insert(n, nanoseconds)),
            None => match name {
                "floor_lan" => self.floor_lan = nanoseconds,
                "floor_w2" => self.floor_w2 = nanoseconds,
                "floor_w2_lan" => self.floor_w2_lan = nanoseconds,
                "w1_lan" => self.w1_lan = nanoseconds,
                "w2" => self.w2 = nanoseconds,
                "floor_packets" => self.floor_packets = nanoseconds,
                "e1" | "e2" | "e3" | "e4" => drop(self.packets.insert(name.into(), nanoseconds)),
                _ => self.w2_lan = nanoseconds,
            },
        }
    }
}
