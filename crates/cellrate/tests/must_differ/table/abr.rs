//! ABR end systems, and AAL5.

use super::{Case, PREDICTING, case, with};
use crate::bases::{ABR, BURSTY, ERICA, FAR, NOTHING, PERSISTENT, UBR};

const MARK_ALL: &str = r#"switch.control.threshold="0 cells""#;

pub const CASES: &[Case] = &[
    with(
        "abr.rules",
        PERSISTENT,
        &[],
        &[
            "",
            r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#,
            r#"flow.abr.abr={ rules = "eprca", air = "1 Mbit/s" }"#,
            r#"flow.abr.abr={ rules = "smith-predictor", time_constant = "1 ms" }"#,
        ],
    ),
    with(
        "abr.air",
        PERSISTENT,
        &[r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#],
        &["", r#"flow.abr.abr.air="2 Mbit/s""#],
    ),
    with(
        "abr.mdf",
        PERSISTENT,
        &[r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#],
        &["", "flow.abr.abr.mdf=6"],
    ),
    with(
        "abr.time_constant",
        PERSISTENT,
        PREDICTING,
        &["", r#"flow.abr.abr.time_constant="2 ms""#],
    ),
    with(
        "abr.rtd",
        PERSISTENT,
        PREDICTING,
        &["", r#"flow.abr.abr.rtd="0 s""#],
    ),
    with(
        "abr.compensation",
        PERSISTENT,
        &[r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#],
        &["", r#"flow.abr.abr.compensation="counted""#],
    ),
    case("abr.pcr", PERSISTENT, &["", r#"abr.pcr="30 Mbit/s""#]),
    with(
        "abr.mcr",
        PERSISTENT,
        &[
            r#"topology.bottleneck_rate="15 Mbit/s""#,
            r#"abr.icr="12 Mbit/s""#,
        ],
        &["", r#"abr.mcr="10 Mbit/s""#],
    ),
    case("abr.icr", PERSISTENT, &["", r#"abr.icr="10 Mbit/s""#]),
    case("abr.rif", PERSISTENT, &["", "abr.rif=0.03125"]),
    case("abr.rdf", PERSISTENT, &["", "abr.rdf=0.03125"]),
    case("abr.nrm", PERSISTENT, &["", "abr.nrm=16"]),
    with(
        "abr.mrm",
        PERSISTENT,
        &[
            "run.strict=false",
            r#"abr.icr="100 cells/s""#,
            r#"abr.pcr="100 cells/s""#,
            r#"run.duration="3 s""#,
        ],
        &["", "abr.mrm=20"],
    ),
    with(
        "abr.trm",
        PERSISTENT,
        &[
            r#"abr.icr="100 cells/s""#,
            r#"abr.pcr="100 cells/s""#,
            r#"run.duration="3 s""#,
        ],
        &["", r#"abr.trm="50 ms""#],
    ),
    case("abr.crm", FAR, &["", "abr.crm=100"]),
    with(
        "abr.crm_rounding",
        FAR,
        &[r#"abr.tbe="1000 cells""#],
        &[r#"abr.crm_rounding="up""#, r#"abr.crm_rounding="down""#],
    ),
    case("abr.tbe", FAR, &["", r#"abr.tbe="1000 cells""#]),
    with("abr.cdf", FAR, &["abr.crm=100"], &["", "abr.cdf=0.5"]),
    case("abr.adtf", BURSTY, &["", r#"abr.adtf="20 ms""#]),
    case("abr.tcr", NOTHING, &["", r#"abr.tcr="8 cells/s""#]),
    with(
        "abr.apply_tbe_icr_cap",
        FAR,
        &[r#"abr.tbe="1000 cells""#],
        &["", "abr.apply_tbe_icr_cap=true"],
    ),
    case(
        "abr.out_of_rate",
        NOTHING,
        &[
            r#"abr.out_of_rate="below-tcr""#,
            r#"abr.out_of_rate="only-at-zero""#,
            r#"abr.out_of_rate="never""#,
        ],
    ),
    case("abr.frm_needs_data", ABR, &["", "abr.frm_needs_data=true"]),
    case(
        "abr.quantise_rates",
        ERICA,
        &["", "abr.quantise_rates=true"],
    ),
    case(
        "abr.use_it_or_lose_it",
        BURSTY,
        &["", r#"abr.use_it_or_lose_it="1000 cells/s""#],
    ),
    with(
        "abr.er_below_mcr",
        ERICA,
        &[r#"abr.mcr="20 Mbit/s""#, r#"abr.icr="30 Mbit/s""#],
        &[
            r#"abr.er_below_mcr="clamp""#,
            r#"abr.er_below_mcr="ignore""#,
        ],
    ),
    with(
        "abr.reset_saved_efci",
        PERSISTENT,
        &[
            MARK_ALL,
            r#"abr.icr="12 cells/s""#,
            r#"run.duration="60 s""#,
        ],
        &["", "abr.reset_saved_efci=false"],
    ),
    case(
        "aal5.encapsulation",
        UBR,
        &[
            r#"aal5.encapsulation="llc-snap""#,
            r#"aal5.encapsulation="vc-mux""#,
        ],
    ),
];
