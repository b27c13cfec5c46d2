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
    /// True if that time begins only when the queues of the start-up have drained.
    pub drains: bool,
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
        drains: false,
    }
}

/// ERICA with more cells per interval than ever arrive: intervals end by time alone.
fn erica_parameters(clip: bool) -> Value {
    json!({
        "scheme": "erica", "delta": 0.0, "interval": "5 ms", "interval_cells": "1000000 cells",
        "clip_to_fair_share": clip,
    })
}

/// ERICA with its clip to the fair share, the default.
pub fn erica() -> Scheme {
    scheme(0.9, erica_parameters(true))
}

/// ERICA without the clip to the fair share. With it a flow that another link cuts below the fair
/// share of this one, time and again, rises past that only when both loads are at most 1 in one
/// interval. They are a cell or so from 1, so this may take any time.
pub fn erica_without_clip() -> Scheme {
    scheme(0.9, erica_parameters(false))
}

/// FMMRA with a target that it keeps, unlike with its published recursion.
pub fn fmmra() -> Scheme {
    scheme(
        0.95,
        json!({ "scheme": "fmmra", "er_max_floor": "advertised-rate" }),
    )
}

/// FMMRA with five times the interval and a fifth of the weight. With a cell more or less of each
/// of n sources the cells of an interval deviate by 0.4 of the root of n in the mean, up to n / 2
/// if all are in step. ERmax rises at loads below 1, but above 1 falls no lower than the advertised
/// rate: hence it is too high by half of this deviation. For eight flows that send 30 Mbit/s together, this is 0.8 to
/// 3 % of the cells of 1 ms, the default interval, and 0.2 to 0.6 % of those of 5 ms.
///
/// As long as a queue from the start is above QT or DQT, FMMRA allows less than the fair rates.
pub fn fmmra_of_long_intervals() -> Scheme {
    let scheme = scheme(
        0.95,
        json!({
            "scheme": "fmmra", "er_max_floor": "advertised-rate", "interval": "5 ms",
            "interval_cells": "500 cells", "er_max_weight": 1.0 / 40.0,
        }),
    );
    Scheme {
        settled: Ps::from_ms(200),
        drains: true,
        ..scheme
    }
}

/// FMMRA with its default interval of 1 ms, within the 3 % of sources that are all in step.
pub fn fmmra_of_short_intervals() -> Scheme {
    Scheme {
        tolerance: 0.03,
        ..fmmra()
    }
}

/// Consistent marking, whose rates lie between `least_of_consistent_marking` and the fair ones.
pub fn charny() -> Scheme {
    scheme(0.95, json!({ "scheme": "charny" }))
}

/// The UCSC scheme.
pub fn ucsc() -> Scheme {
    scheme(0.95, json!({ "scheme": "ucsc" }))
}

/// ERICA+ with T0 as long as the interval, so that the queue is filled and drained no sooner than
/// the load is known, and without the clip. Below T0 the rates are up to b - 1, 5 %, above the fair
/// ones, and the queue nears T0 with a time constant of T0 b / (b - 1), 105 ms: so the rates are
/// within 1 % after 105 ms ln 5, 170 ms. A link fills after those that stop flows of it: four in a
/// row take 680 ms.
pub fn erica_plus() -> Scheme {
    let mut parameters = erica_parameters(false);
    parameters["queue_control"] = json!({ "target_delay": "5 ms" });
    Scheme {
        settled: Ps::from_ms(700),
        ..scheme(1.0, parameters)
    }
}

/// CAPC: one explicit rate for all, which grows until the load of the link is the target. A link
/// allows the same rate for each flow that it stops, as the max-min rates require.
///
/// Its steps down are Rdn / Rup = 8 times those up, so with a cell more or less of each source they
/// balance at a load below 1: by 7 / 9 of the mean deviation of the cells of an interval, 0.4 times
/// the root of n for n sources out of step, by 0.48 n cells at most if all are in step. Of eight at
/// 30 Mbit/s that is 1.3 to 5.7 % of 1 ms, the default, and 0.3 to 1.1 % of 5 ms.
///
/// The rate approaches the fair one with a time constant of 5 ms / (Rup s), where s is the share of
/// the load that the link stops, from an equal share for each of n flows: if it stops one of eight,
/// it is within 0.5 % after 1.2 s at most, that is with s = 0.16.
pub fn capc() -> Scheme {
    Scheme {
        settled: Ps::from_ms(1_200),
        ..scheme(0.95, json!({ "scheme": "capc", "interval": "5 ms" }))
    }
}

/// CAPC with its default interval of 1 ms, within the 5.7 % of sources that are all in step.
pub fn capc_of_short_intervals() -> Scheme {
    Scheme {
        tolerance: 0.057,
        ..scheme(0.95, json!({ "scheme": "capc" }))
    }
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
///
/// Sources start above the share and fill queues, which drain at 1 / (1 + n u) of the link, for up
/// to seconds. Until then the next links get its whole rate, which is more than its sources send.
/// After that the slowest time constant is 5 ms / (alpha (1 + u)), 53 ms.
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
        settled: Ps::from_ms(300),
        drains: true,
    }
}
