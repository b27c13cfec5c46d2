//! Links: rates and delays, losses, and credit control.

use cellrate_engine::atm::errors::LinkErrors;
use cellrate_engine::credit::FcvcConfig;
use cellrate_engine::kernel::{Ps, Rate};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::read;
use crate::support::plans::cell_time_us;

/// Rates and delays of the links, and the length of the run in cells of the slowest line.
#[derive(Clone, Debug)]
pub struct Lines {
    pub rates: Vec<Rate>,
    pub delays: Vec<Ps>,
    pub end: Ps,
}

/// Cell times and delays of a kind of network, in microseconds.
#[derive(Clone, Debug)]
struct Kind {
    cell_times: Vec<u64>,
    delays: Vec<u64>,
}

fn kinds() -> impl Strategy<Value = Kind> {
    let lan = Kind {
        cell_times: vec![1, 2, 5, 10, 50],
        delays: vec![1, 2, 3, 10, 100],
    };
    let wan = Kind {
        cell_times: vec![100, 200, 300],
        delays: vec![1_000, 5_000, 20_000],
    };
    (prop_oneof![Just(lan), Just(wan)], 1..=4u64).prop_map(|(kind, scale)| Kind {
        cell_times: kind.cell_times.iter().map(|us| us * scale).collect(),
        ..kind
    })
}

/// A local network of fast lines, or a wide one of slow lines; each for some hundred cells of its
/// slowest line.
pub fn lines() -> impl Strategy<Value = Lines> {
    kinds().prop_flat_map(|Kind { cell_times, delays }| {
        let (fastest, slowest) = (cell_times[0], cell_times[cell_times.len() - 1]);
        let odd =
            [155_520_000_000, 149_760_000_000, 25_600_000_001].map(|rate| Rate(rate / fastest));
        let even: Vec<Rate> = cell_times.iter().map(|us| cell_time_us(*us)).collect();
        let rate = prop_oneof![5 => Just(even[0]), 3 => select(even), 2 => select(odd.to_vec())];
        let delay = prop_oneof![
            select(delays).prop_map(Ps::from_us),
            (1_000_000..10_000_000u64).prop_map(Ps)
        ];
        let end = (100..400u64, 0..1_000_000u64)
            .prop_map(move |(cells, odd)| Ps(Ps::from_us(slowest * cells).0 + odd));
        (
            prop::collection::vec(rate, 1..8),
            prop::collection::vec(delay, 1..8),
            end,
        )
            .prop_map(|(rates, delays, end)| Lines { rates, delays, end })
    })
}

pub fn fcvc() -> impl Strategy<Value = FcvcConfig> {
    let cells = (1..12u64, prop::option::of(1..60u64), 1..=6u32);
    let priority = select(vec!["highest", "below-guaranteed"]);
    let marks = prop::option::of(select(vec!["50 us", "333.333 us", "2 ms"]));
    let adaptive = prop::option::weighted(
        0.3,
        (prop::option::of(30..300u64), prop::option::of(2..60u64)),
    );
    (cells, priority, marks, adaptive).prop_map(|((n2, n3, records), priority, marks, adaptive)| {
        let mut value =
            json!({"n2": format!("{n2} cells"), "records_per_cell": records, "priority": priority});
        if let Some(n3) = n3 {
            value["n3"] = json!(format!("{n3} cells"));
        }
        if let Some(marks) = marks {
            value["mark_interval"] = json!(marks);
        }
        if let Some((memory, window)) = adaptive {
            value["allocation"] = json!("adaptive");
            for (key, cells) in [("memory", memory), ("window", window)] {
                if let Some(cells) = cells {
                    value[key] = json!(format!("{cells} cells"));
                }
            }
        }
        read(value)
    })
}

pub fn errors() -> impl Strategy<Value = LinkErrors> {
    let cells = select(vec!["all", "data", "credit"]);
    (
        select(vec![0.0, 0.02, 0.1]),
        prop::option::of(2..60u64),
        cells,
        (
            select(vec![0.0, 0.0, 1e-4, 3e-3]),
            prop::option::weighted(0.3, (1..2_000u64, 1..200u64)),
            select(vec!["correction", "detection"]),
        ),
    )
        .prop_map(|(ratio, every, cells, (bits, bursts, hec))| {
            let mut value = json!({
                "cell_loss_ratio": ratio,
                "cells": cells,
                "bit_error_ratio": bits,
                "hec": hec,
            });
            if let Some((every, length)) = bursts {
                value["bursts"] = json!({
                    "every": format!("{every} us"),
                    "length": format!("{length} us"),
                    "bit_error_ratio": 0.02,
                });
            }
            if let Some(every) = every {
                value["lose_every"] = json!(every);
            }
            read(value)
        })
}
