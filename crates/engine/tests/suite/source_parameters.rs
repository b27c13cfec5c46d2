//! Every source: its load on the links, and the parameters that it refuses, worked out by hand.
//!
//! 424 kbit/s are 1,000 cells/s.

use cellrate_engine::kernel::{Ps, Rate, Stream};
use cellrate_engine::traffic::Load::{self, Elastic};
use cellrate_engine::traffic::piecewise::{Piece, Pieces};
use cellrate_engine::traffic::{Demand, SourceConfig, sources};
use serde_json::{Value, json};

fn source(parameters: &Value) -> SourceConfig {
    serde_json::from_value(parameters.clone())
        .unwrap_or_else(|error| panic!("{parameters}: {error}"))
}

const fn own(mean: f64, peak: f64, burst: u64) -> Load {
    Load::Own { mean, peak, burst }
}

/// Fields, and values that they must not have.
type Refused = Vec<(&'static str, Value)>;

/// One source of each kind that is not read from a file, its load, and the values that it must
/// refuse.
fn ordinary() -> Vec<(Value, Load, Refused)> {
    let on_off =
        json!({"kind": "on-off", "peak": "424 kbit/s", "period": "1 s", "duty_cycle": 0.25});
    let exponential = json!({"kind": "exponential-on-off", "peak": "424 kbit/s", "mean_on": "30 ms", "mean_off": "10 ms"});
    let mmdp = json!({"kind": "mmdp", "sources": 100, "peak": "424 kbit/s", "mean_on": "10 ms", "burstiness": 4.0});
    let messages =
        json!({"kind": "messages", "mean_length": "1000 bytes", "mean_rate": "1 Mbit/s"});
    let www = json!({"kind": "www", "think_time": "1 s", "pareto_shape": 1.1});
    // Far from zero and the peak: nothing is cut off.
    let mpeg2 = json!({
        "kind": "mpeg2", "sources": 20, "mean": "4.24 Mbit/s", "standard_deviation": "42.4 kbit/s",
        "peak": "8.48 Mbit/s",
    });
    vec![
        (json!({"kind": "greedy"}), Elastic, vec![]),
        (json!({"kind": "persistent"}), Elastic, vec![]),
        (
            json!({"kind": "transfer", "size": "1 bytes"}),
            Elastic,
            vec![("size", json!("0 bytes"))],
        ),
        (
            messages,
            Elastic,
            vec![
                ("mean_length", json!("0 bytes")),
                ("peak_rate", json!("1 Mbit/s")),
                ("peak_rate", json!("0.9 Mbit/s")),
            ],
        ),
        (
            www,
            Elastic,
            vec![
                ("think_time", json!("0 s")),
                ("objects", json!(0.99)),
                ("objects", json!(1.1e6)),
                ("pareto_shape", json!(0.0)),
                ("smallest", json!("0 bytes")),
                ("smallest", json!("10 MiB")),
                ("largest", json!("1 KiB")),
            ],
        ),
        (
            json!({"kind": "cbr", "rate": "424 kbit/s"}),
            own(1_000.0, 1_000.0, 1),
            vec![],
        ),
        (
            json!({"kind": "poisson", "rate": "424 kbit/s"}),
            // Ten times the square root of 1,000, and ten.
            own(1_000.0, f64::INFINITY, 326),
            vec![],
        ),
        (
            on_off,
            own(250.0, 1_000.0, 250),
            vec![
                ("period", json!("0 s")),
                ("period", json!("99 ns")),
                ("duty_cycle", json!(0.0)),
                ("duty_cycle", json!(1.01)),
            ],
        ),
        (
            exponential,
            own(750.0, 1_000.0, 600),
            vec![("mean_on", json!("0 s")), ("mean_off", json!("0 s"))],
        ),
        (
            mmdp,
            own(25_000.0, 100_000.0, 20_000),
            vec![
                ("sources", json!(0)),
                ("sources", json!(10_001)),
                ("mean_on", json!("0 s")),
                // Half a cycle of 4 times 49 ns is shorter than 100 ns.
                ("mean_on", json!("49 ns")),
                ("burstiness", json!(1.0)),
                ("burstiness", json!(1.1e6)),
                // A hundred times this is more than 2^64 thousandths of a bit per second.
                ("peak", json!("900000 Gbit/s")),
            ],
        ),
        (
            mpeg2,
            own(200_000.0, 400_000.0, 2_000_000),
            vec![
                ("sources", json!(0)),
                ("sources", json!(1_001)),
                ("hurst", json!(0.49)),
                ("hurst", json!(0.995)),
                ("interval_low", json!("0 s")),
                ("interval_low", json!("101 ms")),
                ("interval_high", json!("19 ms")),
                ("packets_per_pdu", json!(0)),
                ("packets_per_pdu", json!(301)),
                ("block", json!(128)),
                ("block", json!(1_000)),
                ("block", json!(1 << 21)),
                ("peak", json!("900000 Gbit/s")),
            ],
        ),
    ]
}

#[test]
fn a_source_asks_for_its_mean_its_peak_and_its_bursts() {
    for (parameters, expected, _) in ordinary() {
        match (source(&parameters).load(), expected) {
            (
                Load::Own { mean, peak, burst },
                Load::Own {
                    mean: m,
                    peak: p,
                    burst: b,
                },
            ) => {
                let near = |found: f64, expected: f64| {
                    found == expected || (found / expected - 1.0).abs() < 1e-9
                };
                assert!(
                    // A rounded mean may add a cell to a burst.
                    near(mean, m) && near(peak, p) && (b..=b + 1).contains(&burst),
                    "{parameters}: {mean} {peak} {burst}"
                );
            }
            (found, expected) => assert_eq!(found, expected, "{parameters}"),
        }
    }
}

#[test]
fn an_impossible_parameter_is_refused_by_its_name() {
    for (parameters, _, refused) in ordinary() {
        assert_eq!(source(&parameters).check(), None, "{parameters}");
        for (field, value) in refused {
            let mut changed = parameters.clone();
            changed[field] = value.clone();
            let found = source(&changed)
                .check()
                .unwrap_or_else(|| panic!("{changed} is accepted"));
            // Of two that contradict each other the later may be reported.
            let named = if (field, &value) == ("interval_low", &json!("101 ms")) {
                "interval_high"
            } else {
                field
            };
            assert_eq!(found.0, named, "{changed}: {found:?}");
        }
    }
}

#[test]
fn the_edge_of_a_range_is_within_it() {
    for parameters in [
        json!({"kind": "on-off", "peak": "424 kbit/s", "period": "100 ns", "duty_cycle": 1.0}),
        json!({"kind": "mmdp", "sources": 10_000, "peak": "424 kbit/s", "mean_on": "50 ns", "burstiness": 4.0}),
        json!({"kind": "mmdp", "sources": 1, "peak": "424 kbit/s", "mean_on": "1 s", "burstiness": 1e6}),
        json!({"kind": "messages", "mean_length": "1 bytes", "mean_rate": "1 Mbit/s", "peak_rate": "1.001 Mbit/s"}),
        json!({"kind": "www", "think_time": "1 us", "objects": 1.0}),
        json!({
            "kind": "mpeg2", "sources": 1_000, "mean": "4 Mbit/s", "standard_deviation": "1 Mbit/s", "hurst": 0.5,
            "interval_low": "20 ms", "interval_high": "20 ms", "packets_per_pdu": 300, "block": 256,
        }),
        json!({
            "kind": "mpeg2", "mean": "4 Mbit/s", "standard_deviation": "1 Mbit/s", "hurst": 0.99, "packets_per_pdu": 1,
            "block": 1 << 20,
        }),
    ] {
        assert_eq!(source(&parameters).check(), None, "{parameters}");
    }
}

#[test]
fn a_source_over_tcp_has_bytes_for_it_and_no_other_has() {
    for (parameters, ..) in ordinary() {
        let source = source(&parameters);
        let demand = source.demand(Ps::ZERO, Stream::new(1, "a", "source"));
        let has_bytes = matches!(demand, Demand::Bytes(_) | Demand::Writes(_));
        assert_eq!(has_bytes, source.over_tcp(), "{parameters}");
    }
}

#[test]
fn no_source_is_forgotten_here() {
    let mut tried: Vec<_> = ordinary()
        .iter()
        .map(|(parameters, ..)| source(parameters).name())
        .collect();
    // The values of these are those of their files; see their own tests.
    tried.extend(["transport-stream", "rate-trace"]);
    let mut known: Vec<_> = sources().iter().map(|one| one.name).collect();
    tried.sort_unstable();
    known.sort_unstable();
    assert_eq!(tried, known);
}

#[test]
fn only_sources_that_play_a_file_have_its_content() {
    let piece = Piece {
        lasts: Ps::from_ms(1),
        rate: Rate::from_bps(424_000),
    };
    let mut played = source(&json!({"kind": "rate-trace", "file": "a.csv", "repeat": true}));
    let SourceConfig::RateTrace(trace) = &mut played else {
        panic!("a rate trace")
    };
    trace.content = Some(Pieces::new(vec![piece]));
    assert_eq!(
        (played.content(), played.repeats()),
        (Some(&Pieces::new(vec![piece])), true)
    );
    // 1,000 cells/s without end: a bucket with no higher rate never empties.
    let mut refused = |peak| {
        let SourceConfig::RateTrace(trace) = &mut played else {
            panic!("a rate trace")
        };
        trace.peak = Some(Rate::from_bps(peak));
        played.check().map(|(field, _)| field)
    };
    assert_eq!((refused(424_000), refused(424_424)), (Some("peak"), None));
    let greedy = source(&json!({"kind": "greedy"}));
    assert_eq!((greedy.content(), greedy.repeats()), (None, false));
}
