//! Sources.

use super::{Case, case, with};
use crate::bases::{ABR, BURSTY, EXPONENTIAL, FILES, MESSAGES, UBR, WWW};

pub const CASES: &[Case] = &[
    with(
        "flow.source.transfer.size",
        UBR,
        &[r#"flow.tcp.source={ kind = "transfer", size = "100 kB" }"#],
        &["", r#"flow.tcp.source.size="101 kB""#],
    ),
    with(
        "flow.source.cbr.rate",
        UBR,
        &[r#"flow.tcp.source={ kind = "cbr", rate = "5 Mbit/s" }"#],
        &["", r#"flow.tcp.source.rate="6 Mbit/s""#],
    ),
    case(
        "flow.source.on-off.peak",
        BURSTY,
        &["", r#"flow.abr.source.peak="30 Mbit/s""#],
    ),
    case(
        "flow.source.on-off.period",
        BURSTY,
        &["", r#"flow.abr.source.period="50 ms""#],
    ),
    case(
        "flow.source.on-off.duty_cycle",
        BURSTY,
        &["", "flow.abr.source.duty_cycle=0.5"],
    ),
    case(
        "flow.source.exponential-on-off.peak",
        EXPONENTIAL,
        &["", r#"flow.vbr.source.peak="6 Mbit/s""#],
    ),
    case(
        "flow.source.exponential-on-off.mean_on",
        EXPONENTIAL,
        &["", r#"flow.vbr.source.mean_on="6 ms""#],
    ),
    case(
        "flow.source.exponential-on-off.mean_off",
        EXPONENTIAL,
        &["", r#"flow.vbr.source.mean_off="6 ms""#],
    ),
    case(
        "flow.source.mmdp.sources",
        EXPONENTIAL,
        &["", "flow.many.source.sources=3"],
    ),
    case(
        "flow.source.mmdp.peak",
        EXPONENTIAL,
        &["", r#"flow.many.source.peak="6 Mbit/s""#],
    ),
    case(
        "flow.source.mmdp.mean_on",
        EXPONENTIAL,
        &["", r#"flow.many.source.mean_on="6 ms""#],
    ),
    case(
        "flow.source.mmdp.burstiness",
        EXPONENTIAL,
        &["", "flow.many.source.burstiness=1.5"],
    ),
    case(
        "flow.source.mpeg2.sources",
        EXPONENTIAL,
        &["", "flow.video.source.sources=2"],
    ),
    case(
        "flow.source.mpeg2.mean",
        EXPONENTIAL,
        &["", r#"flow.video.source.mean="3 Mbit/s""#],
    ),
    case(
        "flow.source.mpeg2.standard_deviation",
        EXPONENTIAL,
        &["", r#"flow.video.source.standard_deviation="4 Mbit/s""#],
    ),
    case(
        "flow.source.mpeg2.peak",
        EXPONENTIAL,
        &["", r#"flow.video.source.peak="7 Mbit/s""#],
    ),
    case(
        "flow.source.mpeg2.hurst",
        EXPONENTIAL,
        &["", "flow.video.source.hurst=0.7"],
    ),
    case(
        "flow.source.mpeg2.bound",
        EXPONENTIAL,
        &[
            "",
            r#"flow.video.source.bound="discard""#,
            r#"flow.video.source.bound="truncate""#,
            r#"flow.video.source.bound="exponential""#,
        ],
    ),
    case(
        "flow.source.mpeg2.interval_low",
        EXPONENTIAL,
        &["", r#"flow.video.source.interval_low="2 ms""#],
    ),
    case(
        "flow.source.mpeg2.interval_high",
        EXPONENTIAL,
        &["", r#"flow.video.source.interval_high="6 ms""#],
    ),
    case(
        "flow.source.mpeg2.rates",
        EXPONENTIAL,
        &["", r#"flow.video.source.rates="transport-packets""#],
    ),
    with(
        "flow.source.mpeg2.packets_per_pdu",
        EXPONENTIAL,
        &[r#"flow.video.source.rates="transport-packets""#],
        &["", "flow.video.source.packets_per_pdu=1"],
    ),
    case(
        "flow.source.mpeg2.block",
        EXPONENTIAL,
        &["", "flow.video.source.block=2048"],
    ),
    case(
        "flow.source.rate-trace.file",
        FILES,
        &["", r#"flow.trace.source.file="../../examples/rates.csv""#],
    ),
    case(
        "flow.source.rate-trace.peak",
        FILES,
        &["", r#"flow.trace.source.peak="3 Mbit/s""#],
    ),
    case(
        "flow.source.rate-trace.repeat",
        FILES,
        &["", "flow.trace.source.repeat=false"],
    ),
    case(
        "flow.source.rate-trace.random_phase",
        FILES,
        &["", "flow.trace.source.random_phase=true"],
    ),
    case(
        "flow.source.transport-stream.file",
        FILES,
        &[
            "",
            r#"flow.stream.source.file="../../examples/pictures.ts""#,
        ],
    ),
    case(
        "flow.source.transport-stream.program",
        FILES,
        &["", "flow.stream.source.program=2"],
    ),
    case(
        "flow.source.transport-stream.pcr_pid",
        FILES,
        &["", "flow.stream.source.pcr_pid=257"],
    ),
    with(
        "flow.source.transport-stream.null_packets",
        FILES,
        &[
            r#"flow.stream.source={ kind = "transport-stream", file = "tests/data/two-programs.ts", pcr_pid = 256 }"#,
        ],
        &["", "flow.stream.source.null_packets=true"],
    ),
    case(
        "flow.source.transport-stream.packets_per_pdu",
        FILES,
        &["", "flow.stream.source.packets_per_pdu=1"],
    ),
    case(
        "flow.source.transport-stream.peak",
        FILES,
        &["", r#"flow.stream.source.peak="0.3 Mbit/s""#],
    ),
    case(
        "flow.source.transport-stream.repeat",
        FILES,
        &["", "flow.stream.source.repeat=false"],
    ),
    case(
        "flow.source.transport-stream.random_phase",
        FILES,
        &["", "flow.stream.source.random_phase=true"],
    ),
    case(
        "flow.source.messages.mean_length",
        MESSAGES,
        &["", r#"flow.tcp.source.mean_length="21 kB""#],
    ),
    case(
        "flow.source.messages.mean_rate",
        MESSAGES,
        &["", r#"flow.tcp.source.mean_rate="2.1 Mbit/s""#],
    ),
    case(
        "flow.source.messages.peak_rate",
        MESSAGES,
        &["", r#"flow.tcp.source.peak_rate="10 Mbit/s""#],
    ),
    case(
        "flow.source.www.think_time",
        WWW,
        &["", r#"flow.www.source.think_time="31 ms""#],
    ),
    case(
        "flow.source.www.objects",
        WWW,
        &["", "flow.www.source.objects=2.0"],
    ),
    case(
        "flow.source.www.pipelined",
        WWW,
        &["", "flow.www.source.pipelined=true"],
    ),
    case(
        "flow.source.www.server_time",
        WWW,
        &["", r#"flow.www.source.server_time="1 ms""#],
    ),
    case(
        "flow.source.www.pareto_shape",
        WWW,
        &[
            "",
            "flow.www.source.pareto_shape=1.2",
            "flow.www.source.pareto_shape=1.3",
        ],
    ),
    with(
        "flow.source.www.smallest",
        WWW,
        &["flow.www.source.pareto_shape=1.2"],
        &["", r#"flow.www.source.smallest="2 kB""#],
    ),
    with(
        "flow.source.www.largest",
        WWW,
        &["flow.www.source.pareto_shape=1.2"],
        &["", r#"flow.www.source.largest="20 kB""#],
    ),
    case(
        "flow.source.poisson.rate",
        ABR,
        &["", r#"flow.poisson.source.rate="3 Mbit/s""#],
    ),
];
