//! Workloads E1 to E4 of `cellrate bench`, over Ethernet, and a bare loop with only the arithmetic of E1.

use std::collections::VecDeque;

use cellrate_engine::ether::Simulation;
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::kernel::{Digest, Ps, Rate, Tournament};

/// Number of sources of workload E1, and number of flows of workload E2.
const SOURCES: u32 = 15;
/// Memory that a frame of the bare loop has on a link in addition to its fields, as much as for a
/// TCP segment.
type Record = [u64; 4];

/// E1: sources send datagrams of mixed sizes at constant rates through two switches over 100
/// Gbit/s, with a load of 95 %.
fn e1() -> String {
    let flow = |number: u32| {
        format!(
            "[[flow]]\nname = \"s{number}\"\nstart = \"{} ns\"\ndatagram = \"{} bytes\"\n\
             source = {{ kind = \"cbr\", rate = \"{} Mbit/s\" }}\n",
            37 * number,
            payload(number),
            95_000 / SOURCES
        )
    };
    let flows: String = (0..SOURCES).map(flow).collect();
    format!(
        "link_layer = \"ethernet\"\nrun.duration = \"1 s\"\ntopology = {{ template = \"n-source\", \
         link_rate = \"100 Gbit/s\", access = \"1 us\", bottleneck = \"1 us\", egress = \"1 us\" }}\n{flows}"
    )
}

/// Payload in bytes of the datagrams of source `number` of workload E1: 64 to 1,472 bytes.
fn payload(number: u32) -> u32 {
    64 + number * 1_408 / (SOURCES - 1)
}

/// E2: DCTCP flows into one port of 10 Gbit/s.
const E2: &str = r#"
link_layer = "ethernet"
run.duration = "1 s"
topology = { template = "single-switch", link_rate = "10 Gbit/s", access = "10 us", bottleneck = "10 us" }
switch = { buffer = "1 MB", aqm = { algorithm = "threshold" } }
tcp = { recovery = "dctcp", min_rto = "10 ms" }
flow = [{ name = "f", count = 15 }]
"#;

/// E3: DCTCP flows between the 128 hosts of a fat tree with switches of 8 ports; each host sends to
/// one host and receives from one (a permutation).
const E3: &str = r#"
link_layer = "ethernet"
run.duration = "1 s"
topology = { template = "fat-tree", k = 8, rate = "10 Gbit/s", delay = "1 us" }
switch = { buffer = "1 MB", aqm = { algorithm = "threshold" } }
tcp = { recovery = "dctcp", min_rto = "10 ms" }
flow = [{ name = "f", pattern = { kind = "permutation" } }]
"#;

/// E4: the permutation of E3 over RoCE, with DCQCN and PFC.
const E4: &str = r#"
link_layer = "ethernet"
run.duration = "1 s"
topology = { template = "fat-tree", k = 8, rate = "10 Gbit/s", delay = "1 us" }
switch = { buffer = "1 MB", aqm = { algorithm = "red", min = "12 kB", max = "500 kB" } }
pfc = {}
flow = [{ name = "f", pattern = { kind = "permutation" }, roce = { control = { algorithm = "dcqcn" } } }]
"#;

/// Name, scenario and simulated time of each workload.
pub fn workloads() -> [(&'static str, String, Ps); 4] {
    [
        ("e1", e1(), Ps::from_ms(20)),
        ("e2", E2.into(), Ps::from_ms(200)),
        ("e3", E3.into(), Ps::from_ms(5)),
        ("e4", E4.into(), Ps::from_ms(5)),
    ]
}

/// Makes the simulation of a scenario.
pub fn simulation(scenario: &str) -> Simulation {
    let job = match cellrate::ethernet::Job::new(scenario, "bench", &[], None) {
        Ok(job) => job,
        Err(refusal) => unreachable!("the bench's own scenarios are valid: {refusal}"),
    };
    match Simulation::new(job.plan()) {
        Ok(simulation) => simulation,
        Err(error) => unreachable!("the bench's own plans are valid: {error}"),
    }
}

/// A frame on a link of the bare loop.
#[derive(Clone, Copy)]
struct Carried {
    at: Ps,
    octets: u32,
    record: Record,
}

/// Carries the frames of E1 until `end`, with only their arithmetic: a winner tree merges the
/// sources, and each frame waits for the line of each of three links, and stores a [`Record`]
/// there. Returns the number of hops.
pub fn bare(end: Ps) -> u64 {
    let line = OctetClock::new(Rate::from_bps(100_000_000_000));
    let pace = OctetClock::new(Rate::from_bps(95_000_000_000 / SOURCES as u64));
    let sources = SOURCES as usize;
    let mut next = Tournament::new(sources);
    (0..sources).for_each(|source| next.set(source, Ps(37_000 * source as u64)));
    let mut free = [Ps::ZERO; 2];
    let mut links: [VecDeque<Carried>; 3] = Default::default();
    let (mut digest, mut hops) = (Digest::default(), 0);
    loop {
        let (now, source) = next.first();
        if now >= end {
            return hops + digest.value() % 2;
        }
        // The headers of IP and UDP; the header and check sequence of the frame; preamble and gap.
        let octets = payload(source as u32) + 28 + 18 + 20;
        next.set(source, pace.after(now, 0, octets).0);
        let mut frame = Carried {
            at: line.after(now, 0, octets).0 + Ps::from_us(1),
            octets,
            record: [now.0; 4],
        };
        for (hop, ring) in links.iter_mut().enumerate() {
            ring.push_back(frame);
            if ring.len() < 32 {
                break;
            }
            if let Some(arrived) = ring.pop_front() {
                hops += 1;
                frame = arrived;
                match free.get_mut(hop) {
                    Some(free) => {
                        *free = line.after(frame.at.max(*free), 0, frame.octets).0;
                        frame.at = *free + Ps::from_us(1);
                    }
                    None => digest.add(frame.at.0 ^ frame.record[3]),
                }
            }
        }
    }
}
