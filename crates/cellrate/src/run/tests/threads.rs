//! Runs in parts on several threads. Their outcomes (summaries, traces, events) must equal those of
//! one thread to the last bit, and an early end of one part must end all threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::*;
use crate::run::cells::CellRecords;
use crate::run::driver::RunError;
use crate::run::{Series, threads};

/// The results of a run: its report, its traces, its events, and the number of events beyond the
/// limit.
type Left = (String, Vec<Series>, Events, u64);

fn left(driver: &mut Driver<CellRecords>, report: cellrate_engine::atm::Report) -> Left {
    let (events, omitted) = driver.records.events(&driver.simulation, 100_000);
    let series = driver.records.series();
    (format!("{report:#?}"), series, events, omitted)
}

fn driver(checked: &Checked) -> Driver<CellRecords> {
    Driver::new(checked.scenario(), build::plan(checked)).unwrap()
}

fn alone(checked: &Checked) -> Left {
    let mut driver = driver(checked);
    let report = driver.run(&mut |_, _| true, &mut ()).unwrap();
    left(&mut driver, report)
}

fn in_parts(checked: &Checked, parts: &[usize]) -> Left {
    let mut driver = driver(checked);
    let report = driver
        .run_in_parts(parts, &mut |_, _| true, &mut ())
        .unwrap();
    left(&mut driver, report)
}

/// Nodes dealt out to `count` parts in several orders: in turn, in blocks of consecutive nodes, and
/// in random order.
pub fn deals(nodes: usize, count: usize) -> [Vec<usize>; 3] {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ nodes as u64;
    let mut drawn = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    [
        (0..nodes).map(|node| node % count).collect(),
        (0..nodes).map(|node| node * count / nodes).collect(),
        (0..nodes).map(|_| drawn()).collect(),
    ]
}

/// Checks that the results do not depend on the way in which nodes are dealt out, for 2, 3 and 5
/// parts.
fn parts_change_nothing(text: &str, overrides: &[&str]) -> Left {
    let checked = scenario(text, overrides);
    let nodes = build::plan(&checked).nodes.len();
    let whole = alone(&checked);
    for count in [2, 3, 5] {
        for parts in deals(nodes, count) {
            let divided = in_parts(&checked, &parts);
            assert_eq!(whole.0, divided.0, "{count} parts: {parts:?}");
            assert_eq!(whole, divided, "{count} parts: {parts:?}");
        }
    }
    whole
}

const EVERYTHING: &str = r#"measure={ from = "100 ms", to = "500 ms", sample = "1 ms", traces = ["queue", "cwnd", "sequence", "source-queue", "utilisation"], events = ["loss", "timeout", "retransmission"] }"#;

#[test]
fn losses_traces_and_events_are_those_of_one_thread() {
    let (_, series, events, _) = parts_change_nothing(LOSSY, &[EVERYTHING]);
    assert!(events.len() > 100 && series.iter().all(|one| !one.seconds.is_empty()));
    // Samples are taken several times within the delay of the shortest link, and there are events
    // beyond the limit.
    let often = EVERYTHING
        .replace(r#"sample = "1 ms""#, r#"sample = "7 us", event_limit = 5"#)
        .replace("500 ms", "180 ms");
    let (.., omitted) = parts_change_nothing(LOSSY, &[&often, r#"run.duration="181 ms""#]);
    assert!(omitted > 0);
}

#[test]
fn rates_and_marks_are_those_of_one_thread() {
    let all = r#"measure={ from = "50 ms", sample = "1 ms", traces = ["acr", "queue"], events = ["mark"] }"#;
    let (_, _, events, _) = parts_change_nothing(MARKED, &[all]);
    assert!(!events.is_empty());
}

#[test]
fn virtual_sources_on_both_sides_of_a_cut_are_those_of_one_thread() {
    let text = r#"
        run.duration = "50 ms"
        measure = { from = "10 ms", sample = "1 ms", traces = ["acr", "queue"] }
        topology = { template = "parking-lot", link_rate = "50 Mbit/s", switches = 4, hop = "10 km", access = "10 km", egress = "10 km" }
        switch = { vsvd = {}, control = { scheme = "erica" } }
        flow = [{ name = "abr", service = "abr" }, { name = "short", service = "abr", source = { kind = "persistent" }, enters = 2, hops = 1 }]"#;
    let (_, series, ..) = parts_change_nothing(text, &[]);
    assert!(series.iter().any(|one| one.entity.contains('@')));
}

/// A root with one leaf at each of two switches.
const COPIED: &str = r#"
    run.duration = "50 ms"
    measure = { from = "10 ms", sample = "1 ms", traces = ["acr", "queue", "source-queue"], cell_delay = true }
    switch.control.scheme = "erica"
    [topology]
    template = "graph"
    node = [
        { name = "root", kind = "host" }, { name = "a", kind = "host" }, { name = "b", kind = "host" },
        { name = "X", kind = "switch" }, { name = "Y", kind = "switch" },
    ]
    link = [
        { from = "root", to = "X", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "a", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "Y", rate = "20 Mbit/s", delay = "100 km" },
        { from = "Y", to = "b", rate = "50 Mbit/s", delay = "10 km" },
    ]
    [[flow]]
    name = "m"
    service = "abr"
    source = { kind = "persistent" }
    from = "root"
    to = "a"
    multipoint = { also_to = ["b"] }
"#;

#[test]
fn copies_on_both_sides_of_a_cut_are_those_of_one_thread() {
    let (report, series, ..) = parts_change_nothing(COPIED, &[]);
    assert!(report.contains("m.2/forward"));
    let rates = series.iter().filter(|one| one.entity == "m.1/forward");
    assert_eq!(rates.count(), 1);
    let simple = "flow.m.multipoint.consolidation=simple";
    assert_ne!(report, parts_change_nothing(COPIED, &[simple]).0);
}

#[test]
fn credit_over_a_cut_is_that_of_one_thread() {
    let text = r#"
        run.duration = "100 ms"
        measure = { from = "20 ms", sample = "1 ms", traces = ["queue", "utilisation"] }
        topology = { template = "n-source", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "100 km", egress = "10 km" }
        fcvc = { mark_interval = "5 ms" }
        link_errors = { cell_loss_ratio = 0.001 }
        flow = [{ name = "tcp", count = 3, service = "ubr" }]"#;
    let (report, ..) = parts_change_nothing(text, &[]);
    assert!(report.contains("fcvc"));
}

#[test]
fn changes_come_at_their_instants_in_all_parts() {
    let text = LOSSY.to_string()
        + r#"
        [[changes]]
        at = "200 ms"
        set = { "switch.buffer" = "30 cells" }
        [[changes]]
        at = "333.3 ms"
        set = { "switch.buffer" = "400 cells" }
        "#;
    let changed = parts_change_nothing(&text, &[EVERYTHING]);
    assert_ne!(changed, alone(&scenario(LOSSY, &[EVERYTHING])));
}

/// Runs `work` in a thread of its own, and fails if it does not end.
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    // The time is long enough for any machine; it only decides how long a failing test takes.
    receiver
        .recv_timeout(Duration::from_secs(300))
        .expect("the run should have ended")
}

#[test]
fn a_run_on_threads_stops_when_it_is_told_to() {
    let (result, told) = ends(|| {
        let text = LOSSY.replace("600 ms", "1000000 s");
        let checked = scenario(&text, &[]);
        let mut driver = driver(&checked);
        let parts = &deals(build::plan(&checked).nodes.len(), 3)[1];
        let mut told = Vec::new();
        let mut tell = |now, end| {
            told.push((now, end));
            told.len() < 3
        };
        let result = driver.run_in_parts(parts, &mut tell, &mut ());
        (result.map(|_| ()), told)
    });
    assert_eq!(result, Err(RunError::Cancelled));
    assert_eq!(told.len(), 3);
    assert!(told.is_sorted() && told[0].0 > Ps::ZERO && told[0].1 == Ps::from_s(1_000_000));
}

/// Parts without a link between them do not wait for each other. Yet every part must end when the
/// run is stopped, even if another part has ended long before.
#[test]
fn a_part_that_is_done_still_hears_that_the_run_shall_stop() {
    let text = r#"
        run.duration = "100000 s"
        measure = { from = "99998 s", sample = "1 s" }
        topology = { template = "single-switch", link_rate = "50 Mbit/s", access = "10 km", bottleneck = "10 km" }
        flow = [{ name = "cbr", service = "cbr", source = { kind = "cbr", rate = "40 Mbit/s" } }]"#;
    let result = ends(|| {
        let checked = scenario(text, &[]);
        let mut driver = driver(&checked);
        // The first part has no nodes at all.
        let parts = vec![1; build::plan(&checked).nodes.len()];
        let mut told = 0;
        let result = threads::run(&mut driver, &parts, &mut |_, _| {
            told += 1;
            told < 2
        });
        result.map(|_| ())
    });
    assert_eq!(result, Err(RunError::Cancelled));
}

#[test]
fn a_panic_of_the_watcher_ends_all_threads() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let ended = ends(|| {
        std::panic::catch_unwind(|| {
            let text = LOSSY.replace("600 ms", "1000000 s");
            let checked = scenario(&text, &[]);
            let parts = &deals(build::plan(&checked).nodes.len(), 2)[0];
            let mut tell = |_, _| {
                CALLS.fetch_add(1, Ordering::SeqCst);
                panic!("the watcher is at fault")
            };
            let _ = driver(&checked).run_in_parts(parts, &mut tell, &mut ());
        })
        .is_err()
    });
    assert!(ended && CALLS.load(Ordering::SeqCst) == 1);
}

/// A run on a number of threads that the user sets has the same outcome as on one thread.
#[test]
fn a_job_on_threads_has_the_outcome_of_one() {
    // The links are long, and both sides of them have much work.
    let text = r#"
        run.duration = "1 s"
        measure = { sample = "10 ms", traces = ["queue"] }
        topology = { template = "n-source", link_rate = "155.52 Mbit/s", access = "1000 km", bottleneck = "1000 km", egress = "1000 km" }
        switch.control = { scheme = "erica" }
        flow = [{ name = "tcp", count = 15, service = "abr" }]"#;
    let job = Job::new(text, "test", &[], None).unwrap();
    let two = Threads::Number(NonZeroUsize::new(2).unwrap());
    let partition = job.partition(two);
    assert_eq!(partition.parts.len(), 2, "{}", partition.reason);
    let mut one = job.run(&mut |_, _| true).unwrap();
    let mut more = job.run_in(two, &mut |_, _| true).unwrap();
    for outcome in [&mut one, &mut more] {
        outcome.summary = summary(outcome).to_string();
    }
    assert_eq!(one, more);
}
