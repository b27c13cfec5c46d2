mod changes;
pub mod threads;
mod warnings;

use cellrate_engine::kernel::Ps;
use cellrate_engine::net::Storage;
use serde_json::Value;

use super::driver::{Driver, RunError};
use super::memory::Room;
use super::*;
use crate::build;
use crate::scenario::{Checked, Scenario};

/// Three TCP connections over UBR and a bottleneck that overflows.
const LOSSY: &str = r#"
    run = { duration = "600 ms", start_jitter = "1 ms" }
    measure = { from = "100 ms", to = "500 ms", sample = "1 ms" }
    topology = { template = "n-source", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
    switch = { buffer = "100 cells", discard = { policy = "ppd" } }
    tcp = { granularity = "10 ms", min_rto = "20 ms", initial_rto = "50 ms", window = "64 KiB" }
    flow = [{ name = "tcp", count = 3, service = "ubr" }]
"#;

/// Two ABR sources under EFCI, and a random source of cells through the same queue.
const MARKED: &str = r#"
    run.duration = "200 ms"
    measure = { from = "50 ms", sample = "1 ms" }
    topology = { template = "single-switch", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "100 km" }
    switch.control = { scheme = "efci", threshold = "50 cells" }
    flow = [
        { name = "abr", count = 2, service = "abr", source = { kind = "persistent" } },
        { name = "random", service = "random", source = { kind = "poisson", rate = "5 Mbit/s" } },
    ]
"#;

fn scenario(text: &str, overrides: &[&str]) -> Checked {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    Scenario::parse(text, "test", &overrides, None).unwrap()
}

fn outcome(text: &str, overrides: &[&str]) -> Outcome {
    simulate(&scenario(text, overrides), text, &mut |_, _| true).unwrap()
}

fn summary(outcome: &Outcome) -> Value {
    let mut summary: Value = serde_json::from_str(&outcome.summary).unwrap();
    assert!(summary["wall_seconds"].take().as_f64().unwrap() > 0.0);
    summary
}

fn codes(outcome: &Outcome) -> Vec<String> {
    let warnings = summary(outcome)["warnings"].clone();
    warnings
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap().into())
        .collect()
}

#[test]
fn a_summary_has_every_key_the_front_relies_on() {
    let lossy = summary(&outcome(LOSSY, &["measure.cell_delay=true"]));
    let all = "version digest seed simulated_seconds wall_seconds cell_hops warnings window_seconds \
               totals flows classes vcs ports";
    let found: Vec<&str> = lossy
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(found, all.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        (
            lossy["flows"].as_array().unwrap().len(),
            lossy["vcs"].as_array().unwrap().len()
        ),
        (3, 6)
    );
    assert_eq!(lossy["window_seconds"], 0.4);
    assert_eq!(lossy["simulated_seconds"], 0.6);
    for measure in [
        "tcp_throughput_bits_per_second",
        "packets_lost",
        "timeouts",
        "jain_index",
        "queued_max_cells",
    ] {
        assert!(
            lossy["totals"][measure].as_f64().unwrap() > 0.0,
            "{measure}"
        );
    }
    let port = lossy["ports"]
        .as_array()
        .unwrap()
        .iter()
        .find(|port| port["name"] == "A->B")
        .unwrap();
    assert_eq!(port["queues"][0]["queue_max_cells"], 100);
    assert!(port["queues"][0]["queue_p95_cells"].as_f64().unwrap() > 50.0);
    assert!(
        lossy["flows"][0]["cell_delay_mean_seconds"]
            .as_f64()
            .unwrap()
            > 600e-6
    );
}

#[test]
fn a_run_repeats_to_the_last_bit() {
    let (one, two) = (outcome(LOSSY, &[]), outcome(LOSSY, &[]));
    assert_eq!(summary(&one), summary(&two));
}

#[test]
fn looking_changes_nothing() {
    let look = [
        r#"measure.traces=["queue", "acr", "cwnd", "sequence", "utilisation"]"#,
        r#"measure.events=["loss", "timeout", "retransmission", "mark"]"#,
    ];
    for text in [LOSSY, MARKED] {
        let stamped = outcome(text, &["measure.cell_delay=true"]);
        let (blind, looked) = (outcome(text, &[]), outcome(text, &look));
        assert_eq!(
            summary(&blind)["digest"],
            summary(&stamped)["digest"],
            "cells that carry their time"
        );
        // The check warns of traces that would be empty, such as ACR without ABR.
        assert_eq!(codes(&blind), Vec::<String>::new());
        assert!(codes(&looked).iter().all(|code| code == "scenario"));
        let [blind_measures, looked_measures] = [&blind, &looked].map(|outcome| {
            let mut measures = summary(outcome);
            measures["warnings"].take();
            measures
        });
        assert_eq!(blind_measures, looked_measures);
        assert!(blind.series.is_empty() && blind.events.is_empty());
        assert!(!looked.series.is_empty() && !looked.events.is_empty());
        let rarely = outcome(text, &[r#"measure.sample="7 ms""#]);
        assert_eq!(
            summary(&blind)["digest"],
            summary(&rarely)["digest"],
            "how often queues are sampled"
        );
    }
}

#[test]
fn seeds_move_starts_and_random_cells_and_nothing_else_is_random() {
    for text in [LOSSY, MARKED] {
        let digest = |seed: &str| summary(&outcome(text, &[seed]))["digest"].clone();
        assert_ne!(digest("run.seed=1"), digest("run.seed=2"));
    }
    let still = [
        "run.start_jitter=\"0 s\"",
        "tcp.granularity=\"1 ps\"",
        "run.duration=\"50 ms\"",
        "measure.from=\"0 s\"",
        "measure.to=\"50 ms\"",
    ];
    let digest = |seed| summary(&outcome(LOSSY, &[&still[..], &[seed]].concat()))["digest"].clone();
    assert_eq!(
        digest("run.seed=1"),
        digest("run.seed=2"),
        "no jitter, and the tick phase has one value"
    );
}

#[test]
fn events_add_up_to_what_was_counted() {
    let everything = [
        r#"measure.from="0 s""#,
        r#"measure.to="600 ms""#,
        r#"measure.events=["loss", "timeout", "retransmission"]"#,
    ];
    let outcome = outcome(LOSSY, &everything);
    let (totals, events) = (summary(&outcome)["totals"].clone(), &outcome.events);
    let of = |kind: &str| events.kind.iter().filter(|found| *found == kind).count() as u64;
    assert_eq!(of("loss"), totals["cells_dropped"].as_u64().unwrap());
    assert_eq!(of("timeout"), totals["timeouts"].as_u64().unwrap());
    assert_eq!(
        of("retransmission"),
        totals["segments_retransmitted"].as_u64().unwrap()
    );
    assert!(of("timeout") > 0);
    let mut pdus: Vec<(&str, i64)> = Vec::new();
    for i in (0..events.len()).filter(|i| events.kind[*i] == "loss") {
        assert_eq!(events.port[i].as_deref(), Some("A->B"));
        assert!(matches!(
            events.cause[i].as_deref(),
            Some("overflow" | "partial-packet")
        ));
        // 512 bytes of data, 40 of TCP and IP, 8 of LLC/SNAP, 8 of the AAL5 trailer: 12 cells.
        assert_eq!(events.pdu[i], events.cell[i].map(|cell| cell / 12));
        pdus.push((&events.vc[i], events.pdu[i].unwrap()));
    }
    pdus.sort();
    pdus.dedup();
    assert_eq!(pdus.len() as u64, totals["packets_lost"].as_u64().unwrap());
    assert!(events.time_seconds.is_sorted());
}

#[test]
fn the_event_limit_keeps_the_first_and_counts_the_others() {
    let all = outcome(LOSSY, &[r#"measure.events=["loss"]"#]).events;
    let few = outcome(
        LOSSY,
        &[r#"measure.events=["loss"]"#, "measure.event_limit=5"],
    );
    assert_eq!(few.events.time_seconds, all.time_seconds[..5]);
    assert!(codes(&few).contains(&"events-omitted".into()));
    assert!(
        few.summary
            .contains(&format!("{} events beyond", all.len() - 5))
    );
}

#[test]
fn lost_cells_of_a_long_run_are_numbered_beyond_twenty_bits() {
    // The source sends 1.5 times the line rate for four seconds: 1.13 million cells, of which a
    // third is lost.
    let text = r#"
        run.duration = "4 s"
        measure = { events = ["loss"], event_limit = 1_000_000 }
        topology = { template = "single-switch", link_rate = "155.52 Mbit/s", bottleneck_rate = "80 Mbit/s", access = "1 km", bottleneck = "1 km" }
        switch.buffer = "10 cells"
        flow = [{ name = "cbr", service = "cbr", source = { kind = "cbr", rate = "120 Mbit/s" } }]"#;
    let Outcome { events, .. } = outcome(text, &[]);
    let cells: Vec<i64> = events.cell.iter().map(|cell| cell.unwrap()).collect();
    assert!(cells.is_sorted_by(|a, b| a < b));
    let last = cells[cells.len() - 1];
    assert!(last > 1_131_000 && last < 1_132_076, "{last}");
    assert!(
        events.pdu.iter().all(Option::is_none),
        "raw cells belong to no PDU"
    );
}

#[test]
fn traces_agree_with_the_report() {
    let traces = r#"measure.traces=["queue", "cwnd", "sequence", "utilisation"]"#;
    let outcome = outcome(
        LOSSY,
        &[traces, r#"measure.from="0 s""#, r#"measure.to="600 ms""#],
    );
    let summary = summary(&outcome);
    let series = |kind: &str, entity: &str| {
        outcome
            .series
            .iter()
            .find(|s| s.kind == kind && s.entity == entity)
            .unwrap_or_else(|| panic!("{kind} {entity}"))
    };
    let queue = series("queue", "A->B");
    assert_eq!(
        (
            queue.seconds.len(),
            queue.seconds[0],
            queue.seconds[600],
            queue.unit.as_str()
        ),
        (601, 0.0, 0.6, "cells")
    );
    assert!(
        queue.high.iter().all(|cells| *cells <= 100.0)
            && queue.high.iter().any(|cells| *cells > 90.0)
    );
    let sequence = series("sequence", "tcp.1");
    assert_eq!(
        sequence.high[600],
        summary["flows"][0]["acked_bytes"].as_f64().unwrap()
    );
    assert!(sequence.high.is_sorted());
    let cwnd = series("cwnd", "tcp.2");
    assert!(
        cwnd.low.iter().all(|bytes| *bytes >= 512.0)
            && cwnd.high.iter().any(|bytes| *bytes > 4096.0)
    );
    let used = series("utilisation", "A->B");
    let mean = used.high.iter().sum::<f64>() / used.high.len() as f64;
    let port = summary["ports"]
        .as_array()
        .unwrap()
        .iter()
        .find(|port| port["name"] == "A->B")
        .unwrap();
    // The trace counts whole cells; the report also counts a part of the cell that the end of the
    // window cuts.
    let cells = 0.6 * port["rate_bits_per_second"].as_f64().unwrap() / 424.0;
    let used_by_report = port["utilisation"].as_f64().unwrap();
    assert!((cells * (mean - used_by_report)).abs() < 1.0);
    assert_eq!(used.seconds.len(), 600, "no period ends at 0");
}

#[test]
fn rates_are_traced_of_abr_channels_only_and_queues_by_priority() {
    let text = MARKED.replace(r#"service = "random""#, r#"service = "cbr""#);
    let outcome = outcome(&text, &[r#"measure.traces=["acr", "queue"]"#]);
    let names: Vec<&str> = outcome
        .series
        .iter()
        .map(|series| series.entity.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "abr.1/forward",
            "abr.2/forward",
            "A->sink/1",
            "A->sink/2",
            "A->src.abr.1",
            "A->src.abr.2"
        ]
    );
    let acr = &outcome.series[0];
    assert_eq!(
        acr.high[0].round(),
        (50e6f64 / 424.0).round(),
        "ICR is PCR is the access rate"
    );
    assert!(
        acr.low.iter().any(|rate| *rate < 60_000.0),
        "marks bring it down"
    );
}

#[test]
fn source_queues_are_traced_where_cells_may_wait() {
    let traced = outcome(
        LOSSY,
        &[
            "measure.traces=[\"source-queue\"]",
            "measure.to=\"600 ms\"",
            "measure.from=\"0 s\"",
        ],
    );
    let names: Vec<&str> = traced
        .series
        .iter()
        .map(|series| series.entity.as_str())
        .collect();
    assert_eq!(names, ["tcp.1", "tcp.2", "tcp.3"]);
    let report = summary(&traced);
    for (series, flow) in traced
        .series
        .iter()
        .zip(report["flows"].as_array().unwrap())
    {
        assert_eq!(
            (series.kind.as_str(), series.unit.as_str()),
            ("source-queue", "cells")
        );
        let longest = series.high.iter().copied().fold(0.0, f64::max);
        let most = flow["source_queue_max_cells"].as_f64().unwrap();
        assert!(longest > 0.0 && longest <= most, "{longest} {most}");
    }
    // Random cells leave as they are generated, and a persistent source always has one cell
    // waiting.
    assert_eq!(
        outcome(MARKED, &["measure.traces=[\"source-queue\"]"]).series,
        []
    );
}

#[test]
fn nothing_grows_with_the_simulated_time() {
    let after = |milliseconds: u64, traces: &str| {
        let overrides = [
            format!("run.duration=\"{milliseconds} ms\""),
            "measure.to=\"500 ms\"".into(),
            traces.into(),
        ];
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let scenario = scenario(LOSSY, &overrides);
        let mut driver = Driver::new(scenario.scenario(), build::plan(&scenario)).unwrap();
        driver.run(&mut |_, _| true, &mut ()).unwrap();
        (
            driver.simulation.cells_held(),
            driver.records.recorder.bytes(),
            driver.simulation.events(100).0.len(),
        )
    };
    let none = "measure.traces=[]";
    let (short, long) = (after(600, none), after(3_000, none));
    // Windows limit the cells in flight: three of 64 KiB are 128 segments of 12 cells, and as many
    // acknowledgements.
    assert!(short.0 < 6_000 && long.0 < 6_000, "{short:?} {long:?}");
    assert_eq!((short.1, long.1, short.2, long.2), (0, 0, 0, 0));
    let some = r#"measure={ from = "100 ms", to = "500 ms", sample = "100 us", traces = ["queue"], trace_points = 100 }"#;
    assert!(after(3_000, some).1 <= after(600, some).1);
}

#[test]
fn a_run_stops_when_it_is_told_to() {
    let text = LOSSY.replace("600 ms", "1000000 s");
    let mut told = Vec::new();
    let result = simulate(&scenario(&text, &[]), &text, &mut |now, end| {
        told.push((now, end));
        told.len() < 3
    });
    assert_eq!(result, Err(RunError::Cancelled));
    assert_eq!(told.len(), 3);
    assert!(told.is_sorted() && told[0].0 > Ps::ZERO && told[0].1 == Ps::from_s(1_000_000));
}

#[test]
fn a_run_that_needs_more_memory_than_there_is_is_refused_with_the_estimate() {
    // The source sends twice the line rate into a queue without a limit for twelve days.
    let text = r#"
        run.duration = "1000000 s"
        measure.sample = "1 s"
        topology = { template = "single-switch", link_rate = "155.52 Mbit/s", access = "1 km", bottleneck = "1 km" }
        flow = [{ name = "cbr", count = 2, service = "cbr", source = { kind = "cbr", rate = "155.52 Mbit/s" } }]"#;
    let RunError::Memory(estimate) =
        simulate(&scenario(text, &[]), text, &mut |_, _| true).unwrap_err()
    else {
        panic!("the run was not refused")
    };
    // The queue grows by 366,792 cells/s for 1,000,000 s, and each cell takes 64 bytes.
    assert!(
        (2.34e13..2.36e13).contains(&(estimate.memory_bytes as f64)),
        "{estimate:?}"
    );
    assert!(
        RunError::Memory(estimate)
            .to_string()
            .contains(" are available: ")
    );
    let job = Job::new(
        text,
        "much.toml",
        &[r#"switch.buffer="infinite""#.into()],
        None,
    )
    .unwrap();
    let Failure::Refused(refusal) = job.run(&mut |_, _| true).unwrap_err() else {
        panic!("not refused")
    };
    let found = &refusal.diagnostics[0];
    assert_eq!(
        (found.path.as_str(), found.line, found.column),
        ("--set", 1, 15),
        "{}",
        refusal.rendered
    );
    let finite = scenario(text, &[r#"switch.buffer="1000 cells""#]);
    assert!(
        estimate_of(&finite).memory_bytes < 10_000_000,
        "a finite buffer bounds it"
    );
}

/// An additional control loop at each of five switches adds one trace for each.
#[test]
fn the_estimate_knows_traces_of_virtual_sources() {
    let text = r#"
        run.duration = "50 ms"
        measure = { from = "10 ms", sample = "10 us", traces = ["acr"] }
        topology = { template = "parking-lot", link_rate = "50 Mbit/s", switches = 5, hop = "10 km", access = "10 km", egress = "10 km" }
        switch = { vsvd = {}, control = { scheme = "erica" } }
        flow = [{ name = "abr", service = "abr", source = { kind = "persistent" } }]"#;
    let traced = scenario(text, &[]);
    let without = estimate_of(&scenario(text, &["measure.traces=[]"]));
    let mut driver = Driver::new(traced.scenario(), build::plan(&traced)).unwrap();
    driver.run(&mut |_, _| true, &mut ()).unwrap();
    let traces = estimate_of(&traced).memory_bytes - without.memory_bytes;
    assert!(
        traces >= 2 * driver.records.recorder.bytes() as u64,
        "{traces} {}",
        driver.records.recorder.bytes()
    );
}

#[test]
fn the_estimate_is_above_what_a_run_holds_and_not_absurdly() {
    for text in [LOSSY, MARKED] {
        let scenario = scenario(text, &[]);
        let estimate = estimate_of(&scenario);
        let outcome = outcome(text, &[]);
        let most = summary(&outcome)["totals"]["queued_max_cells"]
            .as_u64()
            .unwrap();
        assert!(
            estimate.cells_in_flight >= most,
            "{} {most}",
            estimate.cells_in_flight
        );
        assert!(estimate.memory_bytes < 20_000_000, "{estimate:?}");
    }
}

/// TCR is twice the line rate. Half of each flow's out-of-rate RM cells wait at the hosts, and
/// those of four of five flows at the bottleneck, in each direction. Both numbers grow with the
/// length of the run.
#[test]
fn the_estimate_knows_rm_cells_out_of_rate() {
    let text = crate::scenario::template("n-source").unwrap();
    let settings = [
        "abr.tcr=\"300 Mbit/s\"",
        "run.duration=\"100 ms\"",
        "measure.from=\"0 s\"",
    ];
    let scenario = scenario(text, &settings);
    let estimate = estimate_of(&scenario);
    let most = most_held(&scenario).units;
    assert!(most > 500_000, "{most}");
    assert!(
        (most..3 * most).contains(&estimate.cells_in_flight),
        "{most} {estimate:?}"
    );
    assert_eq!(estimate.causes()[0].need, Need::Probes, "{estimate:?}");
    let usual = estimate_of(&self::scenario(text, &settings[1..]));
    assert!(usual.cells_in_flight < most / 2, "{usual:?}");
}

fn most_held(scenario: &Checked) -> Storage {
    let mut driver = Driver::new(scenario.scenario(), build::plan(scenario)).unwrap();
    driver.run(&mut |_, _| true, &mut ()).unwrap();
    driver.simulation.peak_storage()
}

/// Out-of-rate RM cells at four times the line rate wait at the hosts.
#[test]
fn the_estimate_knows_rm_cells_that_wait_at_hosts() {
    let text = crate::scenario::template("n-source").unwrap();
    let short = FLOOD.map(|one| one.replace("20 s", "500 ms"));
    let flood = scenario(text, &short.each_ref().map(String::as_str));
    let estimate = estimate_of(&flood);
    let held = most_held(&flood);
    assert!(held.units > 500_000, "{held:?}");
    assert!(estimate.cells_in_flight >= held.units, "{estimate:?}");
    assert!(estimate.memory_bytes >= held.bytes, "{estimate:?}");
    assert_eq!(estimate.causes()[0].need, Need::Probes, "{estimate:?}");
}

/// The scenario has only one source, so that no port of a switch is overloaded.
const FLOOD: [&str; 4] = [
    "flow.tcp.count=1",
    "abr.tcr=\"622 Mbit/s\"",
    "run.duration=\"20 s\"",
    "measure.from=\"0 s\"",
];

/// Memory is checked in the pauses of a run, so the pauses are closer together if sources send more
/// than their lines carry.
#[test]
fn what_is_offered_beyond_a_line_shortens_the_slices() {
    let text = crate::scenario::template("n-source").unwrap();
    let slice = |settings: &[&str]| timeline::slice(&build::plan(&scenario(text, settings)));
    let usual = slice(&[]);
    assert_eq!(usual, slice(&["abr.tcr=\"100 Mbit/s\""]));
    // The cells of five flows cross three links in each direction; in addition, ten hosts have an
    // excess of 1 Tbit/s.
    let flooded = slice(&["abr.tcr=\"1000 Gbit/s\""]);
    let excess = 10.0 * (1e12 - 155.52e6) / 424.0;
    let seconds = 5e5 / excess;
    assert!(
        (0.9..1.0).contains(&(flooded.as_secs_f64() / seconds)),
        "{usual} {flooded}"
    );
}

/// Even if the estimate is wrong, a run ends before the memory is full, on one thread and on
/// several.
#[test]
fn a_run_that_fills_the_memory_is_ended() {
    let text = crate::scenario::template("n-source").unwrap();
    let flood = scenario(text, &FLOOD);
    let end_on = |parts: usize| {
        let mut driver = Driver::new(flood.scenario(), build::plan(&flood)).unwrap();
        driver.room = Room::of(|| Some(500 << 20));
        let nodes = driver.simulation.plan().nodes.len();
        let parts: Vec<usize> = (0..nodes).map(|node| node * parts / nodes).collect();
        let Err(RunError::Exhausted(found)) =
            driver.run_in_parts(&parts, &mut |_, _| true, &mut ())
        else {
            panic!("the run was not ended")
        };
        found
    };
    for parts in [1, 2] {
        let found = end_on(parts);
        assert!(found.at < Ps::from_s(5), "{found}");
        assert!(found.held.bytes < 2_000 << 20, "{found}");
        let told = found.to_string();
        assert!(told.contains("500 MiB are left"), "{told}");
        assert!(told.contains(" cells of the link "), "{told}");
        assert_eq!(found.needs()[1], Need::Probes);
    }
}
