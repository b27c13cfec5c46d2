//! The event log of a run, and its memory.

use cellrate_engine::kernel::Ps;

use crate::ethernet::Job;
use crate::ethernet::recorder::Recorder;
use crate::run::memory::Room;
use crate::run::{Driver, Need, Records, RunError};

/// Datagrams of 64 bytes at 100 Gbit/s into a line of 1 Gbit/s: some 100 million losses a second.
const FLOOD: &str = r#"
link_layer = "ethernet"
run.duration = "1 s"
measure.events = ["loss"]
switch.buffer = "10 kB"
topology = { template = "single-switch", link_rate = "100 Gbit/s", bottleneck_rate = "1 Gbit/s", access = "1 us", bottleneck = "1 us" }
flow = [{ name = "udp", datagram = "64 bytes", source = { kind = "cbr", rate = "90 Gbit/s" } }]"#;

fn driver(limit: u64) -> Driver<Recorder> {
    let limit = format!("measure.event_limit={limit}");
    Driver::begin(&Job::new(FLOOD, "test", &[limit], None).unwrap())
}

/// A log that would fill the memory ends the run, and the message says that it is the log.
#[test]
fn a_log_that_fills_the_memory_ends_the_run() {
    let mut driver = driver(4_000_000_000);
    driver.room = Room::of(|| Some(100 << 20));
    let Err(RunError::Exhausted(found)) = driver.run(&mut |_, _| true, &mut ()) else {
        panic!("the run was not ended")
    };
    assert!(found.at < Ps::from_ms(100), "{found}");
    assert_eq!(found.needs(), [Need::Events]);
    let told = found.to_string();
    let log = " are for the event log of a switch or flow, and 100 MiB are left";
    assert!(told.contains(" packets and logged events take "), "{told}");
    assert!(told.ends_with(log), "{told}");
}

/// A log with a limit stops growing once it has as many events, however many follow.
#[test]
fn a_full_log_takes_no_more_memory() {
    let mut driver = driver(1_000);
    let mut stored = Vec::new();
    while driver.next_stop().is_some_and(|at| at <= Ps::from_ms(10)) {
        driver.step();
        stored.push(driver.simulation.events(usize::MAX).0.len());
    }
    let (events, omitted) = driver.records.events(&driver.simulation, 1_000);
    assert_eq!(events.len(), 1_000);
    assert!(omitted > 100_000, "{omitted}");
    assert_eq!(stored[1], stored[stored.len() - 1], "{stored:?}");
}
