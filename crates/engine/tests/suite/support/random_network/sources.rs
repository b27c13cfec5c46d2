//! Sources: generated ones, and those that play a file.

use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::piecewise::{Piece, Pieces};
use cellrate_engine::traffic::rate_trace::RateTraceConfig;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::read;

pub fn source() -> impl Strategy<Value = SourceConfig> {
    prop_oneof![24 => generated(), 2 => played()]
}

fn generated() -> impl Strategy<Value = SourceConfig> {
    let rate = || {
        select(vec![
            "42.4 Mbit/s",
            "21.2 Mbit/s",
            "4.24 Mbit/s",
            "1 Mbit/s",
            "155.52 Mbit/s",
            "7.77 Mbit/s",
        ])
    };
    prop_oneof![
        4 => Just(json!({"kind": "greedy"})),
        2 => (1..60_000u64).prop_map(|size| json!({"kind": "transfer", "size": format!("{size} bytes")})),
        2 => rate().prop_map(|rate| json!({"kind": "cbr", "rate": rate})),
        2 => (rate(), select(vec!["100 us", "1 ms", "7.3 ms"]), 0.05..1.0).prop_map(|(peak, period, duty)| json!({
            "kind": "on-off", "peak": peak, "period": period, "duty_cycle": duty
        })),
        2 => rate().prop_map(|rate| json!({"kind": "poisson", "rate": rate})),
        1 => rate().prop_map(|peak| json!({"kind": "exponential-on-off", "peak": peak, "mean_on": "300 us", "mean_off": "500 us"})),
        1 => (1..20u32, 1.01..9.0).prop_map(|(sources, burstiness)| json!({
            "kind": "mmdp", "sources": sources, "peak": "4.24 Mbit/s", "mean_on": "400 us", "burstiness": burstiness
        })),
        2 => video(),
        2 => (1..9_000u64, rate(), any::<bool>()).prop_map(|(length, rate, peak)| {
            let mut source = json!({"kind": "messages", "mean_length": format!("{length} bytes"), "mean_rate": rate});
            if peak {
                source["peak_rate"] = json!("200 Mbit/s");
            }
            source
        }),
        2 => (1..5_000u64, 1.0..6.0, any::<bool>(), any::<bool>()).prop_map(|(think, objects, pipelined, pareto)| {
            let mut source = json!({
                "kind": "www", "think_time": format!("{think} us"), "objects": objects, "pipelined": pipelined,
                "server_time": if pareto { "0 s" } else { "70 us" },
            });
            if pareto {
                (source["pareto_shape"], source["smallest"]) = (json!(1.1), json!("40 bytes"));
            }
            source
        }),
        2 => Just(json!({"kind": "persistent"})),
    ]
    .prop_map(read)
}

/// The rates of a file, played in any way.
fn played() -> impl Strategy<Value = SourceConfig> {
    let piece = (
        1..2_000_000_000u64,
        select(vec![0, 1_000_000, 7_770_000, 42_400_000]),
    );
    let pieces = prop::collection::vec(piece, 1..9);
    (pieces, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(pieces, repeat, anywhere, bucket)| {
        let piece = |(lasts, bps)| Piece { lasts: Ps(lasts), rate: Rate::from_bps(bps) };
        // A last piece that sends cells; otherwise a repeated list might never send any.
        let pieces = pieces.into_iter().chain([(500_000_000, 4_240_000)]).map(piece).collect();
        let peak = bucket.then(|| json!("30 Mbit/s"));
        let mut source: RateTraceConfig = read(json!({
            "file": "rates.csv", "repeat": repeat, "random_phase": repeat && anywhere, "peak": peak
        }));
        source.content = Some(Pieces::new(pieces));
        SourceConfig::RateTrace(source)
    })
}

/// Video with clock references so close that many pieces are played.
fn video() -> impl Strategy<Value = Value> {
    let bound = select(vec![
        "discard",
        "truncate",
        "truncate-and-carry",
        "exponential",
    ]);
    let interval = select(vec!["10 us", "100 us", "1 ms"]);
    (1..5u32, bound, interval, any::<bool>()).prop_map(|(sources, bound, interval, packets)| {
        json!({
            "kind": "mpeg2", "sources": sources, "mean": "4 Mbit/s", "standard_deviation": "4 Mbit/s", "bound": bound,
            "interval_low": interval, "interval_high": "1 ms", "block": 256,
            "rates": if packets { "transport-packets" } else { "cells" },
        })
    })
}
