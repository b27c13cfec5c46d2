//! TCP compared with traces of ns-3 (3.44), event by event, as `ns2` does for ns-2: each
//! transmission and each acknowledgement, its time and the cwnd after it, under the patterns of
//! `data/tcp_patterns.csv`. `proof/oracles/ns3` makes the traces (`data/ns3`).
//!
//! Packets of 1,000 bytes, cwnd in whole bytes in both. Neither the receiver's window nor the first
//! ssthresh is ever reached. The timeout is fixed at 1 s; no run has two in a row.

use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::recovery::cubic::CubicConfig;
use cellrate_engine::tcp::recovery::vegas::VegasConfig;
use cellrate_engine::tcp::{Recovery, TcpConfig};

use crate::support::one_way::compare::golden;
use crate::support::one_way::plain::rules::Rules;
use crate::support::one_way::variant::{Variant, compare_all, fixed_timeout};
use crate::support::one_way::windows::distance;
use crate::support::one_way::{Sizes, pattern};

const MSS: u64 = 1_000;
/// Window in packets.
const WINDOW: u64 = 1_000;

/// Headers of TCP, IP and PPP; the end of the handshake is sent before the first packet.
const PLAIN: Sizes = Sizes {
    data: 1_042,
    ack: 42,
    option: 0,
    block: 0,
    before: 42,
};
/// The same with timestamps.
const STAMPED: Sizes = Sizes {
    data: 1_054,
    ack: 54,
    option: 0,
    block: 8,
    before: 54,
};

fn variant(name: &'static str, data: &'static str, recovery: Recovery, sizes: Sizes) -> Variant {
    let config = fixed_timeout(recovery, MSS, WINDOW);
    Variant {
        name,
        data,
        config,
        sizes,
        theirs: Rules::NS_3,
    }
}

#[test]
fn every_event_is_that_of_ns_3_or_has_its_reason() {
    let [newreno, sack] = [
        include_str!("data/ns3/newreno.csv"),
        include_str!("data/ns3/sack.csv"),
    ];
    let newreno = variant("newreno", newreno, Recovery::NewReno, PLAIN);
    compare_all(
        "ns3",
        Rules::NS_3,
        &[newreno, variant("sack", sack, Recovery::Sack, STAMPED)],
    );
}

/// The window functions of CUBIC and Vegas: cwnd over seconds, without and with single losses. The
/// repair of losses is NewReno's in both simulators, and compared above.
#[test]
fn windows_of_cubic_and_vegas_stay_near_those_of_ns_3() {
    let cubic = TcpConfig {
        initial_ssthresh: Some(Bytes(20 * MSS)),
        ..fixed_timeout(
            Recovery::Cubic(CubicConfig {
                sack: false,
                ..CubicConfig::DEFAULT
            }),
            MSS,
            WINDOW,
        )
    };
    let vegas = fixed_timeout(Recovery::Vegas(VegasConfig::DEFAULT), MSS, WINDOW);
    let variants = [
        ("cubic", include_str!("data/ns3/cubic.csv"), cubic),
        ("vegas", include_str!("data/ns3/vegas.csv"), vegas),
    ];
    let mut table = String::from("variant,pattern,acks,timely,largest,mean,here,there\n");
    for (name, data, config) in variants {
        for pattern in pattern::of_windows() {
            let found = distance(&config, PLAIN, data, &pattern);
            let [here, there] = found.last;
            assert!(found.mean < 3.0, "{name}, {}: {}", pattern.name, found.mean);
            table += &format!(
                "{name},{},{},{},{:.2},{:.3},{here:.2},{there:.2}\n",
                pattern.name, found.acks, found.timely, found.largest, found.mean
            );
        }
    }
    golden("ns3/windows.csv", &table);
}
