//! ERICA.

use super::{Case, case, with};
use crate::bases::{BURSTY, ERICA};

const AVERAGED: &str = r#"switch.control.load_averaging="load-factor""#;
const PLUS: &str = "switch.control.queue_control={}";

pub const CASES: &[Case] = &[
    case(
        "switch.control.erica.target_utilisation",
        ERICA,
        &["", "switch.control.target_utilisation=0.8"],
    ),
    case(
        "switch.control.erica.capacity_form",
        ERICA,
        &[
            r#"switch.control.capacity_form="of-link""#,
            r#"switch.control.capacity_form="of-remainder""#,
        ],
    ),
    case(
        "switch.control.erica.interval",
        ERICA,
        &[
            r#"switch.control.interval="300 us""#,
            r#"switch.control.interval="200 us""#,
        ],
    ),
    case(
        "switch.control.erica.interval_cells",
        ERICA,
        &["", r#"switch.control.interval_cells="20 cells""#],
    ),
    case(
        "switch.control.erica.delta",
        ERICA,
        &["", "switch.control.delta=0.0"],
    ),
    case(
        "switch.control.erica.max_alloc",
        ERICA,
        &["", "switch.control.max_alloc=false"],
    ),
    case(
        "switch.control.erica.clip_to_fair_share",
        ERICA,
        &["", "switch.control.clip_to_fair_share=false"],
    ),
    case(
        "switch.control.erica.clip_to_capacity",
        BURSTY,
        &["", "switch.control.clip_to_capacity=false"],
    ),
    case(
        "switch.control.erica.load_averaging",
        ERICA,
        &[
            r#"switch.control.load_averaging="none""#,
            AVERAGED,
            r#"switch.control.load_averaging="components""#,
        ],
    ),
    with(
        "switch.control.erica.load_weight",
        ERICA,
        &[AVERAGED],
        &["", "switch.control.load_weight=0.5"],
    ),
    with(
        "switch.control.erica.reset_on_zero",
        BURSTY,
        &[
            AVERAGED,
            "flow.abr.count=2",
            r#"flow.abr.source.peak="40 Mbit/s""#,
        ],
        &["", "switch.control.reset_on_zero=true"],
    ),
    case(
        "switch.control.erica.average_sources",
        ERICA,
        &["", "switch.control.average_sources=true"],
    ),
    with(
        "switch.control.erica.source_decay",
        ERICA,
        &["switch.control.average_sources=true"],
        &["", "switch.control.source_decay=0.5"],
    ),
    case(
        "switch.control.erica.immediate_fair_share",
        ERICA,
        &["", "switch.control.immediate_fair_share=true"],
    ),
    case(
        "switch.control.erica.per_vc_ccr",
        ERICA,
        &["", "switch.control.per_vc_ccr=true"],
    ),
    case(
        "switch.control.erica.mark_forward",
        ERICA,
        &["", "switch.control.mark_forward=true"],
    ),
    case(
        "switch.control.erica.ci_threshold",
        ERICA,
        &["", r#"switch.control.ci_threshold="2 cells""#],
    ),
    case(
        "switch.control.erica.bidirectional_counting",
        ERICA,
        &["", "switch.control.bidirectional_counting=true"],
    ),
    with(
        "switch.control.erica.zero_input_policy",
        BURSTY,
        &["switch.control.average_sources=true", "flow.abr.count=2"],
        &[
            r#"switch.control.zero_input_policy="fair-share""#,
            r#"switch.control.zero_input_policy="zero-load""#,
        ],
    ),
    with(
        "switch.control.erica.initial_sources",
        ERICA,
        &[
            r#"switch.control.interval="5 ms""#,
            r#"switch.control.interval_cells="1000 cells""#,
        ],
        &[
            r#"switch.control.initial_sources="established""#,
            r#"switch.control.initial_sources="one""#,
        ],
    ),
    case(
        "switch.control.erica.queue_control.target_delay",
        ERICA,
        &[
            "",
            PLUS,
            r#"switch.control.queue_control={ target_delay = "1 ms" }"#,
        ],
    ),
    case(
        "switch.control.erica.queue_control.a",
        ERICA,
        &[PLUS, "switch.control.queue_control={ a = 1.3 }"],
    ),
    case(
        "switch.control.erica.queue_control.b",
        ERICA,
        &[PLUS, "switch.control.queue_control={ b = 1.2 }"],
    ),
    case(
        "switch.control.erica.queue_control.drain_limit",
        ERICA,
        &[
            r#"switch.control.queue_control={ target_delay = "20 us", a = 2.0 }"#,
            r#"switch.control.queue_control={ target_delay = "20 us", a = 2.0, drain_limit = 0.8 }"#,
        ],
    ),
    case(
        "switch.control.erica.queue_control.function",
        ERICA,
        &[
            r#"switch.control.queue_control={ target_delay = "20 us", function = "hyperbolic" }"#,
            r#"switch.control.queue_control={ target_delay = "20 us", function = "linear" }"#,
            r#"switch.control.queue_control={ target_delay = "20 us", function = "step" }"#,
            r#"switch.control.queue_control={ target_delay = "20 us", function = "hysteresis" }"#,
        ],
    ),
    case(
        "switch.control.erica.queue_control.drain_delay",
        ERICA,
        &[
            r#"switch.control.queue_control={ target_delay = "20 us", function = "linear" }"#,
            r#"switch.control.queue_control={ target_delay = "20 us", function = "linear", drain_delay = "200 us" }"#,
        ],
    ),
];
