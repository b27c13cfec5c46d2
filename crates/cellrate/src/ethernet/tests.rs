//! Runs of whole scenarios over Ethernet.

mod changes;
mod events;
mod threads;

use cellrate_engine::kernel::Ps;
use serde_json::Value;

use super::driver::slice;
use super::templates::{JOINED, TEMPLATES};
use super::{Job, is_ethernet};

const INCAST: &str = r#"
link_layer = "ethernet"
run.duration = "20 ms"
tcp.window = "64 KiB"
switch.buffer = "300 kB"
topology = { template = "single-switch", link_rate = "10 Gbit/s", access = "1 us", bottleneck = "1 us" }
flow = [{ name = "tcp", count = 4, source = { kind = "transfer", size = "1 MB" } }]"#;

fn summary(text: &str, overrides: &[&str]) -> Value {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).into()).collect();
    let job = Job::new(text, "test", &overrides, None).unwrap();
    serde_json::from_str(&job.run(&mut |_, _| true).unwrap().summary).unwrap()
}

/// Four transfers of 1 MB share a line of 10 Gbit/s. Each transfer has 684 full segments of 1,538 octets on
/// the line and a shorter one.
#[test]
fn an_incast_takes_the_time_of_its_frames_at_least() {
    let found = summary(INCAST, &[]);
    let least = 4.0 * 684.0 * 1_538.0 * 8.0 / 10e9;
    let last = found["totals"]["completion_p99_seconds"].as_f64().unwrap();
    assert!(least < last && last < 1.3 * least, "{least} {last}");
    assert_eq!(found["totals"]["flows_completed"], 4);
    assert_eq!(found["link_layer"], "ethernet");
}

/// One flow crosses four links and as many back, each of 100 Gbit/s or 8.33 million frames/s. So 1e5 hops
/// take 1.5 ms, in a network of 1,344 nodes as in one of 36 nodes.
#[test]
fn a_large_idle_network_stops_as_rarely_as_a_small_one() {
    for k in [4, 16] {
        let text = format!(
            r#"
            link_layer = "ethernet"
            run.duration = "1 s"
            topology = {{ template = "fat-tree", k = {k}, rate = "100 Gbit/s", delay = "1 us" }}
            flow = [{{ name = "f", from = "h1", to = "h{}" }}]"#,
            k / 2 + 1
        );
        let job = Job::new(&text, "test", &[], None).unwrap();
        let slice = slice(job.scenario(), job.graph());
        assert_eq!(slice, Ps::from_us(1_500), "{k}");
    }
}

/// Datagrams have no acknowledgements, so links in one direction suffice.
#[test]
fn datagrams_need_no_way_back() {
    let text = r#"
        link_layer = "ethernet"
        run.duration = "1 ms"
        [[flow]]
        name = "f"
        from = "a"
        to = "b"
        source = { kind = "cbr", rate = "10 Mbit/s" }
        [topology]
        template = "graph"
        node = [{ kind = "host", name = "a" }, { kind = "host", name = "b" }, { kind = "switch", name = "S" }]
        link = [
            { from = "a", to = "S", rate = "1 Gbit/s", delay = "1 us", duplex = false },
            { from = "S", to = "b", rate = "1 Gbit/s", delay = "1 us", duplex = false },
        ]"#;
    // A frame takes 1,538 x 8 / 1e7 s = 1.23 ms, so one frame begins within the run.
    assert_eq!(summary(text, &[])["flows"][0]["packets_delivered"], 1);
    let over_tcp = ["flow.f.source={ kind = \"greedy\" }".into()];
    let refusal = format!("{:?}", Job::new(text, "test", &over_tcp, None).unwrap_err());
    assert!(
        refusal.contains("`b` and `a` cannot reach each other"),
        "{refusal}"
    );
}

#[test]
fn the_templates_run() {
    for (name, _, text) in TEMPLATES {
        assert!(is_ethernet(text, &[]), "{name}");
        // The round trip through the router takes 4 ms.
        let duration = if *name == JOINED { 40 } else { 2 };
        let found = summary(
            text,
            &[
                &format!("run.duration={duration} ms"),
                "measure.sample=1 ms",
                "measure.from=0 s",
            ],
        );
        assert!(found["packet_hops"].as_u64().unwrap() > 1_000, "{name}");
        // Reading the resolved scenario gives the same resolved scenario.
        let job = Job::new(text, name, &[], None).unwrap();
        let again = Job::new(job.resolved(), name, &[], None).unwrap();
        assert_eq!(job.resolved(), again.resolved());
    }
    assert!(!is_ethernet(
        "# link_layer = \"ethernet\"\nrun.duration = \"1 s\"",
        &[]
    ));
    assert!(is_ethernet(
        "run.duration = \"1 s\"",
        &["link_layer=ethernet".into()]
    ));
}

/// With timestamps a full segment still fills the MTU of 1,500 bytes, but has 12 bytes of payload less.
#[test]
fn time_stamps_take_their_bytes_from_the_payload() {
    let text = super::templates::TEMPLATES[2].2;
    let mss = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|text| String::from(*text)).collect();
        let job = super::Job::new(text, "test", &settings, None);
        job.map(|job| job.scenario().flows[0].tcp.mss.0)
    };
    assert_eq!(mss(&[]).ok(), Some(1_460));
    assert_eq!(mss(&["tcp.timestamps=true"]).ok(), Some(1_448));
    let longer = mss(&["tcp.timestamps=true", "tcp.mss=1449 bytes"]);
    assert!(format!("{}", longer.unwrap_err()).contains("at most 1448 bytes"));
}

/// A fast line, then a bottleneck of 100 Mbit/s, with a round trip of 14 ms. The bandwidth-delay product is
/// 175 kB.
const BEHIND: &str = r#"
link_layer = "ethernet"
run.duration = "200 ms"
topology = { template = "n-source", link_rate = "1 Gbit/s", bottleneck_rate = "100 Mbit/s", access = "1 ms", bottleneck = "5 ms", egress = "1 ms" }
switch.buffer = "10 MB"
tcp.window = "150 kB"
flow = [{ name = "f" }]
"#;

/// Slow start sends half of the window to the bottleneck at once. With pacing the rate stays at or below the
/// rate of the bottleneck, except for the first window. The paced rate is twice the window per round trip up
/// to a window of 75 kB, then 1.2 times.
#[test]
fn pacing_keeps_the_queue_of_slow_start_short() {
    let most = |pacing: &str| {
        let found = summary(BEHIND, &[pacing]);
        let ports = found["ports"].as_array().unwrap();
        let of_port = |port: &Value| port["queues"][0]["queue_max_packets"].as_f64();
        ports.iter().filter_map(of_port).fold(0.0, f64::max)
    };
    let (paced, at_once) = (most("tcp.pacing=true"), most("tcp.pacing=false"));
    assert!((9.0..=13.0).contains(&paced), "{paced} packets");
    assert!(at_once > 40.0, "{at_once} packets");
}

/// Each option of TCP changes a run in which it acts. The table lists settings that both runs have, and the
/// option.
#[test]
fn options_of_tcp_change_a_run() {
    let small = "switch.buffer=30 kB";
    let eager = "tcp.initial_rto=10 ms";
    let writes =
        r#"flow.f.source={kind="messages", mean_length="500 bytes", mean_rate="5 Mbit/s"}"#;
    for (common, option) in [
        ("tcp.mss=1448 bytes", "tcp.timestamps=true"),
        (small, "tcp.pacing=true"),
        (eager, "tcp.frto=true"),
        (writes, "tcp.nagle=true"),
    ] {
        let digest = |settings: &[&str]| {
            let short = ["tcp.min_rto=1 ms", "run.duration=100 ms"];
            let found = summary(BEHIND, &[&short[..], settings].concat());
            String::from(found["digest"].as_str().unwrap())
        };
        assert_ne!(digest(&[common]), digest(&[common, option]), "{option}");
    }
}

/// DCTCP keeps the queue at the threshold without a loss. TCP without marks fills the buffer.
#[test]
fn dctcp_holds_the_queue_where_the_port_marks() {
    let text = super::templates::TEMPLATES[2].2;
    let queue = |found: &Value| found["ports"][0]["queues"][0].clone();
    let found = summary(text, &[]);
    let of_dctcp = queue(&found);
    assert_eq!(found["totals"]["packets_dropped"], 0);
    let mean = of_dctcp["queue_mean_packets"].as_f64().unwrap();
    assert!(
        (20.0..80.0).contains(&mean),
        "{mean} packets, marked above 65"
    );
    assert!(found["ports"][0]["utilisation"].as_f64().unwrap() > 0.99);
    assert!(found["totals"]["jain_index"].as_f64().unwrap() > 0.95);
    assert!(of_dctcp["packets_marked"].as_u64().unwrap() > 100);
    let without = summary(
        text,
        &["tcp.recovery=sack", "switch.aqm={ algorithm = \"none\" }"],
    );
    assert!(queue(&without)["queue_mean_packets"].as_f64().unwrap() > 4.0 * mean);
}

const EXPLICIT: &str = r#"
link_layer = "ethernet"
run.duration = "30 ms"
measure.from = "10 ms"
topology = { template = "single-switch", link_rate = "100 Gbit/s", access = "1 us", bottleneck = "1 us" }
switch = { buffer = "2 MB", control = { scheme = "erica", interval = "200 us", interval_cells = "20 MB", delta = 0.0 } }
flow = [{ name = "tcp", count = 8, rate_control = { nrm = 16, icr = "5 Gbit/s" } }]"#;

/// Eight sources share nine tenths of 100 Gbit/s, preambles and interframe gaps included. Of 16 frames 15
/// carry 1,460 bytes in 1,538 octets, and one of 84 octets carries a record. So each TCP flow gets 90 / 8 x
/// 15 x 1,460 / (15 x 1,538 + 84) = 10.64 Gbit/s. The queue stays short, and no frame is lost.
#[test]
fn erica_gives_hosts_their_share_of_ethernet() {
    let found = summary(EXPLICIT, &[]);
    for flow in found["flows"].as_array().unwrap() {
        let acr = flow["acr_mean_bits_per_second"].as_f64().unwrap();
        assert!((acr / 11.25e9 - 1.0).abs() < 0.01, "{acr}");
        let tcp = flow["tcp_throughput_bits_per_second"].as_f64().unwrap();
        assert!((tcp / 10.64e9 - 1.0).abs() < 0.01, "{tcp}");
    }
    assert_eq!(found["totals"]["packets_dropped"], 0);
    let control = &found["ports"][0]["control"];
    assert_eq!(control["scheme"], "erica");
    let share = control["fair_share_bits_per_second"].as_f64().unwrap();
    assert!((share / 11.25e9 - 1.0).abs() < 0.02, "{control}");
}

/// Lengths of control schemes: bytes as given, packets as full frames of 1,538 octets, and defaults in
/// packets.
#[test]
fn schemes_count_bytes_on_the_line() {
    let resolved = |control: &str| {
        let overrides = [format!("switch.control={control}")];
        let job = Job::new(EXPLICIT, "test", &overrides, None).unwrap();
        let again = Job::new(job.resolved(), "test", &[], None).unwrap();
        assert_eq!(job.resolved(), again.resolved());
        job.resolved().to_owned()
    };
    let efci = resolved(r#"{ scheme = "efci", threshold = "65 packets" }"#);
    assert!(efci.contains(r#"threshold = "99970 bytes""#), "{efci}");
    // Defaults of 100 cells become 100 full frames: the threshold of EFCI and the interval of ERICA.
    let efci = resolved(r#"{ scheme = "efci" }"#);
    assert!(efci.contains(r#"threshold = "153800 bytes""#), "{efci}");
    let efci = resolved(r#"{ scheme = "efci", high = "3 packets" }"#);
    assert!(!efci.contains("threshold"), "{efci}");
    let erica = resolved(r#"{ scheme = "erica" }"#);
    assert!(
        erica.contains(r#"interval_cells = "153800 bytes""#),
        "{erica}"
    );
    let refused = |control: &str| {
        let overrides = [format!("switch.control={control}")];
        Job::new(EXPLICIT, "test", &overrides, None).unwrap_err()
    };
    let error = refused(r#"{ scheme = "efci", threshold = "65 cells" }"#).to_string();
    assert!(error.contains("a length of a queue such as"), "{error}");
}

/// Strict priority serves the controlled queue first, so frames in the other queue take no capacity from it.
/// ERICA grants nine tenths of 10 Gbit/s. Frames that a control scheme marks count as marked by its port.
#[test]
fn a_scheme_leaves_out_what_is_served_behind_its_queue_and_counts_its_marks() {
    let text = r#"
        link_layer = "ethernet"
        run.duration = "20 ms"
        measure.from = "5 ms"
        topology = { template = "single-switch", link_rate = "10 Gbit/s", access = "1 us", bottleneck = "1 us" }
        switch = { buffer = "1 MB", queues = [[7], [0]], control = { scheme = "erica", interval = "100 us" } }
        flow = [
            { name = "high", priority = 7, source = { kind = "persistent" }, rate_control = { nrm = 16, icr = "1 Gbit/s" } },
            { name = "low", source = { kind = "persistent" } },
        ]"#;
    let tagged = &["ethernet.tagged=true"];
    let acr = |found: &Value| {
        found["flows"][0]["acr_mean_bits_per_second"]
            .as_f64()
            .unwrap()
    };
    let found = summary(text, tagged);
    assert!((acr(&found) / 9e9 - 1.0).abs() < 0.02, "{}", acr(&found));
    // In a common queue the other flow counts as background traffic, and ERICA leaves its capacity to it.
    let shared = summary(text, &["ethernet.tagged=true", "switch.queues=[[]]"]);
    assert!(acr(&shared) < 1e9, "{}", acr(&shared));
    let marking = r#"switch.control={ scheme = "efci", threshold = "5 packets" }"#;
    let marked = summary(
        text,
        &["ethernet.tagged=true", marking, "flow.high.count=2"],
    );
    let at_port = marked["ports"][0]["queues"][0]["packets_marked"]
        .as_u64()
        .unwrap();
    let arrived: u64 = marked["flows"].as_array().unwrap()[..2]
        .iter()
        .map(|flow| flow["packets_marked"].as_u64().unwrap())
        .sum();
    assert!(
        at_port > 100 && at_port.abs_diff(arrived) < 100,
        "{at_port} {arrived}"
    );
}
