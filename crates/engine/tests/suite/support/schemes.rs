//! Explicit-rate schemes with parameters by which their steady rates are max-min fair.

use cellrate_engine::control::ControlConfig;
use cellrate_engine::kernel::Ps;
use serde_json::{Value, json};

/// A scheme, the share of a link that it allocates, and how near to the fair rates it comes.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub control: ControlConfig,
    pub target: f64,
    /// Share of a flow's rate that a link leaves idle.
    pub idle: f64,
    pub tolerance: f64,
    /// When rates are steady.
    pub settled: Ps,
}

/// By its parameters, with a target.
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

/// So many cells never arrive in an interval: it ends by time alone.
pub fn erica() -> Scheme {
    scheme(
        0.9,
        json!({ "scheme": "erica", "delta": 0.0, "interval": "5 ms", "interval_cells": "1000000 cells" }),
    )
}

/// At a target that it keeps, which its published recursion does not.
pub fn fmmra() -> Scheme {
    scheme(
        0.95,
        json!({ "scheme": "fmmra", "er_max_floor": "advertised-rate" }),
    )
}

/// Nothing damps its rates, so that they tremble where bottlenecks are coupled.
pub fn charny() -> Scheme {
    Scheme {
        tolerance: 0.05,
        ..scheme(0.95, json!({ "scheme": "charny" }))
    }
}

/// ERICA+ with T0 as long as the interval, so that the queue is filled and drained no sooner than the load is known.
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

/// One explicit rate for all, which grows until the load of the link is the target: what a link allows is the same for
/// each flow that it stops, as the max-min rates are.
pub fn capc() -> Scheme {
    scheme(0.95, json!({ "scheme": "capc" }))
}

/// With its precise fair share. With the basic one only a load in the band and like rates on one link are promised:
/// `one_bottleneck.rs`.
pub fn osu() -> Scheme {
    scheme(
        0.9,
        json!({ "scheme": "osu", "fairness": "precise", "interval": "5 ms" }),
    )
}

/// The imaginary channel of each link is one more that shares it, with 1 / u of the rate of the others. With n flows the
/// rate answers n u times to a step of MACR, an interval later: it settles if the gains are below 1 / (n u).
/// Those of the default are not, for more than a flow or two. At most eight flows here: 1/64 is.
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
