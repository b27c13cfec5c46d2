//! Explicit rates other than ERICA's and max-min ones.

use super::{Case, PREDICTING, with};
use crate::bases::{ERICA, PERSISTENT};

pub const CASES: &[Case] = &[
    with(
        "switch.control.smith-predictor.set_point",
        PERSISTENT,
        PREDICTING,
        &["", r#"switch.control.set_point="500 cells""#],
    ),
    with(
        "switch.control.smith-predictor.time_constant",
        PERSISTENT,
        PREDICTING,
        &["", r#"switch.control.time_constant="2 ms""#],
    ),
    with(
        "switch.control.eprca.qt",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.qt="20 cells""#],
    ),
    with(
        "switch.control.eprca.dqt",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.dqt="50 cells""#],
    ),
    with(
        "switch.control.eprca.av",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.av=0.2"#],
    ),
    with(
        "switch.control.eprca.averaging",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.averaging="all""#],
    ),
    with(
        "switch.control.eprca.vcs",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.vcs=0.5"#],
    ),
    with(
        "switch.control.eprca.dpf",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.dpf=0.5"#],
    ),
    with(
        "switch.control.eprca.erf",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.erf=0.8"#],
    ),
    with(
        "switch.control.eprca.mrf",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.mrf=0.5"#],
    ),
    with(
        "switch.control.eprca.marking",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.marking="binary""#],
    ),
    with(
        "switch.control.osu.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.osu.interval",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.osu.delta",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.delta=0.3"#],
    ),
    with(
        "switch.control.osu.fairness",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &[
            r#"switch.control.fairness="none""#,
            r#"switch.control.fairness="basic""#,
            r#"switch.control.fairness="precise""#,
        ],
    ),
    with(
        "switch.control.capc.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.capc.interval",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.capc.rup",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.rup=0.5"#],
    ),
    with(
        "switch.control.capc.rdn",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.rdn=0.3"#],
    ),
    with(
        "switch.control.capc.erf",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.erf=0.9"#],
    ),
    with(
        "switch.control.capc.threshold",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.threshold="2 cells""#],
    ),
    with(
        "switch.control.capc.eru",
        ERICA,
        &[
            r#"switch.control={ scheme = "capc" }"#,
            r#"switch.control.rup=2.0"#,
        ],
        &["", r#"switch.control.eru=1.1"#],
    ),
    with(
        "switch.control.phantom.interval",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.phantom.utilisation_factor",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.utilisation_factor=3.0"#],
    ),
    with(
        "switch.control.phantom.alpha_inc",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.alpha_inc=0.2"#],
    ),
    with(
        "switch.control.phantom.alpha_dec",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.alpha_dec=0.1"#],
    ),
    with(
        "switch.control.phantom.decrease_floor",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.decrease_floor=0.95"#],
    ),
    with(
        "switch.control.osu.ci_threshold",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.ci_threshold="2 cells""#],
    ),
    with(
        "switch.control.phantom.ci_threshold",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.ci_threshold="2 cells""#],
    ),
];
