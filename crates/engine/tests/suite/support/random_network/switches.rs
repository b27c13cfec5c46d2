//! Switches: buffers, priorities, control, discard and virtual sources.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::SwitchPlan;
use cellrate_engine::control::ControlConfig;
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::endsystem::VsVdConfig;
use cellrate_engine::kernel::units::{Buffer, Cells};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::read;

pub fn switch() -> impl Strategy<Value = SwitchPlan> {
    let buffer = prop_oneof![2 => Just(u64::MAX), 3 => 1..40u64, 2 => 40..400u64];
    let vsvd = prop_oneof![3 => Just(None), 1 => vsvd().prop_map(Some)];
    let rm_first = any::<bool>();
    let clp_threshold = prop::option::weighted(0.3, (1..60u64).prop_map(Cells));
    let buffer = (buffer, clp_threshold);
    let classes = prop::option::of((prop::collection::vec(1..9u32, 5), 0..3usize));
    let order = (rm_first, prop::option::weighted(0.3, (schedule(), classes)));
    (buffer, priority(), control(), discard(), vsvd, order).prop_map(
        |((buffer, clp_threshold), priority, control, discard, vsvd, (rm_first, schedule))| {
            let schedule = schedule.map(|(name, classes)| read(ordered(name, classes, &priority)));
            // An order of channels goes with no other order.
            let suits = schedule.is_none() || !discard.follows_order();
            SwitchPlan {
                buffer: Buffer(buffer),
                clp_threshold,
                priority,
                control,
                discard: if suits {
                    discard
                } else {
                    DiscardConfig::default()
                },
                vsvd,
                rm_first: rm_first && schedule.is_none(),
                schedule,
            }
        },
    )
}

fn schedule() -> impl Strategy<Value = &'static str> {
    select(vec!["weighted-round-robin", "scfq", "wf2q-plus"])
}

/// An order of channels, with weights for as many queues as `priority` has, or in strict priority.
fn ordered(
    discipline: &str,
    classes: Option<(Vec<u32>, usize)>,
    priority: &[Vec<ServiceClass>],
) -> Value {
    let Some((weights, strict)) = classes else {
        return json!({"discipline": discipline});
    };
    let strict = strict.min(priority.len() - 1);
    let weights = &weights[strict..priority.len()];
    json!({"discipline": discipline, "classes": {"weights": weights, "strict": strict}})
}

/// Removes settings of a switch that contradict credit control.
pub fn suit_credit(switch: &mut SwitchPlan) {
    use ServiceClass::{Cbr, Random, Ubr, Vbr};
    switch.control = ControlConfig::default();
    (switch.discard, switch.vsvd) = (DiscardConfig::default(), None);
    switch.schedule = None;
    let together = switch.priority.len() < 3;
    let credited = if together {
        vec![vec![Ubr, Random]]
    } else {
        vec![vec![Ubr], vec![Random]]
    };
    let guaranteed = if together {
        vec![vec![Cbr, Vbr]]
    } else {
        vec![vec![Cbr], vec![Vbr]]
    };
    // Even without priority over credited channels the guaranteed classes need no credit.
    let last = switch.priority[0].contains(&ServiceClass::Abr);
    switch.priority = if last {
        [credited, guaranteed].concat()
    } else {
        [guaranteed, credited].concat()
    };
}

pub fn vsvd() -> impl Strategy<Value = VsVdConfig> {
    let coupling = select(vec![
        ("previous-loop", "vc-queues"),
        ("measured", "class-queue"),
        ("next-loop", "class-queue"),
    ]);
    let update = select(vec!["turn-round", "backward", "both"]);
    (coupling, update, any::<bool>()).prop_map(|((vc_rate, input), update, limit_source)| {
        read(json!({"vc_rate": vc_rate, "input": input, "update": update, "limit_source": limit_source}))
    })
}

fn priority() -> impl Strategy<Value = Vec<Vec<ServiceClass>>> {
    use ServiceClass::{Abr, Cbr, Random, Ubr, Vbr};
    let queues: Vec<Vec<Vec<ServiceClass>>> = vec![
        vec![vec![Cbr, Vbr, Abr, Ubr, Random]],
        vec![vec![Cbr, Vbr], vec![Abr, Ubr, Random]],
        vec![vec![Cbr], vec![Vbr], vec![Abr], vec![Ubr], vec![Random]],
        vec![vec![Abr], vec![Ubr, Cbr]],
        vec![vec![Cbr, Abr], vec![Ubr, Random, Vbr]],
    ];
    select(queues)
}

fn control() -> impl Strategy<Value = ControlConfig> {
    let efci =
        (select(vec!["dequeue", "enqueue"]), 0..30u64, prop::option::of(0..30u64)).prop_map(|(at, high, low)| {
            read(match low {
                None => json!({"scheme": "efci", "threshold": format!("{high} cells"), "mark_at": at}),
                Some(low) => json!({
                    "scheme": "efci", "mark_at": at,
                    "high": format!("{} cells", high.max(low)), "low": format!("{} cells", high.min(low)),
                }),
            })
        });
    let interval = select(vec!["50 us", "1 ms", "100 ms"]);
    let becn = (0..30u64, interval, any::<bool>()).prop_map(|(threshold, interval, efci)| {
        let threshold = format!("{threshold} cells");
        read(json!({"scheme": "becn", "threshold": threshold, "brm_interval": interval, "efci": efci}))
    });
    prop_oneof![
        1 => Just(ControlConfig::default()),
        2 => efci,
        1 => becn,
        3 => erica(),
        3 => relative_rate(),
        3 => explicit_rate(),
    ]
}

fn relative_rate() -> impl Strategy<Value = ControlConfig> {
    let laws = vec![
        json!({"scheme": "rrm-p"}),
        json!({"scheme": "rrm-pd"}),
        json!({"scheme": "rrm-pd-plus", "beta": "1 cell"}),
        json!({"scheme": "rrm-pid", "alpha": 0.2}),
        json!({"scheme": "rrm-pd", "mark_forward": true}),
    ];
    (select(laws), 1..40u64, 0..20u64, 0..20u64).prop_map(|(mut law, sampling, low, above)| {
        law["hysteresis"] = json!(format!("{} cells", low / 2));
        law["sampling"] = json!(format!("{sampling} cells"));
        law["low"] = json!(format!("{low} cells"));
        law["high"] = json!(format!("{} cells", low + above));
        read(law)
    })
}

fn explicit_rate() -> impl Strategy<Value = ControlConfig> {
    let timed = vec![
        json!({"scheme": "fmmra", "qt": "2 cells", "dqt": "5 cells"}),
        json!({"scheme": "fmmra", "interval_cells": "7 cells", "er_max_floor": "advertised-rate", "record_forward": true}),
        json!({"scheme": "fmmra", "mark_forward": false}),
        json!({"scheme": "fmmra", "record_own_mark": false, "ci_threshold": "3 cells"}),
        json!({"scheme": "charny"}),
        json!({"scheme": "ucsc"}),
        json!({"scheme": "ucsc", "ci_threshold": "3 cells"}),
        json!({"scheme": "phantom", "ci_threshold": "3 cells"}),
        json!({"scheme": "osu", "fairness": "basic"}),
        json!({"scheme": "osu", "fairness": "precise"}),
        json!({"scheme": "capc", "threshold": "3 cells"}),
        json!({"scheme": "phantom"}),
    ];
    let timed = (
        select(timed),
        select(vec!["100 us", "333.333 us", "1 ms", "5 ms"]),
    )
        .prop_map(|(mut scheme, interval)| {
            scheme["interval"] = json!(interval);
            read(scheme)
        });
    let eprca = (select(vec!["explicit-rate", "binary"]), 0..10u64).prop_map(|(marking, qt)| {
        let (qt, dqt) = (format!("{qt} cells"), format!("{} cells", 2 * qt));
        read(json!({"scheme": "eprca", "marking": marking, "qt": qt, "dqt": dqt}))
    });
    let dmrca = (select(vec!["explicit-rate", "binary"]), 0..10u64, select(vec!["20 us", "1 ms", "100 ms"])).prop_map(
        |(marking, qt, time_out)| {
            let (qt, dqt) = (format!("{qt} cells"), format!("{} cells", 2 * qt));
            read(json!({"scheme": "dmrca", "marking": marking, "qt": qt, "dqt": dqt, "time_out": time_out}))
        },
    );
    let smith = (1..60u64, select(vec!["100 us", "1 ms", "10 ms"])).prop_map(|(set_point, time_constant)| {
        let set_point = format!("{set_point} cells");
        read(json!({"scheme": "smith-predictor", "set_point": set_point, "time_constant": time_constant}))
    });
    prop_oneof![3 => timed, 1 => eprca, 1 => dmrca, 1 => smith]
}

fn erica() -> impl Strategy<Value = ControlConfig> {
    let interval = (
        select(vec!["100 us", "333.333 us", "1 ms", "5 ms"]),
        select(vec![1, 7, 30, 100]),
    );
    let averaging = (
        select(vec!["none", "load-factor", "components"]),
        any::<bool>(),
        any::<bool>(),
    );
    let flags = any::<[bool; 8]>();
    let functions = vec!["hyperbolic", "linear", "step", "hysteresis"];
    let queue_control =
        prop::option::of((select(vec!["10 us", "500 us", "5 ms"]), select(functions)));
    (interval, averaging, flags, queue_control, 0.5..1.0).prop_map(
        |(interval, averaging, flags, queue_control, target)| {
            let mut value = json!({
                "scheme": "erica",
                "interval": interval.0,
                "interval_cells": format!("{} cells", interval.1),
                "load_averaging": averaging.0,
                "reset_on_zero": averaging.1,
                "average_sources": averaging.2,
                "max_alloc": flags[0],
                "clip_to_fair_share": flags[1],
                "immediate_fair_share": flags[2],
                "per_vc_ccr": flags[3],
                "bidirectional_counting": flags[4],
                "zero_input_policy": if flags[5] { "fair-share" } else { "zero-load" },
                "mark_forward": flags[6],
                "ci_threshold": flags[7].then_some("5 cells"),
            });
            match queue_control {
                Some((delay, function)) => {
                    value["queue_control"] = json!({"target_delay": delay, "function": function});
                }
                None => value["target_utilisation"] = json!(target),
            }
            read(value)
        },
    )
}

fn discard() -> impl Strategy<Value = DiscardConfig> {
    prop_oneof![
        Just(json!({"policy": "tail-drop"})),
        any::<bool>().prop_map(|end| json!({"policy": "ppd", "forward_end": end})),
        (any::<bool>(), 0..30u64).prop_map(|(end, threshold)| json!({
            "policy": "epd", "forward_end": end, "threshold": format!("{threshold} cells")
        })),
        Just(json!({"policy": "epd"})),
        (
            select(vec!["selective-drop", "fair-buffer-allocation"]),
            0..30u64,
            0.1..1.5
        )
            .prop_map(|(policy, threshold, z)| {
                json!({"policy": policy, "threshold": format!("{threshold} cells"), "z": z})
            }),
        (any::<bool>(), 0..30u64, 0..30u64).prop_map(|(end, tagged, more)| json!({
            "policy": "double-epd", "forward_end": end,
            "threshold": format!("{} cells", tagged + more), "tagged_threshold": format!("{tagged} cells"),
        })),
        (0..30u64, 1..30u64, 0.0..=1.0, 0.0..=1.0).prop_map(|(low, more, z, alpha)| json!({
            "policy": "dfba", "low": format!("{low} cells"), "high": format!("{} cells", low + more),
            "z": z, "alpha": alpha,
        })),
        (0..6u64).prop_map(
            |margin| json!({"policy": "intelligent-tail-drop", "margin": format!("{margin} cells")})
        ),
    ]
    .prop_map(read)
}
