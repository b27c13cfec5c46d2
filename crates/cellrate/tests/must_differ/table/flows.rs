//! Flows, except their sources.

use super::{Case, case, with};
use crate::bases::{ABR, GRAPH, PARKING_LOT, PERSISTENT, UBR};

pub const CASES: &[Case] = &[
    // The flow's random numbers depend on its name.
    with(
        "flow.name",
        UBR,
        &[r#"run.start_jitter="1 ms""#],
        &["", r#"flow.tcp.name="other""#],
    ),
    case("flow.count", UBR, &["", "flow.tcp.count=2"]),
    with(
        "flow.service",
        ABR,
        &[r#"switch.buffer="60 cells""#],
        &["", r#"flow.tcp.service="ubr""#],
    ),
    case(
        "flow.ack_service",
        GRAPH,
        &["", r#"flow.tcp.ack_service="cbr""#],
    ),
    case(
        "flow.ack_service",
        ABR,
        &["", r#"flow.tcp.ack_service="ubr""#],
    ),
    case("flow.start", UBR, &["", r#"flow.tcp.start="1 ms""#]),
    case("flow.stagger", UBR, &["", r#"flow.tcp.stagger="2 ms""#]),
    case(
        "flow.source_queue",
        ABR,
        &["", r#"flow.tcp.source_queue="50 cells""#],
    ),
    with(
        "flow.source_queue_refuses",
        ABR,
        &[r#"flow.tcp.source_queue="50 cells""#],
        &["", r#"flow.tcp.source_queue_refuses="cell""#],
    ),
    case("flow.from", GRAPH, &["", r#"flow.tcp.from="h3""#]),
    case("flow.to", GRAPH, &["", r#"flow.tcp.to="h4""#]),
    case(
        "flow.route",
        GRAPH,
        &["", r#"flow.tcp.route=["h1", "X", "Z", "Y", "h2"]"#],
    ),
    case(
        "flow.return_route",
        GRAPH,
        &["", r#"flow.tcp.return_route=["h2", "Y", "Z", "X", "h1"]"#],
    ),
    case("flow.enters", PARKING_LOT, &["", "flow.cbr.enters=2"]),
    case("flow.hops", PARKING_LOT, &["", "flow.cbr.hops=1"]),
    case("flow.access", UBR, &["", r#"flow.tcp.access="1 ms""#]),
    case("flow.egress", UBR, &["", r#"flow.tcp.egress="1 ms""#]),
    case("flow.tcp", UBR, &["", r#"flow.tcp.tcp.mss="1024 bytes""#]),
    case("flow.abr", PERSISTENT, &["", r#"flow.abr.abr.rif=0.03125"#]),
    case(
        "flow.source",
        UBR,
        &[
            r#"flow.tcp.source={ kind = "greedy" }"#,
            r#"flow.tcp.source={ kind = "transfer", size = "100 kB" }"#,
            r#"flow.tcp.source={ kind = "cbr", rate = "5 Mbit/s" }"#,
            r#"flow.tcp.source={ kind = "on-off", peak = "5 Mbit/s", period = "10 ms", duty_cycle = 0.5 }"#,
            r#"flow.tcp.source={ kind = "poisson", rate = "5 Mbit/s" }"#,
            r#"flow.tcp.source={ kind = "exponential-on-off", peak = "5 Mbit/s", mean_on = "5 ms", mean_off = "5 ms" }"#,
            r#"flow.tcp.source={ kind = "mmdp", sources = 2, peak = "5 Mbit/s", mean_on = "5 ms", burstiness = 2.0 }"#,
            r#"flow.tcp.source={ kind = "mpeg2", mean = "5 Mbit/s", standard_deviation = "5 Mbit/s" }"#,
            r#"flow.tcp.source={ kind = "rate-trace", file = "tests/data/rates.csv" }"#,
            r#"flow.tcp.source={ kind = "transport-stream", file = "../../examples/pictures.ts" }"#,
            r#"flow.tcp.source={ kind = "messages", mean_length = "20 kB", mean_rate = "5 Mbit/s" }"#,
            r#"flow.tcp.source={ kind = "www", think_time = "2 ms" }"#,
            r#"flow.tcp.source={ kind = "persistent" }"#,
        ],
    ),
    case("flow.reverse", UBR, &["", "flow.tcp.reverse=true"]),
];
