//! Small scenarios, each made for a group of settings.

/// TCP over UBR, with more cells than the buffer holds.
pub const UBR: &str = r#"
    run = { duration = "400 ms" }
    topology = { template = "n-source", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
    switch = { buffer = "100 cells" }
    tcp = { granularity = "10 ms", min_rto = "20 ms", initial_rto = "50 ms" }
    flow = [{ name = "tcp", count = 3, stagger = "1 ms", service = "ubr" }]
"#;

/// TCP without any delivery: no PDU fits into the buffer.
pub const DEAF: &str = r#"
    run = { duration = "1 s" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", bottleneck_rate = "2 Mbit/s", access = "10 km", bottleneck = "100 km" }
    switch = { buffer = "5 cells" }
    tcp = { granularity = "10 ms", min_rto = "20 ms", initial_rto = "30 ms" }
    flow = [{ name = "tcp", service = "ubr" }]
"#;

/// Bare cells with exponential periods, of one source and of several.
pub const EXPONENTIAL: &str = r#"
    run = { duration = "100 ms" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", bottleneck_rate = "10 Mbit/s", access = "10 km", bottleneck = "10 km" }
    flow = [
        { name = "vbr", service = "vbr", source = { kind = "exponential-on-off", peak = "5 Mbit/s", mean_on = "5 ms", mean_off = "5 ms" } },
        { name = "video", service = "vbr", source = { kind = "mpeg2", mean = "2 Mbit/s", standard_deviation = "5 Mbit/s", peak = "6 Mbit/s", bound = "truncate-and-carry", interval_low = "1 ms", interval_high = "5 ms", block = 1024 } },
        { name = "many", service = "vbr", source = { kind = "mmdp", sources = 2, peak = "5 Mbit/s", mean_on = "5 ms", burstiness = 2.0 } },
    ]
"#;

/// Sources that play files.
pub const FILES: &str = r#"
    run = { duration = "1500 ms" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", bottleneck_rate = "10 Mbit/s", access = "10 km", bottleneck = "10 km" }
    flow = [
        { name = "trace", service = "vbr", source = { kind = "rate-trace", file = "tests/data/rates.csv", repeat = true } },
        { name = "stream", service = "vbr", source = { kind = "transport-stream", file = "tests/data/two-programs.ts", program = 1, repeat = true } },
    ]
"#;

/// Flows that enter at different switches.
pub const PARKING_LOT: &str = r#"
    run = { duration = "100 ms" }
    topology = { template = "parking-lot", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", switches = 4, hop = "10 km", span = "100 km", egress = "5 km" }
    switch.control = { scheme = "efci", threshold = "50 cells" }
    flow = [
        { name = "abr", count = 3, service = "abr", source = { kind = "persistent" } },
        { name = "cbr", service = "cbr", source = { kind = "cbr", rate = "5 Mbit/s" } },
    ]
"#;

/// The same with equal links to the switches.
pub const LOT_BY_ACCESS: &str = r#"
    run = { duration = "100 ms" }
    topology = { template = "parking-lot", link_rate = "50 Mbit/s", switches = 3, hop = "10 km", access = "10 km", egress = "5 km" }
    switch.control = { scheme = "efci", threshold = "50 cells" }
    flow = [{ name = "abr", count = 2, service = "abr", source = { kind = "persistent" } }]
"#;

/// Applications over TCP that pause for longer than a retransmission timeout.
pub const MESSAGES: &str = r#"
    run = { duration = "1 s" }
    topology = { template = "n-source", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
    switch = { buffer = "100 cells" }
    tcp = { granularity = "1 ms", min_rto = "10 ms", initial_rto = "50 ms" }
    flow = [{ name = "tcp", count = 3, service = "ubr", source = { kind = "messages", mean_length = "20 kB", mean_rate = "2 Mbit/s" } }]
"#;

/// Clients of Web servers.
pub const WWW: &str = r#"
    run = { duration = "1 s" }
    topology = { template = "n-source", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
    tcp = { granularity = "1 ms", min_rto = "10 ms", initial_rto = "50 ms" }
    flow = [{ name = "www", count = 2, service = "ubr", source = { kind = "www", think_time = "30 ms" } }]
"#;

/// TCP over ABR with EFCI, both ways over one bottleneck.
pub const ABR: &str = r#"
    run = { duration = "300 ms" }
    topology = { template = "n-source", link_rate = "50 Mbit/s", bottleneck_rate = "20 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
    switch.control = { scheme = "efci", threshold = "50 cells" }
    tcp = { granularity = "10 ms", min_rto = "20 ms", initial_rto = "50 ms" }
    flow = [
        { name = "tcp", count = 2, stagger = "1 ms", service = "abr" },
        { name = "poisson", service = "random", source = { kind = "poisson", rate = "2 Mbit/s" } },
    ]
"#;

/// ABR sources that always have cells, one of them at a limited rate.
pub const PERSISTENT: &str = r#"
    run = { duration = "200 ms" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "100 km" }
    switch.control = { scheme = "efci", threshold = "50 cells" }
    abr.icr = "20 Mbit/s"
    flow = [{ name = "abr", count = 2, service = "abr", source = { kind = "persistent" } }]
"#;

/// A destination a tenth of a second away.
pub const FAR: &str = r#"
    run = { duration = "500 ms" }
    topology = { template = "single-switch", link_rate = "20 Mbit/s", access = "10 km", bottleneck = "20000 km" }
    flow = [{ name = "abr", service = "abr", source = { kind = "persistent" } }]
"#;

/// An ABR source that pauses, at a switch with ERICA.
pub const BURSTY: &str = r#"
    run = { duration = "400 ms" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "300 km" }
    switch.control = { scheme = "erica", interval = "500 us", interval_cells = "50 cells" }
    abr.icr = "1 Mbit/s"
    flow = [{ name = "abr", service = "abr", source = { kind = "on-off", peak = "20 Mbit/s", period = "80 ms", duty_cycle = 0.25 } }]
"#;

/// ERICA with sources that come and go, beside VBR.
pub const ERICA: &str = r#"
    run = { duration = "300 ms" }
    topology = { template = "n-source", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
    switch.control = { scheme = "erica", interval_cells = "40 cells" }
    abr = { icr = "5 Mbit/s", rif = 0.125 }
    flow = [
        { name = "abr", count = 2, stagger = "20 ms", service = "abr", source = { kind = "persistent" } },
        { name = "bursts", service = "abr", source = { kind = "on-off", peak = "10 Mbit/s", period = "17 ms", duty_cycle = 0.4 } },
        { name = "vbr", service = "vbr", source = { kind = "on-off", peak = "20 Mbit/s", period = "30 ms", duty_cycle = 0.5 } },
    ]
"#;

/// ERICA without available rate while VBR is on, so that in-rate cells cannot be sent.
pub const NOTHING: &str = r#"
    run = { duration = "2 s" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "10 km" }
    switch.control = { scheme = "erica" }
    abr = { icr = "5 cells/s" }
    flow = [
        { name = "abr", count = 2, service = "abr", source = { kind = "persistent" } },
        { name = "vbr", service = "vbr", start = "300 ms", source = { kind = "on-off", peak = "49 Mbit/s", period = "1 s", duty_cycle = 0.5 } },
    ]
"#;

/// Two routes from host to host.
pub const GRAPH: &str = r#"
    run = { duration = "100 ms" }
    switch = { buffer = "100 cells" }
    tcp = { granularity = "10 ms", min_rto = "20 ms", initial_rto = "50 ms" }
    flow = [
        { name = "tcp", service = "ubr", from = "h1", to = "h2" },
        { name = "abr", service = "abr", from = "h3", to = "h2", source = { kind = "persistent" } },
        { name = "cbr", service = "cbr", from = "h3", to = "h2", source = { kind = "cbr", rate = "30 Mbit/s" } },
    ]
    [topology]
    template = "graph"
    node = [
        { name = "h1", kind = "host" }, { name = "h2", kind = "host" }, { name = "h3", kind = "host" }, { name = "h4", kind = "host" },
        { name = "X", kind = "switch" }, { name = "Y", kind = "switch" }, { name = "Z", kind = "switch" },
    ]
    link = [
        { from = "h1", to = "X", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "h3", rate = "50 Mbit/s", delay = "10 km" },
        { from = "h4", to = "X", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "Y", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "Z", rate = "50 Mbit/s", delay = "50 km" },
        { from = "Z", to = "Y", rate = "50 Mbit/s", delay = "50 km" },
        { from = "Y", to = "h2", rate = "50 Mbit/s", delay = "10 km" },
        { from = "Z", to = "h4", rate = "50 Mbit/s", delay = "10 km" },
    ]
"#;

/// Credit control between two hosts, with guaranteed traffic both ways.
pub const CREDIT: &str = r#"
    run = { duration = "100 ms" }
    tcp = { granularity = "1 ms", min_rto = "10 ms", initial_rto = "50 ms" }
    fcvc = {}
    flow = [
        { name = "tcp", count = 3, service = "ubr", from = "h1", to = "h2" },
        { name = "cbr", service = "cbr", from = "h1", to = "h2", source = { kind = "cbr", rate = "10 Mbit/s" } },
        { name = "back", service = "vbr", from = "h2", to = "h1", source = { kind = "on-off", peak = "45 Mbit/s", period = "3 ms", duty_cycle = 0.5 } },
    ]
    [topology]
    template = "graph"
    node = [{ name = "h1", kind = "host" }, { name = "X", kind = "switch" }, { name = "h2", kind = "host" }]
    link = [
        { from = "h1", to = "X", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "h2", rate = "50 Mbit/s", delay = "20 km" },
    ]
"#;
