//! Runs of whole scenarios over Ethernet.

use serde_json::Value;

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

/// Four transfers of 1 MB share a line of 10 Gbit/s: 685 segments of 1,538 octets on the line each.
#[test]
fn an_incast_takes_the_time_of_its_frames_at_least() {
    let found = summary(INCAST, &[]);
    let least = 4.0 * 684.0 * 1_538.0 * 8.0 / 10e9;
    let last = found["totals"]["completion_p99_seconds"].as_f64().unwrap();
    assert!(least < last && last < 1.3 * least, "{least} {last}");
    assert_eq!(found["totals"]["flows_completed"], 4);
    assert_eq!(found["link_layer"], "ethernet");
}

#[test]
fn the_templates_run() {
    for (name, _, text) in super::templates::TEMPLATES {
        assert!(is_ethernet(text, &[]), "{name}");
        let found = summary(
            text,
            &[
                "run.duration=2 ms",
                "measure.sample=1 ms",
                "measure.from=0 s",
            ],
        );
        assert!(found["packet_hops"].as_u64().unwrap() > 1_000, "{name}");
        // The scenario as it was run reads back as itself.
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

/// DCTCP keeps the queue at the threshold without a loss; TCP without marks fills the buffer.
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
