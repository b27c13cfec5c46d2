//! Max-min rates: FMMRA and consistent marking.

use super::{Case, with};
use crate::bases::ERICA;

pub const CASES: &[Case] = &[
    with(
        "switch.control.fmmra.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.fmmra.interval",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.fmmra.interval_cells",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.interval_cells="20 cells""#],
    ),
    with(
        "switch.control.fmmra.er_max_weight",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.er_max_weight=0.5"#],
    ),
    with(
        "switch.control.fmmra.er_max_floor",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.er_max_floor="advertised-rate""#],
    ),
    with(
        "switch.control.fmmra.qt",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.qt="5 cells""#],
    ),
    with(
        "switch.control.fmmra.dqt",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.dqt="60 cells""#],
    ),
    with(
        "switch.control.fmmra.record_forward",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.record_forward=true"#],
    ),
    with(
        "switch.control.fmmra.record_own_mark",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.record_own_mark=false"#],
    ),
    with(
        "switch.control.fmmra.ci_threshold",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.ci_threshold="2 cells""#],
    ),
    with(
        "switch.control.fmmra.mark_forward",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.mark_forward=false"#],
    ),
    with(
        "switch.control.fmmra.drain_factor",
        ERICA,
        &[
            r#"switch.control={ scheme = "fmmra" }"#,
            r#"switch.control.qt="5 cells""#,
            r#"switch.control.dqt="10 cells""#,
        ],
        &["", r#"switch.control.drain_factor=0.7"#],
    ),
    with(
        "switch.control.charny.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.charny.interval",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.charny.record_forward",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.record_forward=true"#],
    ),
    with(
        "switch.control.charny.ci_threshold",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.ci_threshold="2 cells""#],
    ),
];
