//! Active queue management compared with traces of ns-3's queue disciplines: which packets are
//! dropped or marked, and when, under the arrivals of `data/queue_patterns.csv`.
//! `proof/oracles/ns3` makes the traces (`data/ns3/queues.csv`, `data/ns3/shares.csv`).
//!
//! The server sends an octet in a microsecond, without preamble and gap. For RED it holds the
//! packet in service in both simulators. For PIE ns-3's queue is one packet shorter at arrivals.

use std::collections::{BTreeMap, VecDeque};

use cellrate_engine::ether::aqm::codel::CoDelConfig;
use cellrate_engine::ether::aqm::pie::PieConfig;
use cellrate_engine::ether::aqm::red::{RedConfig, Spacing};
use cellrate_engine::ether::aqm::{
    Aqm, AqmAlgorithm, AqmConfig, Decision, Held, Length, QueueFacts,
};
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate, Stream};

use super::plain_codel::{self, PlainCoDel, Rule};
use crate::support::one_way::compare::golden;

const PATTERNS: &str = include_str!("../data/queue_patterns.csv");
const QUEUES: &str = include_str!("../data/ns3/queues.csv");
const SHARES: &str = include_str!("../data/ns3/shares.csv");

/// An event at a queue, as one row of the trace from ns-3 or from the engine.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    time_ns: u64,
    event: &'static str,
    /// Number of the packet; with `served`, the number of packets that were served.
    packet: u64,
    /// Average of RED, or probability of PIE.
    state: f64,
}

/// Times and octets of the packets of a pattern, in order.
fn arrivals(pattern: &str) -> Vec<(Ps, u32)> {
    let mut arrivals = Vec::new();
    for line in PATTERNS.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |place: usize| fields[place].parse::<u64>().unwrap();
        if fields[0] == pattern {
            let at = |packet| Ps::from_ns(number(1) + packet * number(3));
            arrivals.extend((0..number(2)).map(|packet| (at(packet), number(4) as u32)));
        }
    }
    arrivals.sort();
    arrivals
}

/// The patterns in which ns-3 ran `queue`, each with its rows there.
fn traces(queue: &str) -> Vec<(&'static str, Vec<Row>)> {
    const EVENTS: [&str; 5] = ["arrival", "drop", "mark", "state", "served"];
    let mut found: Vec<(&str, Vec<Row>)> = Vec::new();
    let mut here = false;
    for line in QUEUES.lines().skip(1) {
        let fields: Vec<&'static str> = line.split(',').collect();
        if !fields[0].is_empty() {
            here = fields[0] == queue;
            if here {
                found.push((fields[1], Vec::new()));
            }
        }
        if here {
            found.last_mut().unwrap().1.push(Row {
                time_ns: fields[2].parse().unwrap(),
                event: EVENTS
                    .into_iter()
                    .find(|event| *event == fields[3])
                    .unwrap(),
                packet: fields[4].parse().unwrap(),
                state: fields[5].parse().unwrap(),
            });
        }
    }
    assert!(!found.is_empty(), "no trace of {queue}");
    found
}

/// A queue with its AQM algorithm and its server, driven by arrivals from a trace.
struct Queue<A> {
    aqm: A,
    state: fn(&A) -> f64,
    /// Number, octets and arrival of each packet that waits.
    waiting: VecDeque<(u64, u32, Ps)>,
    held: Held,
    /// End of the present service, and octets of its packet.
    serving: Option<(Ps, u32)>,
    served: u64,
    rows: Vec<Row>,
}

impl<A: AqmAlgorithm> Queue<A> {
    /// Every event of a queue under `arrivals`, all packets of which may be marked.
    fn run(aqm: A, state: fn(&A) -> f64, arrivals: &[(Ps, u32)]) -> Vec<Row> {
        let mut queue = Queue {
            aqm,
            state,
            waiting: VecDeque::new(),
            held: Held::default(),
            serving: None,
            served: 0,
            rows: Vec::new(),
        };
        for (number, (at, octets)) in arrivals.iter().enumerate() {
            queue.advance(*at);
            queue.arrive(*at, number as u64, *octets);
        }
        queue.advance(arrivals[arrivals.len() - 1].0 + Ps::from_s(5));
        queue.rows
    }

    fn advance(&mut self, now: Ps) {
        loop {
            let end = self.serving.map_or(Ps::NEVER, |(end, _)| end);
            let timer = self.aqm.wake_at();
            if end.min(timer) > now {
                return;
            }
            if timer <= end {
                self.aqm.wake(timer);
                self.note(timer, "state", 0);
            } else if let Some((end, octets)) = self.serving.take() {
                self.served += 1;
                self.note(end, "served", self.served);
                self.leave(end, octets);
                self.begin(end);
            }
        }
    }

    fn arrive(&mut self, now: Ps, number: u64, octets: u32) {
        let decision = self.aqm.on_enqueue(now, octets, self.held);
        if self.passes(now, number, decision) {
            self.held.octets += octets as u64;
            self.held.packets += 1;
            self.waiting.push_back((number, octets, now));
        }
        self.note(now, "arrival", number);
        if self.serving.is_none() {
            self.begin(now);
        }
    }

    fn begin(&mut self, now: Ps) {
        while let Some((number, octets, since)) = self.waiting.pop_front() {
            let behind = Held {
                octets: self.held.octets - octets as u64,
                packets: self.held.packets - 1,
            };
            let decision = self.aqm.on_dequeue(now, since, behind);
            if self.passes(now, number, decision) {
                self.serving = Some((now + Ps::from_us(octets as u64), octets));
                return;
            }
            self.leave(now, octets);
        }
    }

    fn leave(&mut self, now: Ps, octets: u32) {
        self.held.octets -= octets as u64;
        self.held.packets -= 1;
        if self.held.packets == 0 {
            self.aqm.on_empty(now);
        }
    }

    fn passes(&mut self, now: Ps, number: u64, decision: Decision) -> bool {
        match decision {
            Decision::Pass => {}
            Decision::Mark => self.note(now, "mark", number),
            Decision::Drop => self.note(now, "drop", number),
        }
        decision != Decision::Drop
    }

    fn note(&mut self, now: Ps, event: &'static str, packet: u64) {
        self.rows.push(Row {
            time_ns: now.0 / 1_000,
            event,
            packet,
            state: (self.state)(&self.aqm),
        });
    }
}

fn built(config: AqmConfig) -> Aqm {
    let facts = QueueFacts {
        rate: Rate::from_bps(8_000_000),
        limit: u64::MAX,
        largest: 1_518,
    };
    assert_eq!(config.check(facts), []);
    config.build(facts, Stream::new(1, "queues", config.name()))
}

fn state(aqm: &Aqm) -> f64 {
    match aqm {
        Aqm::Red(red) => red.average(),
        Aqm::Pie(pie) => pie.drop_prob(),
        _ => 0.0,
    }
}

/// Rows of the engine at events that a trace of ns-3 keeps.
fn kept(rows: &[Row]) -> Vec<Row> {
    let is_kept = |row: &&Row| match row.event {
        "arrival" => row.packet.is_multiple_of(16) && row.state > 0.0,
        "state" => row.state > 0.0,
        "served" => false,
        _ => true,
    };
    let last = rows.iter().rfind(|row| row.event == "served");
    rows.iter().filter(is_kept).chain(last).cloned().collect()
}

/// Number of equal rows before the first that differs, states within `tolerance`; `None` if all are.
fn difference(ours: &[Row], theirs: &[Row], tolerance: f64) -> Option<usize> {
    let is_same = |(ours, theirs): (&Row, &Row)| {
        let known = |row: &Row| (row.time_ns, row.event, row.packet);
        let is_near = (ours.state - theirs.state).abs() <= tolerance * theirs.state.abs();
        known(ours) == known(theirs) && (is_near || ours.event == "served")
    };
    let equal = ours
        .iter()
        .zip(theirs)
        .take_while(|rows| is_same(*rows))
        .count();
    (equal < ours.len().max(theirs.len())).then_some(equal)
}

fn red(amount: u64, change: impl FnOnce(&mut RedConfig)) -> AqmConfig {
    let mut config = RedConfig {
        min: Length::Packets(amount),
        max: Length::Packets(amount),
        weight: 0.05,
        gentle: false,
        mean_packet: Bytes(1_000),
        ..RedConfig::default()
    };
    change(&mut config);
    AqmConfig::Red(config)
}

/// With `min` equal to `max` the average alone decides: all packets above it are marked or dropped. The gentle
/// form with a probability of at least 0.7 marks or drops every second packet if it waits, and each
/// without waiting. So no decision depends on a random number.
#[test]
fn red_chooses_the_packets_that_ns_3_chooses_and_has_its_average() {
    let gentle = |config: &mut RedConfig| (config.gentle, config.max_p) = (true, 0.7);
    let queues = [
        ("red", red(8, |_| ())),
        (
            "red-octets",
            red(8, |config| {
                (config.min, config.max) = (Length::Octets(8_000), Length::Octets(8_000));
                config.by_size = true;
            }),
        ),
        (
            "red-ecn",
            red(100, |config| (config.ecn, config.hard_drop) = (true, false)),
        ),
        ("red-wait", red(8, gentle)),
        (
            "red-uniform",
            red(8, |config| {
                gentle(config);
                config.spacing = Spacing::Uniform;
            }),
        ),
    ];
    for (name, config) in queues {
        for (pattern, theirs) in traces(name) {
            let rows = Queue::run(built(config.clone()), state, &arrivals(pattern));
            let ours = kept(&rows);
            if let Some(equal) = difference(&ours, &theirs, 1e-8) {
                let around = |rows: &[Row]| rows.get(equal).cloned();
                let found = (around(&ours), around(&theirs));
                panic!(
                    "{name}, {pattern}: row {equal} of {}: {found:?}",
                    theirs.len()
                );
            }
        }
    }
}

/// CoDel draws no random numbers. The engine obeys the pseudo-code of RFC 8289, ns-3 that of Linux.
/// A plain CoDel reproduces ns-3 by one choice of rules, and the engine by another.
#[test]
fn codel_drops_the_packets_that_ns_3_drops_or_has_a_reason() {
    let mut table = String::from("queue,pattern,packets,chosen,equal,reasons\n");
    for (name, ecn) in [("codel", false), ("codel-ecn", true)] {
        for (pattern, theirs) in traces(name) {
            let arrivals = arrivals(pattern);
            let plain =
                |rules: &[Rule]| kept(&Queue::run(PlainCoDel::new(rules, ecn), |_| 0.0, &arrivals));
            let config = AqmConfig::CoDel(CoDelConfig {
                ecn,
                ..CoDelConfig::default()
            });
            let ours = kept(&Queue::run(built(config), state, &arrivals));
            assert_eq!(ours, plain(&[]), "{name}, {pattern}: the plain CoDel");
            let explains = |rules: &[Rule]| difference(&plain(rules), &theirs, 0.0).is_none();
            assert!(explains(&plain_codel::ALL), "{name}, {pattern}: ns-3");
            let mut reasons = plain_codel::ALL.to_vec();
            for rule in plain_codel::ALL {
                let fewer: Vec<Rule> = reasons.iter().copied().filter(|r| *r != rule).collect();
                if explains(&fewer) {
                    reasons = fewer;
                }
            }
            let equal = difference(&ours, &theirs, 0.0).unwrap_or(theirs.len());
            let names: Vec<String> = reasons.iter().map(|rule| format!("{rule:?}")).collect();
            table += &format!(
                "{name},{pattern},{},{},{equal},{}\n",
                arrivals.len(),
                theirs.len() - 1,
                names.join(" ")
            );
        }
    }
    golden("ns3/codel.csv", &table);
}

/// PIE marks each packet that it selects and drops none, so delays do not depend on the selection.
#[test]
fn pie_has_the_probabilities_of_ns_3_and_marks_as_many_packets() {
    let config = AqmConfig::Pie(PieConfig {
        max_burst: Ps::ZERO,
        ecn: true,
        mark_threshold: 1.0,
        ..PieConfig::default()
    });
    for (pattern, theirs) in traces("pie-ecn") {
        let rows = Queue::run(built(config.clone()), state, &arrivals(pattern));
        let is_settled = |row: &&Row| row.event != "mark";
        let ours: Vec<Row> = kept(&rows).iter().filter(is_settled).cloned().collect();
        let settled: Vec<Row> = theirs
            .iter()
            .filter(is_settled)
            .cloned()
            .map(|mut row| {
                row.time_ns -= (row.event == "state") as u64;
                row
            })
            .collect();
        if let Some(equal) = difference(&ours, &settled, 1e-5) {
            let around = |rows: &[Row]| rows.get(equal).cloned();
            panic!(
                "{pattern}: row {equal}: {:?}",
                (around(&ours), around(&settled))
            );
        }
        let p = rows
            .iter()
            .filter(|row| row.event == "arrival")
            .map(|row| row.state);
        let (mean, variance) = p.fold((0.0, 0.0), |(mean, variance), p| {
            (mean + p, variance + p * (1.0 - p))
        });
        for rows in [&rows, &theirs] {
            let marks = rows.iter().filter(|row| row.event == "mark").count() as f64;
            assert!(
                (marks - mean).abs() <= 4.0 * variance.sqrt() + 1.0,
                "{pattern}: {marks} for {mean}"
            );
        }
    }
}

/// The queue grows by one packet in every 200 arrivals. The share of marked packets is compared separately for average
/// queues of 0 to 10 packets, 10 to 20 and so on.
#[test]
fn red_marks_the_share_of_packets_that_ns_3_marks() {
    let line: Vec<(Ps, u32)> = (0..40_000)
        .map(|packet| (Ps::from_ns(1_000_123 + 995_003 * packet), 1_000))
        .collect();
    for (name, spacing) in [("wait", Spacing::Wait), ("uniform", Spacing::Uniform)] {
        let config = red(20, |config| {
            config.max = Length::Packets(100);
            (config.max_p, config.gentle, config.ecn) = (0.1, true, true);
            config.spacing = spacing;
        });
        let mut shares: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
        for row in Queue::run(built(config), state, &line) {
            let share = shares.entry((row.state / 10.0) as u64).or_default();
            share[0] += (row.event == "arrival") as u64;
            share[1] += (row.event == "mark") as u64;
        }
        let theirs = SHARES.lines().filter_map(|line| {
            let numbers = line.strip_prefix(name)?.split(',').skip(1);
            Some(numbers.map(|number| number.parse().unwrap()).collect())
        });
        let theirs: Vec<Vec<u64>> = theirs.collect();
        assert_eq!(theirs.len(), shares.len());
        for ([bin, packets, marked], (number, [here, ours])) in theirs
            .iter()
            .map(|row| [row[0], row[1], row[2]])
            .zip(shares)
        {
            assert_eq!((bin, packets), (number, here), "{name}");
            // Spaced marks vary less than independent ones.
            let share = (marked + ours) as f64 / (2 * packets) as f64;
            let deviation = (2.0 * packets as f64 * share * (1.0 - share)).sqrt();
            let distance = marked.abs_diff(ours) as f64;
            assert!(
                distance <= 3.0 * deviation + 1.0,
                "{name}, {bin}: {marked}, {ours}"
            );
        }
    }
}
