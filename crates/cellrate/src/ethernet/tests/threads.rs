//! Runs in partitions on several threads: outcomes and traces equal those of one thread to the last bit.

use std::num::NonZeroUsize;

use crate::ethernet::Job;
use crate::ethernet::recorder::Recorder;
use crate::run::tests::threads::deals;
use crate::run::{Driver, Events, Records, Series, Threads};

const MEASURED: &str = r#"measure={ from = "100 us", to = "900 us", sample = "7 us", traces = ["queue", "cwnd", "sequence", "utilisation", "acr"], events = ["loss", "timeout", "retransmission", "mark"] }"#;
/// A limit on events that is reached before the end of the run.
const FEW: usize = 40;

fn job(text: &str) -> Job {
    job_with(text, &[])
}

fn job_with(text: &str, more: &[String]) -> Job {
    let overrides = [r#"run.duration="1 ms""#, MEASURED].map(String::from);
    Job::new(text, "test", &[&overrides, more].concat(), None).unwrap()
}

/// Results of a run: report, traces, and the first events with the number of further events.
type Left = (String, Vec<Series>, (Events, u64));

fn in_parts(job: &Job, parts: &[usize]) -> Left {
    let mut driver = Driver::begin(job);
    let report = driver.run_in_parts(parts, &mut |_, _| true, &mut ());
    (
        format!("{:#?}", report.unwrap()),
        Recorder::series(&driver.records),
        driver.records.events(
            &driver.simulation,
            job.scenario().measure.event_limit as usize,
        ),
    )
}

/// A scenario with rate control, shared memory, two queues, active queue management and random sources.
const MIXED: &str = r#"
link_layer = "ethernet"
run = { duration = "1 ms", start_jitter = "50 us" }
tcp = { min_rto = "1 ms", granularity = "100 us" }
topology = { template = "leaf-spine", leaves = 3, spines = 2, hosts_per_leaf = 2, host_rate = "10 Gbit/s", host_delay = "700 ns", spine_delay = "2 us" }
[switch]
buffer = "60 kB"
queues = [[7], [0]]
memory = { total = "200 kB", alpha = 0.5 }
aqm = { algorithm = "red" }
control = { scheme = "erica" }
[[flow]]
name = "file"
pattern = { kind = "all-to-all" }
source = { kind = "transfer", size = "100 kB" }
[[flow]]
name = "steady"
pattern = { kind = "permutation" }
source = { kind = "poisson", rate = "1 Gbit/s" }
priority = 7
[[flow]]
name = "controlled"
from = "h1"
to = "h6"
source = { kind = "persistent" }
rate_control = {}
"#;

/// Changes of many settings. Their instants include both ends of the measuring window and a sample.
const CHANGES: &str = r#"
[[changes]]
at = "100 us"
set = { "switch.memory.total" = "100 kB", "flow.steady.source.rate" = "3 Gbit/s" }
[[changes]]
at = "205 us"
set = { "switch.aqm.min" = "2 packets", "switch.buffer" = "30 kB", "flow.file.sends" = false }
[[changes]]
at = "436.7 us"
set = { "switch.control.interval" = "20 us", "flow.controlled.rate_control.nrm" = 4, "flow.controlled.sends" = false }
[[changes]]
at = "900 us"
set = { "flow.file.sends" = true, "flow.controlled.sends" = true }
"#;

#[test]
fn no_way_of_dealing_out_nodes_changes_anything() {
    let changing = format!("{MIXED}{CHANGES}");
    let mut found = Vec::new();
    for text in [MIXED, &changing, crate::ethernet::templates::TEMPLATES[1].2] {
        let job = job(text);
        let nodes = job.graph().nodes.len();
        let whole = in_parts(&job, &vec![0; nodes]);
        assert!(whole.1.len() > 10, "{} traces", whole.1.len());
        for count in [2, 5] {
            for parts in deals(nodes, count) {
                let divided = in_parts(&job, &parts);
                assert_eq!(whole.0, divided.0, "{count} parts: {parts:?}");
                assert!(whole.1 == divided.1, "traces of {count} parts: {parts:?}");
                assert!(whole.2 == divided.2, "events of {count} parts: {parts:?}");
            }
        }
        let (events, omitted) = whole.2;
        assert!(omitted == 0 && events.len() > FEW, "{}", events.len());
        let limit = format!("measure.event_limit={FEW}");
        let few = job_with(text, &[limit]);
        for parts in [vec![0; nodes], deals(nodes, 5)[2].clone()] {
            let (first, others) = in_parts(&few, &parts).2;
            assert_eq!(first.time_seconds, events.time_seconds[..FEW]);
            assert_eq!(first.vc, events.vc[..FEW]);
            assert_eq!(others as usize, events.len() - FEW);
        }
        found.push(whole.0);
    }
    assert!(found[0] != found[1], "the changes act");
}

/// Two groups of hosts joined by long links, over which they send to each other.
#[test]
fn a_job_is_divided_where_links_are_long_and_says_why_it_is_not() {
    let text = |delay: &str| {
        format!(
            r#"
            link_layer = "ethernet"
            run.duration = "40 ms"
            topology = {{ template = "leaf-spine", leaves = 2, spines = 1, hosts_per_leaf = 4, host_rate = "10 Gbit/s", spine_rate = "40 Gbit/s", host_delay = "{delay}", spine_delay = "{delay}" }}
            tcp.window = "2 MiB"
            flow = [{{ name = "f", pattern = {{ kind = "permutation" }} }}]"#
        )
    };
    let two = Threads::Number(NonZeroUsize::new(2).unwrap());
    let long = Job::new(&text("200 us"), "test", &[], None).unwrap();
    let partition = long.partition(two);
    assert_eq!(partition.parts.len(), 2, "{}", partition.reason);
    let digest = |threads| {
        let outcome = long.run_in(threads, &mut |_, _| true).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&outcome.summary).unwrap();
        summary["digest"].clone()
    };
    assert_eq!(digest(two), digest(Threads::Number(NonZeroUsize::MIN)));
    let short = Job::new(&text("10 ns"), "test", &[], None).unwrap();
    let reason = short.partition(two).reason;
    assert!(
        reason.contains("the links between parts are too short")
            || reason.contains("the packets between any two parts"),
        "{reason}"
    );
}
