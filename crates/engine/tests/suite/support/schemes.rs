//! Explicit-rate schemes with parameters for which their steady rates are max-min fair.

use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::Ps;
use serde_json::{Value, json};

/// A scheme, the share of a link that it allocates, and its accuracy.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub control: ControlConfig,
    pub target: f64,
    /// Share of a flow's rate that a link leaves idle.
    pub idle: f64,
    pub tolerance: f64,
    /// Time from which rates are steady.
    pub settled: Ps,
}

/// A scheme from its parameters, with a target.
pub fn scheme(target: f64, mut parameters: Value) -> Scheme {
    parameters["target_utilisation"] = json!(target);
    Scheme {
        control: serde_json::from_value(parameters).expect("valid parameters"),
        target,
        idle: 0.0,
        tolerance: 0.01,
        settled: Ps::from_ms(300),
    }
}

/// ERICA with more cells per interval than ever arrive: intervals end by time alone.
pub fn erica() -> Scheme {
    scheme(
        0.9,
        json!({ "scheme": "erica", "delta": 0.0, "interval": "5 ms", "interval_cells": "1000000 cells" }),
    )
}

/// FMMRA with a target that it keeps, unlike with its published recursion.
pub fn fmmra() -> Scheme {
    scheme(
        0.95,
        json!({ "scheme": "fmmra", "er_max_floor": "advertised-rate" }),
    )
}

/// Consistent marking. Nothing damps its rates, so that they fluctuate if bottlenecks are coupled.
pub fn charny() -> Scheme {
    Scheme {
        tolerance: 0.05,
        ..scheme(0.95, json!({ "scheme": "charny" }))
    }
}

/// ERICA+ with T0 as long as the interval, so that the queue is filled and drained no sooner than
/// the load is known.
pub fn erica_plus() -> Scheme {
    let queue_control = json!({ "target_delay": "5 ms" });
    let interval = json!("5 ms");
    scheme(
        1.0,
        json!({
            "scheme": "erica", "delta": 0.0, "interval": interval, "interval_cells": "1000000 cells",
            "queue_control": queue_control,
        }),
    )
}

/// CAPC: one explicit rate for all, which grows until the load of the link is the target. A link
/// allows the same rate for each flow that it stops, as the max-min rates require.
pub fn capc() -> Scheme {
    scheme(0.95, json!({ "scheme": "capc" }))
}

/// The OSU scheme with its precise fair share. With the basic one only a load in the band and equal
/// rates on one link are guaranteed: `one_bottleneck.rs`.
pub fn osu() -> Scheme {
    scheme(
        0.9,
        json!({ "scheme": "osu", "fairness": "precise", "interval": "5 ms" }),
    )
}

/// Phantom: the imaginary channel of each link is one more that shares it, with 1 / u of the rate
/// of the others. With n flows the rate responds n u times to a step of MACR, an interval later: it
/// settles if the gains are below 1 / (n u). The default gains are too high for more than a flow or
/// two. At most eight flows here: 1/64 is below the limit.
pub fn phantom() -> Scheme {
    let parameters = json!({
        "scheme": "phantom", "interval": "5 ms", "utilisation_factor": 5.0,
        "alpha_inc": 1.0 / 64.0, "alpha_dec": 1.0 / 64.0,
    });
    let control = serde_json::from_value(parameters).expect("valid parameters");
    Scheme {
        control,
        target: 1.0,
        idle: 1.0 / 5.0,
        tolerance: 0.01,
        settled: Ps::from_ms(800),
    }
}
