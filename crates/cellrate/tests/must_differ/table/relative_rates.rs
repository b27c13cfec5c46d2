//! Relative rates.

use super::{Case, with};
use crate::bases::ERICA;

pub const CASES: &[Case] = &[
    with(
        "switch.control.rrm-p.sampling",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-p.low",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-p.high",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-p.count_in_service",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", "switch.control.count_in_service=true"],
    ),
    with(
        "switch.control.rrm-pd.sampling",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-pd.low",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-pd.high",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pd.count_in_service",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", "switch.control.count_in_service=true"],
    ),
    with(
        "switch.control.rrm-pd-plus.sampling",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.low",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.high",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.beta",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.beta="3 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.count_in_service",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", "switch.control.count_in_service=true"],
    ),
    with(
        "switch.control.rrm-pid.sampling",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-pid.low",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-pid.high",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pid.alpha",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.alpha=0.1"#],
    ),
    with(
        "switch.control.rrm-pid.epsilon",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
            r#"switch.control.alpha=0.1"#,
        ],
        &["", r#"switch.control.epsilon="5 cells""#],
    ),
    with(
        "switch.control.rrm-pid.count_in_service",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", "switch.control.count_in_service=true"],
    ),
    with(
        "switch.control.rrm-p.mark_forward",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.mark_forward=true"#],
    ),
    with(
        "switch.control.rrm-p.hysteresis",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.hysteresis="9 cells""#],
    ),
    with(
        "switch.control.rrm-pd.mark_forward",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.mark_forward=true"#],
    ),
    with(
        "switch.control.rrm-pd.hysteresis",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.hysteresis="9 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.mark_forward",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.mark_forward=true"#],
    ),
    with(
        "switch.control.rrm-pd-plus.hysteresis",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.hysteresis="9 cells""#],
    ),
    with(
        "switch.control.rrm-pid.mark_forward",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.mark_forward=true"#],
    ),
    with(
        "switch.control.rrm-pid.hysteresis",
        ERICA,
        &[
            r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#,
        ],
        &["", r#"switch.control.hysteresis="9 cells""#],
    ),
];
