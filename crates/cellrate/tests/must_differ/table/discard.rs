//! Discard policies.

use super::{Case, case, with};
use crate::bases::UBR;

pub const CASES: &[Case] = &[
    case(
        "switch.discard",
        UBR,
        &[
            r#"switch.discard={ policy = "tail-drop" }"#,
            r#"switch.discard={ policy = "ppd" }"#,
            r#"switch.discard={ policy = "epd" }"#,
            r#"switch.discard={ policy = "intelligent-tail-drop" }"#,
            r#"switch.discard={ policy = "selective-drop", threshold = "40 cells" }"#,
            r#"switch.discard={ policy = "fair-buffer-allocation", threshold = "40 cells" }"#,
        ],
    ),
    with(
        "switch.discard.selective-drop.threshold",
        UBR,
        &[r#"switch.discard={ policy = "selective-drop", threshold = "40 cells" }"#],
        &["", r#"switch.discard.threshold="60 cells""#],
    ),
    with(
        "switch.discard.selective-drop.z",
        UBR,
        &[r#"switch.discard={ policy = "selective-drop", threshold = "40 cells" }"#],
        &["", r#"switch.discard.z=0.4"#],
    ),
    with(
        "switch.discard.fair-buffer-allocation.threshold",
        UBR,
        &[r#"switch.discard={ policy = "fair-buffer-allocation", threshold = "40 cells" }"#],
        &["", r#"switch.discard.threshold="60 cells""#],
    ),
    with(
        "switch.discard.fair-buffer-allocation.z",
        UBR,
        &[r#"switch.discard={ policy = "fair-buffer-allocation", threshold = "40 cells" }"#],
        &["", r#"switch.discard.z=0.4"#],
    ),
    case(
        "switch.discard.ppd.forward_end",
        UBR,
        &[
            r#"switch.discard={ policy = "ppd" }"#,
            r#"switch.discard={ policy = "ppd", forward_end = false }"#,
        ],
    ),
    case(
        "switch.discard.epd.threshold",
        UBR,
        &[
            r#"switch.discard={ policy = "epd", threshold = "60 cells" }"#,
            r#"switch.discard={ policy = "epd", threshold = "70 cells" }"#,
            r#"switch.discard={ policy = "epd" }"#,
        ],
    ),
    with(
        "switch.discard.epd.forward_end",
        UBR,
        &[r#"switch.discard={ policy = "epd", threshold = "95 cells" }"#],
        &["", "switch.discard.forward_end=false"],
    ),
    case(
        "switch.discard.intelligent-tail-drop.margin",
        UBR,
        &[
            r#"switch.discard={ policy = "intelligent-tail-drop" }"#,
            r#"switch.discard={ policy = "intelligent-tail-drop", margin = "20 cells" }"#,
        ],
    ),
];
