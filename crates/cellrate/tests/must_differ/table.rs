//! For every property: a scenario, what else to set in it, and values that all make a difference.

use super::bases::{ABR, BURSTY, DEAF, ERICA, FAR, GRAPH, NOTHING, PERSISTENT, UBR};

/// Settings of which no two give the same run.
pub struct Case {
    /// The property, as the schema has it.
    pub property: &'static str,
    /// The scenario.
    pub base: &'static str,
    /// What else is set.
    pub with: &'static [&'static str],
    /// Settings of the property; empty for what the scenario has.
    pub values: &'static [&'static str],
}

const fn case(property: &'static str, base: &'static str, values: &'static [&'static str]) -> Case {
    Case { property, base, with: &[], values }
}

const fn with(
    property: &'static str,
    base: &'static str,
    with: &'static [&'static str],
    values: &'static [&'static str],
) -> Case {
    Case { property, base, with, values }
}

const MARK_ALL: &str = r#"switch.control.threshold="0 cells""#;
const AVERAGED: &str = r#"switch.control.load_averaging="load-factor""#;
const PLUS: &str = "switch.control.queue_control={}";

/// Properties that change nothing that happens, and why.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("run.strict", "decides what is an error"),
    ("measure.from", "what is measured, not what happens"),
    ("measure.to", "what is measured, not what happens"),
    ("measure.sample", "what is measured, not what happens"),
    ("measure.traces", "what is measured, not what happens"),
    ("measure.trace_points", "what is measured, not what happens"),
    ("measure.events", "what is measured, not what happens"),
    ("measure.event_limit", "what is measured, not what happens"),
    ("measure.cell_delay", "what is measured, not what happens"),
    (
        "tcp.idle_restart",
        "needs an application over TCP that pauses, and there is none yet; the sender's own tests hold it",
    ),
    ("topology.graph.node.host.name", "a name"),
    ("topology.graph.node.switch.name", "a name"),
    ("topology.graph.link.duplex", "whether there is a way back, without which no flow here can be"),
];

/// The table.
pub const CASES: &[Case] = &[
    case("run.duration", UBR, &["", r#"run.duration="300 ms""#]),
    with("run.seed", UBR, &[r#"run.start_jitter="1 ms""#], &["", "run.seed=2"]),
    case("run.start_jitter", UBR, &["", r#"run.start_jitter="1 ms""#, r#"run.start_jitter="2 ms""#]),
    // Topology.
    case(
        "topology",
        UBR,
        &[
            "",
            r#"topology={ template = "single-switch", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", access = "10 km", bottleneck = "100 km" }"#,
        ],
    ),
    case("topology", GRAPH, &[""]),
    case("topology.n-source.link_rate", UBR, &["", r#"topology.link_rate="60 Mbit/s""#]),
    case("topology.n-source.bottleneck_rate", UBR, &["", r#"topology.bottleneck_rate="21 Mbit/s""#]),
    case("topology.n-source.access", UBR, &["", r#"topology.access="1 ms""#]),
    case("topology.n-source.bottleneck", UBR, &["", r#"topology.bottleneck="1 ms""#]),
    case("topology.n-source.egress", UBR, &["", r#"topology.egress="1 ms""#]),
    case("topology.single-switch.link_rate", PERSISTENT, &["", r#"topology.link_rate="60 Mbit/s""#]),
    case("topology.single-switch.bottleneck_rate", PERSISTENT, &["", r#"topology.bottleneck_rate="21 Mbit/s""#]),
    case("topology.single-switch.access", PERSISTENT, &["", r#"topology.access="1 ms""#]),
    case("topology.single-switch.bottleneck", PERSISTENT, &["", r#"topology.bottleneck="1 ms""#]),
    case("topology.graph.node", GRAPH, &[""]),
    case("topology.graph.node.switch.buffer", GRAPH, &["", r#"topology.node.X.buffer="10 cells""#]),
    case(
        "topology.graph.node.switch.priority",
        GRAPH,
        &["", r#"topology.node.X.priority=[["abr"], ["ubr", "random"], ["cbr", "vbr"]]"#],
    ),
    case("topology.graph.node.switch.control", GRAPH, &["", r#"topology.node.X.control={ scheme = "erica" }"#]),
    case("topology.graph.node.switch.discard", GRAPH, &["", r#"topology.node.X.discard={ policy = "epd" }"#]),
    case("topology.graph.link.from", GRAPH, &["", r#"topology.link.1.from="Y""#]),
    case("topology.graph.link.to", GRAPH, &["", r#"topology.link.0.to="Z""#]),
    case("topology.graph.link.rate", GRAPH, &["", r#"topology.link.3.rate="40 Mbit/s""#]),
    case("topology.graph.link.delay", GRAPH, &["", r#"topology.link.3.delay="20 km""#]),
    // Switches.
    case("switch.buffer", UBR, &["", r#"switch.buffer="50 cells""#, r#"switch.buffer="infinite""#]),
    case("switch.priority", ERICA, &["", r#"switch.priority=[["abr", "ubr", "random"], ["cbr", "vbr"]]"#]),
    case(
        "switch.control",
        PERSISTENT,
        &["", r#"switch.control={ scheme = "none" }"#, r#"switch.control={ scheme = "erica" }"#],
    ),
    case("switch.control.efci.threshold", PERSISTENT, &["", r#"switch.control.threshold="60 cells""#]),
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
        &[r#"switch.control.mark_at="dequeue""#, r#"switch.control.mark_at="enqueue""#],
    ),
    case("switch.control.erica.target_utilisation", ERICA, &["", "switch.control.target_utilisation=0.8"]),
    case(
        "switch.control.erica.capacity_form",
        ERICA,
        &[r#"switch.control.capacity_form="of-link""#, r#"switch.control.capacity_form="of-remainder""#],
    ),
    case(
        "switch.control.erica.interval",
        ERICA,
        &[r#"switch.control.interval="300 us""#, r#"switch.control.interval="200 us""#],
    ),
    case("switch.control.erica.interval_cells", ERICA, &["", r#"switch.control.interval_cells="20 cells""#]),
    case("switch.control.erica.delta", ERICA, &["", "switch.control.delta=0.0"]),
    case("switch.control.erica.max_alloc", ERICA, &["", "switch.control.max_alloc=false"]),
    case("switch.control.erica.clip_to_fair_share", ERICA, &["", "switch.control.clip_to_fair_share=false"]),
    case("switch.control.erica.clip_to_capacity", BURSTY, &["", "switch.control.clip_to_capacity=false"]),
    case(
        "switch.control.erica.load_averaging",
        ERICA,
        &[r#"switch.control.load_averaging="none""#, AVERAGED, r#"switch.control.load_averaging="components""#],
    ),
    with("switch.control.erica.load_weight", ERICA, &[AVERAGED], &["", "switch.control.load_weight=0.5"]),
    with(
        "switch.control.erica.reset_on_zero",
        BURSTY,
        &[AVERAGED, "flow.abr.count=2", r#"flow.abr.source.peak="40 Mbit/s""#],
        &["", "switch.control.reset_on_zero=true"],
    ),
    case("switch.control.erica.average_sources", ERICA, &["", "switch.control.average_sources=true"]),
    with(
        "switch.control.erica.source_decay",
        ERICA,
        &["switch.control.average_sources=true"],
        &["", "switch.control.source_decay=0.5"],
    ),
    case("switch.control.erica.immediate_fair_share", ERICA, &["", "switch.control.immediate_fair_share=true"]),
    case("switch.control.erica.per_vc_ccr", ERICA, &["", "switch.control.per_vc_ccr=true"]),
    case("switch.control.erica.bidirectional_counting", ERICA, &["", "switch.control.bidirectional_counting=true"]),
    with(
        "switch.control.erica.zero_input_policy",
        BURSTY,
        &["switch.control.average_sources=true", "flow.abr.count=2"],
        &[r#"switch.control.zero_input_policy="fair-share""#, r#"switch.control.zero_input_policy="zero-load""#],
    ),
    with(
        "switch.control.erica.initial_sources",
        ERICA,
        &[r#"switch.control.interval="5 ms""#, r#"switch.control.interval_cells="1000 cells""#],
        &[r#"switch.control.initial_sources="established""#, r#"switch.control.initial_sources="one""#],
    ),
    case(
        "switch.control.erica.queue_control.target_delay",
        ERICA,
        &["", PLUS, r#"switch.control.queue_control={ target_delay = "1 ms" }"#],
    ),
    case("switch.control.erica.queue_control.a", ERICA, &[PLUS, "switch.control.queue_control={ a = 1.3 }"]),
    case("switch.control.erica.queue_control.b", ERICA, &[PLUS, "switch.control.queue_control={ b = 1.2 }"]),
    case(
        "switch.control.erica.queue_control.drain_limit",
        ERICA,
        &[
            r#"switch.control.queue_control={ target_delay = "20 us", a = 2.0 }"#,
            r#"switch.control.queue_control={ target_delay = "20 us", a = 2.0, drain_limit = 0.8 }"#,
        ],
    ),
    // Relative rates.
    with(
        "switch.control.rrm-p.sampling",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-p.low",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-p.high",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-p", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pd.sampling",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-pd.low",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-pd.high",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.sampling",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.low",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.high",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pd-plus.beta",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pd-plus", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.beta="3 cells""#],
    ),
    with(
        "switch.control.rrm-pid.sampling",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.sampling="50 cells""#],
    ),
    with(
        "switch.control.rrm-pid.low",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.low="30 cells""#],
    ),
    with(
        "switch.control.rrm-pid.high",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
        &["", r#"switch.control.high="60 cells""#],
    ),
    with(
        "switch.control.rrm-pid.alpha",
        ERICA,
        &[r#"switch.control={ scheme = "rrm-pid", sampling = "20 cells", low = "10 cells", high = "40 cells" }"#],
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
    // Explicit rates.
    with(
        "switch.control.fmmra.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.fmmra.interval",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.fmmra.interval_cells",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.interval_cells="20 cells""#],
    ),
    with(
        "switch.control.fmmra.er_max_weight",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.er_max_weight=0.5"#],
    ),
    with(
        "switch.control.fmmra.er_max_floor",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.er_max_floor="explicit-rate""#],
    ),
    with(
        "switch.control.fmmra.qt",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.qt="5 cells""#],
    ),
    with(
        "switch.control.fmmra.dqt",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.dqt="60 cells""#],
    ),
    with(
        "switch.control.fmmra.record_forward",
        ERICA,
        &[r#"switch.control={ scheme = "fmmra" }"#],
        &["", r#"switch.control.record_forward=false"#],
    ),
    with(
        "switch.control.fmmra.drain_factor",
        ERICA,
        &[
            r#"switch.control={ scheme = "fmmra" }"#,
            r#"switch.control.qt="5 cells""#,
            r#"switch.control.dqt="10 cells""#,
        ],
        &["", r#"switch.control.drain_factor=0.7"#],
    ),
    with(
        "switch.control.charny.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.charny.interval",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.charny.record_forward",
        ERICA,
        &[r#"switch.control={ scheme = "charny" }"#],
        &["", r#"switch.control.record_forward=true"#],
    ),
    with(
        "switch.control.eprca.qt",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.qt="20 cells""#],
    ),
    with(
        "switch.control.eprca.dqt",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.dqt="50 cells""#],
    ),
    with(
        "switch.control.eprca.av",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.av=0.2"#],
    ),
    with(
        "switch.control.eprca.averaging",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.averaging="all""#],
    ),
    with(
        "switch.control.eprca.vcs",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.vcs=0.5"#],
    ),
    with(
        "switch.control.eprca.dpf",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.dpf=0.5"#],
    ),
    with(
        "switch.control.eprca.erf",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.erf=0.8"#],
    ),
    with(
        "switch.control.eprca.mrf",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.mrf=0.5"#],
    ),
    with(
        "switch.control.eprca.marking",
        ERICA,
        &[
            r#"switch.control={ scheme = "eprca" }"#,
            r#"switch.control.qt="10 cells""#,
            r#"switch.control.dqt="30 cells""#,
        ],
        &["", r#"switch.control.marking="binary""#],
    ),
    with(
        "switch.control.osu.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.osu.interval",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.osu.delta",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &["", r#"switch.control.delta=0.3"#],
    ),
    with(
        "switch.control.osu.fairness",
        ERICA,
        &[r#"switch.control={ scheme = "osu" }"#],
        &[
            r#"switch.control.fairness="none""#,
            r#"switch.control.fairness="basic""#,
            r#"switch.control.fairness="precise""#,
        ],
    ),
    with(
        "switch.control.capc.target_utilisation",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.target_utilisation=0.8"#],
    ),
    with(
        "switch.control.capc.interval",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.capc.rup",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.rup=0.5"#],
    ),
    with(
        "switch.control.capc.rdn",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.rdn=0.3"#],
    ),
    with(
        "switch.control.capc.erf",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.erf=0.9"#],
    ),
    with(
        "switch.control.capc.threshold",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#],
        &["", r#"switch.control.threshold="2 cells""#],
    ),
    with(
        "switch.control.capc.eru",
        ERICA,
        &[r#"switch.control={ scheme = "capc" }"#, r#"switch.control.rup=2.0"#],
        &["", r#"switch.control.eru=1.1"#],
    ),
    with(
        "switch.control.phantom.interval",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.interval="300 us""#],
    ),
    with(
        "switch.control.phantom.utilisation_factor",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.utilisation_factor=3.0"#],
    ),
    with(
        "switch.control.phantom.alpha_inc",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.alpha_inc=0.2"#],
    ),
    with(
        "switch.control.phantom.alpha_dec",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.alpha_dec=0.1"#],
    ),
    with(
        "switch.control.phantom.decrease_floor",
        ERICA,
        &[r#"switch.control={ scheme = "phantom" }"#],
        &["", r#"switch.control.decrease_floor=0.95"#],
    ),
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
        &[r#"switch.discard={ policy = "ppd" }"#, r#"switch.discard={ policy = "ppd", forward_end = false }"#],
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
    // TCP.
    case(
        "tcp.recovery",
        UBR,
        &[
            r#"tcp.recovery="timeout-only""#,
            r#"tcp.recovery="tahoe""#,
            r#"tcp.recovery="reno""#,
            r#"tcp.recovery="newreno""#,
            r#"tcp.recovery="jacobson88""#,
        ],
    ),
    case("tcp.mss", UBR, &["", r#"tcp.mss="1024 bytes""#]),
    case("tcp.window", UBR, &["", r#"tcp.window="4 KiB""#]),
    case("tcp.initial_window", UBR, &["", "tcp.initial_window=2"]),
    case("tcp.initial_ssthresh", UBR, &["", r#"tcp.initial_ssthresh="2 KiB""#]),
    case("tcp.granularity", UBR, &["", r#"tcp.granularity="5 ms""#]),
    case("tcp.initial_rto", DEAF, &["", r#"tcp.initial_rto="40 ms""#]),
    case("tcp.min_rto", UBR, &["", r#"tcp.min_rto="60 ms""#]),
    case("tcp.max_rto", DEAF, &["", r#"tcp.max_rto="60 ms""#]),
    case("tcp.max_backoff", DEAF, &["", "tcp.max_backoff=1"]),
    case("tcp.delayed_ack", UBR, &["", "tcp.delayed_ack=true"]),
    with("tcp.delayed_ack_interval", UBR, &["tcp.delayed_ack=true"], &["", r#"tcp.delayed_ack_interval="50 ms""#]),
    case("tcp.processing_time", UBR, &["", r#"tcp.processing_time="100 us""#]),
    case("tcp.processing_variation", UBR, &["", r#"tcp.processing_variation="100 us""#]),
    case("tcp.restore_snd_nxt", UBR, &["", "tcp.restore_snd_nxt=false"]),
    case("tcp.header_bytes", UBR, &["", "tcp.header_bytes=80"]),
    case("tcp.net3_increment", UBR, &["", "tcp.net3_increment=true"]),
    with(
        "tcp.rtt_excludes_transmission",
        ABR,
        &[r#"tcp.granularity="100 us""#, r#"tcp.min_rto="100 us""#, r#"switch.buffer="60 cells""#],
        &["", "tcp.rtt_excludes_transmission=true"],
    ),
    // ABR.
    with(
        "abr.rules",
        PERSISTENT,
        &[],
        &[
            "",
            r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#,
            r#"flow.abr.abr={ rules = "eprca", air = "1 Mbit/s" }"#,
        ],
    ),
    with(
        "abr.air",
        PERSISTENT,
        &[r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#],
        &["", r#"flow.abr.abr.air="2 Mbit/s""#],
    ),
    with("abr.mdf", PERSISTENT, &[r#"flow.abr.abr={ rules = "prca", air = "1 Mbit/s" }"#], &["", "flow.abr.abr.mdf=6"]),
    case("abr.pcr", PERSISTENT, &["", r#"abr.pcr="30 Mbit/s""#]),
    with(
        "abr.mcr",
        PERSISTENT,
        &[r#"topology.bottleneck_rate="15 Mbit/s""#, r#"abr.icr="12 Mbit/s""#],
        &["", r#"abr.mcr="10 Mbit/s""#],
    ),
    case("abr.icr", PERSISTENT, &["", r#"abr.icr="10 Mbit/s""#]),
    case("abr.rif", PERSISTENT, &["", "abr.rif=0.03125"]),
    case("abr.rdf", PERSISTENT, &["", "abr.rdf=0.03125"]),
    case("abr.nrm", PERSISTENT, &["", "abr.nrm=16"]),
    with(
        "abr.mrm",
        PERSISTENT,
        &["run.strict=false", r#"abr.icr="100 cells/s""#, r#"abr.pcr="100 cells/s""#, r#"run.duration="3 s""#],
        &["", "abr.mrm=20"],
    ),
    with(
        "abr.trm",
        PERSISTENT,
        &[r#"abr.icr="100 cells/s""#, r#"abr.pcr="100 cells/s""#, r#"run.duration="3 s""#],
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
    with("abr.apply_tbe_icr_cap", FAR, &[r#"abr.tbe="1000 cells""#], &["", "abr.apply_tbe_icr_cap=true"]),
    case(
        "abr.out_of_rate",
        NOTHING,
        &[r#"abr.out_of_rate="below-tcr""#, r#"abr.out_of_rate="only-at-zero""#, r#"abr.out_of_rate="never""#],
    ),
    case("abr.frm_needs_data", ABR, &["", "abr.frm_needs_data=true"]),
    case("abr.quantise_rates", ERICA, &["", "abr.quantise_rates=true"]),
    case("abr.use_it_or_lose_it", BURSTY, &["", r#"abr.use_it_or_lose_it="1000 cells/s""#]),
    with(
        "abr.er_below_mcr",
        ERICA,
        &[r#"abr.mcr="20 Mbit/s""#, r#"abr.icr="30 Mbit/s""#],
        &[r#"abr.er_below_mcr="clamp""#, r#"abr.er_below_mcr="ignore""#],
    ),
    with(
        "abr.reset_saved_efci",
        PERSISTENT,
        &[MARK_ALL, r#"abr.icr="12 cells/s""#, r#"run.duration="60 s""#],
        &["", "abr.reset_saved_efci=false"],
    ),
    case("aal5.encapsulation", UBR, &[r#"aal5.encapsulation="llc-snap""#, r#"aal5.encapsulation="vc-mux""#]),
    // Flows.
    // A name is where the flow's random numbers come from.
    with("flow.name", UBR, &[r#"run.start_jitter="1 ms""#], &["", r#"flow.tcp.name="other""#]),
    case("flow.count", UBR, &["", "flow.tcp.count=2"]),
    with("flow.service", ABR, &[r#"switch.buffer="60 cells""#], &["", r#"flow.tcp.service="ubr""#]),
    case("flow.ack_service", GRAPH, &["", r#"flow.tcp.ack_service="cbr""#]),
    case("flow.start", UBR, &["", r#"flow.tcp.start="1 ms""#]),
    case("flow.stagger", UBR, &["", r#"flow.tcp.stagger="2 ms""#]),
    case("flow.source_queue", ABR, &["", r#"flow.tcp.source_queue="50 cells""#]),
    case("flow.from", GRAPH, &["", r#"flow.tcp.from="h3""#]),
    case("flow.to", GRAPH, &["", r#"flow.tcp.to="h4""#]),
    case("flow.route", GRAPH, &["", r#"flow.tcp.route=["h1", "X", "Z", "Y", "h2"]"#]),
    case("flow.return_route", GRAPH, &["", r#"flow.tcp.return_route=["h2", "Y", "Z", "X", "h1"]"#]),
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
            r#"flow.tcp.source={ kind = "persistent" }"#,
        ],
    ),
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
    case("flow.source.on-off.peak", BURSTY, &["", r#"flow.abr.source.peak="30 Mbit/s""#]),
    case("flow.source.on-off.period", BURSTY, &["", r#"flow.abr.source.period="50 ms""#]),
    case("flow.source.on-off.duty_cycle", BURSTY, &["", "flow.abr.source.duty_cycle=0.5"]),
    case("flow.source.poisson.rate", ABR, &["", r#"flow.poisson.source.rate="3 Mbit/s""#]),
];
