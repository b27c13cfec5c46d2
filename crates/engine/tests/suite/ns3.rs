//! TCP against traces of ns-3 (3.44), event by event, as `ns2` does against ns-2: each send and each acknowledgement,
//! its time and cwnd after it, under the patterns of `data/tcp_patterns.csv`. `proof/oracles/ns3` makes the traces
//! (`data/ns3`).
//!
//! Packets of 1,000 bytes, cwnd in whole bytes in both. Neither the receiver's window nor the first ssthresh is ever
//! reached. The timeout is fixed at 1 s; no run has two in a row.

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

const MSS: u64 = 1_000;
/// Window in packets.
const WINDOW: u64 = 1_000;

/// One sender here and its counterpart in ns-3.
struct Variant {
    name: &'static str,
    data: &'static str,
    recovery: Recovery,
    sizes: Sizes,
}

/// Headers of TCP, IP and PPP; before the first packet goes what ends the handshake.
const PLAIN: Sizes = Sizes { data: 1_042, ack: 42, option: 0, block: 0, before: 42 };
/// The same with timestamps.
const STAMPED: Sizes = Sizes { data: 1_054, ack: 54, option: 0, block: 8, before: 54 };

fn variants() -> Vec<Variant> {
    let [newreno, sack] = [include_str!("data/ns3/newreno.csv"), include_str!("data/ns3/sack.csv")];
    vec![
        Variant { name: "newreno", data: newreno, recovery: Recovery::NewReno, sizes: PLAIN },
        Variant { name: "sack", data: sack, recovery: Recovery::Sack, sizes: STAMPED },
    ]
}

impl Variant {
    fn config(&self) -> TcpConfig {
        TcpConfig {
            recovery: self.recovery,
            mss: Bytes(MSS),
            window: Bytes(WINDOW * MSS),
            initial_window: 1,
            granularity: Ps::from_us(1),
            initial_rto: Ps::from_s(1),
            min_rto: Ps::from_s(1),
            max_rto: Ps::from_s(1),
            delayed_ack: false,
            ..TcpConfig::default()
        }
    }

    fn plain(&self, rules: Rules) -> PlainSender {
        let TcpConfig { recovery, mss, initial_window: cwnd, initial_rto: rto, .. } = self.config();
        PlainSender::new(Start { recovery, rules, mss: mss.0, cwnd, window: WINDOW, rto, doubles: false })
    }

    /// The run of `pattern` here and there.
    fn compare(&self, pattern: &Pattern) -> (Vec<Row>, Comparison) {
        let theirs = trace::of(self.data, &pattern.name);
        assert!(theirs.len() > 20, "{}: no trace of {}", self.name, pattern.name);
        let (config, end) = (self.config(), Ps::from_us(theirs[theirs.len() - 1].time_us));
        let ours = Connection::new(EngineSender::new(&config), &config, self.sizes, pattern).run(end).rows;
        let name = format!("{} {}", self.name, pattern.name);
        let found = compare(&name, &ours, &theirs, [Rules::OURS, Rules::NS_3], |rules| {
            Connection::new(self.plain(rules), &config, self.sizes, pattern).run(end).rows
        });
        (ours, found)
    }
}

/// The table says how far each run agrees, and why no farther; what is here from the first difference on is beside it.
#[test]
fn every_event_is_that_of_ns_3_or_has_its_reason() {
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
    let theirs = |rule: &&Rule| !Rules::NS_3.has(**rule);
    assert!(rules::ALL.iter().filter(theirs).all(|rule| seen.contains(rule)), "a rule explains nothing");
    golden("ns3/differences.csv", &table);
    golden("ns3/ours.csv", &rest);
}
