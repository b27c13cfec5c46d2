//! TCP against traces of ns-2 (2.35), event by event: each send and each acknowledgement, its time and cwnd after it.
//! `proof/oracles/ns2` makes the traces (`data/ns2`); the patterns of loss are those of `data/tcp_patterns.csv`.
//!
//! Tahoe, Reno and `timeout-only` run in ns-2 with ssthresh corrected by what 4.3BSD reckons otherwise, so that the rest
//! can be compared; NewReno and SACK run as they are. Wherever the engine and ns-2 differ, a plain second sender must
//! do all that the engine does by one choice of rules and all that ns-2 does by another, to the end of the run; the
//! rules in which they must differ for that are the reasons (`data/ns2/differences.csv`).
//!
//! All events of the line lie on ticks of the clock, 1 us here, and the timeout is fixed at 1 s but in
//! `backoff`, where it begins at 3 s and doubles. The receiver that delays acknowledgements waits for the second packet:
//! 4.3BSD's clock for the first one and ns-2's timer are both set beyond a run's end.

use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::{Recovery, TcpConfig};

use crate::support::one_way::compare::{Comparison, compare, golden, line, lines};
use crate::support::one_way::engine::EngineSender;
use crate::support::one_way::pattern::{self, Pattern};
use crate::support::one_way::plain::rules::{self, Rule, Rules};
use crate::support::one_way::plain::{PlainSender, Start};
use crate::support::one_way::trace::{self, Row};
use crate::support::one_way::{Connection, Sizes};

/// Window in packets.
const WINDOW: u64 = 64;
/// ns-2 adds eight bytes to an acknowledgement for each SACK block.
const SIZES: Sizes = Sizes { data: 1_040, ack: 40, option: 0, block: 8, before: 0 };
const ALIKE: Rules = Rules::NS_2.with(Rule::SlowStartAtSsthresh);

/// One sender here and its counterpart in ns-2.
struct Variant {
    name: &'static str,
    data: &'static str,
    recovery: Recovery,
    /// Options of `tahoe` and of the receiver.
    goes_on: bool,
    delayed_ack: bool,
    doubles: bool,
    /// The rules of ns-2, as far as they are not corrected.
    theirs: Rules,
}

impl Variant {
    fn new(name: &'static str, data: &'static str, recovery: Recovery, theirs: Rules) -> Variant {
        Variant { name, data, recovery, goes_on: false, delayed_ack: false, doubles: false, theirs }
    }

    fn config(&self) -> TcpConfig {
        // Large, so that cwnd in whole bytes is almost a real number; with SACK three blocks must lie within 2 MiB.
        let mss = if self.recovery == Recovery::Sack { 16_000 } else { 65_000 };
        let (first, least) = if self.doubles { (3, 1) } else { (1, 1) };
        TcpConfig {
            recovery: self.recovery,
            mss: Bytes(mss),
            window: Bytes(WINDOW * mss),
            initial_window: 1 + self.delayed_ack as u32,
            granularity: Ps::from_us(1),
            initial_rto: Ps::from_s(first),
            min_rto: Ps::from_s(least),
            max_rto: Ps::from_s(if self.doubles { 60 } else { 1 }),
            delayed_ack: self.delayed_ack,
            delayed_ack_interval: Ps::from_s(5),
            restore_snd_nxt: self.goes_on,
            ..TcpConfig::default()
        }
    }

    fn plain(&self, rules: Rules) -> PlainSender {
        let TcpConfig { recovery, mss, initial_window: cwnd, initial_rto: rto, .. } = self.config();
        PlainSender::new(Start { recovery, rules, mss: mss.0, cwnd, window: WINDOW, rto, doubles: self.doubles })
    }

    /// The run of `pattern` here and there.
    fn compare(&self, pattern: &Pattern) -> (Vec<Row>, Comparison) {
        let theirs = trace::of(self.data, &pattern.name);
        assert!(theirs.len() > 20, "{}: no trace of {}", self.name, pattern.name);
        let (config, end) = (self.config(), Ps::from_us(theirs[theirs.len() - 1].time_us));
        let ours = Connection::new(EngineSender::new(&config), &config, SIZES, pattern).run(end).rows;
        let here = if self.goes_on { Rules::OURS } else { Rules::OURS.without(Rule::GoesOn) };
        let name = format!("{} {}", self.name, pattern.name);
        let found = compare(&name, &ours, &theirs, [here, self.theirs], |rules| {
            Connection::new(self.plain(rules), &config, SIZES, pattern).run(end).rows
        });
        (ours, found)
    }
}

fn variants() -> Vec<Variant> {
    let tahoe = include_str!("data/ns2/tahoe.csv");
    let timeout = include_str!("data/ns2/timeout-only.csv");
    let delayed = include_str!("data/ns2/reno-delayed.csv");
    vec![
        Variant::new("tahoe", tahoe, Recovery::Tahoe, ALIKE),
        Variant { goes_on: true, ..Variant::new("tahoe-bsd", tahoe, Recovery::Tahoe, ALIKE) },
        Variant::new("reno", include_str!("data/ns2/reno.csv"), Recovery::Reno, ALIKE),
        Variant { delayed_ack: true, ..Variant::new("reno-delayed", delayed, Recovery::Reno, ALIKE) },
        Variant::new("timeout-only", timeout, Recovery::TimeoutOnly, ALIKE),
        Variant::new("newreno", include_str!("data/ns2/newreno.csv"), Recovery::NewReno, Rules::NS_2),
        Variant::new("sack", include_str!("data/ns2/sack.csv"), Recovery::Sack, Rules::NS_2),
    ]
}

/// The table says how far each run agrees, and why no farther; what is here from the first difference on is beside it.
#[test]
fn every_event_is_that_of_ns_2_or_has_its_reason() {
    let mut table = String::from("variant,pattern,events,equal,first,reasons\n");
    let mut rest = String::from("pattern,time_us,ack,cwnd,sent\n");
    let mut seen = Vec::new();
    for variant in variants() {
        for pattern in pattern::all() {
            let (ours, found) = variant.compare(&pattern);
            // What differs has a reason, and what does not has none.
            assert_eq!(found.equal < found.events, !found.reasons.is_empty(), "{} {}", variant.name, pattern.name);
            assert_eq!(found.equal < found.events, !found.first.is_empty(), "{} {}", variant.name, pattern.name);
            seen.extend(found.reasons.iter().copied());
            table += &line(variant.name, &pattern.name, &found);
            rest += &lines(&format!("{}/{}", variant.name, pattern.name), &ours[found.equal.min(ours.len())..]);
        }
    }
    let theirs = |rule: &&Rule| !Rules::NS_2.has(**rule);
    assert!(rules::ALL.iter().filter(theirs).all(|rule| seen.contains(rule)), "a rule explains nothing");
    golden("ns2/differences.csv", &table);
    golden("ns2/ours.csv", &rest);
}

/// Without fast retransmission ns-2 and the engine agree in everything; so do Tahoe and ns-2's, which goes back.
#[test]
fn with_the_same_rules_nothing_differs() {
    for variant in variants().iter().filter(|variant| ["tahoe", "timeout-only"].contains(&variant.name)) {
        for pattern in pattern::all() {
            let (_, found) = variant.compare(&pattern);
            assert_eq!(found.equal, found.events, "{} {}", variant.name, pattern.name);
        }
    }
}

/// The timeout begins at 3 s and doubles.
#[test]
fn backoff_as_in_ns_2() {
    let data = include_str!("data/ns2/backoff.csv");
    let variant = Variant { doubles: true, ..Variant::new("backoff", data, Recovery::TimeoutOnly, ALIKE) };
    let pattern = Pattern { name: "backoff".into(), lost: vec![(0, 1), (0, 2), (0, 3)], ..Pattern::default() };
    let (_, found) = variant.compare(&pattern);
    assert_eq!((found.equal, found.events > 100), (found.events, true));
}
