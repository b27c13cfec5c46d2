//! TCP.

use super::{Case, case, with};
use crate::bases::{ABR, DEAF, MESSAGES, UBR};

/// CUBIC on a path so long that it is not Reno.
const LONG_CUBIC: &[&str] = &[
    r#"tcp.recovery="cubic""#,
    r#"topology.bottleneck="2000 km""#,
    r#"run.duration="4 s""#,
];

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
            r#"tcp.recovery="cubic""#,
            r#"tcp.recovery="vegas""#,
            r#"tcp.recovery="bbr""#,
        ],
    ),
    with(
        "tcp.recovery.cubic.sack",
        UBR,
        &[r#"tcp.recovery="cubic""#],
        &["", "tcp.recovery.sack=false"],
    ),
    with(
        "tcp.recovery.cubic.c",
        UBR,
        LONG_CUBIC,
        &["", "tcp.recovery.c=400"],
    ),
    with(
        "tcp.recovery.cubic.beta",
        UBR,
        &[r#"tcp.recovery="cubic""#],
        &["", "tcp.recovery.beta=0.5"],
    ),
    with(
        "tcp.recovery.cubic.fast_convergence",
        UBR,
        LONG_CUBIC,
        &["", "tcp.recovery.fast_convergence=false"],
    ),
    with(
        "tcp.recovery.cubic.reno_friendly",
        UBR,
        &[r#"tcp.recovery="cubic""#],
        &["", "tcp.recovery.reno_friendly=false"],
    ),
    with(
        "tcp.recovery.vegas.alpha",
        UBR,
        &[r#"tcp.recovery="vegas""#, r#"switch.buffer="1000 cells""#],
        &["", "tcp.recovery.alpha=4"],
    ),
    with(
        "tcp.recovery.vegas.beta",
        UBR,
        &[r#"tcp.recovery="vegas""#, r#"switch.buffer="1000 cells""#],
        &["", "tcp.recovery.beta=2"],
    ),
    with(
        "tcp.recovery.vegas.gamma",
        UBR,
        &[r#"tcp.recovery="vegas""#, r#"switch.buffer="1000 cells""#],
        &["", "tcp.recovery.gamma=8"],
    ),
    with(
        "tcp.recovery.vegas.early_retransmit",
        UBR,
        &[r#"tcp.recovery="vegas""#, r#"switch.buffer="60 cells""#],
        &["", "tcp.recovery.early_retransmit=false"],
    ),
    with(
        "tcp.recovery.bbr.high_gain",
        UBR,
        &[r#"tcp.recovery="bbr""#],
        &["", "tcp.recovery.high_gain=2"],
    ),
    with(
        "tcp.recovery.bbr.cwnd_gain",
        UBR,
        &[r#"tcp.recovery="bbr""#],
        &["", "tcp.recovery.cwnd_gain=1.5"],
    ),
    with(
        "tcp.recovery.bbr.probe",
        UBR,
        &[r#"tcp.recovery="bbr""#],
        &["", "tcp.recovery.probe=0.1"],
    ),
    with(
        "tcp.recovery.bbr.btlbw_rounds",
        UBR,
        &[r#"tcp.recovery="bbr""#],
        &["", "tcp.recovery.btlbw_rounds=4"],
    ),
    with(
        "tcp.recovery.bbr.rtprop_time",
        UBR,
        &[r#"tcp.recovery="bbr""#],
        &["", r#"tcp.recovery.rtprop_time="50 ms""#],
    ),
    with(
        "tcp.recovery.bbr.probe_rtt_time",
        UBR,
        &[r#"tcp.recovery={ policy = "bbr", rtprop_time = "50 ms" }"#],
        &["", r#"tcp.recovery.probe_rtt_time="20 ms""#],
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
