//! Topologies.

use super::{Case, case};
use crate::bases::{GRAPH, LOT_BY_ACCESS, PARKING_LOT, PERSISTENT, UBR};

pub const CASES: &[Case] = &[
    case(
        "topology",
        UBR,
        &[
            "",
            r#"topology={ template = "single-switch", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", access = "10 km", bottleneck = "100 km" }"#,
        ],
    ),
    case("topology", GRAPH, &[""]),
    case(
        "topology.n-source.link_rate",
        UBR,
        &["", r#"topology.link_rate="60 Mbit/s""#],
    ),
    case(
        "topology.n-source.bottleneck_rate",
        UBR,
        &["", r#"topology.bottleneck_rate="21 Mbit/s""#],
    ),
    case(
        "topology.n-source.access",
        UBR,
        &["", r#"topology.access="1 ms""#],
    ),
    case(
        "topology.n-source.bottleneck",
        UBR,
        &["", r#"topology.bottleneck="1 ms""#],
    ),
    case(
        "topology.n-source.egress",
        UBR,
        &["", r#"topology.egress="1 ms""#],
    ),
    case(
        "topology.single-switch.link_rate",
        PERSISTENT,
        &["", r#"topology.link_rate="60 Mbit/s""#],
    ),
    case(
        "topology.single-switch.bottleneck_rate",
        PERSISTENT,
        &["", r#"topology.bottleneck_rate="21 Mbit/s""#],
    ),
    case(
        "topology.single-switch.access",
        PERSISTENT,
        &["", r#"topology.access="1 ms""#],
    ),
    case(
        "topology.single-switch.bottleneck",
        PERSISTENT,
        &["", r#"topology.bottleneck="1 ms""#],
    ),
    case("topology", PARKING_LOT, &[""]),
    case(
        "topology.parking-lot.link_rate",
        PARKING_LOT,
        &["", r#"topology.link_rate="60 Mbit/s""#],
    ),
    case(
        "topology.parking-lot.bottleneck_rate",
        PARKING_LOT,
        &["", r#"topology.bottleneck_rate="21 Mbit/s""#],
    ),
    case(
        "topology.parking-lot.switches",
        PARKING_LOT,
        &["", "topology.switches=5"],
    ),
    case(
        "topology.parking-lot.hop",
        PARKING_LOT,
        &["", r#"topology.hop="20 km""#],
    ),
    case(
        "topology.parking-lot.span",
        PARKING_LOT,
        &["", r#"topology.span="101 km""#],
    ),
    case(
        "topology.parking-lot.egress",
        PARKING_LOT,
        &["", r#"topology.egress="6 km""#],
    ),
    case(
        "topology.parking-lot.access",
        LOT_BY_ACCESS,
        &["", r#"topology.access="11 km""#],
    ),
    case("topology.graph.node", GRAPH, &[""]),
    case(
        "topology.graph.node.switch.buffer",
        GRAPH,
        &["", r#"topology.node.X.buffer="10 cells""#],
    ),
    case(
        "topology.graph.node.switch.priority",
        GRAPH,
        &[
            "",
            r#"topology.node.X.priority=[["abr"], ["ubr", "random"], ["cbr", "vbr"]]"#,
        ],
    ),
    case(
        "topology.graph.node.switch.control",
        GRAPH,
        &["", r#"topology.node.X.control={ scheme = "erica" }"#],
    ),
    case(
        "topology.graph.node.switch.rm_first",
        GRAPH,
        &["", "topology.node.X.rm_first=true"],
    ),
    case(
        "topology.graph.node.switch.vsvd",
        GRAPH,
        &["", "topology.node.X.vsvd={}"],
    ),
    case(
        "topology.graph.node.switch.discard",
        GRAPH,
        &["", r#"topology.node.X.discard={ policy = "epd" }"#],
    ),
    case(
        "topology.graph.link.from",
        GRAPH,
        &["", r#"topology.link.1.from="Y""#],
    ),
    case(
        "topology.graph.link.to",
        GRAPH,
        &["", r#"topology.link.0.to="Z""#],
    ),
    case(
        "topology.graph.link.rate",
        GRAPH,
        &["", r#"topology.link.3.rate="40 Mbit/s""#],
    ),
    case(
        "topology.graph.link.delay",
        GRAPH,
        &["", r#"topology.link.3.delay="20 km""#],
    ),
];
