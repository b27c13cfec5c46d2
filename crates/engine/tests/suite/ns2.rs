//! TCP compared with traces of ns-2 (2.35), event by event: each transmission and each
//! acknowledgement, its time and the cwnd after it. `proof/oracles/ns2` makes the traces
//! (`data/ns2`); the patterns of loss are those of `data/tcp_patterns.csv`.
//!
//! Tahoe, Reno and `timeout-only` run in ns-2 with ssthresh corrected where 4.3BSD computes it
//! differently, so that the rest can be compared; NewReno and SACK run unchanged. Wherever the
//! engine and ns-2 differ, a second, plain sender must reproduce the engine with one choice of
//! rules and ns-2 with another, to the end of the run. The rules that must differ for this are the
//! reasons of the difference (`data/ns2/differences.csv`).
//!
//! All events of the line are on ticks of the clock, 1 us here, and the timeout is fixed at 1 s
//! except in `backoff`, in which it begins at 3 s and doubles. The receiver that delays
//! acknowledgements waits for the second packet: 4.3BSD's clock for the first one and ns-2's timer
//! are both set beyond the end of the run.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::{Recovery, TcpConfig};

use crate::support::one_way::Sizes;
use crate::support::one_way::pattern::{self, Pattern};
use crate::support::one_way::plain::rules::{Rule, Rules};
use crate::support::one_way::variant::{Variant, compare_all, fixed_timeout};

/// Window in packets.
const WINDOW: u64 = 64;
/// ns-2 adds eight bytes to an acknowledgement for each SACK block.
const SIZES: Sizes = Sizes {
    data: 1_040,
    ack: 40,
    option: 0,
    block: 8,
    before: 0,
};
/// Rules in which a plain sender decides as ns-2, except those that are corrected.
const ALIKE: Rules = Rules::NS_2.with(Rule::SlowStartAtSsthresh);

fn variant(name: &'static str, data: &'static str, recovery: Recovery, theirs: Rules) -> Variant {
    // Large, so that cwnd in whole bytes is almost a real number; with SACK three blocks must lie
    // within 2 MiB.
    let mss = if recovery == Recovery::Sack {
        16_000
    } else {
        65_000
    };
    let config = TcpConfig {
        delayed_ack_interval: Ps::from_s(5),
        restore_snd_nxt: false,
        ..fixed_timeout(recovery, mss, WINDOW)
    };
    Variant {
        name,
        data,
        config,
        sizes: SIZES,
        theirs,
    }
}

fn variants() -> Vec<Variant> {
    let tahoe = include_str!("data/ns2/tahoe.csv");
    let timeout = include_str!("data/ns2/timeout-only.csv");
    let delayed = include_str!("data/ns2/reno-delayed.csv");
    let delays = |config: &mut TcpConfig| (config.delayed_ack, config.initial_window) = (true, 2);
    vec![
        variant("tahoe", tahoe, Recovery::Tahoe, ALIKE),
        variant("tahoe-bsd", tahoe, Recovery::Tahoe, ALIKE)
            .with(|config| config.restore_snd_nxt = true),
        variant(
            "reno",
            include_str!("data/ns2/reno.csv"),
            Recovery::Reno,
            ALIKE,
        ),
        variant("reno-delayed", delayed, Recovery::Reno, ALIKE).with(delays),
        variant("timeout-only", timeout, Recovery::TimeoutOnly, ALIKE),
        variant(
            "newreno",
            include_str!("data/ns2/newreno.csv"),
            Recovery::NewReno,
            Rules::NS_2,
        ),
        variant(
            "sack",
            include_str!("data/ns2/sack.csv"),
            Recovery::Sack,
            Rules::NS_2,
        ),
    ]
}

#[test]
fn every_event_is_that_of_ns_2_or_has_its_reason() {
    compare_all("ns2", Rules::NS_2, &variants());
}

/// Without fast retransmission ns-2 and the engine agree in everything; so do Tahoe here and Tahoe
/// of ns-2, which goes back.
#[test]
fn with_the_same_rules_nothing_differs() {
    for variant in variants()
        .iter()
        .filter(|variant| ["tahoe", "timeout-only"].contains(&variant.name))
    {
        for pattern in pattern::all() {
            let (_, found) = variant.compare(&pattern);
            assert_eq!(
                found.equal, found.events,
                "{} {}",
                variant.name, pattern.name
            );
        }
    }
}

/// The timeout begins at 3 s and doubles.
#[test]
fn backoff_as_in_ns_2() {
    let data = include_str!("data/ns2/backoff.csv");
    let doubles = |config: &mut TcpConfig| {
        (config.initial_rto, config.max_rto) = (Ps::from_s(3), Ps::from_s(60))
    };
    let variant = variant("backoff", data, Recovery::TimeoutOnly, ALIKE).with(doubles);
    let pattern = Pattern {
        name: "backoff".into(),
        lost: vec![(0, 1), (0, 2), (0, 3)],
        ..Pattern::default()
    };
    let (_, found) = variant.compare(&pattern);
    assert_eq!((found.equal, found.events > 100), (found.events, true));
}
