//! Switches, except control and discard.

use super::{Case, case, with};
use crate::bases::{ERICA, PERSISTENT, UBR};

const SPLIT: &str = "switch.vsvd={}";
const LOOPS: &[&str] = &["run.strict=false", SPLIT];

pub const CASES: &[Case] = &[
    case(
        "switch.buffer",
        UBR,
        &[
            "",
            r#"switch.buffer="50 cells""#,
            r#"switch.buffer="infinite""#,
        ],
    ),
    with(
        "switch.vsvd.at",
        ERICA,
        &[],
        &["", SPLIT, r#"switch.vsvd.at=["A"]"#],
    ),
    with(
        "switch.vsvd.vc_rate",
        ERICA,
        LOOPS,
        &[
            "",
            r#"switch.vsvd.vc_rate="measured""#,
            r#"switch.vsvd.vc_rate="next-loop""#,
        ],
    ),
    with(
        "switch.vsvd.input",
        ERICA,
        LOOPS,
        &["", r#"switch.vsvd.input="class-queue""#],
    ),
    with(
        "switch.vsvd.update",
        ERICA,
        LOOPS,
        &[
            "",
            r#"switch.vsvd.update="turn-round""#,
            r#"switch.vsvd.update="backward""#,
        ],
    ),
    with(
        "switch.vsvd.limit_source",
        ERICA,
        LOOPS,
        &["", "switch.vsvd.limit_source=true"],
    ),
    case(
        "switch.priority",
        ERICA,
        &[
            "",
            r#"switch.priority=[["abr", "ubr", "random"], ["cbr", "vbr"]]"#,
        ],
    ),
    case("switch.rm_first", ERICA, &["", "switch.rm_first=true"]),
    case(
        "switch.control",
        PERSISTENT,
        &[
            "",
            r#"switch.control={ scheme = "none" }"#,
            r#"switch.control={ scheme = "erica" }"#,
        ],
    ),
    case(
        "switch.control.efci.threshold",
        PERSISTENT,
        &["", r#"switch.control.threshold="60 cells""#],
    ),
    case(
        "switch.control.efci.high",
        PERSISTENT,
        &[
            r#"switch.control={ scheme = "efci", high = "60 cells", low = "20 cells" }"#,
            r#"switch.control={ scheme = "efci", high = "70 cells", low = "20 cells" }"#,
        ],
    ),
    case(
        "switch.control.efci.low",
        PERSISTENT,
        &[
            r#"switch.control={ scheme = "efci", high = "60 cells", low = "20 cells" }"#,
            r#"switch.control={ scheme = "efci", high = "60 cells", low = "30 cells" }"#,
            r#"switch.control={ scheme = "efci", high = "60 cells" }"#,
        ],
    ),
    case(
        "switch.control.efci.mark_at",
        PERSISTENT,
        &[
            r#"switch.control.mark_at="dequeue""#,
            r#"switch.control.mark_at="enqueue""#,
        ],
    ),
];
