//! TCP.

use super::{Case, case, with};
use crate::bases::{ABR, DEAF, MESSAGES, UBR};

pub const CASES: &[Case] = &[
    case(
        "tcp.recovery",
        UBR,
        &[
            r#"tcp.recovery="timeout-only""#,
            r#"tcp.recovery="tahoe""#,
            r#"tcp.recovery="reno""#,
            r#"tcp.recovery="newreno""#,
            r#"tcp.recovery="sack""#,
            r#"tcp.recovery="jacobson88""#,
        ],
    ),
    case(
        "tcp.connection_setup",
        UBR,
        &["tcp.connection_setup=false", "tcp.connection_setup=true"],
    ),
    case("tcp.mss", UBR, &["", r#"tcp.mss="1024 bytes""#]),
    case("tcp.window", UBR, &["", r#"tcp.window="4 KiB""#]),
    case("tcp.initial_window", UBR, &["", "tcp.initial_window=2"]),
    case(
        "tcp.initial_ssthresh",
        UBR,
        &["", r#"tcp.initial_ssthresh="2 KiB""#],
    ),
    case("tcp.granularity", UBR, &["", r#"tcp.granularity="5 ms""#]),
    case(
        "tcp.clock",
        UBR,
        &[r#"tcp.clock="per-host""#, r#"tcp.clock="shared""#],
    ),
    case("tcp.initial_rto", DEAF, &["", r#"tcp.initial_rto="40 ms""#]),
    case("tcp.min_rto", UBR, &["", r#"tcp.min_rto="60 ms""#]),
    case("tcp.max_rto", DEAF, &["", r#"tcp.max_rto="60 ms""#]),
    case("tcp.max_backoff", DEAF, &["", "tcp.max_backoff=1"]),
    case("tcp.delayed_ack", UBR, &["", "tcp.delayed_ack=true"]),
    with(
        "tcp.delayed_ack_interval",
        UBR,
        &["tcp.delayed_ack=true"],
        &["", r#"tcp.delayed_ack_interval="50 ms""#],
    ),
    case(
        "tcp.processing_time",
        UBR,
        &["", r#"tcp.processing_time="100 us""#],
    ),
    case(
        "tcp.processing_variation",
        UBR,
        &["", r#"tcp.processing_variation="100 us""#],
    ),
    case(
        "tcp.restore_snd_nxt",
        UBR,
        &["", "tcp.restore_snd_nxt=false"],
    ),
    case("tcp.header_bytes", UBR, &["", "tcp.header_bytes=80"]),
    case("tcp.net3_increment", UBR, &["", "tcp.net3_increment=true"]),
    case(
        "tcp.idle_restart",
        MESSAGES,
        &["tcp.idle_restart=true", "tcp.idle_restart=false"],
    ),
    with(
        "tcp.rtt_excludes_transmission",
        ABR,
        &[
            r#"tcp.granularity="100 us""#,
            r#"tcp.min_rto="100 us""#,
            r#"switch.buffer="60 cells""#,
        ],
        &["", "tcp.rtt_excludes_transmission=true"],
    ),
];
