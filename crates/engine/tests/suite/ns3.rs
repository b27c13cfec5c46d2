//! TCP compared with traces of ns-3 (3.44), event by event, as `ns2` does for ns-2: each
//! transmission and each acknowledgement, its time and the cwnd after it, under the patterns of
//! `data/tcp_patterns.csv`. `proof/oracles/ns3` makes the traces (`data/ns3`).
//!
//! Packets of 1,000 bytes, cwnd in whole bytes in both. Neither the receiver's window nor the first
//! ssthresh is ever reached. The timeout is fixed at 1 s; no run has two in a row.

mod plain_codel;
mod plain_dctcp;
mod queues;

use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::recovery::cubic::CubicConfig;
use cellrate_engine::tcp::recovery::dctcp::DctcpConfig;
use cellrate_engine::tcp::recovery::vegas::VegasConfig;
use cellrate_engine::tcp::{Recovery, TcpConfig};

use self::plain_dctcp::{By, check};
use crate::support::one_way::compare::golden;
use crate::support::one_way::engine::EngineSender;
use crate::support::one_way::plain::rules::Rules;
use crate::support::one_way::variant::{Variant, compare_all, fixed_timeout};
use crate::support::one_way::windows::distance;
use crate::support::one_way::{Connection, Sizes, pattern, trace};

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
/// Sizes of packets with timestamps.
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

/// The estimate and the window of DCTCP after each acknowledgement: the engine by RFC 8257, ns-3 by
/// its own rules.
#[test]
fn dctcp_has_the_windows_of_rfc_8257_and_ns_3_those_of_four_other_rules() {
    let config = TcpConfig {
        ecn: Some(true),
        ..fixed_timeout(Recovery::Dctcp(DctcpConfig::DEFAULT), MSS, WINDOW)
    };
    let mut acks = 0;
    for pattern in pattern::of_marks() {
        if !pattern.lost.is_empty() {
            continue;
        }
        let theirs = trace::of(include_str!("data/ns3/dctcp.csv"), &pattern.name);
        let end = Ps::from_us(theirs.last().expect("a trace").time_us);
        let sender = EngineSender::new(&config);
        let ours = Connection::new(sender, &config, STAMPED, &pattern)
            .run(end)
            .rows;
        check(&pattern.name, &ours, &pattern.marked, By::Engine);
        acks += check(&pattern.name, &theirs, &pattern.marked, By::Ns3);
    }
    assert_eq!(acks, 1_831);
}

/// The window functions of CUBIC, Vegas and DCTCP, and the reductions for marks: cwnd over seconds.
/// The repair of losses is NewReno's in both simulators, and compared above.
#[test]
fn windows_stay_near_those_of_ns_3() {
    let cubic = Recovery::Cubic(CubicConfig {
        sack: false,
        ..CubicConfig::DEFAULT
    });
    let vegas = Recovery::Vegas(VegasConfig::DEFAULT);
    let dctcp = Recovery::Dctcp(DctcpConfig::DEFAULT);
    let cubic = TcpConfig {
        initial_ssthresh: Some(Bytes(20 * MSS)),
        ..fixed_timeout(cubic, MSS, WINDOW)
    };
    let ecn = |recovery| TcpConfig {
        ecn: Some(true),
        ..fixed_timeout(recovery, MSS, WINDOW)
    };
    let [losses, marks] = [pattern::of_windows(), pattern::of_marks()];
    let data = [
        include_str!("data/ns3/cubic.csv"),
        include_str!("data/ns3/vegas.csv"),
        include_str!("data/ns3/newreno-ecn.csv"),
        include_str!("data/ns3/sack-ecn.csv"),
        include_str!("data/ns3/dctcp.csv"),
    ];
    let runs = [
        ("cubic", cubic, PLAIN, &losses, 3.0),
        (
            "vegas",
            fixed_timeout(vegas, MSS, WINDOW),
            PLAIN,
            &losses,
            3.0,
        ),
        ("newreno-ecn", ecn(Recovery::NewReno), PLAIN, &marks, 3.0),
        ("sack-ecn", ecn(Recovery::Sack), STAMPED, &marks, 3.0),
        // At a loss ns-3 takes half of alpha of the window, RFC 8257 3.5 a half.
        ("dctcp", ecn(dctcp), STAMPED, &marks, 5.0),
    ];
    let mut table = String::from("variant,pattern,acks,timely,largest,mean,here,there\n");
    for ((name, config, sizes, patterns, most), data) in runs.into_iter().zip(data) {
        for pattern in patterns {
            let found = distance(&config, sizes, data, pattern);
            let [here, there] = found.last;
            assert!(
                found.mean < most,
                "{name}, {}: {}",
                pattern.name,
                found.mean
            );
            table += &format!(
                "{name},{},{},{},{:.2},{:.3},{here:.2},{there:.2}\n",
                pattern.name, found.acks, found.timely, found.largest, found.mean
            );
        }
    }
    golden("ns3/windows.csv", &table);
}
