//! Credit control, and link errors.

use super::{Case, case, with};
use crate::bases::{CREDIT, UBR};

const ADAPTIVE: &str = r#"fcvc.allocation="adaptive""#;
const LOSE: &str = "link_errors.lose_every=500";

pub const CASES: &[Case] = &[
    case(
        "fcvc.n2",
        CREDIT,
        &["", r#"fcvc.n2="3 cells""#, r#"fcvc.n2="20 cells""#],
    ),
    case(
        "fcvc.n3",
        CREDIT,
        &["", r#"fcvc.n3="1 cells""#, r#"fcvc.n3="5 cells""#],
    ),
    case(
        "fcvc.vc_rate",
        CREDIT,
        &[
            "",
            r#"fcvc.vc_rate="2.5 Mbit/s""#,
            r#"fcvc.vc_rate="20 Mbit/s""#,
        ],
    ),
    with(
        "fcvc.records_per_cell",
        CREDIT,
        &[r#"fcvc.n2="1 cell""#, r#"fcvc.priority="below-guaranteed""#],
        &["", "fcvc.records_per_cell=2", "fcvc.records_per_cell=6"],
    ),
    case(
        "fcvc.priority",
        CREDIT,
        &["", r#"fcvc.priority="below-guaranteed""#],
    ),
    with(
        "fcvc.mark_interval",
        CREDIT,
        &[LOSE],
        &[
            "",
            r#"fcvc.mark_interval="1 ms""#,
            r#"fcvc.mark_interval="2 ms""#,
        ],
    ),
    case("fcvc.allocation", CREDIT, &["", ADAPTIVE]),
    with(
        "fcvc.memory",
        CREDIT,
        &[ADAPTIVE],
        &["", r#"fcvc.memory="40 cells""#, r#"fcvc.memory="60 cells""#],
    ),
    with(
        "fcvc.window",
        CREDIT,
        &[ADAPTIVE],
        &["", r#"fcvc.window="10 cells""#, r#"fcvc.window="50 cells""#],
    ),
    case(
        "link_errors.cell_loss_ratio",
        UBR,
        &[
            "",
            "link_errors.cell_loss_ratio=0.001",
            "link_errors.cell_loss_ratio=0.01",
        ],
    ),
    case(
        "link_errors.lose_every",
        UBR,
        &["", LOSE, "link_errors.lose_every=300"],
    ),
    with(
        "link_errors.cells",
        CREDIT,
        &[LOSE],
        &[
            "",
            r#"link_errors.cells="data""#,
            r#"link_errors.cells="credit""#,
        ],
    ),
];
